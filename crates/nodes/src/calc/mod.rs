//! Expressions of EPICS' calc records: `A > 100 && (B & 4) != 0`.
//!
//! Operands: the variables `A` to `L`, numbers (`1.5`, `1e-3`, `0x1F`, `INF`, `NAN`), `PI`, `D2R`, `R2D`, parentheses.
//! Names are not case-sensitive. Operators, from the strongest to the weakest; operators of one line from left to
//! right:
//!
//! ```text
//! -x  !x  ~x  NOT x, and functions
//! **  ^                         power
//! *  /  %                       % of the whole parts, in 32 bits; NaN when the divisor is 0
//! +  -
//! <  <=  =  ==  !=  #  >=  >
//! &  AND  &&  <<  >>  >>>       bits of whole numbers of 32 bits; && of truth values
//! |  OR  XOR  ||
//! c ? x : y
//! ```
//!
//! Functions: `ABS SQR SQRT EXP LN LOGE LOG SIN COS TAN ASIN ACOS ATAN SINH COSH TANH CEIL FLOOR NINT ISINF` of one
//! value, `FMOD` and `ATAN2` of two (`ATAN2(x, y)`, as in EPICS), `MAX MIN FINITE ISNAN` of one or more. NaN counts as
//! true, as in C. Assignments (`:=`, `;`), `VAL` and `RNDM` are refused; a result with `RNDM` could not be repeated.
//!
//! Source of the rules: the description of calc expressions in the EPICS reference.

mod error;
mod expr;
mod parse;
#[cfg(test)]
mod tests;

pub(crate) use error::CalcError;
pub(crate) use expr::Variables;

use expr::Expr;

/// An expression that has been understood.
#[derive(Clone, Debug)]
pub(crate) struct Calc(Expr);

impl Calc {
    /// Understands `text`; one without any character but blanks is 0.
    ///
    /// # Errors
    /// The wanted and the found text, and its place.
    pub(crate) fn parse(text: &str) -> Result<Calc, CalcError> {
        if text.trim().is_empty() { Ok(Calc(Expr::Number(0.0))) } else { parse::parse(text).map(Calc) }
    }

    /// Value of the expression.
    pub(crate) fn value(&self, variables: &Variables) -> f64 {
        self.0.value(variables)
    }
}
