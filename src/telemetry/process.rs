//! Metrics of the process, under the names of Prometheus' own clients.

use metrics::{counter, describe_counter, describe_gauge, gauge};
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

/// Describes the metrics.
pub(super) fn describe() {
    describe_gauge!("process_resident_memory_bytes", "Resident memory, in bytes");
    describe_gauge!("process_virtual_memory_bytes", "Virtual memory, in bytes");
    describe_gauge!("process_open_fds", "Open file descriptors");
    describe_gauge!("process_max_fds", "Limit on open file descriptors");
    describe_gauge!("process_start_time_seconds", "Start, in seconds since 1970");
    describe_counter!("process_cpu_seconds_total", "CPU time of user and system, in seconds");
}

/// Sets the metrics to the values of the process. A value that the system does not report stays.
pub(super) fn measure() {
    let Ok(pid) = sysinfo::get_current_pid() else { return };
    let Ok(mut system) = System::new() else { return };
    let kind = ProcessRefreshKind::nothing().with_memory().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, kind);
    let Some(process) = system.process(pid) else { return };
    gauge!("process_resident_memory_bytes").set(process.memory() as f64);
    gauge!("process_virtual_memory_bytes").set(process.virtual_memory() as f64);
    gauge!("process_start_time_seconds").set(process.start_time() as f64);
    counter!("process_cpu_seconds_total").absolute(process.accumulated_cpu_time() / 1_000);
    if let Some(open) = process.open_files() {
        gauge!("process_open_fds").set(open as f64);
    }
    if let Some(most) = process.open_files_limit() {
        gauge!("process_max_fds").set(most as f64);
    }
}
