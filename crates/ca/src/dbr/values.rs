//! Values of one kind.

use bytes::Bytes;

use super::types::Native;

/// One value or many of one kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Texts. Only the first 39 bytes of one travel.
    Text(Vec<String>),
    /// 16 bits with sign.
    Short(Vec<i16>),
    /// 32 bits.
    Float(Vec<f32>),
    /// Indices of choices.
    Enum(Vec<u16>),
    /// 8 bits without sign; pixels are shared, not copied.
    Char(Bytes),
    /// 32 bits with sign.
    Long(Vec<i32>),
    /// 64 bits.
    Double(Vec<f64>),
}

impl Values {
    /// Their kind.
    pub fn native(&self) -> Native {
        match self {
            Values::Text(_) => Native::Text,
            Values::Short(_) => Native::Short,
            Values::Float(_) => Native::Float,
            Values::Enum(_) => Native::Enum,
            Values::Char(_) => Native::Char,
            Values::Long(_) => Native::Long,
            Values::Double(_) => Native::Double,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Short(values) => values.len(),
            Values::Float(values) => values.len(),
            Values::Enum(values) => values.len(),
            Values::Char(values) => values.len(),
            Values::Long(values) => values.len(),
            Values::Double(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A text as a long string: its bytes and a 0.
    pub fn long_text(text: &str) -> Values {
        Values::Char([text.as_bytes(), &[0]].concat().into())
    }

    /// The text of a long string, or the first text; `None` for numbers.
    pub fn text(&self) -> Option<String> {
        match self {
            Values::Text(texts) => texts.first().cloned(),
            Values::Char(bytes) => {
                let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
            }
            _ => None,
        }
    }
}
