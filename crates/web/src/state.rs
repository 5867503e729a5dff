//! The state of the run for clients that watch: every moment is written down once for all of them, and each socket
//! sends the newest when its client has seen the one before. Nothing waits in a queue for a slow client.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use livetime_control::model::Moment;
use livetime_engine::{UnknownName, time_of_day_ns};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant as Later, MissedTickBehavior, interval, sleep_until};

use crate::app::App;
use crate::board::{Shown, Slow};
use crate::session::Visitor;
use crate::show;
use crate::wrong::Wrong;

/// Time between moments with clients, and without.
const WATCHED: Duration = Duration::from_millis(100);
const UNWATCHED: Duration = Duration::from_secs(1);
/// The thread that takes moments sees a new client after this time.
const LOOK: Duration = Duration::from_millis(100);
/// A socket is asked for a sign of life this often, and ends when there is none for three times as long.
const PING: Duration = Duration::from_secs(15);
/// Entries of the log in one message.
const LINES: usize = 100;
/// Messages of a client in a second.
const MOST_MESSAGES: u32 = 50;
/// Nodes that a client may watch.
const MOST_NODES: usize = 256;

// ---- The thread ----

/// Takes moments and puts them up, until the model or the server ends.
pub(crate) fn put_up(app: &App) {
    let (model, board) = (&app.model, &app.board);
    let mut slow = Slow::default();
    'watching: while !board.is_ended() {
        let is_watched = board.is_watched();
        let mut watch = model.watch(if is_watched { WATCHED } else { UNWATCHED });
        while !board.is_ended() {
            if let Some(moment) = watch.next(LOOK) {
                let at_ns = time_of_day_ns();
                app.keep(&moment, at_ns as f64 / 1e6);
                board.put(model, moment, at_ns, &mut slow);
            } else if model.is_ended() {
                break 'watching;
            }
            if is_watched != board.is_watched() {
                break;
            }
        }
    }
    board.set_over();
}

// ---- One client ----

/// The wishes of a client, and its progress.
struct Client {
    app: Arc<App>,
    visitor: Visitor,
    shown: watch::Receiver<Option<Shown>>,
    /// The last moment that was sent, and the last one that the client has seen.
    sent: u64,
    seen: u64,
    graph: u64,
    times: u64,
    period: Duration,
    next_at: Later,
    /// The last values sent of each watched node.
    watched: BTreeMap<usize, Arc<Vec<livetime_engine::Value>>>,
    log: u64,
    /// Messages since.
    heard: (u32, Instant),
    /// The last sign of life.
    alive: Instant,
}

/// Counts the clients that watch.
struct Watching(Arc<App>);

impl Watching {
    fn new(app: &Arc<App>) -> Watching {
        app.board.watch(true);
        app.sessions.watch(true);
        Watching(app.clone())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.board.watch(false);
        self.0.sessions.watch(false);
    }
}

/// Serves one client until it goes, or the run ends.
pub(crate) async fn talk(mut socket: WebSocket, app: Arc<App>, visitor: Visitor) {
    let _watching = Watching::new(&app);
    let first = app.model.log_since(0).len().saturating_sub(LINES);
    let log = app.model.log_since(0).get(first).map_or(0, |entry| entry.number);
    let mut client = Client {
        shown: app.board.shown(),
        app: app.clone(),
        visitor,
        sent: 0,
        seen: 0,
        graph: 0,
        times: 0,
        period: WATCHED,
        next_at: Later::now(),
        watched: BTreeMap::new(),
        log,
        heard: (0, Instant::now()),
        alive: Instant::now(),
    };
    let ended = client.talk_on(&mut socket).await;
    if let Some((code, reason)) = ended {
        let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        // A client that has gone needs no farewell.
        let _ = socket.send(close).await;
    }
}

/// Why a socket ends: code and reason, or `None` when the client has gone.
type Ended = Option<(u16, String)>;

