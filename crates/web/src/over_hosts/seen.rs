//! The states of hosts as they were found.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use livetime_engine::time_of_day_ns;
use livetime_runtime::lock;
use serde_json::{Map, Value, json};

use super::fault::Fault;
use super::other::Other;

/// Letters of a text in it.
const LETTERS: usize = 300;
/// Keys of an answer that are handed on, by their kinds.
const TEXTS: [&str; 4] = ["state", "failure", "losses", "text"];
const COUNTS: [&str; 3] = ["unintended", "in_doubt", "frames"];
const FLAGS: [&str; 1] = ["closed"];

/// What the hosts have answered.
#[derive(Default)]
pub(crate) struct Asked {
    /// All of them as they were at this time. A request in between waits for the answer.
    pub(super) newest: tokio::sync::Mutex<Option<(Instant, Value)>>,
    seen: Mutex<BTreeMap<String, Seen>>,
}

/// A host, as it was found.
#[derive(Clone, Copy)]
struct Seen {
    reachable: bool,
    /// Since when this is so, and when it answered last: time of day, ns.
    since_ns: i64,
    heard_ns: Option<i64>,
}

/// The parts of an answer that are known, each of its kind.
pub(super) fn known(json: &Value) -> Option<Value> {
    let mut found = Map::new();
    for key in TEXTS {
        let text = match &json[key] {
            Value::Null => Value::Null,
            Value::String(text) => {
                text.chars().filter(|c| !c.is_control()).take(LETTERS).collect::<String>().into()
            }
            _ => return None,
        };
        found.insert(key.into(), text);
    }
    for key in COUNTS {
        found.insert(key.into(), json[key].as_u64()?.into());
    }
    for key in FLAGS {
        found.insert(key.into(), json[key].as_bool()?.into());
    }
    Some(found.into()).filter(|found: &Value| found["state"].is_string() && found["losses"].is_string())
}

impl Asked {
    pub(super) fn shown(&self, host: &Other, state: Result<Value, Fault>) -> Value {
        let seen = self.note(&host.name, state.is_ok());
        let (mut json, fault) = match state {
            Ok(state) => (state, None),
            Err(fault) => (json!({}), Some(fault)),
        };
        if fault.is_some() {
            // Nothing is known of it: neither that it loses, nor that it does not.
            let keys = TEXTS.iter().chain(&COUNTS).chain(&FLAGS);
            keys.for_each(|key| json[*key] = Value::Null);
        }
        json["name"] = host.name.clone().into();
        json["page"] = host.page.clone().into();
        json["self"] = host.is_self.into();
        json["reachable"] = seen.reachable.into();
        json["code"] = fault.as_ref().map(Fault::code).into();
        json["why"] = fault.as_ref().map(ToString::to_string).into();
        json["since_ns"] = seen.since_ns.into();
        json["heard_ns"] = seen.heard_ns.into();
        json
    }

    fn note(&self, name: &str, reachable: bool) -> Seen {
        let now_ns = time_of_day_ns();
        let mut all = lock(&self.seen);
        let before = all.get(name).copied();
        let same = before.filter(|seen| seen.reachable == reachable);
        let since_ns = same.map_or(now_ns, |seen| seen.since_ns);
        let heard_ns = if reachable { Some(now_ns) } else { before.and_then(|seen| seen.heard_ns) };
        let seen = Seen { reachable, since_ns, heard_ns };
        all.insert(name.to_owned(), seen);
        seen
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::*;

    fn answer() -> Value {
        json!({
            "state": "running", "failure": null, "losses": "nothing", "text": null, "unintended": 0, "closed": true,
            "in_doubt": 0, "frames": 7, "more": {"a": [1]},
        })
    }

    #[test]
    fn of_an_answer_only_what_is_known_is_taken() {
        let found = known(&answer()).unwrap();
        assert!(found["more"].is_null() && found["frames"] == 7);
        for (key, wrong) in [
            ("state", json!(7)),
            ("state", Value::Null),
            ("losses", json!({})),
            ("closed", json!("yes")),
            ("unintended", json!(-1)),
            ("in_doubt", json!(1e30)),
        ] {
            let mut answer = answer();
            answer[key] = wrong;
            assert_eq!(known(&answer), None, "{key}");
        }
        let mut long = answer();
        long["failure"] = "a\n".repeat(LETTERS * 2).into();
        assert_eq!(known(&long).unwrap()["failure"].as_str().unwrap().len(), LETTERS);
    }

    #[test]
    fn a_host_that_does_not_answer_is_unknown_in_all_parts() {
        let asked = Asked::default();
        let host = Other {
            name: "daq".into(),
            page: None,
            is_self: false,
            requests: Arc::new(Semaphore::new(1)),
            refused: Mutex::default(),
        };
        let up = asked.shown(&host, Ok(known(&answer()).unwrap()));
        assert_eq!((&up["reachable"], &up["losses"]), (&json!(true), &json!("nothing")));
        let gone = asked.shown(&host, Err(Fault::NoPage { name: "daq".into() }));
        assert_eq!((&gone["reachable"], &gone["code"]), (&json!(false), &json!("no_page")));
        assert!(TEXTS.iter().chain(&COUNTS).chain(&FLAGS).all(|key| gone[*key].is_null()), "{gone}");
        assert_eq!(gone["heard_ns"], up["heard_ns"]);
        let later = asked.shown(&host, Err(Fault::NoPage { name: "daq".into() }));
        assert_eq!(later["since_ns"], gone["since_ns"]);
    }
}
