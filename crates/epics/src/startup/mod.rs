//! The start-up script of an areaDetector IOC as a pipeline file.
//!
//! [`import`] reads `st.cmd` with all scripts that it includes. Each `ND…Configure` and driver command becomes a node,
//! with the name of its port; the macros of `dbLoadRecords` and `dbLoadTemplate` give the names of its PVs and the
//! sender of its frames, and `dbpf` lines its parameters. Every other line is told with its [`Fate`], so that no setting is lost unseen.

mod error;
mod fate;
mod ioc;
mod pipeline;
mod ports;
mod puts;
mod script;
mod substitutions;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use livetime_engine::NodeType;

pub use error::ImportError;
pub use fate::{Fate, Line, NotRead};

/// A pipeline that was made out of a start-up script.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The pipeline file, as YAML.
    pub pipeline: String,
    /// The lines of the scripts, in order, each with what became of it.
    pub lines: Vec<(Line, Fate)>,
    /// The files of saved settings that the script restores, as it names them.
    pub saved: Vec<PathBuf>,
    /// How many nodes there are.
    pub nodes: usize,
}

/// The pipeline of a start-up script. `macros` are values that its environment has, as `ADCORE`; `nodes` are the types
/// of nodes that a pipeline may have.
///
/// # Errors
/// [`ImportError`] when the script cannot be read, or makes nothing.
///
/// ```
/// let folder = std::env::temp_dir().join(format!("livetime-import-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("st.cmd"), "simDetectorConfig(\"SIM1\", 640, 480, 1)\nNDStatsConfigure(\"STATS1\", 20, 0, \"SIM1\", 0)\n")?;
/// let nodes = [livetime_nodes::ALL, livetime_sim::ALL].concat();
/// let imported = livetime_epics::startup::import(&folder.join("st.cmd"), &Default::default(), &nodes)?;
/// assert!(imported.pipeline.contains("type: statistics"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn import(
    file: &Path,
    macros: &BTreeMap<String, String>,
    nodes: &[NodeType],
) -> Result<Imported, ImportError> {
    let script = script::Script::read(file, macros)?;
    let mut ioc = ioc::Ioc::of(script, nodes);
    if ioc.ports.is_empty() {
        let missing = ioc.fates.iter().filter_map(|(_, fate)| fate.missing());
        return Err(ImportError::Empty { file: file.to_owned(), missing: missing.collect() });
    }
    ports::connect(&mut ioc, nodes);
    puts::put(&mut ioc);
    Ok(Imported {
        pipeline: pipeline::text(&ioc, file),
        nodes: ioc.ports.len(),
        saved: ioc.saved,
        lines: fate::in_order(ioc.fates),
    })
}
