//! From text to an expression.

use std::borrow::Cow;

use super::error::CalcError;
use super::expr::{Expr, Many, One, Two, bits, modulo, nearest, truth};

/// As long as areaDetector's trigger expressions may be; bounds the depth of the recursion, too.
const LONGEST: usize = 255;

/// The expression that `text` says.
///
/// # Errors
/// The wanted text, with the place.
pub(super) fn parse(text: &str) -> Result<Expr, CalcError> {
    if text.len() > LONGEST {
        return Err(CalcError::TooLong { most: LONGEST, found: text.len() });
    }
    let mut parser = Parser { text, at: 0 };
    let found = parser.conditional()?;
    if parser.rest().is_empty() { Ok(found) } else { Err(parser.wanted("an operator")) }
}

enum Operand {
    One(One),
    Two(Two),
    Many(Many),
    Constant(f64),
    Variable(usize),
    Open,
    Refused(&'static str),
}

fn named_operand(name: &str) -> Option<Operand> {
    use Operand::{Constant, Refused};
    Some(match name {
        "(" => Operand::Open,
        "PI" => Constant(std::f64::consts::PI),
        "D2R" => Constant(std::f64::consts::PI / 180.0),
        "R2D" => Constant(180.0 / std::f64::consts::PI),
        "INF" => Constant(f64::INFINITY),
        "NAN" => Constant(f64::NAN),
        // Frames must give the same result in every run, so random numbers are refused with their reason.
        "RNDM" => Refused("`RNDM` would make a result that cannot be repeated"),
        "VAL" => Refused("there is no earlier result that `VAL` could be"),
        "MAX" => Operand::Many(Many::Max),
        "MIN" => Operand::Many(Many::Min),
        "FINITE" => Operand::Many(Many::Finite),
        "ISNAN" => Operand::Many(Many::IsNan),
        "FMOD" => Operand::Two(|x, y| x % y),
        "ATAN2" => Operand::Two(|x, y| y.atan2(x)),
        _ => return function(name).map(Operand::One).or_else(|| variable(name)),
    })
}

fn variable(name: &str) -> Option<Operand> {
    // areaDetector knows twelve variables.
    let [letter @ b'A'..=b'L'] = name.as_bytes() else { return None };
    Some(Operand::Variable(usize::from(letter - b'A')))
}

fn function(name: &str) -> Option<One> {
    Some(match name {
        "-" => |x| -x,
        "!" => |x| truth(x == 0.0),
        // The EPICS calc record converts to integers of 32 bits before it takes bits.
        "~" | "NOT" => |x| f64::from(!bits(x)),
        "ABS" => f64::abs,
        "SQR" | "SQRT" => f64::sqrt,
        "EXP" => f64::exp,
        "LN" | "LOGE" => f64::ln,
        "LOG" => f64::log10,
        "SIN" => f64::sin,
        "COS" => f64::cos,
        "TAN" => f64::tan,
        "ASIN" => f64::asin,
        "ACOS" => f64::acos,
        "ATAN" => f64::atan,
        "SINH" => f64::sinh,
        "COSH" => f64::cosh,
        "TANH" => f64::tanh,
        "CEIL" => f64::ceil,
        "FLOOR" => f64::floor,
        "NINT" => nearest,
        "ISINF" => |x| truth(x.is_infinite()),
        _ => return None,
    })
}

/// The strength and the function of an operator.
fn operator(name: &str) -> Option<(u8, Two)> {
    let binary: (u8, Two) = match name {
        "**" | "^" => (6, f64::powf),
        "*" => (5, |x, y| x * y),
        "/" => (5, |x, y| x / y),
        "%" => (5, modulo),
        "+" => (4, |x, y| x + y),
        "-" => (4, |x, y| x - y),
        "<" => (3, |x, y| truth(x < y)),
        "<=" => (3, |x, y| truth(x <= y)),
        "=" | "==" => (3, |x, y| truth(x == y)),
        "!=" | "#" => (3, |x, y| truth(x != y)),
        ">=" => (3, |x, y| truth(x >= y)),
        ">" => (3, |x, y| truth(x > y)),
        "&" | "AND" => (2, |x, y| f64::from(bits(x) & bits(y))),
        "&&" => (2, |x, y| truth(x != 0.0 && y != 0.0)),
        // The shift is cut to 5 bits, as processors do it: a larger one would panic.
        "<<" => (2, |x, y| f64::from(bits(x) << (bits(y) & 31))),
        ">>" => (2, |x, y| f64::from(bits(x) >> (bits(y) & 31))),
        ">>>" => (2, |x, y| f64::from(bits(x) as u32 >> (bits(y) & 31))),
        "|" | "OR" => (1, |x, y| f64::from(bits(x) | bits(y))),
        "XOR" => (1, |x, y| f64::from(bits(x) ^ bits(y))),
        "||" => (1, |x, y| truth(x != 0.0 || y != 0.0)),
        _ => return None,
    };
    Some(binary)
}

/// The longest name of an operand or an operator.
const LONGEST_NAME: usize = 6;

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    /// The rest of the text, without leading blanks.
    fn rest(&mut self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or("");
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn wanted(&mut self, wanted: impl Into<Cow<'static, str>>) -> CalcError {
        let found = self.rest().chars().next();
        CalcError::Wanted { wanted: wanted.into(), found, at: self.at + 1 }
    }

    /// Takes the longest name that `of` knows.
    fn take<T>(&mut self, of: impl Fn(&str) -> Option<T>) -> Option<T> {
        let rest = self.rest();
        // Longer names come first, so that `>=` is not read as `>` and `ATAN2` not as `ATAN`.
        let longest_first = (1..=LONGEST_NAME).rev().filter_map(|len| rest.get(..len));
        let (len, found) =
            longest_first.filter_map(|name| Some((name.len(), of(&name.to_ascii_uppercase())?))).next()?;
        self.at += len;
        Some(found)
    }

    fn takes(&mut self, sign: char) -> bool {
        let is = self.rest().starts_with(sign);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, sign: char) -> Result<(), CalcError> {
        if self.takes(sign) { Ok(()) } else { Err(self.wanted(format!("`{sign}`"))) }
    }

    fn conditional(&mut self) -> Result<Expr, CalcError> {
        let condition = self.binary(0)?;
        if !self.takes('?') {
            return Ok(condition);
        }
        let yes = self.conditional()?;
        self.expect(':')?;
        Ok(Expr::If(Box::new([condition, yes, self.conditional()?])))
    }

    /// Operands joined by operators that bind more than `floor`.
    fn binary(&mut self, floor: u8) -> Result<Expr, CalcError> {
        let mut left = self.unary()?;
        loop {
            let start = self.at;
            // Names that are no operators, such as `)`, end the expression; the caller decides whether they
            // fit.
            let Some((binds, of)) = self.take(operator) else { return Ok(left) };
            if binds <= floor {
                // A weaker operator belongs to the caller, so its sign is given back.
                self.at = start;
                return Ok(left);
            }
            // The same floor on the right makes equal operators bind from the left, also `**` as in EPICS.
            left = Expr::Two(of, Box::new([left, self.binary(binds)?]));
        }
    }

    fn unary(&mut self) -> Result<Expr, CalcError> {
        // Numbers come before names: an `E` inside a number is not a variable.
        if let Some(number) = self.number()? {
            return Ok(Expr::Number(number));
        }
        let start = self.at;
        match self.take(named_operand) {
            Some(Operand::Constant(value)) => Ok(Expr::Number(value)),
            Some(Operand::Variable(number)) => Ok(Expr::Variable(number)),
            // A sign binds tighter than any operator, as in the EPICS calc record.
            Some(Operand::One(of)) => Ok(Expr::One(of, Box::new(self.unary()?))),
            Some(Operand::Two(of)) => match <[Expr; 2]>::try_from(self.arguments()?) {
                Ok(both) => Ok(Expr::Two(of, Box::new(both))),
                Err(found) => Err(CalcError::Values { found: found.len(), at: start + 1 }),
            },
            Some(Operand::Many(of)) => Ok(Expr::Many(of, self.arguments()?)),
            Some(Operand::Open) => {
                let inner = self.conditional()?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(Operand::Refused(why)) => Err(CalcError::Refused(why)),
            None => Err(self.wanted("a number, a variable A to L, a function or `(`")),
        }
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, CalcError> {
        self.expect('(')?;
        let mut found = vec![self.conditional()?];
        while self.takes(',') {
            found.push(self.conditional()?);
        }
        self.expect(')')?;
        Ok(found)
    }

    fn number(&mut self) -> Result<Option<f64>, CalcError> {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Ok(None);
        }
        if let Some(digits) = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
            let len = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
            let value = u32::from_str_radix(&digits[..len], 16);
            let value = value.map_err(|_| self.wanted("a hexadecimal number of at most 32 bits"))?;
            self.at += 2 + len;
            // The EPICS calc record reads hexadecimal numbers as signed 32-bit integers.
            return Ok(Some(f64::from(value as i32)));
        }
        let len = decimal(rest.as_bytes());
        let value = rest[..len].parse().map_err(|_| self.wanted("a number"))?;
        self.at += len;
        Ok(Some(value))
    }
}

/// Length of the decimal number at the beginning.
fn decimal(text: &[u8]) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    let mut len = digits(0);
    if text.get(len) == Some(&b'.') {
        len += 1 + digits(len + 1);
    }
    if matches!(text.get(len), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(len + 1), Some(b'+' | b'-')));
        let exponent = digits((len + 1 + sign).min(text.len()));
        // An `e` without digits is not part of the number.
        len += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    len
}
