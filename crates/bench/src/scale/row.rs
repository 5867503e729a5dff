//! A row of the record.

use serde_json::{Value, json};

use crate::Spread;

/// One row: a number for each repeat, and of the reference.
pub(super) struct Row {
    pub(super) case: String,
    pub(super) unit: &'static str,
    /// What the number must not exceed, or must reach, as the unit says.
    pub(super) must: f64,
    pub(super) reference_is: &'static str,
    pub(super) values: Vec<f64>,
    pub(super) reference: Vec<f64>,
    pub(super) more: Value,
}

impl Row {
    /// Of nothing yet.
    pub(super) fn new(case: &str, unit: &'static str, must: f64, reference_is: &'static str) -> Row {
        let case = case.to_owned();
        Row { case, unit, must, reference_is, values: vec![], reference: vec![], more: json!({}) }
    }

    /// For the record.
    pub(super) fn json(&self) -> Value {
        let mut json = json!({
            "case": self.case,
            "unit": self.unit,
            "must": self.must,
            "value": spread(self.values.clone()),
            "reference_is": self.reference_is,
            "reference": spread(self.reference.clone()),
        });
        livetime_measure::merge(&mut json, self.more.clone());
        json
    }
}

/// Median, least and most with three digits behind the point.
pub(super) fn spread(values: Vec<f64>) -> Value {
    let spread = Spread::of(values);
    let [median, min, max] = [spread.median, spread.min, spread.max].map(thousandths);
    json!({ "median": median, "min": min, "max": max })
}

fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
