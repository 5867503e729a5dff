//! `bp.count` with a file per run: ophyd-async, unmodified, in a process of its own, as `examples/bluesky/count.py` runs it.

use crate::Failed;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use livetime_control::config::Setting;
use serde_json::{Value, json};

use super::super::{Progress, Settings, Spread};
use super::served::Steered;

pub(super) const NAME: &str = "bp.count, an event";

const GRAPH: &str = include_str!("../../../../examples/bluesky/pipeline.yaml");
const SCRIPTS: [(&str, &str); 2] = [
    ("beamline.py", include_str!("../../../../examples/bluesky/beamline.py")),
    ("count.py", include_str!("../../../../examples/bluesky/count.py")),
];
/// Python modules that the measurement needs.
const NEEDED: &str = "import bluesky, event_model, ophyd_async.epics.adsimdetector, h5py, hdf5plugin";
/// Time that an event must stay below, and the time that it should stay below.
const MUST_MS: f64 = 20.0;
const AIM_MS: f64 = 8.0;
/// A script takes no longer unless something is broken.
const LONG: Duration = Duration::from_secs(300);

/// The row, if `python` has the modules.
pub(super) fn measure(
    settings: &Settings,
    python: &Path,
    progress: &mut Progress,
) -> Result<Option<Value>, Failed> {
    let has_it =
        Command::new(python).args(["-c", NEEDED]).stdin(Stdio::null()).stderr(Stdio::null()).status();
    if !has_it.is_ok_and(|status| status.success()) {
        progress.log(format!(
            "{NAME}: left out, the Python has no Bluesky (`bash tools/peers.sh bluesky` prints one that has)"
        ));
        return Ok(None);
    }
    let folder = super::shared::folder().join(format!("livetime-bench-{}-count", std::process::id()));
    fs::create_dir(&folder)?;
    let measured = measure_in(&folder, settings, python, progress);
    // Removed also after a failure.
    let _ = fs::remove_dir_all(&folder);
    measured.map(Some)
}

fn measure_in(
    folder: &Path,
    settings: &Settings,
    python: &Path,
    progress: &mut Progress,
) -> Result<Value, Failed> {
    for (name, text) in SCRIPTS {
        fs::write(folder.join(name), text)?;
    }
    // As `livetime run` has it: a served run goes on after an acquisition.
    let stays = Setting { node: "detector".into(), param: "finish_when_done".into(), value: "false".into() };
    let (run, events) = (Steered::start(GRAPH, &[stays])?, if settings.quick { 10 } else { 200 });
    let mut ms = Vec::new();
    for repeat in 1..=settings.repeats() {
        progress.log(format!("{NAME}: {repeat} of {}", settings.repeats()));
        ms.extend(count(folder, python, &run.address(), events)?);
    }
    let lost = run.finish()?.unintended_losses();
    let (runs, ms) = (ms.len(), Spread::of(ms));
    let verdict = match ms.median {
        median if median <= AIM_MS => "reached",
        median if median <= MUST_MS => "met",
        _ => "missed",
    };
    Ok(json!({
        "what": NAME,
        "runs": runs,
        "events": events,
        "ms_per_event": ms.json(),
        "must_ms": MUST_MS,
        "aim_ms": AIM_MS,
        "verdict": verdict,
        "lost": lost,
    }))
}

/// The median of the times between events, in ms, of each run that the script makes.
fn count(folder: &Path, python: &Path, address: &str, events: usize) -> Result<Vec<f64>, Failed> {
    let mut command = Command::new(python);
    command.arg(folder.join("count.py")).args(["--writer", "hdf", "--events", &events.to_string()]);
    command.arg("--folder").arg(folder.join("files"));
    // Only our server is asked, and settings and caches of the user are not touched.
    command.env("EPICS_PVA_NAME_SERVERS", address).env("HOME", folder);
    command.env("EPICS_PVA_ADDR_LIST", "").env("EPICS_PVA_AUTO_ADDR_LIST", "NO");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let begin = Instant::now();
    while child.try_wait()?.is_none() {
        // A script that hangs must not stop all other measurements.
        if begin.elapsed() > LONG {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let ms: Vec<f64> = said.lines().filter_map(ms_of).collect();
    if !output.status.success() || ms.is_empty() {
        let found = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("wanted runs of `bp.count`, found: {said}{found}").into());
    }
    Ok(ms)
}

/// The time per event in a line such as `run 0: 10 frames in 1 files, 5.2 ms per event`.
fn ms_of(line: &str) -> Option<f64> {
    line.strip_suffix(" ms per event")?.rsplit(' ').next()?.parse().ok()
}

pub(super) fn table(row: &Value) -> String {
    let ms = &row["ms_per_event"];
    let flat = json!({
        "runs": row["runs"], "events": row["events"], "median": ms["median"], "min": ms["min"], "max": ms["max"],
        "must": row["must_ms"], "aim": row["aim_ms"], "verdict": row["verdict"], "lost": row["lost"],
    });
    let columns = [
        ("runs", "runs"),
        ("events", "events"),
        ("ms", "median"),
        ("min", "min"),
        ("max", "max"),
        ("must", "must"),
        ("aim", "aim"),
        ("", "verdict"),
        ("lost", "lost"),
    ];
    super::shared::one_row(NAME, &flat, &columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_the_script_prints_them() {
        assert_eq!(ms_of("run 1: 10 frames in 1 files, 5.2 ms per event"), Some(5.2));
        assert_eq!(ms_of("counted"), None);
        assert!(SCRIPTS[1].1.contains("ms per event"));
    }
}
