//! How measurements are run, and what they write.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use livetime_engine::GraphError;
use serde_json::{Value, json};

/// How a benchmark is run; each uses what is for it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Short and few measurements: shows that it works, not how fast it is.
    pub quick: bool,
    /// Only the rows whose name contains this text.
    pub filter: String,
    /// Another program that is run in turn with ours.
    pub peer: Option<PathBuf>,
    /// Numbers of links of wire readout.
    pub links: RangeInclusive<usize>,
    /// Seconds of each run of a graph.
    pub seconds: f64,
    /// Minutes at 4 kHz in `record`; without, `seconds`.
    pub minutes: Option<f64>,
    /// The study's second table: pictures of 2048 x 2048 pixels without exposure.
    pub large: bool,
    /// Numbers of channels; empty means the standard rows.
    pub channels: Vec<usize>,
    /// Doubles in each channel; empty means the standard rows.
    pub elements: Vec<usize>,
    /// Bytes of an image that is sent to clients.
    pub image_bytes: usize,
    /// Numbers of subscribers; empty means the standard rows.
    pub subscribers: Vec<usize>,
    /// Clients and servers look for answers without sleeping.
    pub spin: bool,
    /// The program `livetime`, which is started as server (`bench pva-peer`, see [`serve`](crate::serve)) or client (`pv monitor`) of another process.
    pub program: PathBuf,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            quick: false,
            filter: String::new(),
            peer: None,
            links: 1..=10,
            seconds: 3.0,
            minutes: None,
            large: false,
            channels: Vec::new(),
            elements: Vec::new(),
            image_bytes: 1 << 20,
            subscribers: Vec::new(),
            spin: false,
            program: PathBuf::from("livetime"),
        }
    }
}

impl Settings {
    pub(crate) fn repeats(&self) -> usize {
        repeats(self.quick)
    }
}

/// Repeats of a measurement that is not quick.
const REPEATS: usize = 5;

/// How often a measurement is repeated.
pub(crate) fn repeats(quick: bool) -> usize {
    if quick { 1 } else { REPEATS }
}

/// Where lines go that say what is being measured.
pub(crate) struct Progress<'a>(pub(crate) &'a mut dyn FnMut(&str));

impl Progress<'_> {
    pub(crate) fn log(&mut self, line: impl ToString) {
        (self.0)(&line.to_string());
    }
}

/// What a program has taken from its allocator so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Allocations {
    /// How often.
    pub count: usize,
    /// Bytes that it has not given back.
    pub bytes: usize,
}

/// Tells what the program has allocated; the program's `main` knows its allocator.
pub type CountAllocations = fn() -> Allocations;

/// What a benchmark found: for machines, and for people.
#[derive(Clone, Debug)]
pub struct Record {
    /// Rows and settings.
    pub json: Value,
    /// The same as text.
    pub table: String,
}

/// Adds the keys of one object to another.
pub fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

pub(crate) fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Median, smallest and largest of some repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The one in the middle.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Of these values; not a number if there are none.
    pub fn of(mut values: Vec<f64>) -> Spread {
        values.sort_by(f64::total_cmp);
        let at = |i: usize| values.get(i).copied().unwrap_or(f64::NAN);
        Spread { median: at(values.len() / 2), min: at(0), max: at(values.len().saturating_sub(1)) }
    }
}

impl Spread {
    /// As an object for a record, with one decimal.
    pub fn json(self) -> Value {
        json!({ "median": tenths(self.median), "min": tenths(self.min), "max": tenths(self.max) })
    }
}

/// All problems of a graph in one line.
pub(crate) fn in_one_line(errors: &[GraphError]) -> String {
    errors.iter().map(GraphError::to_string).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_repeats() {
        assert_eq!(Spread::of(vec![3.0, 1.0, 2.0]), Spread { median: 2.0, min: 1.0, max: 3.0 });
        assert!(Spread::of(vec![]).median.is_nan());
    }
}
