//! Who may do what: the rules that every request has to pass before a route sees it. Without sockets.
//!
//! | rule | against |
//! |---|---|
//! | `Host` is an address, or a name of this server | a web page that gives this machine a name of its own (DNS rebinding) |
//! | `Origin`, where there is one, is the server itself | other pages in the browser of somebody with a session |
//! | with a cookie, changes and sockets need an `Origin` | the same, by old browsers |
//! | bodies are JSON | forms, which pages may send anywhere without asking |
//! | reading from elsewhere, and writing, need a token | everybody else |

use std::net::IpAddr;

use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, Method, StatusCode};

use crate::error::Error;

/// What a route needs of its callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    /// Nothing: the page and its parts, which hold no data of a run, and what tells that the server is alive.
    Nothing,
    /// To be on this machine, or to have a token.
    Read,
    /// A token.
    Write,
}

/// What is known of a caller.
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
}

impl Rights {
    pub(crate) fn may_write(self) -> bool {
        self.has_session || self.has_token
    }

    pub(crate) fn may_read(self) -> bool {
        self.is_local || self.is_reader || self.may_write()
    }
}

/// The names by which clients may call this server.
#[derive(Clone, Default, Debug)]
pub(crate) struct Hosts {
    names: Vec<String>,
}

impl Hosts {
    /// The name of this machine, with and without its domain, and those of `more`; `*` among them is every name.
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

/// What of a request the rules look at.
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
            name.is_some_and(|name| !host.is_empty() && name.eq_ignore_ascii_case(host))
        };
        if let Some(other) = origins.find(|origin| !is_ours(origin)) {
            return Err(refused(&format!("`{}`", other.to_str().unwrap_or("another page"))));
        }
        if let Some(site) = self.one(SEC_FETCH_SITE)
            && !matches!(site, "same-origin" | "none")
        {
            return Err(refused("another page"));
        }
        let needs_origin = (self.changes() || self.is_upgrade()) && self.headers.contains_key(header::COOKIE);
        match needs_origin && !self.headers.contains_key(header::ORIGIN) {
            true => Err(refused("a browser that does not say of which page")),
            false => Ok(()),
        }
    }

    fn check_body(&self) -> Result<(), Error> {
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

    /// All rules but that of the host.
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
                "wanted a session, or `Authorization: Bearer TOKEN`: the link that the run printed has the token",
            )),
            Needs::Read => Ok(()),
            Needs::Write if rights.may_write() => Ok(()),
            Needs::Write => Err(Error::new(
                StatusCode::FORBIDDEN,
                "wanted a session, or `Authorization: Bearer TOKEN`, for a change: the link that the run printed has the token",
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

    /// How a caller shows what it may.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Token {
        None,
        Cookie,
        Bearer,
    }

    const HOSTS: [Option<&str>; 4] =
        [None, Some("localhost:8090"), Some("10.1.2.3:8090"), Some("evil.example")];
    const ORIGINS: [Option<&str>; 5] = [
        None,
        Some("http://localhost:8090"),
        Some("http://localhost:3000"),
        Some("http://evil.example"),
        Some("null"),
    ];
    const SITES: [Option<&str>; 3] = [None, Some("same-origin"), Some("cross-site")];
    const TOKENS: [Token; 3] = [Token::None, Token::Cookie, Token::Bearer];
    const ROUTES: [(&str, &str, Needs); 4] = [
        ("GET", "/", Needs::Nothing),
        ("GET", "/api/v1/report", Needs::Read),
        ("POST", "/api/v1/views", Needs::Read),
        ("PATCH", "/api/v1/nodes/ROI1", Needs::Write),
    ];

    /// The whole table Host x Origin x site x token x place x route, against the rules in words.
    #[test]
    fn every_combination_is_as_the_rules_say() {
        let mut passed = 0;
        for host in HOSTS {
            for origin in ORIGINS {
                for site in SITES {
                    for (token, is_local) in
                        TOKENS.into_iter().flat_map(|token| [(token, true), (token, false)])
                    {
                        for route in ROUTES {
                            let found = status(host, origin, site, token, is_local, route);
                            let wanted = wanted(host, origin, site, token, is_local, route);
                            assert_eq!(
                                found, wanted,
                                "{host:?} {origin:?} {site:?} {token:?} {is_local} {route:?}"
                            );
                            passed += usize::from(found == 200);
                        }
                    }
                }
            }
        }
        assert!(passed > 100, "{passed}");
    }

    fn status(
        host: Option<&'static str>,
        origin: Option<&'static str>,
        site: Option<&'static str>,
        token: Token,
        is_local: bool,
        (method, path, needs): (&str, &str, Needs),
    ) -> u16 {
        let mut headers = HeaderMap::new();
        let mut set = |name, value: Option<&'static str>| {
            value.map(|value| headers.insert(name, HeaderValue::from_static(value)));
        };
        set(header::HOST, host);
        set(header::ORIGIN, origin);
        set(SEC_FETCH_SITE, site);
        set(header::COOKIE, (token == Token::Cookie).then_some("livetime_8090=secret"));
        set(header::CONTENT_TYPE, Some("application/json"));
        let method: Method = method.parse().unwrap();
        let request = Request { method: &method, path, headers: &headers };
        let (has_session, has_token) = (token == Token::Cookie, token == Token::Bearer);
        let rights = Rights { is_local, is_reader: false, has_session, has_token };
        let hosts = Hosts::new(None, &[]);
        let checked = request.check_host(&hosts).and_then(|()| request.check(needs, rights));
        checked.map_or_else(|error| error.status.as_u16(), |()| 200)
    }

    fn wanted(
        host: Option<&str>,
        origin: Option<&str>,
        site: Option<&str>,
        token: Token,
        is_local: bool,
        (method, path, needs): (&str, &str, Needs),
    ) -> u16 {
        if host == Some("evil.example") {
            return 421;
        }
        let is_api = path.starts_with("/api/");
        let is_own_page = origin.is_none_or(|origin| Some(origin.trim_start_matches("http://")) == host);
        if is_api && (!is_own_page || site == Some("cross-site")) {
            return 403;
        }
        if is_api && method != "GET" && token == Token::Cookie && origin.is_none() {
            return 403;
        }
        match needs {
            Needs::Nothing => 200,
            _ if !is_local && token == Token::None => 401,
            Needs::Write if token == Token::None => 403,
            _ => 200,
        }
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
            let rights = Rights { is_local: true, is_reader: false, has_session: true, has_token: false };
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
