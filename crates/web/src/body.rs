//! The body of a request.

use serde_json::{Value, json};

use crate::error::Error;

/// The body as JSON; an empty one is an empty object.
pub(crate) fn body_of(bytes: &[u8]) -> Result<Value, Error> {
    if bytes.is_empty() {
        return Ok(json!({}));
    }
    let value: Value = serde_json::from_slice(bytes).map_err(|e| Error::bad(format!("wanted JSON: {e}")))?;
    match value.is_object() {
        true => Ok(value),
        false => Err(Error::bad("wanted an object")),
    }
}
