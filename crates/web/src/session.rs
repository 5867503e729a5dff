//! The token of a run, the sessions that were begun with it, and who of them has control.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, StatusCode, header};
use livetime_control::rules::{May, Rules};
use livetime_engine::time_of_day_ns;
use livetime_runtime::lock;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::error::Error;
use crate::guard::{Rights, named};
use crate::over_hosts::person::{self, Person};
use crate::serve_error::NoRandom;

/// A session ends after this time, however much it is used.
const LONGEST: Duration = Duration::from_secs(12 * 3600);
/// Sessions at one time; the oldest makes room.
const MOST_SESSIONS: usize = 256;
/// A holder of whom nothing is heard for this long has control no more.
const SILENCE: Duration = Duration::from_secs(60);
/// Wrong tokens in a minute from one address.
const MOST_WRONG: u32 = 5;
/// Changes per second of one caller.
const CHANGES: f64 = 20.0;
/// Letters of a user's name.
const LONGEST_USER: usize = 64;

/// The identity of a caller.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Who {
    /// A caller without a token, who may not write.
    Guest,
    /// A caller that may write by a rule, as a proxy has named them.
    User(String),
    /// A caller that may write by a rule, without a name.
    Host(IpAddr),
    /// A caller with a session, by its secret.
    Session(String),
    /// A script with the token itself, by its address.
    Bearer(IpAddr),
    /// A person at the page of another host of the graph: that host, and its name for them.
    Through(String, String),
}

/// A caller, as a route sees it.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    pub(crate) who: Who,
    /// Their name: as a proxy has it, else as they give it themselves.
    pub(crate) user: String,
    /// The first of these.
    named: Option<String>,
    pub(crate) from: SocketAddr,
    pub(crate) rights: Rights,
}

impl Visitor {
    /// The same with a session or the token; a name that callers give themselves does not replace the name from a proxy.
    fn known(mut self, who: Who, user: &str) -> Visitor {
        self.rights.has_session = matches!(who, Who::Session(_));
        self.rights.has_token = matches!(who, Who::Bearer(_));
        self.user = self.named.clone().unwrap_or_else(|| short(user));
        Visitor { who, ..self }
    }

    /// The person for whom another host asks, with the right that they have there.
    fn through(person: Person) -> Visitor {
        let (is_local, by_rule) = (false, Some(person.may));
        let rights = Rights { is_local, is_reader: false, has_session: false, has_token: false, by_rule };
        let (who, user) = (Who::Through(person.host, person.who), short(&person.user));
        // The other host has judged the name: it is none that they may change here.
        Visitor { who, named: Some(user.clone()), user, from: person.from, rights }
    }

    /// The host of the graph through whose page they come.
    pub(crate) fn door(&self) -> Option<&str> {
        match &self.who {
            Who::Through(host, _) => Some(host),
            _ => None,
        }
    }
}

struct Session {
    user: String,
    began: Instant,
}

/// The caller that has control.
#[derive(Clone)]
struct Holder {
    who: Who,
    user: String,
    from: IpAddr,
    since_ns: i64,
    heard: Instant,
}

/// Sessions and control.
pub(crate) struct Sessions {
    token: String,
    /// `livetime_PORT`: cookies do not know ports.
    cookie: String,
    /// Every caller with a token may write at any time.
    is_open: bool,
    /// The rights of other callers.
    rules: Rules,
    state: Mutex<State>,
    /// Counts changes of control and of how many watch.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    sessions: BTreeMap<String, Session>,
    wrong: BTreeMap<IpAddr, (u32, Instant)>,
    changes: BTreeMap<Who, Bucket>,
    holder: Option<Holder>,
    watching: usize,
}

/// How many more changes a caller may make just now.
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn take(&mut self) -> bool {
        let gained = self.at.elapsed().as_secs_f64() * CHANGES;
        // A full bucket holds the changes of one second.
        (self.left, self.at) = ((self.left + gained).min(CHANGES), Instant::now());
        let is_enough = self.left >= 1.0;
        self.left -= if is_enough { 1.0 } else { 0.0 };
        is_enough
    }
}

