//! `livetime pv info`.

use serde_json::json;

use super::args::InfoArgs;
use super::client::client;
use crate::output::{Exit, Failure, Output};

pub(super) fn info(args: &InfoArgs, output: &mut Output) -> Result<Exit, Failure> {
    let client = client()?;
    let channels: Vec<_> = args.names.iter().map(|name| client.channel(name)).collect();
    let begun: Vec<_> = channels.iter().map(|channel| channel.info()).collect();
    let (mut exit, mut all) = (Exit::Ok, Vec::new());
    for (channel, pending) in channels.iter().zip(begun) {
        let name = channel.name();
        match pending.wait(args.common.timeout) {
            Ok(ty) => {
                let server = channel.server().map(|server| server.to_string());
                if args.common.json {
                    all.push(json!({ "name": name, "server": server, "type": ty.to_string() }));
                } else {
                    let server = server.unwrap_or_else(|| "disconnected".into());
                    output
                        .data(&format!("{name}\nServer: {server}\nType:\n{}\n", indented(&ty.to_string())))?;
                }
            }
            Err(error) => {
                exit = Exit::Failed;
                output.log(format_args!("livetime: {name}: {error}"));
                all.push(json!({ "name": name, "error": error.to_string() }));
            }
        }
    }
    if args.common.json {
        output.json(&all.into())?;
    }
    Ok(exit)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
