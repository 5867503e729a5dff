//! Rights: the rules that every request has to pass before a route sees it. Without sockets.
//!
//! | rule | against |
//! |---|---|
//! | `Host` is an address, or a name of this server | a web page that gives this machine a name of its own (DNS rebinding) |
//! | `Origin`, where there is one, is the server itself | other pages in the browser of a user with a session |
//! | with a cookie, changes and sockets need an `Origin` | the same, by old browsers |
//! | bodies are JSON | forms, which pages may send anywhere without asking |
//! | reading from elsewhere, and writing, need a token or a rule | everybody else |
//! | a user's name is taken from declared proxies alone, once | who makes up a header |
//!
//! A user that may write by a rule has no secret that a browser would have to be given: any page in their browser could
//! send requests in their name. That it cannot rests on `Host`, `Origin` and the type of bodies alone. A browser sends
//! an `Origin` with every request that is not GET or HEAD, and asks before it sends JSON to others, which gets no
//! permission here; a request without `Origin` is from a program.

use std::net::IpAddr;

use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, Method, StatusCode};
use livetime_control::rules::{May, Rules};

use crate::error::Error;

#[cfg(test)]
mod table;

/// The right that a route needs of its callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    /// Nothing: the page and its parts, which hold no data of a run, and the sign that the server is alive.
    Nothing,
    /// To be on this machine, or to have a token.
    Read,
    /// A token.
    Write,
    /// As the route of another host to which the request is handed on.
    AsThere,
}

/// The facts about a caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rights {
    /// On this machine.
    pub(crate) is_local: bool,
    /// On a machine that may read without a token.
    pub(crate) is_reader: bool,
    /// Has a session, by its cookie.
    pub(crate) has_session: bool,
    /// Sent the token itself.
    pub(crate) has_token: bool,
    /// The right by a rule; `None`: no rule fits this caller. The token stands above all rules.
    pub(crate) by_rule: Option<May>,
}

impl Rights {
    pub(crate) fn may_write(self) -> bool {
        self.has_session || self.has_token || self.by_rule == Some(May::Write)
    }

    pub(crate) fn may_read(self) -> bool {
        // A rule decides alone; without one, local callers and readers may read.
        let may = self.by_rule.map_or(self.is_local || self.is_reader, |may| may >= May::Read);
        may || self.may_write()
    }
}

/// Letters of a name that a proxy gives.
const LONGEST_NAME: usize = 64;

/// How a proxy that the rules believe names the user of a request from `address`. The header of other machines counts for nothing.
///
/// # Errors
/// 400 when a proxy gives more than one name, or none that could be one: a client's own header has come through.
pub(crate) fn named(rules: &Rules, headers: &HeaderMap, address: IpAddr) -> Result<Option<String>, Error> {
    if !rules.believes(address) {
        return Ok(None);
    }
    let mut given = headers.get_all(&rules.header).iter();
    let (Some(name), next) = (given.next(), given.next()) else { return Ok(None) };
    let fits = |name: &&str| name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control);
    // With a second header, a client of the proxy could choose its own name.
    match (std::str::from_utf8(name.as_bytes()).ok().filter(fits), next) {
        (Some(""), None) => Ok(None),
        (Some(name), None) => Ok(Some(name.to_owned())),
        _ => Err(Error::bad(format!(
            "wanted one name of at most {LONGEST_NAME} letters in `{}`, found {}: the proxy must replace what its clients send",
            rules.header,
            if next.is_some() { "more than one" } else { "something else" },
        ))),
    }
}

/// The names by which clients may call this server.
#[derive(Clone, Default, Debug)]
pub(crate) struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// The name of this machine, with and without its domain, and the names in `more`; `*` among them is every name.
    pub(crate) fn new(own: Option<&str>, more: &[String]) -> Hosts {
        let mut names = vec!["localhost".to_owned()];
        if let Some(name) = own {
            names.push(name.to_ascii_lowercase());
            names.extend(name.split('.').next().map(str::to_ascii_lowercase));
        }
        names.extend(more.iter().map(|name| name.trim_end_matches('.').to_ascii_lowercase()));
        Hosts { names }
    }

    /// Whether `host`, as a client writes it, is this machine: an address, or one of the names, with any port, because the
    /// port may be forwarded.
    pub(crate) fn has(&self, host: &str) -> bool {
        let name = without_port(host.trim());
        let is_address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        is_address || self.names.contains(&name) || self.names.iter().any(|own| own == "*")
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && port.chars().all(|c| c.is_ascii_digit()) => {
            // Of an IPv6 address without brackets everything is address.
            if name.contains(':') && !name.ends_with(']') { host } else { name }
        }
        _ => host,
    }
}

/// The name of this machine where the system says it in a file.
pub(crate) fn own_name() -> Option<String> {
    let files = ["/proc/sys/kernel/hostname", "/etc/hostname"];
    let name = files.iter().find_map(|file| std::fs::read_to_string(file).ok())?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The part of a request that the rules look at.
pub(crate) struct Request<'a> {
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) headers: &'a HeaderMap,
}

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

