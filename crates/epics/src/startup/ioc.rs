//! The IOC that a start-up script makes: ports, records, saved settings.

use std::collections::BTreeMap;
use std::path::PathBuf;

use livetime_control::macros::{Macros, definitions};
use livetime_engine::NodeType;

use super::script::{Command, Script};
use super::{Fate, Line};

/// A driver or a plugin.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) line: Line,
    /// The name of the port, and of the node.
    pub(super) name: String,
    /// The command that makes it, as `NDStatsConfigure`.
    pub(super) command: String,
    pub(super) node_type: NodeType,
    /// The arguments behind the name of the port.
    pub(super) args: Vec<String>,
    pub(super) senders: Vec<Sender>,
    pub(super) queue: Option<u32>,
    /// Whether its work is done in the thread of its sender.
    pub(super) is_blocking: bool,
    /// The name of its PVs between prefix and suffix, as `Stats1`.
    pub(super) instance: Option<String>,
    /// Parameters with values as the pipeline file has them.
    pub(super) params: BTreeMap<&'static str, String>,
}

/// The port that sends frames, with the number of its output: `NDArrayPort` and `NDArrayAddr`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sender {
    pub(super) port: String,
    pub(super) address: usize,
}

/// A value that a line of the script writes to a PV.
#[derive(Clone, Debug)]
pub(super) struct Put {
    pub(super) line: Line,
    pub(super) pv: String,
    pub(super) value: String,
}

/// The IOC that a start-up script makes.
pub(super) struct Ioc {
    pub(super) ports: Vec<Port>,
    /// The begin of the names of all PVs.
    pub(super) prefix: Option<String>,
    /// Drivers without a node, as name of the port and command.
    pub(super) drivers: Vec<(Line, String, String)>,
    /// Plugins without a node.
    pub(super) without_node: Vec<String>,
    /// The macros of each `dbLoadRecords`, and of each row of a `dbLoadTemplate`.
    pub(super) records: Vec<(Line, Macros)>,
    pub(super) puts: Vec<Put>,
    pub(super) saved: Vec<PathBuf>,
    pub(super) fates: Vec<(Line, Fate)>,
}

/// Commands that a run does without: definitions of records, tracing, the start itself.
const NOT_NEEDED: &[&str] = &[
    "errlogInit",
    "errlogInit2",
    "dbLoadDatabase",
    "iocInit",
    "startPVAServer",
    "callbackSetQueueSize",
    "asynSetTraceMask",
    "asynSetTraceIOMask",
    "asynSetTraceIOTruncateSize",
    "asynSetTraceInfoMask",
    "asynSetTraceFile",
    "asynSetMinTimerPeriod",
    "asynReport",
    "dbl",
    "dbior",
    "date",
    "echo",
    "epicsEnvShow",
    "epicsThreadSleep",
    "epicsThreadShowAll",
    "set_requestfile_path",
    "save_restoreSet_status_prefix",
    "save_restoreSet_Debug",
    "save_restoreSet_NumSeqFiles",
    "save_restoreSet_SeqPeriodInSeconds",
    "save_restoreSet_IncompleteSetsOk",
    "save_restoreSet_DatedBackupFiles",
    "save_restoreSet_CAReconnect",
    "save_restoreSet_CallbackTimeout",
    "makeAutosaveFileFromDbInfo",
    "set_pass1_restoreFile",
    "create_monitor_set",
    "create_triggered_set",
    "var",
    "scanOnceSetQueueSize",
    "initFastSweep",
    "exit",
    "pwd",
    "nfsMount",
    "nfsAuthUnixSet",
    "ld",
    "dbpr",
    "dbgf",
    "casr",
    "asSetFilename",
    "asSetSubstitutions",
    "asInit",
];

impl Ioc {
    pub(super) fn of(script: Script, nodes: &[NodeType]) -> Ioc {
        let mut ioc = Ioc {
            ports: Vec::new(),
            prefix: None,
            drivers: Vec::new(),
            without_node: Vec::new(),
            records: Vec::new(),
            puts: Vec::new(),
            saved: Vec::new(),
            fates: script.fates,
        };
        let mut folder = PathBuf::new();
        for command in script.commands {
            ioc.command(command, nodes, &mut folder);
        }
        ioc
    }

    fn command(&mut self, command: Command, nodes: &[NodeType], saved_in: &mut PathBuf) {
        let Command { line, name, args, undefined, row } = command;
        if !undefined.is_empty() && needs_values(&name, &args) {
            // The command is still followed: a missing name often belongs to an argument that is not used
            // here.
            self.fates.push((line.clone(), Fate::Undefined(undefined)));
        }
        if let Some(macros) = row {
            return self.records.push((line, macros));
        }
        match (name.as_str(), &args[..]) {
            ("dbLoadRecords", [_, macros, ..]) => match definitions(macros) {
                Ok(macros) => return self.records.push((line, macros)),
                // Records with a macro list that cannot be read say nothing that can be relied on.
                Err(wrong) => return self.fates.push((line, Fate::Left(wrong.to_string()))),
            },
            ("dbpf", [pv, value, ..]) => {
                // `.VAL` is the record itself.
                let pv = pv.strip_suffix(".VAL").unwrap_or(pv).to_owned();
                return self.puts.push(Put { line, pv, value: value.clone() });
            }
            ("set_savefile_path", [folder, ..]) => *saved_in = PathBuf::from(folder),
            ("set_pass0_restoreFile", [file, ..]) => self.saved.push(saved_in.join(file)),
            // A configuring command is known by its ending, because every driver has its own name.
            (_, [port, ..]) if configures(&name).is_some() => {
                let port = port.clone();
                return self.port(line, name, port, args, nodes);
            }
            _ => {
                let left = || Fate::Left("no such command is known here".into());
                return self.fates.push((line, if is_not_needed(&name) { Fate::NotNeeded } else { left() }));
            }
        }
        self.fates.push((line, Fate::NotNeeded));
    }

