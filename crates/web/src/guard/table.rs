//! The whole table of rights, against the rules in words: with and without rules for hosts and users.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;

use axum::http::HeaderValue;
use livetime_control::access::Host;
use livetime_control::rules::{Grant, Whom, host};

use super::*;
use crate::session::Sessions;

/// The proof of a caller's right.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Token {
    None,
    Cookie,
    Bearer,
}

const HOSTS: [Option<&str>; 4] = [None, Some("localhost:8090"), Some("10.1.2.3:8090"), Some("evil.example")];
const ORIGINS: [Option<&str>; 5] = [
    None,
    Some("http://localhost:8090"),
    Some("http://localhost:3000"),
    Some("http://evil.example"),
    Some("null"),
];
const SITES: [Option<&str>; 3] = [None, Some("same-origin"), Some("cross-site")];
const TOKENS: [Token; 3] = [Token::None, Token::Cookie, Token::Bearer];
const KINDS: [Option<&str>; 2] = [Some("application/json"), Some("text/plain")];
const ROUTES: [(&str, &str, Needs); 5] = [
    ("GET", "/", Needs::Nothing),
    ("GET", "/api/v1/report", Needs::Read),
    ("POST", "/api/v1/views", Needs::Read),
    ("DELETE", "/api/v1/views/1", Needs::Read),
    ("PATCH", "/api/v1/nodes/ROI1", Needs::Write),
];
/// The address, and the header with the user. Only `10.1.2.3` is a proxy.
const CALLERS: [(&str, Option<&str>); 7] = [
    ("127.0.0.1", None),
    ("127.0.0.1", Some("ada")),
    ("10.1.2.3", None),
    ("10.1.2.3", Some("ada")),
    ("10.1.2.3", Some("bob")),
    ("10.1.2.9", Some("ada")),
    ("10.1.4.4", None),
];

/// A table of rules, and the right of each of `CALLERS` in words of the test.
struct Case {
    rules: &'static [(&'static str, &'static str, May)],
    says: [Option<May>; CALLERS.len()],
}

const N: Option<May> = Some(May::Nothing);
const R: Option<May> = Some(May::Read);
const W: Option<May> = Some(May::Write);

const CASES: [Case; 5] = [
    Case { rules: &[], says: [None; CALLERS.len()] },
    Case { rules: &[("ada", "any", May::Write)], says: [None, None, None, W, None, None, None] },
    Case { rules: &[("", "10.1.4.0/24", May::Write)], says: [None, None, None, None, None, None, W] },
    Case {
        rules: &[("", "local", May::Write), ("*", "any", May::Read), ("", "any", May::Nothing)],
        says: [W, W, N, R, R, N, N],
    },
    Case {
        rules: &[("bob", "10.1.2.3", May::Nothing), ("*", "any", May::Write), ("", "10.1.2.0/24", May::Read)],
        says: [None, None, R, W, N, R, None],
    },
];

impl Case {
    fn sessions(&self) -> Sessions {
        let grant = |(user, at, may): &(&str, &str, May)| {
            let whom = match *user {
                "" => Whom::Everybody,
                "*" => Whom::Named,
                name => Whom::User(name.to_owned()),
            };
            Grant { whom, host: host(at).unwrap(), may: *may }
        };
        let proxies = vec![Host::Address("10.1.2.3".parse().unwrap())];
        let rules = Rules { grants: self.rules.iter().map(grant).collect(), proxies, ..Rules::default() };
        assert_eq!(rules.check(&[]), Ok(()));
        Sessions::new("0123456789abcdef".into(), 8090, false, rules)
    }
}

/// One request.
#[derive(Clone, Copy, Debug)]
struct Asked {
    host: Option<&'static str>,
    origin: Option<&'static str>,
    site: Option<&'static str>,
    kind: Option<&'static str>,
    token: Token,
    caller: (&'static str, Option<&'static str>),
    route: (&'static str, &'static str, Needs),
}

/// Calls `check` with every combination.
fn all(mut check: impl FnMut(usize, Asked)) {
    let mut lists = Vec::new();
    for host in HOSTS {
        for origin in ORIGINS {
            lists.extend(SITES.map(|site| (host, origin, site)));
        }
    }
    for (host, origin, site) in lists {
        for token in TOKENS {
            for kind in KINDS {
                for (number, caller) in CALLERS.into_iter().enumerate() {
                    for route in ROUTES {
                        check(number, Asked { host, origin, site, kind, token, caller, route });
                    }
                }
            }
        }
    }
}

#[test]
fn every_combination_is_as_the_rules_say() {
    for (number, case) in CASES.iter().enumerate() {
        let sessions = case.sessions();
        let token = sessions.token().to_owned();
        let from: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let guest = sessions.visitor(&HeaderMap::new(), from).unwrap();
        let (_, cookie) = sessions.begin(&token, "eve", &guest).unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let (mut passed, mut refused) = (0, 0);
        all(|caller, asked| {
            let found = status(&sessions, &cookie, asked);
            assert_eq!(found, wanted(case.says[caller], asked), "case {number}: {asked:?}");
            if found == 200 { passed += 1 } else { refused += 1 }
        });
        assert!(passed > 500 && refused > 500, "{passed} {refused}");
    }
}