/// 128 random bits in hexadecimal.
///
/// # Errors
/// When the system gives none.
pub(crate) fn secret() -> Result<String, NoRandom> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(NoRandom)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that depends on lengths only.
fn is_same(a: &str, b: &str) -> bool {
    // Over all bytes: an early end would tell how many of them are right.
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

impl Sessions {
    pub(crate) fn new(token: String, port: u16, is_open: bool, rules: Rules) -> Sessions {
        let (changed, _) = watch::channel(0);
        let (cookie, state) = (format!("livetime_{port}"), Mutex::default());
        Sessions { token, cookie, is_open, rules, state, changed }
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    // ---- Who calls ----

    /// The caller that sends a request with these headers.
    ///
    /// # Errors
    /// When it has a token, and that is wrong; when a proxy says strange things.
    pub(crate) fn visitor(&self, headers: &HeaderMap, from: SocketAddr) -> Result<Visitor, Error> {
        // An IPv4 caller is the same caller at an IPv6 socket.
        let address = from.ip().to_canonical();
        let named = named(&self.rules, headers, address)?;
        let guest = self.guest(named, from);
        let text = |value: &header::HeaderValue| value.to_str().map(str::to_owned).ok();
        let authorization = headers.get(header::AUTHORIZATION).and_then(text);
        // The password that a proxy asks for is no token.
        if let Some(token) = authorization.as_deref().and_then(|value| value.strip_prefix("Bearer ")) {
            self.check_token(token.trim(), address)?;
            // A host that names a person is believed only with the token.
            if let Some(person) = Person::of(headers)? {
                return Ok(Visitor::through(person));
            }
            let user = headers.get("livetime-user").and_then(text).unwrap_or_default();
            return Ok(guest.known(Who::Bearer(address), &user));
        }
        if headers.contains_key(person::HEADER) {
            return Err(person::unproven());
        }
        let mut state = lock(&self.state);
        // First, so that a session that is over is not found.
        state.sessions.retain(|_, session| session.began.elapsed() < LONGEST);
        // A browser may send several headers with cookies.
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(text);
        for cookie in cookies.collect::<Vec<_>>().iter().flat_map(|cookies| cookies.split(';')) {
            let Some((name, secret)) = cookie.trim().split_once('=') else { continue };
            if name != self.cookie {
                continue;
            }
            let fits = |known: &&String| is_same(known, secret);
            if let Some(secret) = state.sessions.keys().find(fits).cloned() {
                let user = state.sessions.get(&secret).map(|session| session.user.clone());
                return Ok(guest.known(Who::Session(secret), &user.unwrap_or_default()));
            }
        }
        Ok(guest)
    }

    /// A caller without a token.
    fn guest(&self, named: Option<String>, from: SocketAddr) -> Visitor {
        let address = from.ip().to_canonical();
        let by_rule = self.rules.may(address, named.as_deref());
        let who = match (&named, by_rule) {
            (Some(name), Some(May::Write)) => Who::User(name.clone()),
            (None, Some(May::Write)) => Who::Host(address),
            _ => Who::Guest,
        };
        let is_local = address.is_loopback();
        let rights = Rights { is_local, is_reader: false, has_session: false, has_token: false, by_rule };
        Visitor { who, user: named.clone().unwrap_or_default(), named, from, rights }
    }

    fn check_token(&self, token: &str, address: IpAddr) -> Result<(), Error> {
        let mut state = lock(&self.state);
        state.wrong.retain(|_, (_, since)| since.elapsed() < Duration::from_secs(60));
        // By address: guesses from one of them do not lock others out.
        if state.wrong.get(&address).is_some_and(|(count, _)| *count >= MOST_WRONG) {
            return Err(Error::new(StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens: wait a minute"));
        }
        if is_same(&self.token, token) {
            return Ok(());
        }
        state.wrong.entry(address).or_insert((0, Instant::now())).0 += 1;
        Err(Error::new(StatusCode::UNAUTHORIZED, "wanted the token of this run, found another one"))
    }

    // ---- Sessions ----

    /// Begins a session for a visitor who knows the token, or begins the visitor's own one anew: the pages of one browser share one
    /// cookie, and a second page must not take control from the first one. Returns the cookie.
    ///
    /// # Errors
    /// When the token is wrong.
    pub(crate) fn begin(
        &self,
        token: &str,
        user: &str,
        visitor: &Visitor,
    ) -> Result<(Visitor, String), Error> {
        self.check_token(token, visitor.from.ip().to_canonical())?;
        let secret = match &visitor.who {
            Who::Session(secret) => secret.clone(),
            _ => secret().map_err(|e| Error::new(StatusCode::INTERNAL_SERVER_ERROR, e))?,
        };
        let mut state = lock(&self.state);
        state.make_room(&secret);
        state.sessions.insert(secret.clone(), Session { user: short(user), began: Instant::now() });
        // `name_holder` locks the state again.
        drop(state);
        let cookie = self.cookie(&secret, LONGEST.as_secs());
        let known = self.guest(visitor.named.clone(), visitor.from).known(Who::Session(secret), user);
        self.name_holder(&known);
        Ok((known, cookie))
    }

    /// A holder of control who gave another name has it from now on.
    fn name_holder(&self, visitor: &Visitor) {
        let mut state = lock(&self.state);
        let Some(holder) = state.holder.as_mut().filter(|holder| holder.who == visitor.who) else { return };
        holder.user.clone_from(&visitor.user);
        // Receivers of the change read the state.
        drop(state);
        self.tell();
    }

    /// Gives the visitor of a session another name, also as holder of control.
    ///
    /// # Errors
    /// 403 when a proxy says who they are, 422 without a session.
    pub(crate) fn rename(&self, visitor: &Visitor, user: &str) -> Result<Visitor, Error> {
        if let Some(name) = &visitor.named {
            let message = format!("wanted a caller whom no proxy names, found `{name}`");
            return Err(Error::new(StatusCode::FORBIDDEN, message));
        }
        let mut state = lock(&self.state);
        let session = match &visitor.who {
            Who::Session(secret) => state.sessions.get_mut(secret),
            _ => None,
        };
        let session = session.ok_or_else(|| {
            Error::refused("wanted a session: a script with the token gives its name in `Livetime-User`")
        })?;
        session.user = short(user);
        drop(state);
        let renamed = Visitor { user: short(user), ..visitor.clone() };
        self.name_holder(&renamed);
        Ok(renamed)
    }

    /// Ends the session of a visitor, and their control. Returns their rights without it, and the cookie that says so.
    pub(crate) fn end(&self, visitor: &Visitor) -> (Visitor, String) {
        if let Who::Session(secret) = &visitor.who {
            lock(&self.state).sessions.remove(secret);
        }
        self.release(visitor);
        (self.guest(visitor.named.clone(), visitor.from), self.cookie("", 0))
    }

    fn cookie(&self, secret: &str, seconds: u64) -> String {
        // Scripts cannot read this cookie, and requests from other sites do not carry it.
        format!("{}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}", self.cookie)
    }

    // ---- Control ----

    /// Takes control, also from another visitor. True if it was not the visitor's.
    pub(crate) fn take(&self, visitor: &Visitor) -> bool {
        let mut state = lock(&self.state);
        if state.holder.as_ref().is_some_and(|holder| holder.who == visitor.who) {
            return false;
        }
        state.holder = Some(Holder {
            who: visitor.who.clone(),
            user: visitor.user.clone(),
            from: visitor.from.ip(),
            since_ns: time_of_day_ns(),
            heard: Instant::now(),
        });
        drop(state);
        self.tell();
        true
    }

    /// Gives control back. True if the visitor had it.
    pub(crate) fn release(&self, visitor: &Visitor) -> bool {
        let mut state = lock(&self.state);
        let had = state.holder.take_if(|holder| holder.who == visitor.who).is_some();
        drop(state);
        if had {
            self.tell();
        }
        had
    }

    /// Lets a visitor make a change: with control, which a visitor gets with a change while it is free. True if the visitor got it now.
    ///
    /// # Errors
    /// When another visitor has control, or the visitor changes too often.
    pub(crate) fn may_change(&self, visitor: &Visitor) -> Result<bool, Error> {
        let mut state = lock(&self.state);
        if state.changes.len() > MOST_SESSIONS {
            // The bucket of a caller that was quiet for a second is full, as a new one is.
            state.changes.retain(|_, bucket| bucket.at.elapsed() < Duration::from_secs(1));
        }
        let full = || Bucket { left: CHANGES, at: Instant::now() };
        if !state.changes.entry(visitor.who.clone()).or_insert_with(full).take() {
            let message = format!("wanted at most {CHANGES} changes a second");
            return Err(Error::new(StatusCode::TOO_MANY_REQUESTS, message));
        }
        if self.is_open {
            return Ok(false);
        }
        if let Some(holder) = state.holder()
            && holder.who != visitor.who
        {
            let message = format!("{} has control: take it to make changes", holder.name());
            return Err(Error::new(StatusCode::LOCKED, message).with("holder", holder.json(false)));
        }
        drop(state);
        let is_new = self.take(visitor);
        self.hear(visitor);
        Ok(is_new)
    }

    /// The visitor is still there.
    pub(crate) fn hear(&self, visitor: &Visitor) {
        let mut state = lock(&self.state);
        if let Some(holder) = state.holder.as_mut().filter(|holder| holder.who == visitor.who) {
            holder.heard = Instant::now();
            // The name of a person at another host may have changed there.
            if visitor.door().is_some() {
                holder.user.clone_from(&visitor.user);
            }
        }
    }

    /// Counts who watches.
    pub(crate) fn watch(&self, more: bool) {
        let mut state = lock(&self.state);
        state.watching = if more { state.watching + 1 } else { state.watching.saturating_sub(1) };
        drop(state);
        self.tell();
    }

    /// How many watch.
    pub(crate) fn watching(&self) -> usize {
        lock(&self.state).watching
    }

    /// Takes control from a holder of whom nothing was heard.
    pub(crate) fn tidy(&self) {
        let mut state = lock(&self.state);
        let had = state.holder.is_some();
        if had && state.holder().is_none() {
            drop(state);
            self.tell();
        }
    }

    fn tell(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Tells of changes of control and of how many watch.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The holder of control, as a visitor is told.
    pub(crate) fn control_json(&self, visitor: &Visitor) -> Value {
        let mut state = lock(&self.state);
        let watching = state.watching;
        let holder = state.holder().map(|holder| holder.json(holder.who == visitor.who));
        json!({ "holder": holder, "watching": watching })
    }

    /// The rights of a visitor.
    pub(crate) fn rights_json(&self, visitor: &Visitor) -> Value {
        let has_control = lock(&self.state).holder().is_some_and(|holder| holder.who == visitor.who);
        json!({
            "read": visitor.rights.may_read(),
            "write": visitor.rights.may_write(),
            "user": visitor.user,
            "in_control": has_control,
        })
    }
}

impl State {
    /// Ends the oldest session where this one would be one too many.
    fn make_room(&mut self, secret: &str) {
        if self.sessions.len() < MOST_SESSIONS || self.sessions.contains_key(secret) {
            return;
        }
        let oldest = self.sessions.iter().min_by_key(|(_, session)| session.began);
        let oldest = oldest.map(|(secret, _)| secret.clone());
        oldest.map(|secret| self.sessions.remove(&secret));
    }

    fn holder(&mut self) -> Option<&Holder> {
        self.holder.take_if(|holder| holder.heard.elapsed() > SILENCE);
        self.holder.as_ref()
    }
}

impl Holder {
    fn name(&self) -> String {
        if self.user.is_empty() { format!("somebody at {}", self.from) } else { self.user.clone() }
    }

    fn json(&self, is_you: bool) -> Value {
        json!({ "user": self.user, "from": self.from.to_string(), "since_ns": self.since_ns, "you": is_you })
    }
}

fn short(user: &str) -> String {
    user.chars().filter(|c| !c.is_control()).take(LONGEST_USER).collect()
}