impl Request<'_> {
    fn is_upgrade(&self) -> bool {
        self.headers.contains_key(header::UPGRADE)
    }

    fn changes(&self) -> bool {
        !matches!(*self.method, Method::GET | Method::HEAD)
    }

    fn one(&self, name: HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Whether it came by a name of this server. A client that sends none, as HTTP/1.0 allows, is not a browser.
    ///
    /// # Errors
    /// 421.
    pub(crate) fn check_host(&self, hosts: &Hosts) -> Result<(), Error> {
        let is_ours = |host: &header::HeaderValue| host.to_str().is_ok_and(|host| hosts.has(host));
        match self.headers.get_all(header::HOST).iter().all(is_ours) {
            true => Ok(()),
            false => Err(Error::new(
                StatusCode::MISDIRECTED_REQUEST,
                "wanted a name or an address of this machine in `Host`; others are allowed by `--web-host NAME`, or by \
                 `hosts` in the block `web` of the pipeline file",
            )),
        }
    }

    /// Whether it comes from a page of this server, or from no page at all.
    ///
    /// # Errors
    /// 403.
    fn check_origin(&self) -> Result<(), Error> {
        let refused = |found: &str| {
            Error::new(
                StatusCode::FORBIDDEN,
                format!("wanted a request of this server's own page, found one of {found}"),
            )
        };
        let host = self.one(header::HOST).unwrap_or_default();
        let mut origins = self.headers.get_all(header::ORIGIN).iter();
        let is_ours = |origin: &header::HeaderValue| {
            let origin = origin.to_str().unwrap_or_default();
            let name = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            // Neither `null`, the origin of pages without one, nor an absent `Host` is ours.
            name.is_some_and(|name| !host.is_empty() && name.eq_ignore_ascii_case(host))
        };
        if let Some(other) = origins.find(|origin| !is_ours(origin)) {
            let other = other.to_str().unwrap_or("another page");
            return Err(refused(&format!("`{other}`, and `Host: {host}` (a proxy hands on the port, too)")));
        }
        // Browsers set this header; pages cannot.
        if let Some(site) = self.one(SEC_FETCH_SITE)
            && !matches!(site, "same-origin" | "none")
        {
            return Err(refused("another page"));
        }
        // Requests that other pages cause carry cookies, and never a token.
        let needs_origin = (self.changes() || self.is_upgrade()) && self.headers.contains_key(header::COOKIE);
        match needs_origin && !self.headers.contains_key(header::ORIGIN) {
            true => Err(refused("a browser that does not say of which page")),
            false => Ok(()),
        }
    }

    fn check_body(&self) -> Result<(), Error> {
        // Browsers let other pages send JSON only after a question that this server does not answer.
        let kind = self.one(header::CONTENT_TYPE).unwrap_or_default();
        let is_json =
            kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
        match self.changes() && *self.method != Method::DELETE && !is_json {
            true => Err(Error::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                format!("wanted `Content-Type: application/json`, found `{kind}`"),
            )),
            false => Ok(()),
        }
    }

    /// All rules except the rule of the host.
    ///
    /// # Errors
    /// The first rule that does not hold.
    pub(crate) fn check(&self, needs: Needs, rights: Rights) -> Result<(), Error> {
        if self.path.starts_with("/api/") {
            self.check_origin()?;
            self.check_body()?;
        }
        match needs {
            Needs::Nothing => Ok(()),
            _ if !rights.may_read() => Err(Error::new(
                StatusCode::UNAUTHORIZED,
                "wanted a session, or `Authorization: Bearer TOKEN`: the link that the run printed has the token. Without it, \
                 no rule lets this caller read",
            )),
            Needs::Read => Ok(()),
            Needs::Write if rights.may_write() => Ok(()),
            // The guard replaces the last one by the right of a route before it asks.
            Needs::Write | Needs::AsThere => Err(Error::new(
                StatusCode::FORBIDDEN,
                "wanted a session, or `Authorization: Bearer TOKEN`, for a change: the link that the run printed has the token. \
                 Without it, no rule lets this caller write",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let hosts = Hosts::new(Some("daq7.beam.example"), &["monitor".into()]);
        let ours = [
            "localhost",
            "LocalHost:9090",
            "127.0.0.1:9090",
            "[::1]:9090",
            "::1",
            "10.1.2.3",
            "daq7",
            "daq7.beam.example.",
            "DAQ7.beam.example:80",
            "monitor:1",
        ];
        ours.into_iter().for_each(|host| assert!(hosts.has(host), "{host}"));
        let theirs = [
            "evil.example",
            "evil.example:9090",
            "localhost.evil.example",
            "daq7.evil.example",
            "",
            "127.0.0.1.evil.example",
        ];
        theirs.into_iter().for_each(|host| assert!(!hosts.has(host), "{host}"));
        assert!(Hosts::new(None, &["*".into()]).has("evil.example"));
    }

    #[test]
    fn forms_and_upgrades_of_other_pages_are_refused() {
        let check = |method: Method, name: HeaderName, value: &'static str, cookie: bool| {
            let mut headers = HeaderMap::from_iter([
                (header::HOST, HeaderValue::from_static("localhost:8090")),
                (name, HeaderValue::from_static(value)),
            ]);
            if cookie {
                headers.insert(header::COOKIE, HeaderValue::from_static("a=b"));
            }
            let rights = Rights {
                is_local: true,
                is_reader: false,
                has_session: true,
                has_token: false,
                by_rule: None,
            };
            let request = Request { method: &method, path: "/api/v1/state", headers: &headers };
            request.check(Needs::Read, rights).map_or_else(|error| error.status.as_u16(), |()| 200)
        };
        assert_eq!(check(Method::POST, header::CONTENT_TYPE, "text/plain", false), 415);
        assert_eq!(check(Method::POST, header::CONTENT_TYPE, "Application/JSON; charset=utf-8", false), 200);
        assert_eq!(check(Method::GET, header::UPGRADE, "websocket", false), 200);
        assert_eq!(check(Method::GET, header::UPGRADE, "websocket", true), 403);
        assert_eq!(check(Method::GET, header::ORIGIN, "http://evil.example", false), 403);
    }
}
