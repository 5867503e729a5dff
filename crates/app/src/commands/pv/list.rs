//! `livetime pv list`.

use std::net::SocketAddr;

use livetime_pva::client::Client;
use livetime_pva::net::{Destination, SERVER_PORT};
use serde_json::json;

use super::args::ListArgs;
use super::client::{client, failure};
use super::json;
use crate::output::{Exit, Failure, Output};

pub(super) fn list(args: &ListArgs, output: &mut Output) -> Result<Exit, Failure> {
    let client = client()?;
    let Some(server) = &args.server else { return servers(&client, args, output) };
    let server =
        Destination::parse(server, SERVER_PORT).map_err(|error| Failure::new(Exit::Usage, error))?.address;
    match args.info {
        true => server_info(&client, server, args, output),
        false => names(&client, server, args, output),
    }
}

fn servers(client: &Client, args: &ListArgs, output: &mut Output) -> Result<Exit, Failure> {
    let found = client.servers(args.common.timeout.min(std::time::Duration::from_secs(2)));
    if args.common.json {
        let guid = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let found = found.iter().map(|s| json!({ "guid": guid(&s.guid), "address": s.address.to_string() }));
        output.json(&found.collect::<Vec<_>>().into())?;
    } else {
        found.iter().try_for_each(|server| output.data(&format!("{server}\n")))?;
    }
    if found.is_empty() {
        output.log("livetime: no server answered");
        return Ok(Exit::Failed);
    }
    Ok(Exit::Ok)
}

fn names(client: &Client, server: SocketAddr, args: &ListArgs, output: &mut Output) -> Result<Exit, Failure> {
    let names =
        client.names(server).and_then(|pending| pending.wait(args.common.timeout)).map_err(failure)?;
    match args.common.json {
        true => output.json(&names.into())?,
        false => output.data(&names.iter().map(|name| format!("{name}\n")).collect::<String>())?,
    }
    Ok(Exit::Ok)
}

fn server_info(
    client: &Client,
    server: SocketAddr,
    args: &ListArgs,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let info =
        client.server_info(server).and_then(|pending| pending.wait(args.common.timeout)).map_err(failure)?;
    match args.common.json {
        true => output.json(&json::value(&info))?,
        false => output.data(&format!("{info}\n"))?,
    }
    Ok(Exit::Ok)
}
