//! `livetime pv info --ca`.

use livetime_ca::client::{Channel, Facts};
use livetime_ca::dbr::{Dbr, Native};
use serde_json::{Value as Json, json};

use super::client::client;
use crate::commands::pv::args::InfoArgs;
use crate::output::{Exit, Failure, Output};

pub(in crate::commands::pv) fn info(args: &InfoArgs, output: &mut Output) -> Result<Exit, Failure> {
    let client = client()?;
    let channels: Vec<_> = args.names.iter().map(|name| client.channel(name)).collect();
    let ask = |channel: &Channel| (channel.open(), channel.get(Dbr::ClassName));
    let begun: Vec<_> = channels.iter().map(ask).collect();
    let (mut exit, mut all) = (Exit::Ok, Vec::new());
    for (channel, (facts, class)) in channels.iter().zip(begun) {
        let name = channel.name();
        match facts.wait(args.common.timeout) {
            Ok(facts) => {
                // Not every server has records.
                let class = class.wait(args.common.timeout).ok().and_then(|reading| reading.values.text());
                let info = of(channel, facts, class);
                if !args.common.json {
                    output.data(&text(&info))?;
                }
                all.push(info);
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

fn of(channel: &Channel, facts: Facts, class: Option<String>) -> Json {
    json!({
        "name": channel.name(),
        "server": channel.server().map(|server| server.to_string()),
        "type": type_name(facts.native),
        "count": facts.count,
        "read": facts.rights.read,
        "write": facts.rights.write,
        "record": class,
    })
}

/// The names that `cainfo` prints.
fn type_name(native: Native) -> &'static str {
    match native {
        Native::Text => "DBF_STRING",
        Native::Short => "DBF_SHORT",
        Native::Float => "DBF_FLOAT",
        Native::Enum => "DBF_ENUM",
        Native::Char => "DBF_CHAR",
        Native::Long => "DBF_LONG",
        Native::Double => "DBF_DOUBLE",
    }
}

fn text(info: &Json) -> String {
    let shown = |key: &str| info[key].as_str().map_or_else(|| info[key].to_string(), String::from);
    let rights: Vec<&str> = ["read", "write"].into_iter().filter(|&right| info[right] == true).collect();
    let server = if info["server"].is_null() { "disconnected".into() } else { shown("server") };
    let record = info["record"].as_str().map(|record| format!("Record: {record}\n")).unwrap_or_default();
    format!(
        "{}\nServer: {server}\nType: {}\nCount: {}\nAccess: {}\n{record}",
        shown("name"),
        shown("type"),
        shown("count"),
        if rights.is_empty() { "none".into() } else { rights.join(", ") },
    )
}
