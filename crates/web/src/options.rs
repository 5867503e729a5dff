//! How a run is served, and to whom.

use std::path::PathBuf;

use livetime_control::access::Access;
use livetime_control::rules::Rules;

use crate::record::Describe;

/// How a run is served.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Names besides this machine's own by which clients may call it; `*` is every name.
    pub hosts: Vec<String>,
    /// Machines that may read without a token, besides this one.
    pub readers: Access,
    /// Rights without the token, looked up before `readers`.
    pub rules: Rules,
    /// A client that knows it may change the run; `None`: a new one is made.
    pub token: Option<String>,
    /// All who know the token may change the run at the same time, without taking control first.
    pub is_open: bool,
    /// The description of the run for clients: the name of its pipeline, and how its PVs begin, if it has some.
    pub pipeline: String,
    /// See `pipeline`.
    pub pv_prefix: Option<String>,
    /// Folders, and single files, whose recorded runs may be browsed, besides the folders that the run writes to.
    pub files: Vec<PathBuf>,
    /// Version of the program, and the commit that it was built from.
    pub version: String,
    /// See `version`.
    pub commit: String,
    /// The hosts of the graph, where it has several.
    pub over_hosts: Vec<HostOfGraph>,
    /// The function that describes trigger records, if the program knows any.
    pub record: Option<Describe>,
}

/// A host of a graph over several hosts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostOfGraph {
    /// Name by which a run calls it, as `detector` or `workers.1`.
    pub name: String,
    /// Where its page is found, as `daq01:8090`; `None`: that is not known. Nothing else is ever connected to.
    pub page: Option<String>,
    /// Whether this is the served run.
    pub is_self: bool,
}
