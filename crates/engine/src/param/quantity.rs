//! Numbers with units: `10 ms`, `64 MiB`, `2 kHz`.

/// Parses a number with an optional unit and returns it in `unit` (`s`, `B`, `Hz`; any other unit only as
/// it is written). A bare number is taken to be in `unit` already.
///
/// ```
/// use livetime_engine::parse_quantity;
/// assert_eq!(parse_quantity("10 ms", Some("s")), Some(0.010));
/// assert_eq!(parse_quantity("10m", Some("s")), Some(600.0));
/// assert_eq!(parse_quantity("64MiB", Some("B")), Some(67108864.0));
/// assert_eq!(parse_quantity("1e3", None), Some(1000.0));
/// assert_eq!(parse_quantity("10 kg", Some("s")), None);
/// ```
pub fn parse_quantity(text: &str, unit: Option<&str>) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let split = text.rfind(|c: char| c.is_ascii_digit() || c == '.')? + 1;
    let number: f64 = text[..split].trim().parse().ok()?;
    let suffix = text[split..].trim();
    match unit {
        Some(unit) if unit == suffix => Some(number),
        Some("s") => scaled(number, suffix, &[("ns", 1e9), ("us", 1e6), ("µs", 1e6), ("ms", 1e3)], false)
            .or_else(|| scaled(number, suffix, &[("min", 60.0), ("m", 60.0), ("h", 3600.0)], true)),
        Some("Hz") => scaled(number, suffix, &[("kHz", 1e3), ("MHz", 1e6)], true),
        Some("B") => scaled(number, suffix, &BYTES, true),
        _ => None,
    }
}

const BYTES: [(&str, f64); 7] = [
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1048576.0),
    ("GiB", 1073741824.0),
    ("TiB", 1099511627776.0),
];

/// Dividing by 1000 and not multiplying by 0.001 keeps `10 ms` exactly 0.01.
fn scaled(number: f64, suffix: &str, units: &[(&str, f64)], multiply: bool) -> Option<f64> {
    let (_, factor) = units.iter().find(|(name, _)| *name == suffix)?;
    Some(if multiply { number * factor } else { number / factor })
}