impl Client {
    async fn talk_on(&mut self, socket: &mut WebSocket) -> Ended {
        let mut changes = self.app.sessions.changes();
        let mut is_over = self.app.board.over();
        let mut ping = interval(PING);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        send(socket, &self.hello()).await.ok()?;
        self.control_or_graph(socket, true).await.ok()?;
        loop {
            let may_send = self.sent == self.seen;
            tokio::select! {
                message = socket.recv() => match self.hear(message?.ok()?) {
                    Ok(()) => {}
                    Err(Hangup::Gone) => return None,
                    Err(reason) => return Some((1008, reason.to_string())),
                },
                _ = self.shown.changed() => self.log(socket).await.ok()?,
                () = sleep_until(self.next_at), if may_send && self.has_newer() => {
                    self.moment(socket).await.ok()?;
                }
                _ = changes.changed() => self.control_or_graph(socket, false).await.ok()?,
                _ = ping.tick() => {
                    if self.alive.elapsed() > 3 * PING {
                        return Some((1008, "no sign of life".into()));
                    }
                    self.app.sessions.hear(&self.visitor);
                    socket.send(Message::Ping(Default::default())).await.ok()?;
                }
                () = until(&mut is_over) => {
                    self.log(socket).await.ok()?;
                    // The last moment stays on the screen, whatever the client has seen before.
                    self.moment(socket).await.ok()?;
                    let report = livetime_control::report::json::report_json(&self.app.model.newest().report);
                    send(socket, &json!({ "kind": "end", "report": report })).await.ok()?;
                    return Some((1001, "the run has ended".into()));
                }
            }
        }
    }

    fn hello(&self) -> Value {
        let nodes = self.app.model.run().graph().nodes().iter();
        json!({
            "nodes": nodes.map(|node| &node.name).collect::<Vec<_>>(),
            "kind": "hello",
            "api": 1,
            "version": self.app.version(),
            "run": self.app.run_json(),
            "rights": self.app.sessions.rights_json(&self.visitor),
        })
    }

    async fn control_or_graph(
        &mut self,
        socket: &mut WebSocket,
        with_graph: bool,
    ) -> Result<(), axum::Error> {
        if with_graph {
            let graph = self.app.board.graph_json(&self.app.model);
            self.graph = graph["graph"].as_u64().unwrap_or(0);
            send(socket, &graph).await?;
        }
        let mut control = self.app.sessions.control_json(&self.visitor);
        control["kind"] = json!("control");
        send(socket, &control).await
    }

    fn has_newer(&self) -> bool {
        self.shown.borrow().as_ref().is_some_and(|shown| shown.moment.version > self.sent)
    }

    // ---- Messages to the client ----

    async fn moment(&mut self, socket: &mut WebSocket) -> Result<(), axum::Error> {
        let Some(shown) = self.shown.borrow().clone() else { return Ok(()) };
        if shown.graph != self.graph {
            self.graph = shown.graph;
            socket.send(Message::Text(shown.graph_text.clone())).await?;
        }
        if shown.times != self.times {
            self.times = shown.times;
            socket.send(Message::Text(shown.times_text.clone())).await?;
        }
        self.sent = shown.moment.version;
        self.next_at = Later::now() + self.period;
        socket.send(Message::Text(shown.text.clone())).await?;
        if let Some(values) = self.values(&shown.moment) {
            send(socket, &values).await?;
        }
        Ok(())
    }

    /// The changed values of the watched nodes.
    fn values(&mut self, moment: &Moment) -> Option<Value> {
        let graph = self.app.model.run().graph();
        let mut nodes = serde_json::Map::new();
        for (number, before) in &mut self.watched {
            let Some(node) = moment.nodes.get(*number) else { continue };
            if Arc::ptr_eq(&node.values, before) {
                continue;
            }
            let old = std::mem::replace(before, node.values.clone());
            let values = show::values_json(moment, *number, Some(&old));
            if let (false, Some(decl)) = (values.is_empty(), graph.nodes().get(*number)) {
                nodes.insert(decl.name.clone(), Value::Object(values));
            }
        }
        (!nodes.is_empty()).then(|| json!({ "kind": "values", "version": moment.version, "nodes": nodes }))
    }

    async fn log(&mut self, socket: &mut WebSocket) -> Result<(), axum::Error> {
        let mut entries = self.app.model.log_since(self.log);
        let Some(last) = entries.last() else { return Ok(()) };
        let next = last.number + 1;
        let left_out = (next - self.log).saturating_sub(LINES as u64);
        let from = entries.len().saturating_sub(LINES);
        let entries: Vec<Value> = entries.drain(from..).map(|entry| show::entry_json(&entry)).collect();
        self.log = next;
        send(socket, &json!({ "kind": "log", "entries": entries, "left_out": left_out })).await
    }

    // ---- Messages of the client ----

    /// # Errors
    /// Why the socket is to end.
    fn hear(&mut self, message: Message) -> Result<(), Hangup> {
        self.alive = Instant::now();
        if self.heard.1.elapsed() > Duration::from_secs(1) {
            self.heard = (0, Instant::now());
        }
        self.heard.0 += 1;
        if self.heard.0 > MOST_MESSAGES {
            return Err(Wrong::new(format!("at most {MOST_MESSAGES} messages a second")).into());
        }
        match message {
            Message::Text(text) => self.obey(&text),
            Message::Binary(_) => Err(Wrong::new("text").found("bytes").into()),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
            Message::Close(_) => Err(Hangup::Gone),
        }
    }

