//! Changes of a run: each is authorised, logged with its caller by the model, and answered when it has happened.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use livetime_control::config::MAX_QUEUE;
use livetime_control::describe::value_json;
use livetime_control::model::{Action, Answer, Change, Rewire, Which};
use livetime_engine::{ParamKind, ParamSpec, Refusal, Value as ParamValue, WhenFull, find};
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use crate::app::App;
use crate::body::body_of;
use crate::error::{Error, json_body};
use crate::session::Visitor;
use crate::show;

type Routed = Result<Response, Error>;
type Of = (State<Arc<App>>, Extension<Visitor>);

// ---- Parameters ----

pub(crate) async fn set(
    (State(app), Extension(visitor)): Of,
    Path(name): Path<String>,
    body: Bytes,
) -> Routed {
    let node = number_of(&app, &name)?;
    let body = body_of(&body)?;
    let set = body["set"].as_object().filter(|set| !set.is_empty());
    let set = set.ok_or_else(|| Error::bad("`set`: wanted an object of parameters and values"))?;
    let specs = app.model.run().graph().nodes()[node].node_type.param_specs();
    let values =
        set.iter().map(|(name, value)| value_of(specs, name, value)).collect::<Result<Vec<_>, _>>()?;
    match &body["if"] {
        Value::Null => {}
        Value::Object(wanted) => check_if(&app, node, wanted)?,
        other => return Err(Error::bad(format!("`if`: wanted an object, found {other}"))),
    }
    let names: Vec<String> = values.iter().map(|(name, _)| name.clone()).collect();
    // Several parameters are one change: they act from the same frame.
    let change = match <[_; 1]>::try_from(values) {
        Ok([(name, value)]) => Change::Set(name, value),
        Err(values) => Change::SetAll(values),
    };
    change_node(&app, &visitor, node, change).await.map_err(|error| {
        // The first one stands for all where no single one is refused.
        let is_unnamed = error.status == StatusCode::UNPROCESSABLE_ENTITY && !error.has("param");
        match names.first().filter(|_| is_unnamed) {
            Some(name) => error.with("param", json!(name)),
            None => error,
        }
    })
}

fn number_of(app: &App, name: &str) -> Result<usize, Error> {
    app.model.run().graph().node(name).map_err(Error::not_found)
}

/// The value of a parameter as JSON has it.
fn value_of(specs: &'static [ParamSpec], name: &str, value: &Value) -> Result<(String, ParamValue), Error> {
    let spec = &specs[find(specs, name).map_err(|refusal| Error::of_refusal(&refusal))?];
    let wanted = || Error::of_refusal(&Refusal::value(spec.kind.name(), value).of(spec.name));
    let found = match value {
        Value::Bool(value) => ParamValue::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            // A float takes a whole number, too.
            (Some(whole), _) if !matches!(spec.kind, ParamKind::Float) => ParamValue::Int(whole),
            (_, Some(number)) => ParamValue::Float(number),
            _ => return Err(wanted()),
        },
        Value::String(text) => ParamValue::Text(text.clone()),
        Value::Array(numbers) => {
            let numbers: Option<Vec<f64>> = numbers.iter().map(Value::as_f64).collect();
            ParamValue::List(numbers.ok_or_else(wanted)?)
        }
        Value::Null | Value::Object(_) => return Err(wanted()),
    };
    Ok((name.to_owned(), found))
}

/// Whether parameters have the values that the caller relies on.
fn check_if(app: &App, node: usize, wanted: &Map<String, Value>) -> Result<(), Error> {
    let moment = app.model.newest();
    let Some(known) = moment.nodes.get(node) else { return Err(Error::ended()) };
    let mut others = Map::new();
    for (name, wanted) in wanted {
        let missing =
            || Error::refused(format!("`if`: there is no parameter `{name}`")).with("param", json!(name));
        let now = known.value(name).map(value_json).ok_or_else(missing)?;
        // JavaScript writes 1.0 as 1.
        let is_same =
            now == *wanted || now.as_f64().zip(wanted.as_f64()).is_some_and(|(now, wanted)| now == wanted);
        if !is_same {
            others.insert(name.clone(), now);
        }
    }
    match others.is_empty() {
        true => Ok(()),
        false => {
            let message = format!("somebody was faster: {}", Value::Object(others.clone()));
            Err(Error::new(StatusCode::CONFLICT, message).with("values", Value::Object(others)))
        }
    }
}

