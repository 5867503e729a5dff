//! Why events cannot be selected.

use std::fmt;

/// Why an expression selects nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelectError {
    /// The run has no value of this name.
    Unknown {
        /// As it is written in the expression.
        variable: String,
        /// Names that the run has.
        known: Vec<String>,
        /// How many further ones it has.
        more: usize,
    },
    /// The name means several values.
    Ambiguous {
        /// As it is written in the expression.
        variable: String,
        /// Which values it may mean.
        found: Vec<String>,
    },
    /// Events were judged, and none is wanted.
    NoEvent {
        /// The expression.
        expression: String,
        /// How many events were judged.
        judged: usize,
        /// How many of them have each other verdict, by its name.
        counts: Vec<(&'static str, u64)>,
    },
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectError::Unknown { variable, known, more } => {
                let found = if known.is_empty() { "no values at all".to_owned() } else { known.join(", ") };
                write!(f, "wanted a value of the run for `{variable}`, found {found}")?;
                if *more > 0 { write!(f, " and {more} more") } else { Ok(()) }
            }
            SelectError::Ambiguous { variable, found } => {
                write!(f, "wanted one value for `{variable}`, found {}", found.join(", "))
            }
            SelectError::NoEvent { expression, judged, counts } => {
                let counts: Vec<String> =
                    counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
                write!(
                    f,
                    "`{expression}`: wanted at least one event, found none in {judged}: {}",
                    counts.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for SelectError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_sentences() {
        let variable = || "charge".to_owned();
        let unknown = |known: &[&str], more| {
            let known = known.iter().map(|name| (*name).to_owned()).collect();
            SelectError::Unknown { variable: variable(), known, more }.to_string()
        };
        let wanted = "wanted a value of the run for `charge`, found";
        assert_eq!(unknown(&[], 0), format!("{wanted} no values at all"));
        assert_eq!(unknown(&["a.b", "evr(…)"], 0), format!("{wanted} a.b, evr(…)"));
        assert_eq!(unknown(&["a.b"], 7), format!("{wanted} a.b and 7 more"));
        let counts = vec![("refused", 3), ("without value", 1)];
        let none = SelectError::NoEvent { expression: "evr(1)".into(), judged: 4, counts };
        let sentence = "`evr(1)`: wanted at least one event, found none in 4: 3 refused, 1 without value";
        assert_eq!(none.to_string(), sentence);
    }
}