    fn obey(&mut self, text: &str) -> Result<(), Hangup> {
        match wish(text)? {
            Wish::Seen(version) => self.seen = version.max(self.seen).min(self.sent),
            Wish::Pace(period) => {
                self.period = period;
                self.next_at = self.next_at.min(Later::now() + period);
            }
            Wish::Watch(names) => {
                let graph = self.app.model.run().graph();
                let numbers = names.iter().map(|name| graph.node(name)).collect::<Result<Vec<_>, _>>();
                let numbers = numbers.map_err(Hangup::NoNode)?;
                let mut old = std::mem::take(&mut self.watched);
                let of = |number| (number, old.remove(&number).unwrap_or_default());
                self.watched = numbers.into_iter().map(of).collect();
                // Their values come with the next moment, which need not wait for its time.
                self.next_at = Later::now();
            }
        }
        Ok(())
    }
}

/// Returns when it is true.
async fn until(flag: &mut watch::Receiver<bool>) {
    // An error means that no thread will set it any more, and that the server ends.
    let _ = flag.wait_for(|is_set| *is_set).await;
}

async fn send(socket: &mut WebSocket, value: &Value) -> Result<(), axum::Error> {
    socket.send(Message::Text(value.to_string().into())).await
}

/// A message of a client.
#[derive(PartialEq, Debug)]
pub(crate) enum Wish {
    Seen(u64),
    Pace(Duration),
    Watch(Vec<String>),
}

/// Why the socket of a client ends.
#[derive(Debug)]
pub(crate) enum Hangup {
    /// The client has gone.
    Gone,
    /// The client sent something else than a message.
    Wrong(Wrong),
    /// A message is no JSON.
    Json(serde_json::Error),
    /// The client wants to watch a node that the run does not have.
    NoNode(UnknownName),
}

impl fmt::Display for Hangup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hangup::Gone => f.write_str("the client has gone"),
            Hangup::Wrong(error) => error.fmt(f),
            Hangup::Json(error) => write!(f, "wanted a message in JSON: {error}"),
            Hangup::NoNode(error) => error.fmt(f),
        }
    }
}

impl From<Wrong> for Hangup {
    fn from(error: Wrong) -> Hangup {
        Hangup::Wrong(error)
    }
}

/// Reads a message of a client.
///
/// # Errors
/// The wanted and the found value.
pub(crate) fn wish(text: &str) -> Result<Wish, Hangup> {
    let value: Value = serde_json::from_str(text).map_err(Hangup::Json)?;
    match value["kind"].as_str() {
        Some("seen") => {
            let version = value["version"].as_u64().map(Wish::Seen);
            Ok(version.ok_or_else(|| Wrong::new("a whole number").at("version"))?)
        }
        Some("pace") => {
            let hz = value["hz"].as_f64().filter(|hz| (0.1..=10.0).contains(hz));
            let wanted = || Wrong::new("a number from 0.1 to 10").at("hz").found(&value["hz"]);
            let hz = hz.ok_or_else(wanted)?;
            Ok(Wish::Pace(Duration::from_secs_f64(1.0 / hz)))
        }
        Some("watch") => {
            let names = value["nodes"].as_array().filter(|names| names.len() <= MOST_NODES);
            let text = |name: &Value| name.as_str().map(str::to_owned);
            let names = names.and_then(|names| names.iter().map(text).collect());
            let wanted = || Wrong::new(format!("at most {MOST_NODES} names")).at("nodes");
            Ok(names.map(Wish::Watch).ok_or_else(wanted)?)
        }
        _ => Err(Wrong::new("seen, pace or watch").at("kind").found(&value["kind"]).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_understood_or_told_what_was_wanted() {
        assert_eq!(wish(r#"{"kind": "seen", "version": 7}"#).unwrap(), Wish::Seen(7));
        assert_eq!(wish(r#"{"kind": "pace", "hz": 0.5}"#).unwrap(), Wish::Pace(Duration::from_secs(2)));
        assert_eq!(wish(r#"{"kind": "watch", "nodes": ["a"]}"#).unwrap(), Wish::Watch(vec!["a".into()]));
        for (text, named) in [
            ("", "JSON"),
            ("[]", "`kind`"),
            (r#"{"kind": "shout"}"#, "`kind`"),
            (r#"{"kind": "seen", "version": -1}"#, "`version`"),
            (r#"{"kind": "pace", "hz": 1e9}"#, "`hz`"),
            (r#"{"kind": "pace"}"#, "`hz`"),
            (r#"{"kind": "watch", "nodes": [7]}"#, "`nodes`"),
        ] {
            let error = wish(text).unwrap_err().to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
