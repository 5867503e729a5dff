//! The machine of a measurement.

use serde_json::{Value, json};

/// Processor, cores, instruction-set level, memory and system of this machine.
pub(crate) fn machine() -> Value {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let memory_kib: u64 = field(&meminfo, "MemTotal").trim_end_matches(" kB").parse().unwrap_or(0);
    json!({
        "cpu": field(&cpuinfo, "model name"),
        "cpu_family_model": format!("{}/{}", field(&cpuinfo, "cpu family"), field(&cpuinfo, "model")),
        "cores": std::thread::available_parallelism().map_or(0, |n| n.get()),
        "level": livetime_kernels::Level::best().name(),
        "memory_gib": memory_kib >> 20,
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
        "kernel": kernel.trim(),
    })
}

/// The value of `name : value` in a file of /proc.
fn field<'a>(text: &'a str, name: &str) -> &'a str {
    let is_it = |line: &&str| line.split(':').next().is_some_and(|n| n.trim() == name);
    let line = text.lines().find(is_it);
    line.and_then(|l| l.split_once(':')).map_or("unknown", |(_, value)| value.trim())
}
