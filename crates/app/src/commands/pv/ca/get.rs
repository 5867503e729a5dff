//! `livetime pv get --ca`.

use super::client::{Fetch, client};
use crate::commands::pv::args::GetArgs;
use crate::commands::pv::get::show;
use crate::output::{Exit, Failure, Output};

pub(in crate::commands::pv) fn get(args: &GetArgs, output: &mut Output) -> Result<Exit, Failure> {
    let client = client()?;
    // All are asked for before the first is waited for.
    let channels: Vec<_> = args.names.iter().map(|name| client.channel(name)).collect();
    let begun: Vec<_> = channels.iter().map(|channel| Fetch::begin(channel, args.asked.long_text)).collect();
    let value = |fetch: Fetch| fetch.wait(args.asked.common.timeout).map(|fetched| fetched.value);
    show(args, begun.into_iter().map(value), output)
}
