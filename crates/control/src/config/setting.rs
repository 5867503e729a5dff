//! Parameters that the command line sets.

use std::fmt;

use crate::wrong_text::WrongText;

/// A parameter set on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Name of the node.
    pub node: String,
    /// Name of the parameter.
    pub param: String,
    /// Its value as it was written.
    pub value: String,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}={}", self.node, self.param, self.value)
    }
}

impl std::str::FromStr for Setting {
    type Err = WrongText;

    fn from_str(text: &str) -> Result<Setting, WrongText> {
        let split = text.split_once('=').and_then(|(name, value)| {
            let (node, param) = name.trim().split_once('.')?;
            Some(Setting { node: node.into(), param: param.into(), value: value.trim().into() })
        });
        split.ok_or_else(|| WrongText::new("node.param=value", text))
    }
}
