//! The fuzz targets' bodies. They stand apart from the programs that `cargo fuzz`
//! builds, because the ordinary tests run the same bodies over every seed
//! (`tests/it/seeds.rs` includes [`targets`] by its path).

mod targets;

/// Runs the target of that name on one input. A finding is a panic.
///
/// # Panics
///
/// Where a promise does not hold, and where there is no such target.
pub fn run(name: &str, input: &[u8]) {
    let target = targets::ALL.iter().find(|target| target.0 == name);
    target.expect("every program names a target of the list").1(input);
}
