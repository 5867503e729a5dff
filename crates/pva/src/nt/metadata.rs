//! The metadata of a value of a Normative Type.

/// The metadata of a value besides alarm and time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Metadata {
    /// `descriptor`, a text.
    pub descriptor: bool,
    /// `display`.
    pub display: bool,
    /// `control`; only numbers have it.
    pub control: bool,
    /// `valueAlarm`; only numbers have it.
    pub value_alarm: bool,
}

impl Metadata {
    /// As records have it: `display`, `control`, `valueAlarm`.
    pub const RECORD: Metadata =
        Metadata { descriptor: false, display: true, control: true, value_alarm: true };

    /// Nothing but alarm and time.
    pub const NONE: Metadata =
        Metadata { descriptor: false, display: false, control: false, value_alarm: false };
}
