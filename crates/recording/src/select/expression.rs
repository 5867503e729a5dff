//! A condition on events: true or false, from the values of an event.

use std::fmt;

use super::value::Variable;

/// A condition on events, parsed. See the [module](super) for the language.
///
/// ```
/// use livetime_recording::select::Expression;
///
/// let expression: Expression = "evr(140) and not ebeam.charge <= 0.1".parse()?;
/// assert_eq!(expression.to_string(), "evr(140) and not ebeam.charge <= 0.1");
/// let error = "ebeam.charge + 1".parse::<Expression>().unwrap_err();
/// assert!(error.to_string().contains("wanted a condition"));
/// # Ok::<(), livetime_recording::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    pub(super) text: String,
    pub(super) truth: Truth,
    pub(super) variables: Vec<Variable>,
}

/// As it was written.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Expression {
    /// Decides by the values of its variables; `None` if a value is missing that matters.
    pub(super) fn decide(&self, values: &[Option<f64>]) -> Option<bool> {
        self.truth.decide(values)
    }
}

/// A condition.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Truth {
    /// A variable that is 1 or 0: an event code.
    Is(usize),
    Compare(Box<Term>, Comparison, Box<Term>),
    Not(Box<Truth>),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
}

/// A number.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Term {
    Number(f64),
    Variable(usize),
    Negative(Box<Term>),
    Absolute(Box<Term>),
    Binary(Box<Term>, Operator, Box<Term>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Plus,
    Minus,
    Times,
    Over,
}

impl Truth {
    /// Kleene's logic: an expression that is false for every value of the missing variable is false.
    pub(super) fn decide(&self, values: &[Option<f64>]) -> Option<bool> {
        match self {
            Truth::Is(variable) => values.get(*variable).copied().flatten().map(|value| value != 0.0),
            // A comparison with a missing value is neither true nor false.
            Truth::Compare(a, comparison, b) => Some(comparison.holds(a.number(values)?, b.number(values)?)),
            Truth::Not(inner) => inner.decide(values).map(|truth| !truth),
            Truth::And(a, b) => match (a.decide(values), b.decide(values)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Truth::Or(a, b) => match (a.decide(values), b.decide(values)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }
}

impl Term {
    fn number(&self, values: &[Option<f64>]) -> Option<f64> {
        Some(match self {
            Term::Number(number) => *number,
            Term::Variable(variable) => values.get(*variable).copied().flatten()?,
            Term::Negative(inner) => -inner.number(values)?,
            Term::Absolute(inner) => inner.number(values)?.abs(),
            Term::Binary(a, operator, b) => {
                let (a, b) = (a.number(values)?, b.number(values)?);
                match operator {
                    Operator::Plus => a + b,
                    Operator::Minus => a - b,
                    Operator::Times => a * b,
                    // A division by zero gives infinity or NaN, which compare as such.
                    Operator::Over => a / b,
                }
            }
        })
    }
}

impl Comparison {
    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterOrEqual => a >= b,
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables have these values, in the order in which they come in the text.
    fn decide(text: &str, values: &[Option<f64>]) -> Option<bool> {
        text.parse::<Expression>().unwrap().decide(values)
    }

    #[test]
    fn arithmetic_and_strength_of_operators() {
        for (text, wanted) in [
            ("1 + 2 * 3 == 7", true),
            ("(1 + 2) * 3 == 9", true),
            ("7 - 2 - 1 == 4", true),
            ("8 / 4 / 2 == 1", true),
            ("-2 * -3 == 6 and abs(-2.5e0) == 2.5", true),
            ("1 < 2 < 3", true),
            ("3 > 2 > 2", false),
            ("1 == 1 or 1 == 2 and 1 == 2", true),
            ("not 1 == 2 and 1 == 2", false),
            ("not (1 == 2 and 1 == 2)", true),
            ("not not 1 != 1", false),
            ("1 / 0 > 1e300 and not 0 / 0 == 0 / 0", true),
        ] {
            assert_eq!(decide(text, &[]), Some(wanted), "{text}");
        }
    }

    #[test]
    fn a_missing_value_counts_only_where_it_matters() {
        let text = "evr(140) and x > 1";
        assert_eq!(decide(text, &[Some(0.0), None]), Some(false));
        assert_eq!(decide(text, &[Some(1.0), None]), None);
        assert_eq!(decide(text, &[None, Some(0.0)]), Some(false));
        assert_eq!(decide("evr(140) or x > 1", &[Some(1.0), None]), Some(true));
        assert_eq!(decide("not x > 1", &[None]), None);
        assert_eq!(decide("x == x", &[None]), None);
        assert_eq!(decide("x == x", &[Some(f64::NAN)]), Some(false));
        assert_eq!(decide("x != x", &[Some(f64::NAN)]), Some(true));
    }

    #[test]
    fn a_variable_that_comes_twice_is_one() {
        let expression: Expression = "0 < a.b < 3 and a.b != 2 and evr(1) or evr(1)".parse().unwrap();
        assert_eq!(expression.variables.len(), 2);
    }
}
