//! The Normative Types: structures that clients of EPICS know how to show.
//!
//! Each type is built once and shared. Clients look fields up by name; the order here is QSRV 2's and, for images,
//! ADCore's.

mod cache;
mod metadata;
mod ndarray;
mod parts;
mod scalar;
mod table;

pub use metadata::Metadata;
pub use ndarray::{COLOR_MODE, attribute, ndarray, union_member};
pub use parts::{
    Alarm, FORMS, Severity, Time, alarm, alarm_of, control, display, enumeration, set_alarm, set_alarm_text,
    set_time, time, time_of, value_alarm,
};
pub use scalar::{enumerated, scalar, scalar_array, scalar_array_with, scalar_with};
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::{Array, ScalarType, Type, Value};

    #[test]
    fn every_type_can_be_built_and_is_built_once() {
        let flags = [false, true];
        for kind in ScalarType::ALL {
            for (descriptor, display, control) in
                flags.iter().flat_map(|a| flags.iter().flat_map(|b| flags.iter().map(|c| (*a, *b, *c))))
            {
                let metadata = Metadata { descriptor, display, control, value_alarm: !descriptor };
                assert!(scalar_with(kind, metadata).bit("timeStamp.userTag").is_some());
                assert!(scalar_array_with(kind, metadata).bit("alarm.message").is_some());
            }
            assert!(Arc::ptr_eq(&scalar(kind), &scalar(kind)));
        }
        assert_eq!(enumerated().bit("display.description"), Some(13));
        assert_eq!(ndarray().members().len(), 12);
        assert_eq!(attribute().members().len(), 8);
        assert!(table(&[("a", ScalarType::F64), ("b", ScalarType::Str)]).unwrap().bit("value.b").is_some());
        assert!(uri(&[("op", Type::Scalar(ScalarType::Str))]).unwrap().bit("query.op").is_some());
    }

    #[test]
    fn pixels_choose_their_member() {
        let mut image = Value::new(&ndarray());
        image.set("value", Array::from(vec![1u16, 2, 3])).unwrap();
        let text = image.to_string();
        assert!(text.contains("value = .ushortValue = {3}[1, 2, 3]"), "{text}");
        assert_eq!(union_member(ScalarType::U16), Some("ushortValue"));
        let array = image.array("value").unwrap();
        assert_eq!(array.as_slice::<u16>(), Some(&[1, 2, 3][..]));
    }

    #[test]
    fn alarm_and_time_come_back() {
        let mut value = Value::new(&scalar(ScalarType::Str));
        let alarm = Alarm { severity: Severity::Major, status: 3, message: "no".into() };
        let time = Time { seconds: 5, nanoseconds: 6, tag: 7 };
        set_alarm(&mut value, &alarm).unwrap();
        set_time(&mut value, "timeStamp", time).unwrap();
        assert_eq!((alarm_of(&value), time_of(&value, "timeStamp")), (Some(alarm), Some(time)));
        assert!(set_time(&mut value, "noTime", time).is_err());
    }
}
