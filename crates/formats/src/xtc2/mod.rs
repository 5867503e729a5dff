//! XTC of LCLS-II: datagrams whose data are described in the file itself.
//!
//! Configure holds [`Names`]: detectors with their fields. Events hold [`Record`]s, which say by a number whose fields they
//! are. A second Configure may give the numbers other meanings, so that [`NamesTable`]s belong to times.
//!
//! | to | use |
//! |---|---|
//! | read one file in its order | [`crate::file::Reader`] with [`DatagramHeader`], and a [`NamesTable`] |
//! | read a run: streams, chunks | [`run::Run`] |
//! | count what is in a file | [`summary::Summary`] |
//! | find data from a small-data file | [`small_data::Original`] |

mod choice;
mod datagram;
mod head;
mod names;
mod names_table;
mod record;
pub mod run;
pub mod small_data;
pub mod summary;
mod walk;
mod xtc;

pub use choice::{damage_of_event, segments};
pub use datagram::Datagram;
pub use head::{DatagramHeader, Transition};
pub use names::{Algorithm, Field, FieldType, Names, NamesId};
pub use names_table::NamesTable;
pub use record::{Record, Value};
pub use walk::{Step, Walk};
pub use xtc::{Damage, Xtc, XtcHeader, XtcKind};
