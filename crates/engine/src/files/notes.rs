//! Type and description of attributes, for sinks that write them to files.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use livetime_frame::DType;
use livetime_runtime::lock;

/// Type and description of an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttributeNote {
    /// The type that the pipeline asks for; `None` for a text, and for an attribute with the type of its source.
    pub dtype: Option<DType>,
    /// The description, for people.
    pub description: String,
    /// The kind of its source, as areaDetector calls it: `NDAttrSourceParam`.
    pub source_type: &'static str,
    /// Its source.
    pub source: String,
}

/// The text of the pipeline that runs: a [service](crate::Services), made from [`Graph::text`](crate::Graph::text).
#[derive(Clone, Debug)]
pub struct PipelineText(pub Arc<str>);

impl Default for PipelineText {
    fn default() -> PipelineText {
        PipelineText("".into())
    }
}

/// Type and description of attributes, by name: a [service](crate::Services) of a run. Nodes and stamps that add
/// attributes write the notes, and sinks that write files read them. All clones share one table.
///
/// ```
/// use livetime_engine::files::{AttributeNote, AttributeNotes};
///
/// let notes = AttributeNotes::default();
/// let note = AttributeNote { dtype: None, description: "Who".into(), source_type: "NDAttrSourceConst", source: "me".into() };
/// notes.clone().set("who", note);
/// assert_eq!(notes.get("who").map(|note| note.source), Some("me".into()));
/// ```
#[derive(Clone, Default, Debug)]
pub struct AttributeNotes(Arc<Mutex<BTreeMap<String, AttributeNote>>>);

impl AttributeNotes {
    /// Writes a note over the one from before.
    pub fn set(&self, name: &str, note: AttributeNote) {
        lock(&self.0).insert(name.to_owned(), note);
    }

    /// The note about this attribute.
    pub fn get(&self, name: &str) -> Option<AttributeNote> {
        lock(&self.0).get(name).cloned()
    }
}
