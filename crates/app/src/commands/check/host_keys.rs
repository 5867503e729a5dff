//! `livetime check --hosts --keys`: the keys of all links of a pipeline.

use std::path::Path;

#[cfg(feature = "zmq")]
use livetime_nodes::create_keys;

use crate::config::OverHosts;
use crate::output::{Exit, Failure};

/// Numbers of links.
pub(super) struct Made {
    /// Links that have got keys.
    pub(super) made: usize,
    /// Links that had keys before.
    pub(super) kept: usize,
}

/// Makes the missing keys below `folder`, in a folder for each host or worker and in it one for each link.
pub(super) fn make(folder: &Path, over: &OverHosts) -> Result<Made, Failure> {
    let mut result = Made { made: 0, kept: 0 };
    let links: Vec<_> = over.cuts.iter().flat_map(|cut| &cut.keys).collect();
    if links.is_empty() {
        let text = "`--keys`: wanted a link with an address zmq://host:port between hosts that both have `keys`, found none";
        return Err(Failure::new(Exit::Usage, text));
    }
    for link in links {
        let ends = [&link.from, &link.to].map(|host| folder.join(host).join(&link.link));
        // Ends without one of their files are refused by the one that makes keys.
        if ends.iter().all(|end| has_all(end)) {
            result.kept += 1;
            continue;
        }
        create_keys([&ends[0], &ends[1]]).map_err(|e| Failure::new(Exit::Failed, e))?;
        result.made += 1;
    }
    Ok(result)
}

#[cfg(not(feature = "zmq"))]
fn create_keys(_: [&Path; 2]) -> Result<(), &'static str> {
    Err("`--keys`: wanted a program with the feature `zmq`, found one without")
}

fn has_all(end: &Path) -> bool {
    ["secret.key", "public.key", "peer.key"].iter().all(|file| end.join(file).is_file())
}
