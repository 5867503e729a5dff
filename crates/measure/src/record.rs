//! The record of a measurement: numbers with the machine, the commit and the settings that they hold for.

use livetime_engine::GraphError;
use serde_json::{Value, json};

use crate::neighbours::{self, Neighbours};
use crate::{COMMIT, machine};

/// Receives lines about the progress of the measurement.
pub struct Progress<'a>(pub &'a mut dyn FnMut(&str));

impl Progress<'_> {
    /// Tells one line.
    pub fn log(&mut self, line: impl ToString) {
        (self.0)(&line.to_string());
    }
}

/// Where a user's graph is from, for its record.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The pipeline file; `None` for the built-in one.
    pub file: Option<String>,
    /// Parameters that were set beside it, as `NODE.PARAM=VALUE`.
    pub settings: Vec<String>,
}

/// The result of a benchmark: for machines, and for people.
#[derive(Clone, Debug)]
pub struct Record {
    /// Rows and settings.
    pub json: Value,
    /// The record as text.
    pub table: String,
}

/// The result for a user's graph.
pub struct Measured {
    /// The numbers.
    pub record: Record,
    /// Frames were lost: at every rate that was tried, or in the nodes that were measured.
    pub has_losses: bool,
}

/// The time from the begin of a measurement to its record.
pub struct Session(Neighbours);

/// A record with the machine that it was measured on.
pub struct Finished {
    /// Set when other programs kept the machine busy meanwhile.
    pub warning: Option<String>,
    /// The whole record.
    pub json: Value,
    /// For people.
    pub table: String,
}

impl Session {
    /// Begins a measurement: to be called before anything is measured.
    pub fn begin() -> Session {
        Session(Neighbours::begin())
    }

    /// Adds the machine, how busy others kept it, and the commit that was measured.
    pub fn finish(&self, name: &str, quick: bool, found: Record) -> Finished {
        let others = self.0.share();
        let mut json = json!({
            "bench": name,
            "machine": machine::machine(),
            "commit": COMMIT,
            "quick": quick,
            "others_cpu_percent": others.map(|share| tenths(100.0 * share)),
            "repeats": repeats(quick),
        });
        merge(&mut json, found.json);
        Finished { warning: neighbours::warning(others), json, table: found.table }
    }
}

/// Repeats of a measurement that is not quick.
const REPEATS: usize = 5;

/// How often a measurement is repeated.
pub fn repeats(quick: bool) -> usize {
    if quick { 1 } else { REPEATS }
}

/// Adds the keys of one object to another.
pub fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

/// Rounded to one decimal, for a record.
pub fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// All problems of a graph in one line.
pub fn in_one_line(errors: &[GraphError]) -> String {
    errors.iter().map(GraphError::to_string).collect::<Vec<_>>().join("; ")
}

/// Median, smallest and largest of some repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The value in the middle.
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

    /// As an object for a record, with one decimal.
    pub fn json(self) -> Value {
        json!({ "median": tenths(self.median), "min": tenths(self.min), "max": tenths(self.max) })
    }
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
