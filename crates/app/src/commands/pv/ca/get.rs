//! `livetime pv get --ca`.

use serde_json::json;

use super::client::{Fetch, client};
use crate::commands::pv::args::GetArgs;
use crate::commands::pv::{json, text};
use crate::output::{Exit, Failure, Output};

pub(in crate::commands::pv) fn get(args: &GetArgs, output: &mut Output) -> Result<Exit, Failure> {
    let client = client()?;
    // All are asked for before the first is waited for.
    let channels: Vec<_> = args.names.iter().map(|name| client.channel(name)).collect();
    let begun: Vec<_> = channels.iter().map(|channel| Fetch::begin(channel, args.asked.long_text)).collect();
    let (mut exit, mut all) = (Exit::Ok, Vec::new());
    for (name, fetch) in args.names.iter().zip(begun) {
        match fetch.wait(args.asked.common.timeout).map(|fetched| fetched.value) {
            Ok(value) if args.asked.common.json => all.push(json::named(name, &value)),
            Ok(value) => output.data(&(text::line(name, &value, args.asked.clock()) + "\n"))?,
            Err(error) => {
                exit = Exit::Failed;
                output.log(format_args!("livetime: {name}: {error}"));
                all.push(json!({ "name": name, "error": error.to_string() }));
            }
        }
    }
    if args.asked.common.json {
        output.json(&all.into())?;
    }
    Ok(exit)
}
