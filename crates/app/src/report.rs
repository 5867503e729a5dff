//! The words of a run for people while it goes on; the report itself comes from `livetime_control::report`.

#[cfg(test)]
#[path = "../../control/src/report/fixture.rs"]
pub(crate) mod fixture;
pub(crate) mod live;

pub(crate) use livetime_control::report::{EndedBy, Ending, json, numbers, rates, summary, table};
