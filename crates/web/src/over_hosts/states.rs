//! The states of all hosts of a graph, asked from them while somebody asks here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use livetime_engine::time_of_day_ns;
use livetime_runtime::lock;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Other;
use super::ask::{Answer, Question};
use super::fault::Fault;
use crate::app::App;
use crate::error::json_body;

/// Hosts are asked at most this often, and less often for each of many.
const PERIOD: Duration = Duration::from_secs(1);
const MORE: Duration = Duration::from_millis(10);
/// They answer within this time.
const LIMIT: Duration = Duration::from_secs(1);
/// Hosts that are asked at one time.
const AT_ONCE: usize = 64;
/// Bytes of an answer.
const LONGEST: usize = 16 << 10;
/// Letters of a text in it.
const LETTERS: usize = 300;
/// Keys of an answer that are handed on, by their kinds.
const TEXTS: [&str; 4] = ["state", "failure", "losses", "text"];
const COUNTS: [&str; 3] = ["unintended", "in_doubt", "frames"];
const FLAGS: [&str; 1] = ["closed"];

/// What the hosts have answered.
#[derive(Default)]
pub(crate) struct Asked {
    /// All of them as they were at this time. Who asks in between waits for the answer.
    newest: tokio::sync::Mutex<Option<(Instant, Value)>>,
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

/// `GET /api/v1/host`: the state of this host alone.
pub(crate) async fn own(State(app): State<Arc<App>>) -> Response {
    json_body(&own_state(&app)).into_response()
}

fn own_state(app: &App) -> Value {
    let moment = app.model.newest();
    let report = &moment.report;
    let state = match (&report.failure, report.finished || app.model.is_ended()) {
        (Some(_), _) => "failed",
        (None, true) => "ended",
        (None, false) => "running",
    };
    let book = &moment.losses;
    json!({
        "state": state,
        "failure": report.failure,
        "losses": book.standing.name(),
        "text": book.newest().map(|newest| newest.loss.describe(report)),
        "unintended": book.sums.unintended,
        "closed": report.imbalances().is_empty(),
        "in_doubt": report.cuts.iter().map(|cut| cut.in_doubt).sum::<u64>(),
        "frames": livetime_control::report::rates::frames_of_sources(report),
    })
}

/// `GET /api/v1/hosts`: all hosts of the graph, with what is known of each.
pub(crate) async fn all(State(app): State<Arc<App>>) -> Response {
    let mut newest = app.over_hosts.asked.newest.lock().await;
    let period = PERIOD + MORE * u32::try_from(app.over_hosts.hosts.len()).unwrap_or(u32::MAX);
    let hosts = match &*newest {
        Some((since, hosts)) if since.elapsed() < period => hosts.clone(),
        _ => {
            let hosts = ask_all(&app).await;
            *newest = Some((Instant::now(), hosts.clone()));
            hosts
        }
    };
    json_body(&json!({ "hosts": hosts })).into_response()
}

async fn ask_all(app: &Arc<App>) -> Value {
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks = JoinSet::new();
    for (number, host) in app.over_hosts.hosts.iter().enumerate() {
        let (app, host, at_once) = (app.clone(), host.clone(), at_once.clone());
        tasks.spawn(async move {
            // It is never closed.
            let _permit = at_once.acquire_owned().await;
            (number, state_of(&app, &host).await)
        });
    }
    let mut states: BTreeMap<usize, Result<Value, Fault>> = BTreeMap::new();
    while let Some(joined) = tasks.join_next().await {
        states.extend(joined);
    }
    let hosts = app.over_hosts.hosts.iter().enumerate();
    hosts
        .filter_map(|(number, host)| Some(app.over_hosts.asked.shown(host, states.remove(&number)?)))
        .collect()
}

async fn state_of(app: &Arc<App>, host: &Arc<Other>) -> Result<Value, Fault> {
    if host.is_self {
        return Ok(own_state(app));
    }
    let late = |_| Fault::Late { page: host.page.clone().unwrap_or_default() };
    timeout(LIMIT, asked(app, host)).await.map_err(late)?
}

async fn asked(app: &Arc<App>, host: &Arc<Other>) -> Result<Value, Fault> {
    let question = Question {
        method: Method::GET,
        path: "/api/v1/host".into(),
        headers: HeaderMap::new(),
        body: Body::empty(),
        person: None,
        limit: LIMIT,
    };
    let Answer { response, held } = app.over_hosts.ask(host, question).await?;
    let strange = |found: String| Fault::Strange { page: host.page.clone().unwrap_or_default(), found };
    let status = response.status();
    if status != StatusCode::OK {
        return Err(strange(format!("the status {status}")));
    }
    let bytes = to_bytes(Body::new(response.into_body()), LONGEST).await;
    drop(held);
    let bytes = bytes.map_err(|_| strange(format!("no answer of at most {LONGEST} bytes")))?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|error| strange(error.to_string()))?;
    known(&json).ok_or_else(|| strange("another state of a run".into()))
}

/// The parts of an answer that are known, each of its kind.
fn known(json: &Value) -> Option<Value> {
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
    fn shown(&self, host: &Other, state: Result<Value, Fault>) -> Value {
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
