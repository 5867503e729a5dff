//! Attributes of a frame as numbers.

use livetime_frame::{AttributeValue, Header};

/// Seconds from 1970 to 1990, where the clock of EPICS begins.
const EPICS_EPOCH_S: i64 = 631_152_000;

/// The attribute called `name` as a number; `None` when the frame has no attribute of that name, or the attribute is a
/// text.
///
/// Four names stand for properties that every frame has, as in areaDetector: `NDArrayUniqueId`, `NDArrayTimeStamp` (s
/// since 1990), `NDArrayEpicsTSSec` and `NDArrayEpicsTSnSec` (whole seconds since 1990, and the rest in ns).
pub(crate) fn number(header: &Header, name: &str) -> Option<f64> {
    let since_ns = || since_1990_ns(header);
    match header.attributes.get(name) {
        Some(AttributeValue::Int(v)) => Some(*v as f64),
        Some(AttributeValue::Uint(v)) => Some(*v as f64),
        Some(AttributeValue::Float(v)) => Some(*v),
        Some(AttributeValue::Text(_)) => None,
        None => match name {
            "NDArrayUniqueId" => Some(header.sequence as f64),
            "NDArrayTimeStamp" => Some(time_s(header)),
            "NDArrayEpicsTSSec" => Some(since_ns().div_euclid(1_000_000_000) as f64),
            "NDArrayEpicsTSnSec" => Some(since_ns().rem_euclid(1_000_000_000) as f64),
            _ => None,
        },
    }
}

fn since_1990_ns(header: &Header) -> i64 {
    header.event_time_ns.saturating_sub(EPICS_EPOCH_S * 1_000_000_000)
}

/// When the event happened, in s since 1990, as areaDetector counts.
pub(crate) fn time_s(header: &Header) -> f64 {
    since_1990_ns(header) as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_what_every_frame_has() {
        let mut header = Header { sequence: 7, ..Header::default() };
        header.event_time_ns = (EPICS_EPOCH_S + 3) * 1_000_000_000 + 500;
        header.attributes.set(&"Gain".into(), AttributeValue::Float(2.5));
        header.attributes.set(&"Name".into(), AttributeValue::Text("x".into()));
        let names =
            ["Gain", "NDArrayUniqueId", "NDArrayEpicsTSSec", "NDArrayEpicsTSnSec", "NDArrayTimeStamp"];
        let wanted = [2.5, 7.0, 3.0, 500.0, 3.0 + 5e-7];
        assert_eq!(names.map(|name| number(&header, name)), wanted.map(Some));
        assert_eq!([number(&header, "Name"), number(&header, "gain")], [None, None]);
    }
}
