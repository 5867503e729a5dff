//! In which type values are read.

use crate::dbr::{Dbr, Form, Native};

/// The type and the number of values that a get or a monitor asks for.
///
/// ```
/// use livetime_ca::client::Ask;
/// use livetime_ca::dbr::{Dbr, Form, Native};
///
/// let with_time = Ask::from(Form::Time);
/// let as_texts = Ask::from(Dbr::Value(Form::Plain, Native::Text)).count(3);
/// assert_ne!(with_time, as_texts);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ask {
    kind: Kind,
    count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    OfChannel(Form),
    Exactly(Dbr),
}

impl Ask {
    /// At most this number of values; 0, as at the beginning, for all that there are.
    #[must_use]
    pub fn count(self, count: u32) -> Ask {
        Ask { count, ..self }
    }

    /// The type of the values of a channel of this kind, and their number.
    pub(super) fn resolved(self, native: Native) -> (Dbr, u32) {
        let dbr = match self.kind {
            Kind::OfChannel(form) => Dbr::Value(form, native),
            Kind::Exactly(dbr) => dbr,
        };
        (dbr, self.count)
    }
}

impl From<Form> for Ask {
    /// Values of the channel's own kind in this form.
    fn from(form: Form) -> Ask {
        Ask { kind: Kind::OfChannel(form), count: 0 }
    }
}

impl From<Dbr> for Ask {
    /// Values of exactly this type, to which the server converts them.
    fn from(dbr: Dbr) -> Ask {
        Ask { kind: Kind::Exactly(dbr), count: 0 }
    }
}
