//! `livetime pv list --ca`.

use serde_json::json;

use super::client::{client, failure};
use crate::commands::pv::args::ListArgs;
use crate::output::{Exit, Failure, Output};

pub(in crate::commands::pv) fn list(args: &ListArgs, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(server) = &args.server {
        let reason = format!(
            "Channel Access has no list of the names of a server (found `{server}`); with pvAccess it has one"
        );
        return Err(Failure::new(Exit::Usage, reason));
    }
    let found = client()?.servers(args.common.timeout).map_err(failure)?;
    if args.common.json {
        let found = found.iter().map(|server| json!({ "address": server.to_string() }));
        output.json(&found.collect::<Vec<_>>().into())?;
    } else {
        found.iter().try_for_each(|server| output.data(&format!("{server}\n")))?;
    }
    if found.is_empty() {
        output.log("livetime: no beacon of a server came");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Ok)
}