// ---- Nodes ----

pub(crate) async fn enable((State(app), Extension(visitor)): Of, Path(name): Path<String>) -> Routed {
    change_node(&app, &visitor, number_of(&app, &name)?, Change::Enable(true)).await
}

pub(crate) async fn disable((State(app), Extension(visitor)): Of, Path(name): Path<String>) -> Routed {
    change_node(&app, &visitor, number_of(&app, &name)?, Change::Enable(false)).await
}

pub(crate) async fn acquire(
    (State(app), Extension(visitor)): Of,
    Path(name): Path<String>,
    body: Bytes,
) -> Routed {
    let wait = match &body_of(&body)?["wait"] {
        Value::Null => false,
        wait => wait.as_bool().ok_or_else(|| Error::bad("`wait`: wanted true or false"))?,
    };
    change_source(&app, &visitor, &name, Change::Acquire { start: true, wait }).await
}

pub(crate) async fn abort((State(app), Extension(visitor)): Of, Path(name): Path<String>) -> Routed {
    change_source(&app, &visitor, &name, Change::Acquire { start: false, wait: false }).await
}

async fn change_source(app: &App, visitor: &Visitor, name: &str, change: Change) -> Routed {
    let node = number_of(app, name)?;
    let is_source = app.model.newest().nodes.get(node).is_some_and(|node| node.state.is_source);
    match is_source {
        true => change_node(app, visitor, node, change).await,
        false => Err(Error::refused(format!("wanted a source, found `{name}`"))),
    }
}

pub(crate) async fn rewire(
    (State(app), Extension(visitor)): Of,
    Path(name): Path<String>,
    body: Bytes,
) -> Routed {
    let node = number_of(&app, &name)?;
    let body = body_of(&body)?;
    if !body["edge"].is_null() && !body["add"].is_null() {
        return Err(Error::bad("wanted `edge`, which is there, or `add`, which is not, found both"));
    }
    let rewire = rewire_of(&app, &body)?;
    change_node(&app, &visitor, node, Change::Rewire(rewire)).await
}

fn rewire_of(app: &App, body: &Value) -> Result<Rewire, Error> {
    let mut rewire = Rewire::default();
    for (key, value) in body.as_object().into_iter().flatten() {
        let wanted = |what: &str| Error::bad(format!("`{key}`: wanted {what}, found {value}"));
        match key.as_str() {
            "edge" => {
                let name = |key: &str| value[key].as_str().map(str::to_owned);
                let (from, to) = name("from").zip(name("to")).ok_or_else(|| wanted(EDGE))?;
                rewire.edge = Which::Between { from, to };
            }
            "add" => {
                rewire.edge =
                    Which::New(value.as_str().ok_or_else(|| wanted("an input, as node.input"))?.to_owned());
            }
            "from" if value.is_null() => rewire.node = Some(String::new()),
            "from" => {
                let output = value.as_str().ok_or_else(|| wanted("an output"))?;
                let (node, port) = output_of(app, output).ok_or_else(|| {
                    Error::refused(format!("`from`: wanted an output of a node, found `{output}`"))
                })?;
                (rewire.node, rewire.output) = (Some(node), Some(port));
            }
            "queue" => {
                let queue = value.as_u64().filter(|queue| (1..=MAX_QUEUE).contains(queue));
                let range = || wanted(&format!("a whole number from 1 to {MAX_QUEUE}"));
                rewire.queue = Some(queue.ok_or_else(range)? as usize);
            }
            "every" => {
                let every = value.as_u64().filter(|every| *every > 0);
                rewire.every = Some(every.ok_or_else(|| wanted("a whole number from 1 on"))?);
            }
            "when_full" => {
                let found = WhenFull::ALL.iter().find(|(_, name)| value.as_str() == Some(name));
                let names = || WhenFull::ALL.map(|(_, name)| name).join(", ");
                rewire.when_full = Some(found.ok_or_else(|| wanted(&format!("one of {}", names())))?.0);
            }
            "max_rate_hz" => {
                rewire.max_rate_hz = Some(value.as_f64().ok_or_else(|| wanted("a number from 0 on"))?);
            }
            _ => {
                return Err(Error::bad(format!(
                    "`{key}`: wanted edge, add, from, when_full, queue, every or max_rate_hz"
                )));
            }
        }
    }
    Ok(rewire)
}

