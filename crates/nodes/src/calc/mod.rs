//! Expressions of EPICS' calc records: `A > 100 && (B & 4) != 0`.
//!
//! Operands: the variables `A` to `L`, numbers (`1.5`, `1e-3`, `0x1F`, `INF`, `NAN`), `PI`, `D2R`, `R2D`, parentheses.
//! Names are not case-sensitive. Operators, from those that bind most to those that bind least; those of one line
//! from left to right:
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
//! true, as in C. Not understood are assignments (`:=`, `;`), `VAL`, and `RNDM`, with which a result could not be
//! repeated.
//!
//! Source of the rules: the description of calc expressions in the EPICS reference.

mod parse;
#[cfg(test)]
mod tests;

/// Values of `A` to `L`.
pub(crate) type Variables = [f64; 12];

/// An expression that has been understood.
#[derive(Clone, Debug)]
pub(crate) struct Calc(Expr);

impl Calc {
    /// Understands `text`; one without any character but blanks is 0.
    ///
    /// # Errors
    /// Text that says what was wanted and what was found, and where.
    pub(crate) fn parse(text: &str) -> Result<Calc, String> {
        if text.trim().is_empty() { Ok(Calc(Expr::Number(0.0))) } else { parse::parse(text).map(Calc) }
    }

    /// Its value.
    pub(crate) fn value(&self, variables: &Variables) -> f64 {
        self.0.value(variables)
    }
}

#[derive(Clone, Debug)]
enum Expr {
    Number(f64),
    Variable(usize),
    One(One, Box<Expr>),
    Two(Two, Box<[Expr; 2]>),
    Many(Many, Vec<Expr>),
    If(Box<[Expr; 3]>),
}

type One = fn(f64) -> f64;
type Two = fn(f64, f64) -> f64;

/// A function of any number of values.
#[derive(Clone, Copy, Debug)]
enum Many {
    Max,
    Min,
    Finite,
    IsNan,
}

impl Expr {
    fn value(&self, variables: &Variables) -> f64 {
        match self {
            Expr::Number(value) => *value,
            Expr::Variable(number) => variables.get(*number).copied().unwrap_or(f64::NAN),
            Expr::One(of, x) => of(x.value(variables)),
            Expr::Two(of, xs) => of(xs[0].value(variables), xs[1].value(variables)),
            Expr::Many(of, xs) => of.value(xs.iter().map(|x| x.value(variables))),
            Expr::If(xs) => xs[if xs[0].value(variables) == 0.0 { 2 } else { 1 }].value(variables),
        }
    }
}

impl Many {
    fn value(self, mut values: impl DoubleEndedIterator<Item = f64>) -> f64 {
        match self {
            Many::Max => {
                values.rev().reduce(|a, b| if b < a || a.is_nan() { a } else { b }).unwrap_or(f64::NAN)
            }
            Many::Min => {
                values.rev().reduce(|a, b| if b > a || a.is_nan() { a } else { b }).unwrap_or(f64::NAN)
            }
            Many::Finite => truth(values.all(f64::is_finite)),
            Many::IsNan => truth(values.any(f64::is_nan)),
        }
    }
}

fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// A whole number of 32 bits, of which the highest may be set by a large positive one.
fn bits(x: f64) -> i32 {
    if x < 0.0 { x as i32 } else { x as u32 as i32 }
}

fn modulo(x: f64, y: f64) -> f64 {
    (x as i32).checked_rem(y as i32).map_or(f64::NAN, f64::from)
}

fn nearest(x: f64) -> f64 {
    f64::from((if x >= 0.0 { x + 0.5 } else { x - 0.5 }) as i32)
}
