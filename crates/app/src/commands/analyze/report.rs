//! The results of an analysis, for people and for machines.

use std::path::PathBuf;
use std::time::Duration;

use livetime_recording::select::Verdict;
use serde_json::{Value as Json, json};

use super::args::AnalyzeArgs;
use super::files::Written;
use super::recorded::RunFiles;
use super::sweep::{self, Measured};
use super::through::Through;
use crate::analyze::{Account, Array, Detector, FaultKind, Named, Value};
use crate::report::numbers::{bytes, utc};
use crate::report::table::{Style, Table, cell};

/// Broken events that the text names; JSON names more.
const NAMED: usize = 10;

pub(super) struct Report<'a> {
    pub(super) args: &'a AnalyzeArgs,
    pub(super) run: &'a RunFiles,
    pub(super) detector: &'a Detector,
    pub(super) all: &'a [Measured],
    pub(super) last: &'a Measured,
    pub(super) is_same: bool,
    /// If parts were merged: how many, and how many files were there twice.
    pub(super) parts: Option<(usize, usize)>,
    /// The pipeline before the reducers.
    pub(super) through: Option<&'a Through>,
    /// The files of each result, once they are made.
    pub(super) written: &'a [Written],
    pub(super) times: Times,
}

/// The time of the whole command, and the part of it that files and pictures took.
#[derive(Clone, Copy, Default)]
pub(super) struct Times {
    pub(super) writing: Option<Duration>,
    pub(super) total: Duration,
}

impl Times {
    fn text(self) -> String {
        let total = self.total.as_secs_f64();
        self.writing.map_or_else(String::new, |writing| {
            let writing = writing.as_secs_f64();
            format!("files and pictures made in {writing:.2} s; {total:.2} s in all\n")
        })
    }

    fn json(self) -> Json {
        json!({ "writing_s": self.writing.map(|t| t.as_secs_f64()), "total_s": self.total.as_secs_f64() })
    }
}

