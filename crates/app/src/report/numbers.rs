//! Numbers for people: three digits and a unit.

/// `2.50 ms`; `-` for nothing measured.
pub(crate) fn time(ns: u64) -> String {
    match ns {
        0 => "-".into(),
        1..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{} us", three_digits(ns as f64 / 1e3)),
        1_000_000..1_000_000_000 => format!("{} ms", three_digits(ns as f64 / 1e6)),
        _ => format!("{} s", three_digits(ns as f64 / 1e9)),
    }
}

/// `12.5 MiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", three_digits(bytes as f64 / 1024.0)),
        1_048_576..1_073_741_824 => format!("{} MiB", three_digits(bytes as f64 / 1_048_576.0)),
        _ => format!("{} GiB", three_digits(bytes as f64 / 1_073_741_824.0)),
    }
}

/// Events in a second: `1.25 k`, `-` for what cannot happen.
pub(crate) fn rate(hz: Option<f64>) -> String {
    match hz {
        None => "-".into(),
        Some(hz) if hz < 10_000.0 => three_digits(hz),
        Some(hz) if hz < 1e6 => format!("{} k", three_digits(hz / 1e3)),
        Some(hz) => format!("{} M", three_digits(hz / 1e6)),
    }
}

/// Without digits behind the point; `-` where nothing is known.
pub(crate) fn percent(percent: Option<f64>) -> String {
    percent.map_or("-".into(), |p| format!("{p:.0}"))
}

/// `2026-11-20 13:50:19.123Z`, from seconds since 1970 and nanoseconds within the second.
pub(crate) fn utc(seconds: i64, nanoseconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let millis = nanoseconds.clamp(0, 999_999_999) / 1_000_000;
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The date so many days after 1970-01-01, in the Gregorian calendar. Years begin in March here, so that the leap
/// day is the last of them.
fn date(days: i64) -> (i64, i64, i64) {
    // Seconds may come from anywhere.
    let days = days.clamp(-1 << 40, 1 << 40) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month_of_year) =
        (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    (year + 400 * era + i64::from(month_of_year <= 2), month_of_year, day)
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
