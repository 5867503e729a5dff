//! Problems of hosts.

use std::borrow::Cow;

use super::super::At;
use super::super::error::{Expected, Problem, ProblemKind};
use super::super::yaml;

/// A host that the file does not name.
pub(super) fn unknown(name: &str, known: &[String], problem: impl Fn(ProblemKind) -> Problem) -> Problem {
    let hint = livetime_engine::nearest(name, known.iter().map(String::as_str));
    problem(ProblemKind::UnknownHost { name: yaml::shortened(name), hint })
}

/// A thing about hosts that cannot be.
pub(super) fn wrong(at: At, wanted: impl Into<Cow<'static, str>>, found: String) -> Problem {
    Problem::new(at, ProblemKind::Hosts(Expected::new(wanted, found)))
}
