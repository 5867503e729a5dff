//! Settings: changed parameters of a run, kept in a file so that the next run of the same pipeline has them again.
//!
//! The pipeline file belongs to its author and is never changed. Beside it, the settings file holds only values that
//! differ from it, each with the value of the pipeline file, who wrote it, and when.
//!
//! * [`SettingsFile`] is the content of the file; [`Store`] is the file on the disk with its lock and its old copies.
//! * [`restore()`] sets the values in a graph before its run starts; no refused value keeps a run from starting.
//! * [`autosave`] reads files of EPICS' autosave, for IOCs that become pipelines.
//! * The [`model`](crate::model::Model::keep) of the run writes changes, at most once a second.
//!
//! ```
//! use livetime_control::settings::{SettingsFile, restore};
//!
//! let text = "nodes:\n  cam: {type: sim_detector}\n";
//! let mut pipeline = livetime_control::config::parse("p.yaml", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])?;
//! let mut file = SettingsFile::default();
//! file.set("cam", "sim_detector", "gain", 3.0.into(), "ada", 0);
//! let restored = restore(&mut pipeline.graph, &file, &[]);
//! assert_eq!(pipeline.graph.nodes()[0].value("gain"), Some(3.0.into()));
//! assert!(restored.not_restored().next().is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod autosave;
mod error;
mod file;
mod json;
mod key;
mod restore;
mod store;

pub use error::{NotKept, SettingsError};
pub use file::{Kept, NodeSettings, SettingsFile};
pub(crate) use json::{time_text, value_json};
pub use key::{Key, RunKey, is_saved, same};
pub use restore::{Fate, Restored, Tried, restore};
pub use store::{COPIES, Read, Store, file_beside};
