//! Which types there are, and how many bytes they take.

/// The bytes of a text as it travels, its end included.
pub const TEXT_LEN: usize = 40;

/// The kind of a value. Numbers are the protocol's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Native {
    /// A text of at most 39 bytes.
    Text = 0,
    /// 16 bits with sign.
    Short = 1,
    /// 32 bits.
    Float = 2,
    /// The index of a choice.
    Enum = 3,
    /// 8 bits without sign.
    Char = 4,
    /// 32 bits with sign.
    Long = 5,
    /// 64 bits.
    Double = 6,
}

/// Facts that travel with a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// The value alone.
    Plain,
    /// With its alarm ("STS").
    Alarm,
    /// With alarm and time ("TIME").
    Time,
    /// With alarm, units, precision and limits for display and alarms, or with its choices ("GR").
    Graphic,
    /// The same with limits for writing ("CTRL").
    Control,
}

/// A type of values: a kind and a form, or one of four types of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dbr {
    /// A kind in a form: types 0 to 34.
    Value(Form, Native),
    /// Whether alarms that have passed need an acknowledgement: 35, only put.
    PutAckTransient,
    /// The alarm that a user acknowledges: 36, only put.
    PutAckSeverity,
    /// A text with its alarm and how it is acknowledged: 37.
    AlarmAckText,
    /// The name of the record type: 38.
    ClassName,
}

const NATIVES: [Native; 7] =
    [Native::Text, Native::Short, Native::Float, Native::Enum, Native::Char, Native::Long, Native::Double];
const FORMS: [Form; 5] = [Form::Plain, Form::Alarm, Form::Time, Form::Graphic, Form::Control];

impl Native {
    /// The bytes of one value.
    #[inline]
    pub fn size(self) -> usize {
        match self {
            Native::Text => TEXT_LEN,
            Native::Char => 1,
            Native::Short | Native::Enum => 2,
            Native::Float | Native::Long => 4,
            Native::Double => 8,
        }
    }
}

impl Dbr {
    /// The type with this number.
    #[inline]
    pub fn from_number(number: u16) -> Option<Dbr> {
        match number {
            35 => Some(Dbr::PutAckTransient),
            36 => Some(Dbr::PutAckSeverity),
            37 => Some(Dbr::AlarmAckText),
            38 => Some(Dbr::ClassName),
            _ => {
                let form = FORMS.get(usize::from(number / 7))?;
                Some(Dbr::Value(*form, NATIVES[usize::from(number % 7)]))
            }
        }
    }

    /// The number of the type.
    pub fn number(self) -> u16 {
        match self {
            Dbr::Value(form, native) => form as u16 * 7 + native as u16,
            Dbr::PutAckTransient => 35,
            Dbr::PutAckSeverity => 36,
            Dbr::AlarmAckText => 37,
            Dbr::ClassName => 38,
        }
    }

    /// The kind of its values.
    #[inline]
    pub fn native(self) -> Native {
        match self {
            Dbr::Value(_, native) => native,
            Dbr::PutAckTransient | Dbr::PutAckSeverity => Native::Enum,
            Dbr::AlarmAckText | Dbr::ClassName => Native::Text,
        }
    }

    /// Where the first value stands: after the facts and their padding.
    #[inline]
    pub fn offset(self) -> usize {
        let Dbr::Value(form, native) = self else {
            return if self == Dbr::AlarmAckText { 8 } else { 0 };
        };
        match (form, native) {
            (Form::Plain, _) => 0,
            (Form::Alarm | Form::Graphic | Form::Control, Native::Text) => 4,
            (Form::Alarm, Native::Char) => 5,
            (Form::Alarm, Native::Double) => 8,
            (Form::Alarm, _) => 4,
            (Form::Time, Native::Short | Native::Enum) => 14,
            (Form::Time, Native::Char) => 15,
            (Form::Time, Native::Double) => 16,
            (Form::Time, _) => 12,
            (Form::Graphic | Form::Control, Native::Enum) => 422,
            // Alarm and units take 12 bytes, 16 with a precision; six or eight limits follow; a byte pads `Char`.
            (form, native) => {
                let limits = if form == Form::Control { 8 } else { 6 } * native.size();
                let front = if matches!(native, Native::Float | Native::Double) { 16 } else { 12 };
                front + limits + usize::from(native == Native::Char)
            }
        }
    }

    /// The bytes of `count` values with the facts in front of them, without the padding of the message.
    pub fn size(self, count: usize) -> usize {
        self.offset() + count * self.native().size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes with one value of types 0 to 38, as `dbr_size` of libca 7.0.10 has them.
    const SIZES: [usize; 39] = [
        40, 2, 4, 2, 1, 4, 8, 44, 6, 8, 6, 6, 8, 16, 52, 16, 16, 16, 16, 16, 24, 44, 26, 44, 424, 20, 40, 72,
        44, 30, 52, 424, 22, 48, 88, 2, 2, 48, 40,
    ];

    #[test]
    fn all_types_have_the_size_that_clients_expect() {
        for (number, size) in SIZES.into_iter().enumerate() {
            let dbr = Dbr::from_number(number as u16).unwrap();
            assert_eq!((dbr.number() as usize, dbr.size(1)), (number, size), "{dbr:?}");
        }
        assert_eq!(Dbr::from_number(39), None);
    }
}
