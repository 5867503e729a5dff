//! Types of values ("DBR") as they travel: seven kinds of values, each plain or with what is known about them.

mod about;
mod convert;
mod decode;
mod encode;
mod reading;
mod types;
mod values;

pub use about::{About, Limits};
pub use decode::decode;
pub use encode::encode;
#[cfg(feature = "server")]
pub(crate) use encode::encode_facts;
pub use reading::{Alarm, Reading, Stamp};
pub use types::{Dbr, Form, Native, TEXT_LEN};
pub use values::Values;
