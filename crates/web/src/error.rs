//! The refusal of a request: a status and a sentence, in JSON.

use std::fmt::Display;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use livetime_control::model::Refused;
use livetime_engine::Refusal;
use serde_json::{Map, Value, json};

/// Why a request was refused.
#[derive(Clone, Debug)]
pub(crate) struct Error {
    pub(crate) status: StatusCode,
    /// A name for programs, which stays the same when sentences change.
    code: &'static str,
    pub(crate) message: String,
    /// Further keys of the answer.
    more: Map<String, Value>,
}

impl Error {
    pub(crate) fn new(status: StatusCode, message: impl Display) -> Error {
        Error { status, code: code_of(status), message: message.to_string(), more: Map::new() }
    }

    /// With a code that names the cause more exactly than the status does.
    pub(crate) fn coded(status: StatusCode, code: &'static str, message: impl Display) -> Error {
        Error { code, ..Error::new(status, message) }
    }

    pub(crate) fn bad(message: impl Display) -> Error {
        Error::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn not_found(message: impl Display) -> Error {
        Error::new(StatusCode::NOT_FOUND, message)
    }

    /// Understood, and refused by the run.
    pub(crate) fn refused(message: impl Display) -> Error {
        Error::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// A refusal of the model of the run, with the parameter if it knows one.
    pub(crate) fn of(refused: &Refused) -> Error {
        // The code of the refusal is nearer to the cause than the code of the status.
        let error = Error { code: refused.code(), ..Error::refused(refused) };
        match refused.refusal() {
            Some(refusal) => error.of_param(refusal),
            None => error,
        }
    }

    /// A parameter that is refused.
    pub(crate) fn of_refusal(refusal: &Refusal) -> Error {
        Error { code: refusal.kind().code(), ..Error::refused(refusal) }.of_param(refusal)
    }

    fn of_param(self, refusal: &Refusal) -> Error {
        match refusal.parameter() {
            Some(param) => self.with("param", json!(param)),
            None => self,
        }
    }

    /// Whether the answer has this key besides status, code and message.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.more.contains_key(key)
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
        error.insert("code".into(), json!(self.code));
        error.insert("message".into(), json!(self.message));
        json!({ "error": error })
    }
}

/// The code of errors that have none of their own.
fn code_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST => "bad_request",
        StatusCode::UNAUTHORIZED => "wrong_token",
        StatusCode::FORBIDDEN => "forbidden",
        StatusCode::NOT_FOUND => "not_found",
        StatusCode::CONFLICT => "conflict",
        StatusCode::UNPROCESSABLE_ENTITY => "refused",
        StatusCode::LOCKED => "locked",
        StatusCode::TOO_MANY_REQUESTS => "too_many",
        StatusCode::SERVICE_UNAVAILABLE => "unavailable",
        _ => "failed",
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
