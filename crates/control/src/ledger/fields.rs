//! The fields of accounts in JSON. Files may say anything: each count is checked before it is added to others.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::error::LedgerError;

/// Losses by the name of their reason. A name that this version does not know is kept, and counts as unintended.
pub type Lost = BTreeMap<String, u64>;

/// The losses of an account. Together they are a number: a file that says otherwise is refused.
pub(super) fn lost(map: &Map<String, Value>) -> Result<Lost, LedgerError> {
    let found = map.get("lost").and_then(Value::as_object).ok_or(LedgerError::Missing("lost"))?;
    let one = |(name, count): (&String, &Value)| {
        count.as_u64().map(|n| (name.clone(), n)).ok_or(LedgerError::Wrong("lost"))
    };
    let lost: Lost = found.iter().map(one).collect::<Result<_, _>>()?;
    sum(lost.values().copied()).ok_or(LedgerError::Wrong("lost")).map(|_| lost)
}

pub(super) fn number(map: &Map<String, Value>, key: &'static str) -> Result<u64, LedgerError> {
    map.get(key).ok_or(LedgerError::Missing(key))?.as_u64().ok_or(LedgerError::Wrong(key))
}

pub(super) fn text(map: &Map<String, Value>, key: &str) -> String {
    map.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(super) fn list<'a>(
    map: &'a Map<String, Value>,
    key: &'static str,
    must: bool,
) -> Result<&'a [Value], LedgerError> {
    match map.get(key) {
        Some(list) => list.as_array().map(Vec::as_slice).ok_or(LedgerError::Wrong(key)),
        None if must => Err(LedgerError::NotAReport(key)),
        None => Ok(&[]),
    }
}

pub(super) fn object<'a>(value: &'a Value, key: &'static str) -> Result<&'a Map<String, Value>, LedgerError> {
    value.as_object().ok_or(LedgerError::Wrong(key))
}

/// A sum of counts out of a file; `None` if no count can be so large.
pub(super) fn sum(counts: impl IntoIterator<Item = u64>) -> Option<u64> {
    counts.into_iter().try_fold(0_u64, u64::checked_add)
}
