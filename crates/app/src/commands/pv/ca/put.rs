//! `livetime pv put --ca`.

use livetime_ca::dbr::{Native, Values};

use super::client::{Fetch, Fetched, client, failure, is_long_text};
use crate::commands::pv::args::PutArgs;
use crate::commands::pv::put::{elements, show};
use crate::output::{Exit, Failure, Output};

pub(in crate::commands::pv) fn put(args: &PutArgs, output: &mut Output) -> Result<Exit, Failure> {
    let texts = parse(&args.values)?;
    let (client, time) = (client()?, args.asked.common.timeout);
    let channel = client.channel(&args.name);
    let fetch = || Fetch::begin(&channel, args.asked.long_text).wait(time).map_err(failure);
    let before = fetch()?;
    let is_text = is_long_text(&args.name, args.asked.long_text);
    let values = values(texts, &before, is_text)?;
    channel.put(values).wait(time).map_err(failure)?;
    show(args, &before.value, &fetch()?.value, output)
}

/// The elements: one for each argument, or the elements of a JSON array.
fn parse(values: &[String]) -> Result<Vec<String>, Failure> {
    match values {
        [one] => Ok(elements(one)?.unwrap_or_else(|| vec![one.clone()])),
        many => Ok(many.to_vec()),
    }
}

/// The values that travel. Numbers are checked here and travel as texts, so that the server refuses a number that does not fit.
fn values(texts: Vec<String>, channel: &Fetched, is_text: bool) -> Result<Values, Failure> {
    let native = channel.facts.native;
    let is_array_of_characters = native == Native::Char && channel.facts.count > 1;
    let wrong = |error: livetime_ca::Error| {
        let hint = if is_array_of_characters { "; --long-text writes them as one text" } else { "" };
        Failure::new(Exit::Usage, format!("{error}{hint}"))
    };
    match native {
        Native::Char if is_text => Ok(Values::long_text(&texts.join(" "))),
        Native::Text => Ok(Values::Text(texts)),
        Native::Enum => Values::Text(texts).converted(native, &channel.about).map_err(wrong),
        _ => {
            Values::Text(texts.clone()).converted(Native::Double, &channel.about).map_err(wrong)?;
            Ok(Values::Text(texts))
        }
    }
}
