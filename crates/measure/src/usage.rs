//! The cost of work on a file: the effective data rate, the disk's part of it, and the CPU time, as the study of 2013
//! gives them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cpu::process_cpu;

/// The clocks and counters at the begin of some work.
pub struct Meter {
    begin: Instant,
    cpu: Duration,
    read: Option<u64>,
}

impl Meter {
    /// Begins to measure.
    pub fn start() -> Meter {
        Meter { begin: Instant::now(), cpu: process_cpu(), read: bytes_from_disk() }
    }

    /// The use since the begin, for work on this number of bytes: as recorded in files, and uncompressed.
    pub fn stop(&self, file_bytes: u64, raw_bytes: u64) -> Usage {
        let disk_bytes = self.read.zip(bytes_from_disk()).map(|(begin, end)| end.saturating_sub(begin));
        Usage {
            wall: self.begin.elapsed(),
            cpu: process_cpu().saturating_sub(self.cpu),
            file_bytes,
            raw_bytes,
            disk_bytes,
        }
    }
}

/// The resources that some work on a file used.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Time from begin to end.
    pub wall: Duration,
    /// CPU time of all threads.
    pub cpu: Duration,
    /// Bytes of the files that were read, as they are recorded.
    pub file_bytes: u64,
    /// Bytes of the same data uncompressed.
    pub raw_bytes: u64,
    /// Bytes that came from the disk and not from memory, where the system tells.
    pub disk_bytes: Option<u64>,
}

impl Usage {
    /// MB of uncompressed data per second.
    pub fn effective_mb_s(&self) -> f64 {
        self.per_second(self.raw_bytes)
    }

    /// MB per second read from files, whether the disk or memory gave them.
    pub fn file_mb_s(&self) -> f64 {
        self.per_second(self.file_bytes)
    }

    /// MB per second that the disk gave.
    pub fn disk_mb_s(&self) -> Option<f64> {
        self.disk_bytes.map(|bytes| self.per_second(bytes))
    }

    /// 100 is one core.
    pub fn cpu_percent(&self) -> f64 {
        100.0 * self.cpu.as_secs_f64() / self.wall.as_secs_f64().max(1e-9)
    }

    /// CPU seconds for 100 MB of uncompressed data; `None` if there were no data.
    pub fn cpu_s_per_100_mb(&self) -> Option<f64> {
        (self.raw_bytes > 0).then(|| self.cpu.as_secs_f64() / (self.raw_bytes as f64 / 1e8))
    }

    /// As an object for a record.
    pub fn json(&self) -> Value {
        json!({
            "wall_s": self.wall.as_secs_f64(),
            "effective_mb_s": self.effective_mb_s(),
            "file_mb_s": self.file_mb_s(),
            "disk_mb_s": self.disk_mb_s(),
            "cpu_percent": self.cpu_percent(),
            "cpu_s_per_100_mb": self.cpu_s_per_100_mb(),
        })
    }

    /// One line for people.
    pub fn text(&self) -> String {
        let Some(cpu) = self.cpu_s_per_100_mb() else {
            return format!("no data, {:.2} s\n", self.wall.as_secs_f64());
        };
        let disk = self.disk_mb_s().map_or_else(String::new, |rate| format!(" ({rate:.0} from disk)"));
        format!(
            "{:.0} MB/s of raw data, {:.0} MB/s of file{disk}, {:.0} % CPU, {:.3} CPU s per 100 MB, {:.2} s\n",
            self.effective_mb_s(),
            self.file_mb_s(),
            self.cpu_percent(),
            cpu,
            self.wall.as_secs_f64(),
        )
    }

    fn per_second(&self, bytes: u64) -> f64 {
        bytes as f64 / 1e6 / self.wall.as_secs_f64().max(1e-9)
    }
}

/// Bytes that this process has had from a disk so far; the page cache does not count.
fn bytes_from_disk() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/io").ok()?;
    text.lines().find_map(|line| line.strip_prefix("read_bytes: ")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_bytes_by_time() {
        let usage = Usage {
            wall: Duration::from_secs(2),
            cpu: Duration::from_secs(3),
            file_bytes: 100_000_000,
            raw_bytes: 200_000_000,
            disk_bytes: Some(50_000_000),
        };
        assert_eq!((usage.effective_mb_s(), usage.file_mb_s(), usage.disk_mb_s()), (100.0, 50.0, Some(25.0)));
        assert_eq!((usage.cpu_percent(), usage.cpu_s_per_100_mb()), (150.0, Some(1.5)));
    }

    #[test]
    fn work_without_data_has_no_rates() {
        let (wall, cpu) = (Duration::from_millis(20), Duration::from_millis(10));
        let usage = Usage { wall, cpu, file_bytes: 0, raw_bytes: 0, disk_bytes: Some(0) };
        assert_eq!(usage.text(), "no data, 0.02 s\n");
        assert!(usage.json()["cpu_s_per_100_mb"].is_null());
    }
}
