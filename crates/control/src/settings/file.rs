//! The content of a settings file.

use std::collections::BTreeMap;

use livetime_engine::Value;

/// The content of a settings file: values by node and name, which differ from a pipeline file.
///
/// The file is JSON, so that a file that was cut is never taken for a whole one.
///
/// ```
/// use livetime_control::settings::SettingsFile;
///
/// let mut file = SettingsFile::default();
/// file.set("cam", "sim_detector", "gain", 3.0.into(), "PV by ada at 10.1.2.3:4000", 1_795_000_000_000_000_000);
/// let text = file.text();
/// assert_eq!(SettingsFile::parse(&text)?, file);
/// assert!(SettingsFile::parse(&text[..text.len() - 3]).is_err());
/// # Ok::<(), livetime_control::settings::SettingsError>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SettingsFile {
    /// The name of the pipeline file.
    pub pipeline: String,
    /// Nodes by name.
    pub nodes: BTreeMap<String, NodeSettings>,
}

/// The settings of one node.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NodeSettings {
    /// The type of the node: values of another type mean something else.
    pub type_name: String,
    /// Values by the name of their [`Key`](super::Key).
    pub values: BTreeMap<String, Kept>,
}

/// One value in a settings file.
#[derive(Clone, PartialEq, Debug)]
pub struct Kept {
    /// The value.
    pub value: Value,
    /// The value of the pipeline file when this one was written; `None` if that is not known.
    pub file: Option<Value>,
    /// The writer: face, name and address.
    pub by: String,
    /// When, ns since 1970.
    pub at_ns: i64,
}

impl SettingsFile {
    /// Whether there is no value in it.
    pub fn is_empty(&self) -> bool {
        self.nodes.values().all(|node| node.values.is_empty())
    }

    /// All values, each with its node and name.
    pub fn values(&self) -> impl Iterator<Item = (&str, &str, &Kept)> {
        self.nodes.iter().flat_map(|(name, node)| {
            node.values.iter().map(move |(key, kept)| (name.as_str(), key.as_str(), kept))
        })
    }

    /// Puts a value of a node of type `type_name` into the file. Values of another type of this node are dropped.
    pub fn set(&mut self, node: &str, type_name: &str, key: &str, value: Value, by: &str, at_ns: i64) {
        self.put(node, type_name, key, Kept { value, file: None, by: by.into(), at_ns });
    }

    pub(crate) fn put(&mut self, node: &str, type_name: &str, key: &str, kept: Kept) {
        let node = self.nodes.entry(node.to_owned()).or_default();
        if node.type_name != type_name {
            *node = NodeSettings { type_name: type_name.into(), values: BTreeMap::new() };
        }
        node.values.insert(key.to_owned(), kept);
    }
}