fn status(sessions: &Sessions, cookie: &str, asked: Asked) -> u16 {
    let mut headers = HeaderMap::new();
    let mut set = |name: HeaderName, value: Option<&str>| {
        value.map(|value| headers.insert(name, HeaderValue::from_str(value).unwrap()));
    };
    set(header::HOST, asked.host);
    set(header::ORIGIN, asked.origin);
    set(SEC_FETCH_SITE, asked.site);
    set(header::CONTENT_TYPE, asked.kind);
    set(HeaderName::from_static("x-forwarded-user"), asked.caller.1);
    set(header::COOKIE, (asked.token == Token::Cookie).then_some(cookie));
    set(header::AUTHORIZATION, (asked.token == Token::Bearer).then_some("Bearer 0123456789abcdef"));
    let (method, path, needs) = asked.route;
    let method: Method = method.parse().unwrap();
    let from = SocketAddr::new(asked.caller.0.parse().unwrap(), 51012);
    let request = Request { method: &method, path, headers: &headers };
    let checked = request.check_host(&Hosts::new(None, &[])).and_then(|()| {
        let visitor = sessions.visitor(&headers, from)?;
        request.check(needs, visitor.rights)
    });
    checked.map_or_else(|error| error.status.as_u16(), |()| 200)
}

/// The rules in other words than the code's.
fn wanted(says: Option<May>, asked: Asked) -> u16 {
    let (method, path, needs) = asked.route;
    if asked.host == Some("evil.example") {
        return 421;
    }
    let is_api = path.starts_with("/api/");
    let is_own_page =
        asked.origin.is_none_or(|origin| Some(origin.trim_start_matches("http://")) == asked.host);
    if is_api && (!is_own_page || asked.site == Some("cross-site")) {
        return 403;
    }
    if is_api && method != "GET" && asked.token == Token::Cookie && asked.origin.is_none() {
        return 403;
    }
    if ["POST", "PATCH"].contains(&method) && asked.kind != Some("application/json") {
        return 415;
    }
    let is_here = asked.caller.0 == "127.0.0.1";
    let may = match (asked.token, says) {
        (Token::Cookie | Token::Bearer, _) => May::Write,
        (Token::None, Some(may)) => may,
        (Token::None, None) if is_here => May::Read,
        (Token::None, None) => May::Nothing,
    };
    match (needs, may) {
        (Needs::Nothing, _) | (_, May::Write) | (Needs::Read, May::Read) => 200,
        (_, May::Nothing) => 401,
        (Needs::Write | Needs::AsThere, May::Read) => 403,
    }
}

/// A browser on a machine that may write without a token: no page of others may use that.
#[test]
fn no_page_of_others_writes_for_a_machine_that_may() {
    let sessions = CASES[3].sessions();
    let caller = ("127.0.0.1", None);
    let host = Some("localhost:8090");
    let change = ROUTES[4];
    let ask = |origin, site, kind| {
        status(&sessions, "", Asked { host, origin, site, kind, token: Token::None, caller, route: change })
    };
    let json = Some("application/json");
    assert_eq!(ask(None, None, json), 200, "a program");
    assert_eq!(ask(Some("http://localhost:8090"), Some("same-origin"), json), 200, "the page");
    // Another page, one in a frame without an origin, one of another port of this machine.
    for origin in ["http://evil.example", "null", "http://localhost:3000", "https://evil.example:8090"] {
        assert_eq!(ask(Some(origin), None, json), 403, "{origin}");
        assert_eq!(ask(Some(origin), Some("same-origin"), json), 403, "{origin}");
    }
    // Browsers of before 2020 send a form without `Origin`; a form cannot hold JSON.
    for kind in
        [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("multipart/form-data")]
    {
        assert_eq!(ask(None, None, kind), 415, "{kind:?}");
    }
    assert_eq!(ask(None, Some("cross-site"), json), 403);
    assert_eq!(ask(None, Some("same-site"), json), 403);
}

#[test]
fn a_name_counts_from_a_proxy_alone_and_once() {
    let sessions = CASES[1].sessions();
    let ask = |address: &str, names: &[&[u8]]| {
        let mut headers = HeaderMap::new();
        for name in names {
            headers.append("X-Forwarded-User", HeaderValue::from_bytes(name).unwrap());
        }
        let visitor = sessions.visitor(&headers, SocketAddr::new(address.parse().unwrap(), 1));
        visitor.map_err(|e| e.status.as_u16()).map(|v| (v.user.clone(), v.rights.may_write()))
    };
    let nobody = Ok((String::new(), false));
    assert_eq!(ask("10.1.2.3", &[b"ada"]), Ok(("ada".to_owned(), true)));
    assert_eq!(ask("::ffff:10.1.2.3", &[b"ada"]), Ok(("ada".to_owned(), true)));
    assert_eq!(ask("10.1.2.3", &[b"bob"]), Ok(("bob".to_owned(), false)));
    for spoofed in ["10.1.2.4", "127.0.0.1", "::1"] {
        assert_eq!(ask(spoofed, &[b"ada"]), nobody, "{spoofed}");
        assert_eq!(ask(spoofed, &[b"ada", b"ada"]), nobody, "{spoofed}");
    }
    assert_eq!(ask("10.1.2.3", &[]), nobody);
    assert_eq!(ask("10.1.2.3", &[b""]), nobody);
    // The proxy has let through the header of its client, before or behind its own word.
    assert_eq!(ask("10.1.2.3", &[b"ada", b"bob"]), Err(400));
    assert_eq!(ask("10.1.2.3", &[b"bob", b"ada"]), Err(400));
    assert!(!ask("10.1.2.3", &[b"ada, bob"]).unwrap().1);
    assert_eq!(ask("10.1.2.3", &[&[b'a'; 65]]), Err(400));
    assert_eq!(ask("10.1.2.3", &[b"\xff\xfe"]), Err(400));
    assert_eq!(ask("10.1.2.3", &["Ada Å".as_bytes()]), Ok(("Ada Å".to_owned(), false)));
}
