//! Which events are wanted: expressions over the values recorded beside the pictures.
//!
//! ```text
//! evr(140) and ebeam.photon_energy > 9000 and not epics("SHUTTER:IN") == 1
//! 0.5 < gasdet.f_11_energy < 2 and (ipm.sum / ebeam.charge > 0.1 or evr(41))
//! ```
//!
//! | what | meaning |
//! |---|---|
//! | `evr(140)` | the event has this event code |
//! | `ebeam.charge`, `charge` | a value of the event: source and name, or the name alone where only one source has it |
//! | `value("CxiDg2-0\|Ipimb-0", "channel_0")` | the same for names that are no words |
//! | `epics("XPP:GON:MMS:01")` | a process variable: its last value up to the event, also from before it and from the configuration |
//! | `name[2]`, `value("…")[2]` | element 2, from 0 on, of a value with several |
//! | `+ - * /`, `( )`, `abs(x)` | arithmetic with `f64` |
//! | `< <= > >= == !=` | comparisons; a chain as `1 < x <= 3` means `1 < x and x <= 3` |
//! | `not`, `and`, `or` | in this order of strength, weaker than comparisons |
//!
//! A source is meant by its last word in any case (`ebeam` for `BldInfo(EBeam)`, `timing` for `timing.raw`) or by a part of it that
//! only one source has (`gasdet` for `BldInfo(FEEGasDetEnergy)`).
//!
//! An event that lacks a value may still be decided: `evr(140) and x > 1` refuses an event without code 140, whatever `x` is. Where
//! the missing value matters, the event is counted as [`Verdict::WithoutValue`]. A value that the recorder marked as damaged is
//! missing. Comparisons with NaN are false but for `!=`, and a division by 0 gives infinity or NaN, as in Python with numpy.

mod error;
mod expression;
mod parse;
mod selected;
mod value;

pub use error::SelectError;
pub use expression::Expression;
pub use selected::{Selected, Verdict};
