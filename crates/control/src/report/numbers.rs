//! Numbers for people: three digits and a unit.

/// `2.50 ms`; `-` for nothing measured.
pub fn time(ns: u64) -> String {
    match ns {
        0 => "-".into(),
        1..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{} us", three_digits(ns as f64 / 1e3)),
        1_000_000..1_000_000_000 => format!("{} ms", three_digits(ns as f64 / 1e6)),
        _ => format!("{} s", three_digits(ns as f64 / 1e9)),
    }
}

/// `12.5 MiB`.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", three_digits(bytes as f64 / 1024.0)),
        1_048_576..1_073_741_824 => format!("{} MiB", three_digits(bytes as f64 / 1_048_576.0)),
        _ => format!("{} GiB", three_digits(bytes as f64 / 1_073_741_824.0)),
    }
}

/// Events in a second: `1.25 k`, `-` for what cannot happen.
pub fn rate(hz: Option<f64>) -> String {
    match hz {
        None => "-".into(),
        Some(hz) if hz < 10_000.0 => three_digits(hz),
        Some(hz) if hz < 1e6 => format!("{} k", three_digits(hz / 1e3)),
        Some(hz) => format!("{} M", three_digits(hz / 1e6)),
    }
}

/// Without decimals; `-` for an unknown number.
pub fn percent(percent: Option<f64>) -> String {
    percent.map_or("-".into(), |p| format!("{p:.0}"))
}

/// `2026-11-20 13:50:19.123Z`, from ns since 1970.
pub fn utc(ns: u64) -> String {
    let time = jiff::Timestamp::from_nanosecond(ns.into());
    time.map_or_else(|_| format!("{ns} ns"), |t| t.strftime("%Y-%m-%d %H:%M:%S%.3fZ").to_string())
}

fn three_digits(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        let times = [0, 999, 1_500, 12_340, 999_400, 2_500_000, 61_000_000_000];
        assert_eq!(times.map(time), ["-", "999 ns", "1.50 us", "12.3 us", "999 us", "2.50 ms", "61.0 s"]);
        assert_eq!([0, 1023, 1 << 20, 3 << 29].map(bytes), ["0 B", "1023 B", "1.00 MiB", "1.50 GiB"]);
        assert_eq!([None, Some(0.0), Some(1234.5), Some(2.5e6)].map(rate), ["-", "0.00", "1234", "2.50 M"]);
        assert_eq!([None, Some(99.6)].map(percent), ["-", "100"]);
    }
}