impl Report<'_> {
    pub(super) fn text(&self) -> String {
        let mut text = self.heading();
        text += &self.selection();
        text += &self.faults();
        text += &self.through.map_or_else(String::new, Through::text);
        text += &self.run.problems_text();
        text += &format!("\n{}\n{}", self.results(), self.rates());
        text += &self.times.text();
        // With one number there is nothing to compare.
        if self.all.len() > 1 && self.is_same {
            text += "the results are the same bits for every number of workers\n";
        }
        // Only several numbers of workers give a plot.
        if let (Some(folder), true) = (&self.args.output, self.all.len() > 1) {
            text += &format!("rates by number of workers: {}\n", folder.join(sweep::FILE).display());
        }
        text
    }

    fn heading(&self) -> String {
        let found = &self.last.found;
        let panels = found.layout.panels.len();
        let first = found.layout.panels.first();
        let account = &found.account;
        // Equal lengths are shown as a shape.
        let lengths = account.lengths(0).filter(|l| l.start() < l.end());
        let panel = first.map_or_else(String::new, |p| match lengths {
            Some(l) => format!("{} [{} to {}]", p.dtype, l.start(), l.end()),
            None => format!("{} {:?}", p.dtype, p.shape),
        });
        let incomplete = match account.incomplete {
            0 => String::new(),
            n => format!(", {n} of them without some panel"),
        };
        format!(
            "{}: {panels} x {panel}, {} of {} events used{incomplete}, {} of pictures from {} of files\n",
            self.detector,
            account.used,
            found.events,
            bytes(account.raw_bytes),
            bytes(account.file_bytes),
        )
    }

    /// How many events the expression selected.
    fn selection(&self) -> String {
        if self.expression().is_none() {
            return String::new();
        }
        let account = &self.last.found.account;
        let count = |verdict| account.unselected(verdict);
        let left_out: u64 = Verdict::ALL.into_iter().map(count).sum();
        let counts =
            // The first verdict is the selected one.
            Verdict::ALL.iter().skip(1).map(|verdict| format!("{} {}", count(*verdict), verdict.name()));
        format!("selected: {}, {}\n", account.events() - left_out, counts.collect::<Vec<_>>().join(", "))
    }

    fn expression(&self) -> Option<String> {
        let own = self.args.correct.select.as_ref().map(ToString::to_string);
        // Merged parts were planned with an expression, which this command line lacks.
        own.or_else(|| self.run.expression.clone())
    }

    /// The events that were not used, by reason, and the first of them by name.
    fn faults(&self) -> String {
        let account = &self.last.found.account;
        let counts = FaultKind::ALL.iter().filter(|kind| account.count(**kind) > 0);
        let counts: Vec<String> = counts.map(|kind| format!("{} {kind}", account.count(*kind))).collect();
        if counts.is_empty() {
            return String::new();
        }
        let mut text = format!("not used: {}\n", counts.join(", "));
        // Events that are only missing are those in which the detector was not read, which is nothing new.
        let lost = || account.named.iter().filter(|b| b.fault.kind != FaultKind::Missing);
        for broken in lost().take(NAMED) {
            let (time, fault) = (utc(broken.time_ns), &broken.fault);
            text += &format!("  event {} at {time}: {}: {}\n", broken.event, fault.kind, fault.why);
        }
        if lost().count() > NAMED {
            text += "  ... (--json names more)\n";
        }
        text
    }

    fn results(&self) -> String {
        let mut table =
            Table::new(&["result", "type", "shape", "lowest", "mean", "highest", "files"]).right(3..6);
        for (i, named) in self.last.found.results.iter().enumerate() {
            let files: Vec<String> = self.files(i).map(|p| p.display().to_string()).collect();
            let [kind, shape, lowest, mean, highest] = described(&named.value);
            let cells = [named.name.clone(), kind, shape, lowest, mean, highest, files.join(" ")];
            table.row(cells.map(|text| cell(text, false)));
        }
        table.render(Style::default())
    }

    fn rates(&self) -> String {
        match (self.all, self.parts) {
            // A single measurement is a line; a table of one row would be longer.
            ([only], _) => return format!("{} workers: {}", only.workers, only.usage.text()),
            (_, Some((parts, copies))) => {
                let copies = if copies > 0 { format!(", {copies} of them twice") } else { String::new() };
                let noun = if parts == 1 { "part" } else { "parts" };
                return format!("{parts} {noun} merged{copies}\n");
            }
            _ => {}
        }
        let heads =
            ["workers", "MB/s of data", "MB/s of files", "MB/s of disk", "CPU %", "CPU s per 100 MB", "s"];
        let mut table = Table::new(&heads).right(0..7);
        for Measured { workers, usage, .. } in self.all {
            table.row([
                workers.to_string(),
                format!("{:.0}", usage.effective_mb_s()),
                format!("{:.0}", usage.file_mb_s()),
                usage.disk_mb_s().map_or_else(|| "-".into(), |rate| format!("{rate:.0}")),
                format!("{:.0}", usage.cpu_percent()),
                usage.cpu_s_per_100_mb().map_or_else(|| "-".into(), |cpu| format!("{cpu:.4}")),
                format!("{:.2}", usage.wall.as_secs_f64()),
            ]);
        }
        table.render(Style::default())
    }

    fn files(&self, result: usize) -> impl Iterator<Item = &PathBuf> {
        let written = self.written.get(result);
        written.into_iter().flat_map(|w| w.arrays.iter().chain(&w.picture))
    }

    pub(super) fn json(&self) -> Json {
        let found = &self.last.found;
        let account = &found.account;
        let panel = |(position, p): (usize, &crate::analyze::Panel)| {
            let lengths = account.lengths(position).filter(|_| p.has_any_length());
            let lengths = lengths.map(|l| [*l.start(), *l.end()]);
            json!({ "number": p.number, "dtype": p.dtype.name(), "shape": p.shape, "lengths": lengths })
        };
        let named = |b: &crate::analyze::BrokenEvent| json!({ "event": b.event, "time_ns": b.time_ns, "kind": b.fault.kind.name(), "why": b.fault.why });
        let run = |m: &Measured| {
            let mut row = json!({ "workers": m.workers });
            livetime_measure::merge(&mut row, m.usage.json());
            row
        };
        let mut json = self.run.json();
        let more = json!({
            "detector": self.detector.to_string(),
            "panels": found.layout.panels.iter().enumerate().map(panel).collect::<Vec<_>>(),
            "events": found.events,
            "used": account.used,
            "incomplete": account.incomplete,
            "not_used": not_used_json(account),
            "named": account.named.iter().map(named).collect::<Vec<_>>(),
            "results": found.results.iter().enumerate().map(|(i, n)| self.result_json(i, n)).collect::<Vec<_>>(),
            "rates": self.all.iter().map(run).collect::<Vec<_>>(),
            "reduction": crate::analyze::REDUCTION,
            "same_for_all_workers": self.is_same,
            "times": self.times.json(),
        });
        // `more` wins over equal names of the run.
        livetime_measure::merge(&mut json, more);
        if let Some(expression) = self.expression() {
            let counts = Verdict::ALL
                .iter()
                // The first verdict is the selected one, which is no reason to be left out.
                .skip(1)
                .map(|v| (v.name().replace(' ', "_"), account.unselected(*v).into()));
            json["select"] = json!({ "expression": expression, "left_out": Json::Object(counts.collect()) });
        }
        if let Some((parts, _)) = self.parts {
            json["parts"] = parts.into();
        }
        if let Some(through) = self.through {
            json["pipeline"] = through.json();
        }
        json
    }

    fn result_json(&self, position: usize, named: &Named) -> Json {
        let files: Vec<String> = self.files(position).map(|p| p.display().to_string()).collect();
        let mut json = json!({ "name": named.name, "files": files });
        let more = match &named.value {
            Value::Number(number) => json!({ "value": number }),
            Value::Array(array) => {
                let summary = Summary::of(array);
                json!({
                    "dtype": array.dtype().name(), "shape": array.shape(),
                    "lowest": summary.lowest, "mean": summary.mean, "highest": summary.highest,
                })
            }
            Value::Table(table) => {
                let columns = table.columns.iter();
                json!({ "rows": table.rows(), "columns": columns.map(|c| c.name).collect::<Vec<_>>() })
            }
        };
        livetime_measure::merge(&mut json, more);
        json
    }
}

