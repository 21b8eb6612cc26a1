//! The limits that a worker sets on itself before it reads input.

use std::{fs::File, io, os::unix::fs::FileExt, thread, time::Duration};

use rustix::process::{
    Resource, Rlimit, Signal, getpid, getrlimit, kill_process, set_parent_process_death_signal,
    setrlimit,
};

/// The signal that ends a worker with too much memory. Nothing else sends it.
pub(crate) const OUT_OF_MEMORY: Signal = Signal::USR1;

/// The interval between checks of the memory. A filter can fill about ten megabytes in it.
const CHECK_INTERVAL: Duration = Duration::from_millis(3);

/// Denies this process new files, writing to files, new processes, core files, more CPU seconds
/// than `cpu_seconds`, more memory than `memory_bytes`, and outliving its parent. Its threads
/// must already run.
///
/// A thread checks the resident memory: the allocator may have reserved address space before,
/// which a limit on address space does not count. That limit only bounds one allocation
/// between two checks.
///
/// # Errors
///
/// Fails if the kernel rejects a limit.
pub(super) fn confine(memory_bytes: u64, cpu_seconds: u64) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let sizes = Sizes { statm: File::open("/proc/self/statm")? };
    let (mapped, _) = sizes.read()?;
    thread::Builder::new().stack_size(64 * 1024).spawn(move || watch(&sizes, memory_bytes))?;
    lower(Resource::As, mapped.saturating_add(memory_bytes))?;
    lower(Resource::Cpu, cpu_seconds)?;
    lower(Resource::Fsize, 0)?;
    lower(Resource::Core, 0)?;
    lower(Resource::Nofile, 0)?;
    lower(Resource::Nproc, 0)
}

fn lower(resource: Resource, to: u64) -> io::Result<()> {
    let hard = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    // A hard CPU limit kills; the soft one below it sends a signal that names the reason.
    let above = if resource == Resource::Cpu { to.saturating_add(1) } else { to };
    let limit = Rlimit { current: Some(to.min(hard)), maximum: Some(above.min(hard)) };
    Ok(setrlimit(resource, limit)?)
}

fn watch(sizes: &Sizes, memory_bytes: u64) {
    loop {
        let within = sizes.read().is_ok_and(|(_, resident)| resident <= memory_bytes);
        if !within && kill_process(getpid(), OUT_OF_MEMORY).is_ok() {
            return;
        }
        thread::sleep(CHECK_INTERVAL);
    }
}

/// The memory sizes of this process, from the kernel.
struct Sizes {
    statm: File,
}

impl Sizes {
    /// Returns the mapped bytes, and the resident bytes that are not shared: the pages of the
    /// program are shared with the service.
    fn read(&self) -> io::Result<(u64, u64)> {
        let mut text = [0; 128];
        let length = self.statm.read_at(&mut text, 0)?;
        let text = String::from_utf8_lossy(&text[..length]);
        let mut pages = text.split(' ').map_while(|pages| pages.parse::<u64>().ok());
        let mut next = || pages.next().ok_or(io::ErrorKind::InvalidData);
        let (mapped, resident, shared) = (next()?, next()?, next()?);
        let page = u64::try_from(rustix::param::page_size()).unwrap_or(u64::MAX);
        let own = resident.saturating_sub(shared);
        Ok((mapped.saturating_mul(page), own.saturating_mul(page)))
    }
}
