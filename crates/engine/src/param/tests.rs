use super::*;
use livetime_engine_derive::{ParamEnum, Params};

#[derive(Clone, Copy, PartialEq, Debug, Default, ParamEnum)]
enum Mode {
    #[default]
    LinearRamp,
    #[pv("Offset&Noise")]
    OffsetNoise,
}

/// All kinds.
#[derive(Params)]
struct All {
    /// On or off.
    #[param(default = true)]
    on: bool,
    /// A count.
    #[param(default = 3, min = 1, max = 10)]
    count: u32,
    /// A time.
    #[param(default = 0.5, unit = "s", pv = "AcquireTime")]
    period: f64,
    /// A path.
    #[param(default = "here")]
    path: String,
    /// A mode.
    mode: Mode,
    /// A result.
    #[param(readback)]
    result: Vec<f64>,
}

#[test]
fn defaults_come_from_the_declaration() {
    let all = All::default();
    assert_eq!((all.on, all.count, all.period, &*all.path), (true, 3, 0.5, "here"));
    assert_eq!(all.get(4), Some(Value::Text("linear_ramp".into())));
    assert_eq!(all.specs()[2].pv, Some("AcquireTime"));
    assert_eq!(all.specs()[0].doc, "On or off.");
    assert_eq!(all.get(6), None);
}

#[test]
fn values_are_converted_or_refused() {
    let mut all = All::default();
    let mut set = |name: &str, value: Value| assign(&mut all, name, &value);
    assert!(set("period", "10 ms".into()).is_ok());
    assert!(set("period", 2.into()).is_ok());
    assert!(set("mode", "Offset&Noise".into()).is_ok());
    assert!(set("mode", 0.into()).is_ok());
    assert!(set("mode", "offset_noise".into()).is_ok());
    assert!(set("count", 4.0.into()).is_ok());
    assert!(set("path", 7.into()).is_ok());
    for (name, value, error) in [
        ("count", Value::Int(0), "`count`: wanted int, 1 to 10, found 0"),
        ("count", Value::Float(2.5), "`count`: wanted int, 1 to 10, found `2.5`"),
        ("mode", "ramp".into(), "`mode`: wanted one of linear_ramp, offset_noise, found `ramp`"),
        ("mode", 2.into(), "`mode`: wanted one of linear_ramp, offset_noise, found `2`"),
        ("on", 1.into(), "`on`: wanted bool, found `1`"),
        ("result", 1.into(), "`result` is a readback: only the node writes it"),
        ("coutn", 1.into(), "unknown parameter `coutn`; did you mean `count`?"),
        ("period", "soon".into(), "`period`: wanted float in s, found `soon`"),
    ] {
        assert_eq!(set(name, value).unwrap_err().to_string(), error);
    }
    assert_eq!((all.count, all.period, &*all.path, all.mode), (4, 2.0, "7", Mode::OffsetNoise));
}
