//! Rules for hosts and users, over sockets: the rights of each, the lines of the log, and the refusals.

use livetime_control::access::Host;
use livetime_control::rules::{Grant, May, Rules, Whom};
use livetime_web::Options;
use serde_json::{Value, json};

use crate::client::{Answer, Run, SMALL};

fn grant(whom: Whom, may: May) -> Grant {
    Grant { whom, host: Host::Any, may }
}

fn user(name: &str) -> Whom {
    Whom::User(name.to_owned())
}

/// Behind a proxy on this machine, or elsewhere, ada writes, a named user reads, and others do nothing.
fn start(proxy: Host) -> Run {
    let grants = vec![
        grant(user("ada"), May::Write),
        grant(Whom::Named, May::Read),
        grant(Whom::Everybody, May::Nothing),
    ];
    let rules = Rules { grants, proxies: vec![proxy], ..Rules::default() };
    Run::with_options(SMALL, Options { rules, ..Options::default() })
}

fn set(run: &Run, headers: &[(&str, &str)]) -> Answer {
    run.ask("PATCH", "/api/v1/nodes/roi", headers, Some(&json!({ "set": { "min_x": 2 } })))
}

#[test]
fn whom_a_proxy_names_is_in_the_log_and_in_the_answer() {
    let run = start(Host::Loopback);
    let ada = ("X-Forwarded-User", "ada");
    let answer = set(&run, &[ada]);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!((&answer.json()["by"]["user"], &answer.json()["values"]["min_x"]), (&json!("ada"), &json!(2)));
    let log = run.ask("GET", "/api/v1/log?since=0", &[ada], None).json();
    let entries: Vec<&Value> =
        log["entries"].as_array().unwrap().iter().filter(|e| e["node"] == "roi").collect();
    assert_eq!((entries.len(), &entries[0]["by"]["user"]), (1, &json!("ada")), "{log}");
    assert_eq!(entries[0]["text"], "min_x = 2");
    let rights = run.ask("GET", "/api/v1/session", &[ada], None).json();
    let host = run.address().to_string();
    assert_eq!(
        rights,
        json!({ "read": true, "write": true, "user": "ada", "in_control": true, "host": host })
    );

    let bob = ("X-Forwarded-User", "bob");
    assert_eq!(run.ask("GET", "/api/v1/report", &[bob], None).status, 200);
    assert_eq!(set(&run, &[bob]).status, 403);
    assert_eq!((run.get("/api/v1/report").status, set(&run, &[]).status), (401, 401));
    assert_eq!(set(&run, &[bob, ada]).status, 400);
    // A client with the token may write under any name, and the log has the name that the proxy knows.
    let token = format!("Bearer {}", run.served.token());
    let taken = run.ask(
        "POST",
        "/api/v1/control",
        &[bob, ("Authorization", &token), ("Livetime-User", "ada")],
        Some(&json!({ "take": true })),
    );
    assert_eq!((taken.status, &taken.json()["holder"]["user"]), (200, &json!("bob")), "{}", taken.text());
    assert_eq!(set(&run, &[ada]).status, 423);
    run.end();
}

#[test]
fn a_name_from_elsewhere_than_a_proxy_counts_for_nothing() {
    let run = start(Host::Address("10.9.9.9".parse().unwrap()));
    for headers in [
        &[("X-Forwarded-User", "ada")][..],
        &[("X-Forwarded-User", "ada"), ("X-Forwarded-For", "10.9.9.9"), ("Forwarded", "for=10.9.9.9")],
        &[("X-Forwarded-User", "ada"), ("X-Real-IP", "10.9.9.9")],
        &[("Livetime-User", "ada")],
        &[],
    ] {
        assert_eq!(set(&run, headers).status, 401, "{headers:?}");
        assert_eq!(run.ask("GET", "/api/v1/report", headers, None).status, 401, "{headers:?}");
    }
    let socket = tungstenite::connect(format!("ws://{}/api/v1/state", run.address()));
    assert!(matches!(socket, Err(tungstenite::Error::Http(answer)) if answer.status() == 401));
    assert_eq!(run.send("PATCH", "/api/v1/nodes/roi", &json!({ "set": { "min_x": 2 } })).status, 200);
    run.end();
}

#[test]
fn a_machine_that_may_write_writes_for_its_own_page_and_programs_only() {
    let here = Grant { whom: Whom::Everybody, host: Host::Loopback, may: May::Write };
    let rules = Rules { grants: vec![here], ..Rules::default() };
    let run = Run::with_options(SMALL, Options { rules: rules.clone(), ..Options::default() });
    let own = format!("http://{}", run.address());
    assert_eq!((set(&run, &[]).status, set(&run, &[("Origin", &own)]).status), (200, 200));
    for origin in ["http://evil.example", "http://localhost:1", "null"] {
        assert_eq!(set(&run, &[("Origin", origin)]).status, 403, "{origin}");
    }
    assert_eq!(set(&run, &[("Host", "evil.example"), ("Origin", "http://evil.example")]).status, 421);
    // A browser asks this before it sends JSON to others, and gets no permission.
    let before = run.ask("OPTIONS", "/api/v1/nodes/roi", &[("Origin", "http://evil.example")], None);
    assert_eq!(before.status, 405, "{}", before.text());
    assert!(!before.head.to_ascii_lowercase().contains("access-control"), "{}", before.head);
    assert_eq!(set(&run, &[]).json()["by"]["user"], "");
    run.end();
    let hosts = vec!["*".to_owned()];
    let refused = Run::try_with_options(SMALL, Options { rules, hosts, ..Options::default() });
    assert!(refused.is_err_and(|why| why.to_string().contains("found `*` beside")));
}
