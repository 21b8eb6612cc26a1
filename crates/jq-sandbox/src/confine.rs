//! The limits that a worker sets on itself before it reads anything.

use std::{fs::File, io, os::unix::fs::FileExt, thread, time::Duration};

use rustix::process::{
    Resource, Rlimit, Signal, getpid, getrlimit, kill_process, set_parent_process_death_signal,
    setrlimit,
};

/// How a worker ends that has more than its memory: no other end looks like it.
pub(super) const OUT_OF_MEMORY: Signal = Signal::USR1;

/// How often the memory is looked at. A filter fills some ten megabytes in it.
const LOOK_EVERY: Duration = Duration::from_millis(3);

/// Takes from this process: new files, writing to files, new processes, core
/// files, more CPU seconds than `cpu_seconds`, more memory than `memory_bytes`,
/// and outliving its parent. Threads that it needs must run by now.
///
/// The resident memory is watched, because the allocator may have address space
/// in reserve that a limit on address space no longer sees; that limit only
/// bounds what one allocation can take between two looks.
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
    // A hard CPU limit kills without a word; the soft one below it names itself.
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
        thread::sleep(LOOK_EVERY);
    }
}

/// The kernel's word on the sizes of this process.
struct Sizes {
    statm: File,
}

impl Sizes {
    /// Bytes mapped, and bytes resident that are this process's alone: the program's own
    /// pages are the service's, too.
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
