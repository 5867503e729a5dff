//! The Normative Types: structures that clients of EPICS know how to show.
//!
//! Each type is built once and shared. Clients look fields up by name; the order here is that of QSRV 2 and, for
//! images, of ADCore.

mod cache;
mod ndarray;
mod parts;
mod scalar;
mod table;

pub use ndarray::{COLOR_MODE, attribute, ndarray, union_member};
pub use parts::{
    Alarm, FORMS, Severity, Time, alarm, alarm_of, control, display, enumeration, set_alarm, set_time, time,
    time_of, value_alarm,
};
pub use scalar::{Metadata, enumerated, scalar, scalar_array, scalar_array_with, scalar_with};
pub use table::{table, uri};

/// Whether `id` names the Normative Type `name`, such as `NTScalar`, in a version that we know.
///
/// ```
/// assert!(livetime_pva::nt::is("epics:nt/NTScalar:1.0", "NTScalar"));
/// ```
pub fn is(id: &str, name: &str) -> bool {
    let version = id.strip_prefix("epics:nt/").and_then(|id| id.strip_prefix(name));
    version.is_some_and(|version| version.starts_with(":1."))
}
