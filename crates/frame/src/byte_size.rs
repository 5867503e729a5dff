//! Numbers of bytes for people.

use std::fmt;

/// A number of bytes as people read it: `64 MiB`, `1.25 GiB`, `512 B`. Rounded to two digits behind the point.
///
/// ```
/// use livetime_frame::ByteSize;
///
/// assert_eq!(ByteSize(64 << 20).to_string(), "64 MiB");
/// assert_eq!(ByteSize(1_342_177_280).to_string(), "1.25 GiB");
/// assert_eq!(ByteSize(1000).to_string(), "1000 B");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ByteSize(pub u64);

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
        let Some((unit, shift)) = UNITS.into_iter().find(|(_, shift)| self.0 >> shift > 0) else {
            return write!(f, "{} B", self.0);
        };
        let number = format!("{:.2}", self.0 as f64 / (1u64 << shift) as f64);
        write!(f, "{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
    }
}