const EDGE: &str = "an edge, as {\"from\": \"node.output\", \"to\": \"node.input\"}";

/// Node and number of an output given as `node` or `node.output`.
fn output_of(app: &App, output: &str) -> Option<(String, usize)> {
    let graph = app.model.run().graph();
    if graph.node(output).is_ok() {
        return Some((output.to_owned(), 0));
    }
    let (name, port) = output.rsplit_once('.')?;
    let outputs = graph.nodes().get(graph.node(name).ok()?)?.node_type.spec.outputs;
    Some((name.to_owned(), outputs.iter().position(|output| output.name == port)?))
}

async fn change_node(app: &App, visitor: &Visitor, node: usize, change: Change) -> Routed {
    let answer = act(app, visitor, Action::Change(node, change)).await?;
    answer.result.map_err(|refused| Error::of(&refused))?;
    Ok(done(app, visitor, show::node_json(&answer.moment, app.model.run(), node)))
}

// ---- The run ----

pub(crate) async fn stop((State(app), Extension(visitor)): Of, body: Bytes) -> Routed {
    end_run(&app, &visitor, &body, Action::Stop).await
}

pub(crate) async fn abort_run((State(app), Extension(visitor)): Of, body: Bytes) -> Routed {
    end_run(&app, &visitor, &body, Action::Abort).await
}

async fn end_run(app: &App, visitor: &Visitor, body: &[u8], action: Action) -> Routed {
    let body = body_of(body)?;
    let run =
        body["run"].as_str().ok_or_else(|| Error::bad("`run`: wanted the id of the run that is meant"))?;
    // A client may still show an earlier run at the same address.
    if run != app.run.id {
        return Err(Error::new(StatusCode::CONFLICT, "this is another run than the one that is meant"));
    }
    act(app, visitor, action).await?.result.map_err(|refused| Error::of(&refused))?;
    Ok(done(app, visitor, json!({ "state": "ending" })))
}

pub(crate) async fn save_settings((State(app), Extension(visitor)): Of) -> Routed {
    change_settings(&app, &visitor, Action::SaveSettings).await
}

pub(crate) async fn restore_settings((State(app), Extension(visitor)): Of) -> Routed {
    change_settings(&app, &visitor, Action::RestoreSettings).await
}

async fn change_settings(app: &App, visitor: &Visitor, action: Action) -> Routed {
    act(app, visitor, action).await?.result.map_err(|refused| Error::of(&refused))?;
    let settings = app.model.settings().map_or(Value::Null, |settings| settings.json());
    Ok(done(app, visitor, json!({ "settings": settings })))
}

/// Later losses are not acknowledged with the losses that were seen.
pub(crate) async fn acknowledge((State(app), Extension(visitor)): Of, body: Bytes) -> Routed {
    let seen = body_of(&body)?["unintended"].as_u64();
    let seen = seen.ok_or_else(|| Error::bad("`unintended`: wanted the number of losses that were seen"))?;
    let answer = act(&app, &visitor, Action::Acknowledge(seen)).await?;
    answer.result.map_err(|refused| Error::of(&refused))?;
    Ok(done(&app, &visitor, json!({ "state": answer.moment.losses.standing.name() })))
}

/// The answer to a change, with who made it as the log has it.
fn done(app: &App, visitor: &Visitor, mut answer: Value) -> Response {
    answer["by"] = show::caller_json(&app.caller(visitor));
    json_body(&answer).into_response()
}

async fn act(app: &App, visitor: &Visitor, action: Action) -> Result<Answer, Error> {
    let caller = app.caller(visitor);
    if app.sessions.may_change(visitor)? {
        app.model.note(caller.clone(), "take control");
    }
    let (tell, told) = oneshot::channel();
    app.model.act(caller, action, move |answer| _ = tell.send(answer));
    told.await.map_err(|_| Error::ended())
}
