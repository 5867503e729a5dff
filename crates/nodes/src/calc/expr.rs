//! Expressions as trees, and their values.

/// Values of `A` to `L`.
pub(crate) type Variables = [f64; 12];

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Number(f64),
    Variable(usize),
    One(One, Box<Expr>),
    Two(Two, Box<[Expr; 2]>),
    Many(Many, Vec<Expr>),
    If(Box<[Expr; 3]>),
}

/// A function of any number of values.
#[derive(Clone, Copy, Debug)]
pub(super) enum Many {
    Max,
    Min,
    Finite,
    IsNan,
}

impl Expr {
    pub(super) fn value(&self, variables: &Variables) -> f64 {
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

pub(super) fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// A whole number of 32 bits. A large positive value may set the highest bit, as in EPICS.
pub(super) fn bits(x: f64) -> i32 {
    if x < 0.0 { x as i32 } else { x as u32 as i32 }
}

pub(super) fn modulo(x: f64, y: f64) -> f64 {
    (x as i32).checked_rem(y as i32).map_or(f64::NAN, f64::from)
}

pub(super) fn nearest(x: f64) -> f64 {
    f64::from((if x >= 0.0 { x + 0.5 } else { x - 0.5 }) as i32)
}

pub(super) type One = fn(f64) -> f64;

pub(super) type Two = fn(f64, f64) -> f64;