    fn port(&mut self, line: Line, command: String, name: String, args: Vec<String>, nodes: &[NodeType]) {
        let Some(node_type) = configures(&command).and_then(|stem| made_by(&stem, nodes)) else {
            return match is_plugin(&command) {
                true => {
                    // Records of such a plugin are reported as its own and not as unknown.
                    self.without_node.push(name);
                    self.fates.push((line, Fate::Left(format!("no node does the work of {command}"))));
                }
                false => self.drivers.push((line, name, command)),
            };
        };
        // An IOC refuses the second port of a name, and the first one keeps it.
        if self.ports.iter().any(|port| port.name == name) {
            return self.fates.push((line, Fate::Left(format!("the port {name} exists already"))));
        }
        let (args, node_type) = (args[1..].to_vec(), node_type.clone());
        let port = Port {
            line,
            name,
            command,
            node_type,
            args,
            senders: Vec::new(),
            queue: None,
            is_blocking: false,
            instance: None,
            params: BTreeMap::new(),
        };
        self.ports.push(port);
    }
}

fn is_not_needed(command: &str) -> bool {
    NOT_NEEDED.contains(&command) || command.ends_with("_registerRecordDeviceDriver")
}

/// Whether names without a value change the pipeline. The folders of record definitions do not: their files are not read.
fn needs_values(command: &str, args: &[String]) -> bool {
    match command {
        // Macros in the name of the template do not matter, because the file is not read.
        "dbLoadRecords" => args.get(1).is_some_and(|macros| macros.contains("$(") || macros.contains("${")),
        command => !is_not_needed(command),
    }
}

/// Whether the command makes a plugin: the names of plugins begin with `ND`. Drivers have other names, but for the driver
/// of arrays that clients write.
pub(super) fn is_plugin(command: &str) -> bool {
    // The drivers of areaDetector's core begin with `NDDriver` too.
    command.starts_with("ND") && !command.starts_with("NDDriver")
}

/// The name in the command that makes a driver or a plugin: `stats` of `NDStatsConfigure`.
fn configures(command: &str) -> Option<String> {
    let name = command.strip_suffix("Configure").or_else(|| command.strip_suffix("Config"))?;
    Some(key(name))
}

/// The type of nodes whose counterpart has this name.
fn made_by<'a>(stem: &str, nodes: &'a [NodeType]) -> Option<&'a NodeType> {
    let is_it =
        |node: &&NodeType| node.counterpart.is_some_and(|it| it.names().any(|name| key(name) == stem));
    nodes.iter().find(is_it)
}

/// A name of areaDetector without the parts that commands, classes and `PluginType_RBV` write differently.
fn key(name: &str) -> String {
    let word = name.split(' ').next().unwrap_or_default();
    let word = word.strip_prefix("ND").or_else(|| word.strip_prefix("AD")).unwrap_or(word);
    word.strip_prefix("Plugin").unwrap_or(word).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_find_their_nodes() {
        let nodes = [livetime_nodes::ALL, livetime_sim::ALL].concat();
        for (command, wanted) in [
            ("NDStatsConfigure", "statistics"),
            ("NDStdArraysConfigure", "image"),
            ("NDFileHDF5Configure", "hdf5_files"),
            ("NDFileNetCDFConfigure", "netcdf_files"),
            ("NDFileMagickConfigure", "png_files"),
            ("NDROIStatConfigure", "roi_statistics"),
            ("NDTimeSeriesConfigure", "time_series"),
            ("NDCircularBuffConfigure", "circular_buffer"),
            ("NDAttrConfigure", "attributes"),
            ("NDAttrPlotConfig", "attribute_plot"),
            ("NDPosPluginConfigure", "positions"),
            ("NDPvaConfigure", "pva_image"),
            ("NDCodecConfigure", "compress"),
            ("NDDriverStdArraysConfigure", "array_source"),
            ("simDetectorConfig", "sim_detector"),
            ("pvaDriverConfig", "pva_source"),
        ] {
            let found = configures(command).and_then(|stem| made_by(&stem, &nodes));
            assert_eq!(found.map(|node| node.spec.name), Some(wanted), "{command}");
        }
        assert!(made_by(&configures("NDFileNexusConfigure").unwrap(), &nodes).is_none());
        assert_eq!(configures("iocInit"), None);
    }
}
