//! The pages of a graph over hosts: each host a process of the program on loopback, all reached through any of them.

mod fake;
mod hostile;
mod site;

use livetime_testkit::wait_until;
use serde_json::{Value, json};

use crate::common::livetime;
use site::{HOSTS, Site, Socket};

#[test]
fn each_host_shows_all_hosts() {
    let site = Site::new();
    let hosts = HOSTS.map(|host| site.start(host));
    for (number, door) in HOSTS.iter().enumerate() {
        let mut states = Value::Null;
        wait_until("all hosts", || {
            states = site.states(door);
            states.as_array().unwrap().iter().all(|host| host["reachable"] == true)
        });
        let names: Vec<&str> =
            states.as_array().unwrap().iter().map(|host| host["name"].as_str().unwrap()).collect();
        assert_eq!(names, HOSTS);
        for (place, host) in states.as_array().unwrap().iter().enumerate() {
            assert_eq!(host["self"], place == number, "{states}");
            assert_eq!(
                (&host["state"], &host["closed"], &host["why"]),
                (&json!("running"), &true.into(), &Value::Null)
            );
            assert!(host["losses"].is_string() && host["heard_ns"].is_i64(), "{host}");
        }
        for host in HOSTS {
            let page = site.get(door, &format!("/hosts/{host}/"));
            assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("<title>Livetime</title>"), "{page}");
            assert!(page.contains("script-src 'self'"), "{page}");
            let metrics = site.get(door, &format!("/hosts/{host}/metrics"));
            assert!(
                metrics.starts_with("HTTP/1.1 200 ") && metrics.contains(site::own_metric(host)),
                "{metrics}"
            );
            assert!(metrics.contains("content-security-policy: default-src 'none'; sandbox"), "{metrics}");
            let described = site.json(door, &format!("/hosts/{host}/api/v1/describe"));
            let pipeline = described["run"]["pipeline"].as_str().unwrap();
            assert!(pipeline.ends_with(&format!("@{host}")), "{pipeline}");
            assert!(site.get(door, &format!("/hosts/{host}/healthz")).ends_with("ok\n"));
        }
    }
    let redirect = site.get("detector", "/hosts/analysis");
    assert!(
        redirect.starts_with("HTTP/1.1 308 ") && redirect.contains("location: /hosts/analysis/\r\n"),
        "{redirect}"
    );
    let told = hosts[0].hear("the pages of all hosts: ");
    assert!(told.contains("hosts/NAME/ for detector at 127."), "{told}");
}

