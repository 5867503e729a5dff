//! XTC of LCLS-I (2009 to 2020s): datagrams of nested containers with typed leaves.
//!
//! | to | use |
//! |---|---|
//! | read one file in its order | [`crate::file::Reader`] with [`DatagramHeader`] |
//! | look at one datagram | [`Datagram`], [`Walk`], [`Xtc`] |
//! | read a run: streams, chunks, cameras of their own | [`run::Run`] |
//! | write | [`Builder`] for a datagram, [`rewrite()`] to change leaves of one, [`Writer`] for a file |
//! | save what can be saved | [`recover::Recovery`] |
//! | count what is in a file | [`summary::Summary`] |
//! | find where data are | [`index`], [`small_data`] |
//! | understand leaves | [`data`], with the [`Configs`] that were in force |
//! | compressed leaves | [`compressed`], [`mod@reference`] |
//! | compress, decompress, cut, split and merge files | `livetime_recording::convert` |

mod builder;
pub mod compressed;
mod configs;
mod damage;
pub mod data;
mod datagram;
mod head;
pub mod index;
mod names;
mod panel;
pub mod recover;
pub mod reference;
mod rewrite;
pub mod run;
pub mod small_data;
mod source;
pub mod summary;
mod time;
mod type_id;
mod walk;
mod writer;
mod xtc;

pub use builder::Builder;
pub use configs::Configs;
pub use damage::Damage;
pub use datagram::Datagram;
pub use head::{DatagramHeader, Env};
pub use rewrite::{Edit, copy_into, rewrite};
pub use source::{Level, SourcePattern, Src};
pub use time::{Clock, FIDUCIAL_PERIOD, Stamp, Transition};
pub use type_id::{TypeId, id};
pub use walk::{Step, Walk};
pub use writer::Writer;
pub use xtc::{Xtc, XtcHeader};
