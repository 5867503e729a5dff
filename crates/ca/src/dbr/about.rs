//! Properties of a channel beside its value: units, limits, choices.

/// Units, precision, limits and choices of a channel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct About {
    /// The unit; its first seven bytes travel.
    pub units: String,
    /// Digits after the point.
    pub precision: i16,
    /// The limits.
    pub limits: Limits,
    /// The names of choices; the first 25 bytes of the first 16 travel.
    pub choices: Vec<String>,
    /// The record type of areaDetector that the channel stands for, `ao` for example.
    pub class: String,
}

/// Limits of a number, from low to high. A limit that is not set is 0.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Limits {
    /// For display.
    pub display: (f64, f64),
    /// For an alarm of severity major.
    pub alarm: (f64, f64),
    /// For an alarm of severity minor.
    pub warning: (f64, f64),
    /// For writing.
    pub control: (f64, f64),
}

impl Limits {
    /// In the order in which they travel: display, alarm, warning, control, upper ones around lower ones.
    pub(super) fn in_order(&self) -> [f64; 8] {
        let Limits { display, alarm, warning, control } = self;
        [display.1, display.0, alarm.1, warning.1, warning.0, alarm.0, control.1, control.0]
    }

    /// The limits that travelled in this order.
    pub(super) fn from_order(found: [f64; 8]) -> Limits {
        let [high, low, hihi, hi, lo, lolo, most, least] = found;
        Limits { display: (low, high), alarm: (lolo, hihi), warning: (lo, hi), control: (least, most) }
    }
}
