//! `livetime pv get`.

use serde_json::json;

use super::args::GetArgs;
use super::client::{check_request, client};
use super::{json, text};
use crate::output::{Exit, Failure, Output};

pub(super) fn get(args: &GetArgs, output: &mut Output) -> Result<Exit, Failure> {
    check_request(&args.asked.request)?;
    let client = client()?;
    // All are asked for before the first is waited for.
    let channels: Vec<_> = args.names.iter().map(|name| client.channel(name)).collect();
    let begun: Vec<_> = channels.iter().map(|channel| channel.get_with(&args.asked.request)).collect();
    let (mut exit, mut all) = (Exit::Ok, Vec::new());
    for (name, pending) in args.names.iter().zip(begun) {
        match pending.wait(args.asked.common.timeout) {
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