/// How many events were not used, by reason.
pub(super) fn not_used_json(account: &Account) -> Json {
    let counts = FaultKind::ALL.iter().map(|kind| (kind.name().into(), account.count(*kind).into()));
    Json::Object(counts.collect())
}

/// Type, shape, lowest, mean and highest.
fn described(value: &Value) -> [String; 5] {
    let number = |v: Option<f64>| v.map_or_else(|| "-".into(), |v| format!("{v:.6}"));
    match value {
        Value::Number(value) => {
            ["number".into(), String::new(), String::new(), number(Some(*value)), String::new()]
        }
        Value::Table(table) => {
            let names: Vec<&str> = table.columns.iter().map(|c| c.name).collect();
            let none = String::new;
            [format!("table: {}", names.join(", ")), format!("{} rows", table.rows()), none(), none(), none()]
        }
        Value::Array(array) => {
            let Summary { lowest, mean, highest } = Summary::of(array);
            let shape = format!("{:?}", array.shape());
            [array.dtype().to_string(), shape, number(lowest), number(mean), number(highest)]
        }
    }
}

/// Of all elements that are finite.
struct Summary {
    lowest: Option<f64>,
    mean: Option<f64>,
    highest: Option<f64>,
}

impl Summary {
    fn of(array: &Array) -> Summary {
        // NaN stands where there is no pixel.
        let values: Vec<f64> = array.values().into_iter().filter(|v| v.is_finite()).collect();
        let count = values.len() as f64;
        Summary {
            lowest: values.iter().copied().reduce(f64::min),
            mean: (!values.is_empty()).then(|| values.iter().sum::<f64>() / count),
            highest: values.iter().copied().reduce(f64::max),
        }
    }
}
