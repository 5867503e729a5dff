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
fn a_pv_in_place_of_a_parameter_is_answered_with_the_parameter() {
    /// Parameters of a writer.
    #[derive(Params)]
    struct Writer {
        /// The order of writes.
        #[param(pv = "FileWriteMode")]
        mode: bool,
        /// Reads near to the PV.
        file_write_model: bool,
        /// Measured.
        #[param(readback, pv = "1:MinX")]
        region1_min_x: i64,
    }
    let specs = Writer::default().specs();
    let of = |name: &str| find(specs, name).unwrap_err().to_string();
    for name in ["file_write_mode", "FileWriteMode", "FileWriteMode_RBV"] {
        assert_eq!(
            of(name),
            format!("unknown parameter `{name}`; areaDetector's FileWriteMode is `mode` here")
        );
    }
    assert!(of("1:MinX_RBV").ends_with("is `region1_min_x` here"), "{}", of("1:MinX_RBV"));
    assert!(of("file_write_modes").ends_with("did you mean `file_write_model`?"));
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

#[test]
fn pvs_show_a_parameter_as_it_declares() {
    /// Parameters of a buffer.
    #[derive(Params)]
    struct Buffer {
        /// On or off.
        #[param(pv = "Capture", words = ["Done", "Capture"], shown = ["Done", "Capturing"])]
        capture: bool,
        /// Shows it now.
        #[param(pv = "Read", form = Setpoint, words = ["Done", "Read"], link)]
        read: bool,
        /// As others.
        other: bool,
    }
    let [capture, read, other] = Buffer::default().specs() else { panic!("three") };
    assert_eq!((capture.style.words(true)[1], capture.style.words(false)[1]), ("Capture", "Capturing"));
    assert_eq!(
        (read.style.words(false)[1], read.style.form, read.style.link),
        ("Read", PvForm::Setpoint, true)
    );
    assert_eq!((other.style, other.style.words(true)), (PvStyle::USUAL, &["No", "Yes"]));
}

/// One of several.
#[derive(Params)]
struct One {
    /// First column.
    #[param(default = 3, min = 0, pv = "MinX")]
    min_x: i64,
    /// A result.
    #[param(readback, pv = "X:Total{}")]
    total: f64,
}

/// Own parameters, shared ones, and groups.
#[derive(Params)]
struct Many {
    #[param(group = "roi")]
    rois: [One; 3],
    /// On or off.
    on: bool,
    #[param(flatten, default = One { min_x: 4, total: 0.0 })]
    shared: One,
    #[param(group = "line")]
    lines: [One; 1],
}

#[test]
fn groups_and_shared_parameters_come_behind_the_own_ones() {
    let mut many = Many::default();
    let names: Vec<_> = many.specs().iter().map(|s| s.name).collect();
    assert_eq!(names[..3], ["on", "roi1_min_x", "roi1_total"]);
    assert_eq!(
        names[3..],
        [
            "roi2_min_x",
            "roi2_total",
            "roi3_min_x",
            "roi3_total",
            "min_x",
            "total",
            "line1_min_x",
            "line1_total"
        ]
    );
    for (number, name) in names.iter().enumerate().filter(|(_, name)| name.ends_with("min_x")) {
        let default = if *name == "min_x" { 4 } else { 3 };
        assert_eq!(many.get(number), Some(Value::Int(default)), "{name}");
        assert_eq!(assign(&mut many, name, &Value::Int(number as i64)), Ok(number));
        assert_eq!(many.get(number), Some(Value::Int(number as i64)));
    }
    assert_eq!((many.rois[0].min_x, many.rois[1].min_x, many.rois[2].min_x), (1, 3, 5));
    assert_eq!((many.shared.min_x, many.lines[0].min_x), (7, 9));
    assert_eq!((many.specs()[3].pv, many.specs()[4].pv), (Some("2:MinX"), Some("X:Total1")));
    assert_eq!((many.specs()[3].member(), many.specs()[7].member()), (Some((2, "MinX")), None));
    assert_eq!(many.get(11), None);
    assert!(many.set(11, &Value::Int(0)).is_err());
    assert!(assign(&mut many, "roi2_total", &Value::Float(0.0)).is_err(), "a readback");
    let error = assign(&mut many, "roi2_min_x", &Value::Int(-1)).unwrap_err();
    assert!(error.to_string().starts_with("`roi2_min_x`"), "{error}");
}
