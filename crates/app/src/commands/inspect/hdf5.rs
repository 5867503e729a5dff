//! HDF5 files: their content, and whether they were finished.

use std::path::Path;

use livetime_formats::file::{ReadAt, RecordedFile};
use livetime_formats::hdf5::{DataSet, Hdf5, Scratch, Survey, survey_of};
use livetime_formats::{Error, Result, clock};
use livetime_frame::AttributeValue;
use serde_json::{Value, json};

use livetime_recording::{Recording, Stores};

use super::report::{Report, exit_of};
use crate::report::numbers::{bytes, utc};

/// By its first bytes.
pub(super) fn is_hdf5(file: &RecordedFile) -> Result<bool> {
    let mut head = [0; 4];
    let count = file.read_at(&mut head, 0).map_err(|e| Error::io("to read the file", e))?;
    Ok(head[..count] == *b"\x89HDF")
}

pub(super) fn report(stores: &Stores, path: &Path, file: &RecordedFile) -> Result<Report> {
    let survey = survey_of(file)?;
    let run = Run::of(stores, path);
    let (mut text, mut json) = (text(path, &survey), as_json(path, &survey));
    if let Some(run) = &run {
        text += &run.text();
        json["run"] = run.json();
    }
    let is_whole = survey.unreadable.is_empty() && run.is_none_or(|run| run.problems.is_empty());
    Ok(Report { text, json, exit: exit_of(survey.data_sets.len() as u64, is_whole) })
}

/// The file as a recorded run.
struct Run {
    events: usize,
    /// Of the first and the last event, if they were recorded.
    times_ns: Option<(u64, u64)>,
    detectors: Vec<Shown>,
    /// Files that this one leads to.
    others: usize,
    /// Frames that were lost before they came to the file, as far as it says.
    missing: Option<u64>,
    problems: Vec<String>,
}

/// A detector of a run.
struct Shown {
    name: String,
    layout: String,
    codec: String,
}

impl Run {
    /// `None`: it has nothing that can be played.
    fn of(stores: &Stores, path: &Path) -> Option<Run> {
        // A file without events is still a file with content, so the failure is no error.
        let recording = Recording::open_from(stores, &[path]).ok()?;
        let (events, content) = (recording.events(), Hdf5::open_from(stores, path, None).ok()?);
        let codec = |name: &str| {
            // The names of files with several data sets have a number.
            let array = content.array(name).or_else(|_| content.array(&format!("{name}_000001")));
            array.map_or_else(
                |_| String::new(),
                |array| if array.is_virtual() { "virtual".into() } else { array.codec() },
            )
        };
        let detectors = recording.detectors().ok()?.into_iter().map(|detector| Shown {
            name: detector.to_string(),
            layout: recording
                .layout(&detector)
                .map_or_else(|| "no picture".into(), |layout| layout.to_string()),
            codec: codec(&detector.to_string()),
        });
        let times_ns = (recording.time_ns(0), recording.time_ns(events.saturating_sub(1)));
        Some(Run {
            events,
            // A time of 0 was not recorded.
            times_ns: Some(times_ns).filter(|(first, _)| clock::is_set(*first)),
            detectors: detectors.collect(),
            others: recording.files().len().saturating_sub(1),
            missing: missing(&content, &recording),
            problems: recording.problems().into_iter().map(|problem| problem.why).collect(),
        })
    }

    fn text(&self) -> String {
        let times = self.times_ns.map_or_else(String::new, |(a, b)| format!(", {} to {}", utc(a), utc(b)));
        let others =
            if self.others > 0 { format!(", with {} other files", self.others) } else { String::new() };
        let mut text = format!("as a recorded run: {} events{times}{others}\n", self.events);
        for Shown { name, layout, codec } in &self.detectors {
            let codec = if codec.is_empty() { "not compressed" } else { codec };
            text += &format!("  detector {name}: {layout}, {codec}\n");
        }
        if let Some(missing) = self.missing {
            text += &format!("  frames lost before they were recorded: {missing}\n");
        }
        self.problems.iter().for_each(|why| text += &format!("cannot be read: {why}\n"));
        text
    }

    fn json(&self) -> Value {
        let shown = |d: &Shown| json!({ "name": d.name, "layout": d.layout, "codec": d.codec });
        json!({
            "events": self.events,
            "first_ns": self.times_ns.map(|(first, _)| first),
            "last_ns": self.times_ns.map(|(_, last)| last),
            "detectors": self.detectors.iter().map(shown).collect::<Vec<_>>(),
            "other_files": self.others,
            "missing": self.missing,
            "problems": self.problems,
        })
    }
}

/// The sum that the recorder has written, or the sum over the rows of the frames missing before each.
fn missing(content: &Hdf5, recording: &Recording) -> Option<u64> {
    let lost = content.array("/entry/instrument/loss/lost").ok().and_then(|lost| {
        let values = lost.values(0, 1, &mut Scratch::default()).ok()?;
        match values.first()? {
            AttributeValue::Uint(value) => Some(*value),
            _ => None,
        }
    });
    lost.or_else(|| {
        let rows = content.array("/entry/instrument/loss/missing_before").ok()?;
        let mut sum = 0u64;
        rows.each_value(0..recording.events() as u64, &mut Scratch::default(), &mut |value| {
            sum = sum.saturating_add(if let AttributeValue::Uint(v) = value { v } else { 0 });
        })
        .ok()?;
        Some(sum)
    })
}

fn text(path: &Path, survey: &Survey) -> String {
    let state = match survey.is_open {
        true => "is being written, or its writer was killed (livetime recover)",
        false => "finished",
    };
    let frames = survey.frames().map_or(String::new(), |frames| format!(", {frames} frames"));
    let mut text = format!("{}: HDF5, {}{frames}, {state}\n", path.display(), bytes(survey.size));
    survey.data_sets.iter().for_each(|set| text += &line(set));
    survey.unreadable.iter().for_each(|why| text += &format!("cannot be read: {why}\n"));
    text
}

fn line(set: &DataSet) -> String {
    let axes: Vec<String> = set.shape.iter().map(u64::to_string).collect();
    let filters = if set.filters.is_empty() { String::new() } else { format!(", {}", set.filters.join("+")) };
    let refused = set.refused.as_ref().map_or(String::new(), |why| format!("\n    cannot be read: {why}"));
    format!("  {}: ({}) of {}{filters}{refused}\n", set.path, axes.join(", "), set.element)
}

fn as_json(path: &Path, survey: &Survey) -> Value {
    let set = |set: &DataSet| {
        json!({
            "path": set.path, "shape": set.shape, "grows": set.grows, "element_bytes": set.element_bytes,
            "filter": set.filter, "filters": set.filters, "element": set.element, "refused": set.refused,
        })
    };
    json!({
        "file": path.display().to_string(),
        "format": "hdf5",
        "bytes": survey.size,
        "open": survey.is_open,
        "frames": survey.frames(),
        "data_sets": survey.data_sets.iter().map(set).collect::<Vec<_>>(),
        "unreadable": survey.unreadable,
    })
}
