//! The declarations of the requests' members, in the contract and in the clients: the schemas of
//! requests in `openapi.yaml` and the settings of both clients are generated from them. `UPDATE=1
//! cargo test --lib declared` writes them anew.

mod contract;
mod python;
mod settings;
mod typescript;

use std::path::Path;

use crate::params::{Field, Shape};

/// Checks that a file, or its part after `mark`, matches the declarations; writes it if `UPDATE` is
/// set.
fn hold(path: &str, mark: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let start = text.find(mark).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, format!("{}{made}", &text[..start])).unwrap();
    } else {
        let path = path.display();
        assert!(text[start..] == *made, "{path} is old: UPDATE=1 cargo test --lib declared");
    }
}

/// Returns the first sentence, after the unit of a number.
fn with_unit(field: &Field, text: &str) -> String {
    match field.shape {
        Shape::Whole if !field.unit.is_empty() => format!("In {}. {text}", field.unit),
        _ => text.to_owned(),
    }
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            let space = if line.is_empty() { "" } else { " " };
            line.push_str(space);
            line.push_str(word);
        }
    }
    lines
}
