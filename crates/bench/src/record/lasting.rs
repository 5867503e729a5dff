//! Small frames at 4 kHz with 20 attributes, for as long as is wanted, while a client asks for a flush every ten seconds.
//!
//! Each file has 15 seconds; when it is finished, its frame numbers are read and it is removed, so that memory suffices
//! for any number of minutes.

use crate::Failed;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use livetime_formats::hdf5::{Hdf5, Scratch};
use serde_json::{Value, json};

use super::super::pva::cpu_seconds;
use super::super::{Progress, Settings, tenths};
use super::served::{Steered, setting};

pub(super) const NAME: &str = "4 kHz, 20 attributes, for a while";

const GRAPH: &str = "\
memory: 128 MiB
nodes:
  detector:
    type: sim_detector
    params: {max_size_x: 64, max_size_y: 64, acquire_time: 0, acquire_period: 250 us}
  HDF1: {type: hdf5_files, from: detector, queue: 4000, params: {mode: stream, frames_per_file: 60000}}
";
const ATTRIBUTES: usize = 20;
const FLUSH_EVERY: Duration = Duration::from_secs(10);

/// The content of the files.
#[derive(Default)]
struct Found {
    frames: u64,
    /// Numbers that are missing between the first and the last.
    missing: u64,
    last: Option<i32>,
}

pub(super) fn measure(settings: &Settings, progress: &mut Progress) -> Result<Value, Failed> {
    let seconds = match settings.minutes {
        _ if settings.quick => 1.0,
        Some(minutes) => 60.0 * minutes,
        None => settings.seconds,
    };
    progress.log(format!("{NAME}: {seconds} s"));
    let folder = super::shared::folder().join(format!("livetime-bench-{}-lasting", std::process::id()));
    fs::create_dir(&folder)?;
    let measured = measure_in(&folder, Duration::from_secs_f64(seconds));
    // Removed also after a failure.
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn measure_in(folder: &Path, time: Duration) -> Result<Value, Failed> {
    let run = Steered::start(GRAPH, &[setting("HDF1", "path", folder)])?;
    run.put_text("cam1:NDAttributesFile", &attributes())?;
    // Attributes belong to frames that begin after that.
    std::thread::sleep(Duration::from_millis(100));
    let used = || cpu_seconds(std::process::id());
    let (begin, used_before) = (Instant::now(), used());
    // The put of `Capture` ends only with the capture, so its result is not waited for.
    let _capture = run.begin_put("HDF1:Capture", 1.0);
    let (mut found, mut flush_ms, mut flushed) = (Found::default(), Vec::new(), begin);
    while begin.elapsed() < time {
        std::thread::sleep(Duration::from_millis(200).min(time.saturating_sub(begin.elapsed())));
        if flushed.elapsed() >= FLUSH_EVERY {
            flushed = Instant::now();
            run.put("HDF1:FlushNow", 1.0)?;
            flush_ms.push(flushed.elapsed().as_secs_f64() * 1e3);
        }
        // Finished files are read and removed while the run lasts, so that a long run needs no large disk.
        found.take_all_but(1, folder)?;
    }
    run.put("HDF1:Capture", 0.0)?;
    let (seconds, cpu) = (begin.elapsed().as_secs_f64(), used() - used_before);
    let report = run.finish()?;
    found.take_all_but(0, folder)?;
    let service = report.nodes.iter().find(|node| node.name == "HDF1").map(|node| &node.service);
    let longest_flush = flush_ms.iter().copied().fold(f64::NAN, f64::max);
    Ok(json!({
        "what": NAME,
        "seconds": tenths(seconds),
        "frames": found.frames,
        "frames_per_s": tenths(found.frames as f64 / seconds),
        "lost": report.unintended_losses(),
        "missing_in_files": found.missing,
        "cpu_percent": tenths(100.0 * cpu / seconds),
        "service_p99_us": tenths(service.map_or(f64::NAN, |times| times.p99_ns() as f64 / 1e3)),
        "flushes": flush_ms.len(),
        "longest_flush_ms": tenths(longest_flush),
    }))
}

/// Twenty parameters of the detector as XML.
fn attributes() -> String {
    let names = ["gain", "gain_x", "gain_y", "offset", "noise"];
    let one = |number: usize| {
        let source = names[number % names.len()];
        format!("<Attribute name=\"A{number}\" type=\"PARAM\" source=\"{source}\" datatype=\"DOUBLE\"/>")
    };
    format!("<Attributes>{}</Attributes>", (0..ATTRIBUTES).map(one).collect::<String>())
}

impl Found {
    /// Reads the files of the capture in their order, and removes them, but for the last `kept`.
    fn take_all_but(&mut self, kept: usize, folder: &Path) -> Result<(), Failed> {
        let entries = fs::read_dir(folder)?;
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|path| {
            path.extension().is_some_and(|e| e == "h5") && !path.to_string_lossy().ends_with("_all.h5")
        });
        // Numbers grow past three digits.
        files.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        let count = files.len().saturating_sub(kept);
        files.iter().take(count).try_for_each(|path| {
            self.take(path).map_err(|e| format!("{}: {e}", path.display()))?;
            fs::remove_file(path).map_err(Failed::from)
        })
    }

    fn take(&mut self, path: &Path) -> Result<(), Failed> {
        let file = Hdf5::open(path)?;
        let mut scratch = Scratch::default();
        let mut rows = |name: &str, bytes: usize| {
            let array = file.array(&format!("/entry/instrument/NDAttributes/{name}"))?;
            let mut values = vec![0; array.rows() as usize * bytes];
            array.read(0, array.rows(), &mut values, &mut scratch)?;
            Ok::<_, Failed>(values)
        };
        let last = format!("A{}", ATTRIBUTES - 1);
        let (numbers, values) = (rows("NDArrayUniqueId", 4)?, rows(&last, 8)?);
        if values.len() != 2 * numbers.len() {
            return Err(format!(
                "wanted a value of {last} for each frame, found {} for {}",
                values.len() / 8,
                numbers.len() / 4
            )
            .into());
        }
        for number in numbers.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])) {
            let first = self.last.replace(number).map_or(number, |last| last.wrapping_add(1));
            self.missing += u64::from(number.abs_diff(first));
            self.frames += 1;
        }
        Ok(())
    }
}

pub(super) fn table(row: &Value) -> String {
    let columns = [
        ("s", "seconds"),
        ("frames", "frames"),
        ("frames/s", "frames_per_s"),
        ("lost", "lost"),
        ("missing in files", "missing_in_files"),
        ("% of a core", "cpu_percent"),
        ("service p99 us", "service_p99_us"),
        ("flushes", "flushes"),
        ("longest ms", "longest_flush_ms"),
    ];
    super::shared::one_row(NAME, row, &columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_of_it_loses_nothing() {
        let settings = Settings { quick: true, ..Settings::default() };
        let row = measure(&settings, &mut Progress(&mut |_| {})).unwrap();
        assert!(row["frames"].as_u64().unwrap() > 100, "{row}");
        assert_eq!((&row["lost"], &row["missing_in_files"]), (&json!(0), &json!(0)), "{row}");
    }
}
