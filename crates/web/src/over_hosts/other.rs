//! A host of the graph, and the headers by which hosts know one another.

use std::sync::{Arc, Mutex};

use axum::http::HeaderName;
use tokio::sync::Semaphore;

/// The host that a request is for, and that an answer is from.
pub(crate) const HOST: HeaderName = HeaderName::from_static("livetime-host");
/// The run that an answer is from, beside its host.
pub(super) const RUN: HeaderName = HeaderName::from_static("livetime-run");

/// Of answers that come from other hosts: a browser that shows one as a document runs nothing of it.
pub(crate) const SANDBOX: &str = "default-src 'none'; sandbox allow-downloads; frame-ancestors 'none'";
/// Marks these answers.
#[derive(Clone, Copy)]
pub(crate) struct Foreign;

/// A host.
pub(crate) struct Other {
    pub(super) name: String,
    /// Where to connect to.
    pub(super) page: Option<String>,
    pub(super) is_self: bool,
    pub(super) requests: Arc<Semaphore>,
    /// The run that has refused our token.
    pub(super) refused: Mutex<Option<String>>,
}
