//! The channel `server`, which tools call to list channels.

use crate::data::{Builder, Dynamic, ScalarType, Value};
use crate::nt::{self, Metadata};
use crate::server::Provider;
use crate::{Error, Result};

/// Answers the question of `arguments`, an NTURI, in `query.op`. `work` becomes its cost beside the message, in gets.
pub(super) fn answer(
    provider: &dyn Provider,
    arguments: Option<&Dynamic>,
    work: &mut usize,
) -> Result<Dynamic> {
    let arguments = arguments.and_then(Dynamic::as_value);
    let operation = arguments.and_then(|value| value.str("query.op").or_else(|| value.str("op")));
    match operation {
        Some("channels") => channels(provider, work),
        Some("info") => info(),
        other => Err(Error::new("`op` to be `channels` or `info`", other.unwrap_or("nothing").to_owned())),
    }
}

fn channels(provider: &dyn Provider, work: &mut usize) -> Result<Dynamic> {
    let mut value = Value::new(&nt::scalar_array_with(ScalarType::Str, Metadata::NONE));
    let names = provider.names();
    // Each name is copied, put in order and written.
    *work = names.len();
    value.set("value", names)?;
    Ok(value.into())
}

fn info() -> Result<Dynamic> {
    let texts =
        [("implLang", "rust"), ("version", concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")))];
    let ty =
        texts.iter().fold(Builder::new(""), |b, (name, _)| b.member(name, ScalarType::Str)).structure()?;
    let mut value = Value::new(&ty);
    texts.iter().try_for_each(|(name, text)| value.set(name, *text))?;
    Ok(value.into())
}