#[test]
fn a_change_through_another_host_names_the_person_and_the_door() {
    let site = Site::new();
    let _hosts = HOSTS.map(|host| site.start(host));
    let (ada, bob) = (site.session("detector", "ada Å"), site.session("detector", "bob"));
    let change = |who: &str, value: u32| {
        site.ask(
            "detector",
            "PATCH",
            "/hosts/analysis/api/v1/nodes/cut",
            who,
            &format!(r#"{{"set": {{"min_x": {value}}}}}"#),
        )
    };
    let answer = change(&ada, 3);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"min_x\":3"), "{answer}");
    // The log of the host names the person, and the host through which the request came.
    let log = site.get("analysis", "/api/v1/log");
    assert!(log.contains(r#""door":"detector""#) && log.contains(r#""user":"ada Å""#), "{log}");
    let asked = |who: &str, path: &str, body: &str| site.ask("detector", "POST", path, who, body);
    // Two people of one host are two there: one has control.
    let refused = change(&bob, 4);
    assert!(refused.starts_with("HTTP/1.1 423 ") && refused.contains("ada Å has control"), "{refused}");
    let taken = asked(&bob, "/hosts/analysis/api/v1/control", r#"{"take": true}"#);
    assert!(taken.contains(r#""user":"bob","you":true"#) || taken.contains(r#""you":true"#), "{taken}");
    assert!(change(&ada, 5).starts_with("HTTP/1.1 423 "));
    assert!(change(&bob, 4).starts_with("HTTP/1.1 200 "));
    // Control of the door itself is another matter.
    let own = site.ask("detector", "PATCH", "/api/v1/nodes/sim", &ada, r#"{"set": {"offset": 7}}"#);
    assert!(own.starts_with("HTTP/1.1 200 "), "{own}");
}

#[test]
fn who_may_only_read_at_the_door_writes_through_none() {
    let site = Site::new();
    let _hosts = HOSTS.map(|host| site.start(host));
    let set = r#"{"set": {"min_x": 9}}"#;
    for (method, path, body) in [
        ("PATCH", "/hosts/analysis/api/v1/nodes/cut", set),
        ("POST", "/hosts/analysis/api/v1/run/stop", "{}"),
        ("POST", "/hosts/analysis/api/v1/control", r#"{"take": true}"#),
        ("PATCH", "/hosts/detector/api/v1/nodes/sim", set),
    ] {
        let refused = site.ask("detector", method, path, "", body);
        assert!(refused.starts_with("HTTP/1.1 403 "), "{method} {path}: {refused}");
    }
    let rights = site.json("detector", "/hosts/analysis/api/v1/session");
    assert_eq!((&rights["read"], &rights["write"]), (&true.into(), &false.into()), "{rights}");
    // A page of another site cannot use the session of a browser.
    let ada = site.session("detector", "ada").replace("Origin: http://", "Origin: http://evil.");
    let evil = site.ask("detector", "PATCH", "/hosts/analysis/api/v1/nodes/cut", &ada, set);
    assert!(evil.starts_with("HTTP/1.1 403 "), "{evil}");
    // Nor is a person believed without the token.
    let person =
        r#"Livetime-For: {"from":"10.1.2.3:5","host":"detector","may":"write","user":"eve","who":"0"}"#;
    let forged = site.ask("analysis", "PATCH", "/api/v1/nodes/cut", &format!("{person}\r\n"), set);
    assert!(forged.starts_with("HTTP/1.1 401 "), "{forged}");
    let guessed = format!("{person}\r\nAuthorization: Bearer 0123456789abcdef-other\r\n");
    assert!(site.ask("analysis", "PATCH", "/api/v1/nodes/cut", &guessed, set).starts_with("HTTP/1.1 401 "));
    // With it a right is the right that the other host tells.
    let reader = format!("{}\r\n{}", person.replace("write", "read"), site.bearer());
    assert!(site.ask("analysis", "PATCH", "/api/v1/nodes/cut", &reader, set).starts_with("HTTP/1.1 403 "));
    assert_eq!(site.json("analysis", "/api/v1/nodes/cut")["values"]["min_x"], 0);
}

#[test]
fn the_state_of_a_host_comes_through_another_one() {
    let site = Site::new();
    let _hosts = HOSTS.map(|host| site.start(host));
    let mut socket = Socket::open(&site, "detector", "/hosts/analysis/api/v1/state", "");
    let hello = socket.next("hello");
    let (pipeline, rights) = (hello["run"]["pipeline"].as_str().unwrap(), &hello["rights"]);
    assert!(pipeline.ends_with("@analysis") && rights["write"] == false, "{hello}");
    socket.say(&json!({ "kind": "watch", "nodes": ["cut"] }));
    let first = socket.next("moment");
    socket.say(&json!({ "kind": "seen", "version": first["version"] }));
    let second = socket.next("moment");
    assert!(second["version"].as_u64() > first["version"].as_u64(), "{second}");
    // A person with a session at the door may write there, too.
    let ada = site.session("detector", "ada");
    let hello = Socket::open(&site, "detector", "/hosts/analysis/api/v1/state", &ada).next("hello");
    assert_eq!(
        (&hello["rights"]["write"], &hello["rights"]["user"]),
        (&true.into(), &"ada".into()),
        "{hello}"
    );
    // A page that goes is missed at the other host.
    assert!(site.json("analysis", "/metrics").is_null());
    drop(socket);
    let watching = || {
        let taken =
            site.ask("detector", "POST", "/hosts/analysis/api/v1/control", &ada, r#"{"take": false}"#);
        site::body(&taken)["watching"].as_u64()
    };
    wait_until("no page at the other host", || watching() == Some(0));
}

#[test]
fn a_host_with_another_token_is_named() {
    let site = Site::new();
    let _detector = site.start("detector");
    let analysis = site.start_with("analysis", "other-token");
    let analysis_of = |states: &Value| states[1].clone();
    wait_until("another token", || analysis_of(&site.states("detector"))["code"] == "another_token");
    let state = analysis_of(&site.states("detector"));
    assert!(
        state["why"].as_str().unwrap().contains("start all hosts with the same --web-token-file"),
        "{state}"
    );
    assert_eq!((&state["reachable"], &state["losses"]), (&false.into(), &Value::Null));
    for _ in 0..10 {
        let refused = site.get("detector", "/hosts/analysis/metrics");
        assert!(refused.starts_with("HTTP/1.1 502 ") && refused.contains("another_token"), "{refused}");
        site.states("detector");
    }
    // The wrong token was sent once, so the other host does not shut this one out as a guesser.
    let own = std::fs::read_to_string(site.file("other-token")).unwrap();
    let set = r#"{"set": {"min_x": 9}}"#;
    let bearer = format!("Authorization: Bearer {}\r\n", own.trim());
    assert!(site.ask("analysis", "PATCH", "/api/v1/nodes/cut", &bearer, set).starts_with("HTTP/1.1 200 "));
    analysis.kill();
    let _analysis = site.start("analysis");
    wait_until("the right token", || analysis_of(&site.states("detector"))["reachable"] == true);
    assert!(site.get("detector", "/hosts/analysis/metrics").starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_killed_host_is_gone_and_comes_back() {
    let site = Site::new();
    let mut hosts = HOSTS.map(|host| Some(site.start(host)));
    wait_until("all hosts", || {
        site.states("detector").as_array().unwrap().iter().all(|host| host["reachable"] == true)
    });
    hosts[1].take().unwrap().kill();
    wait_until("a host that is gone", || site.states("detector")[1]["reachable"] == false);
    let gone = site.states("detector")[1].clone();
    assert_eq!(gone["code"], "unreachable", "{gone}");
    // Nothing is known of its losses.
    for key in ["state", "losses", "unintended", "closed", "in_doubt"] {
        assert!(gone[key].is_null(), "{gone}");
    }
    assert!(gone["heard_ns"].as_i64() < gone["since_ns"].as_i64(), "{gone}");
    let refused = site.get("storage", "/hosts/analysis/api/v1/describe");
    assert!(refused.starts_with("HTTP/1.1 502 ") && refused.contains("cannot connect to"), "{refused}");
    // Its page is this server's own, and says so.
    assert!(site.get("detector", "/hosts/analysis/").starts_with("HTTP/1.1 200 "));
    hosts[1] = Some(site.start("analysis"));
    wait_until("the host again", || site.states("detector")[1]["reachable"] == true);
    // One that stands still does not answer in time, and holds up no other.
    hosts[2].as_ref().unwrap().signal("-STOP");
    wait_until("a host that stands still", || site.states("detector")[2]["code"] == "late");
    assert_eq!(site.states("detector")[1]["reachable"], true);
    hosts[2].as_ref().unwrap().signal("-CONT");
    wait_until("the host again", || site.states("detector")[2]["reachable"] == true);
}

#[test]
fn a_terminal_shows_another_host_through_the_page_of_one() {
    let site = Site::new();
    let _hosts = [site.start("detector"), site.start("analysis")];
    let through = format!("http://{}/hosts/analysis/#t={}", site.page("detector"), site::TOKEN);
    let output = livetime(&["top", &through, "--once"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("\ncut "), "{text}");
}

#[test]
fn check_shows_where_pages_are() {
    let site = Site::new();
    let file = site.file("pipeline.yaml");
    let output = livetime(&["check", &file, "--hosts", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["hosts"][0]["page"], site.page("detector"), "{json}");
    let text = String::from_utf8(livetime(&["check", &file, "--hosts"]).stdout).unwrap();
    assert!(text.contains(&format!("page at {}", site.page("analysis"))), "{text}");
    let same = site.text.replace(&site.page("storage"), &site.page("detector"));
    let same = site.write("same.yaml", &same);
    let output = livetime(&["check", &same, "--hosts"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("wanted one page at an address, found 127."), "{told}");
}
