//! The refusal of a request: a status and a sentence, in JSON.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

/// Why a request was refused.
#[derive(Clone, Debug)]
pub(crate) struct Error {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// Further keys of the answer.
    more: Map<String, Value>,
}

impl Error {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Error {
        Error { status, message: message.into(), more: Map::new() }
    }

    pub(crate) fn bad(message: impl Into<String>) -> Error {
        Error::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Error {
        Error::new(StatusCode::NOT_FOUND, message)
    }

    /// Understood, and refused by the run.
    pub(crate) fn refused(message: impl Into<String>) -> Error {
        Error::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    pub(crate) fn ended() -> Error {
        Error::new(StatusCode::SERVICE_UNAVAILABLE, "the run has ended")
    }

    /// All connections that are not kept for who holds the token are taken.
    pub(crate) fn full() -> Error {
        Error::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "wanted a connection, found all of them busy but those that are kept for who has the token: close pages that nobody \
             looks at, or open the link with the token",
        )
    }

    /// The same with one more key.
    pub(crate) fn with(mut self, key: &str, value: Value) -> Error {
        self.more.insert(key.to_owned(), value);
        self
    }

    /// The body of the answer.
    pub(crate) fn body(&self) -> Value {
        let mut error = self.more.clone();
        error.insert("status".into(), json!(self.status.as_u16()));
        error.insert("message".into(), json!(self.message));
        json!({ "error": error })
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = (self.status, json_body(&self.body())).into_response();
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// An answer in JSON.
pub(crate) fn json_body(value: &Value) -> impl IntoResponse + use<> {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], value.to_string())
}
