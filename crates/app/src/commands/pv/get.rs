//! `livetime pv get`.

use std::fmt::Display;

use livetime_pva::data::Value;
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
    let answers = begun.into_iter().map(|pending| pending.wait(args.asked.common.timeout));
    show(args, answers, output)
}

/// Prints the answers in the order of the names that were asked for, each as soon as it is there. `answers` wait for
/// them one after the other.
pub(super) fn show<E: Display>(
    args: &GetArgs,
    answers: impl Iterator<Item = Result<Value, E>>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let (mut exit, mut all) = (Exit::Ok, Vec::new());
    for (name, answer) in args.names.iter().zip(answers) {
        match answer {
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
