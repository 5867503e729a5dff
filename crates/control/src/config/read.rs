//! Reading single values out of a YAML tree; what does not fit becomes a [`Problem`] and is left out.

use std::borrow::Cow;

use livetime_engine::{nearest, parse_quantity};

use super::error::{At, Expected, Part, Problem, ProblemKind};
use super::yaml::{Data, Item, Name, Scalar, shortened};

/// Collects problems, so that one reading finds them all.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) problems: Vec<Problem>,
}

impl Reader {
    pub(crate) fn problem(&mut self, at: At, part: Part, kind: ProblemKind) {
        self.problems.push(Problem::new(at, kind).of(part));
    }

    /// A value of `key` that is not acceptable.
    pub(crate) fn wrong(&mut self, item: &Item, key: &str, wanted: impl Into<Cow<'static, str>>) {
        let expected = Expected::new(wanted, item.describe());
        self.problem(item.at, Part::Key(key.to_owned()), ProblemKind::Value(expected));
    }

    /// A part that is missing; `wanted` stands in the sentence `wanted …, found none`.
    pub(crate) fn missing(&mut self, at: At, part: Part, wanted: &'static str) {
        self.problem(at, part, ProblemKind::Missing(Expected::new(wanted, "none")));
    }

    /// The entries of the mapping `what`; keys that are not `known` are reported and left out.
    pub(crate) fn entries<'a>(
        &mut self,
        item: &'a Item,
        what: &str,
        known: &[&str],
    ) -> Vec<(&'a Name, &'a Item)> {
        let mut entries = self.any_entries(item, what);
        entries.retain(|(name, _)| {
            let is_known = known.contains(&&*name.text);
            if !is_known {
                let hint = nearest(&name.text, known.iter().copied());
                let (key, mapping) = (shortened(&name.text), what.to_owned());
                self.problem(name.at, Part::Whole, ProblemKind::UnknownKey { key, mapping, hint });
            }
            is_known
        });
        entries
    }

    /// The entries of the mapping `what`, whatever their keys.
    pub(crate) fn any_entries<'a>(&mut self, item: &'a Item, what: &str) -> Vec<(&'a Name, &'a Item)> {
        match &item.data {
            Data::Map(entries) => entries.iter().map(|(name, item)| (name, item)).collect(),
            _ => {
                let wanted = format!("a mapping (`key: value` lines) for {what}");
                let expected = Expected::new(wanted, item.describe());
                self.problem(item.at, Part::Whole, ProblemKind::Value(expected));
                Vec::new()
            }
        }
    }

    /// A text that names something.
    pub(crate) fn name(&mut self, item: &Item, key: &str) -> Option<Name> {
        match &item.data {
            // `name:` with nothing behind it is null, and an empty text names nothing.
            Data::Scalar(s) if !s.is_null() && !s.text.is_empty() => {
                Some(Name { text: s.text.clone(), at: item.at })
            }
            _ => {
                self.wrong(item, key, "a name");
                None
            }
        }
    }

    /// One of several words.
    pub(crate) fn choice<T: Copy>(&mut self, item: &Item, key: &str, choices: &[(T, &str)]) -> Option<T> {
        let found = scalar(item).and_then(|s| choices.iter().find(|(_, name)| *name == s.text));
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(_, name)| *name).collect();
            self.wrong(item, key, format!("one of {}", names.join(", ")));
        }
        found.map(|(value, _)| *value)
    }

    /// A whole number of `min` to `max`.
    pub(crate) fn whole(&mut self, item: &Item, key: &str, (min, max): (u64, u64)) -> Option<u64> {
        // The range is part of the parse, so that one sentence tells both mistakes.
        let number = scalar(item).and_then(|s| s.text.parse().ok()).filter(|n| (min..=max).contains(n));
        if number.is_none() {
            self.wrong(item, key, format!("a whole number, {min} to {max}"));
        }
        number
    }

    /// A finite number above 0 with a unit.
    pub(crate) fn quantity(&mut self, item: &Item, key: &str, unit: &str, example: &str) -> Option<f64> {
        let number = scalar(item).and_then(|s| positive_quantity(&s.text, unit));
        if number.is_none() {
            self.wrong(item, key, format!("a number above 0 with its unit, as `{example}`"));
        }
        number
    }
}

/// A finite number above 0 in `unit`.
pub fn positive_quantity(text: &str, unit: &str) -> Option<f64> {
    // Below this the number fits into 64 bits where it becomes a whole one.
    parse_quantity(text, Some(unit)).filter(|n| *n > 0.0 && *n < 1e18)
}

fn scalar(item: &Item) -> Option<&Scalar> {
    match &item.data {
        Data::Scalar(scalar) if !scalar.is_null() => Some(scalar),
        _ => None,
    }
}
