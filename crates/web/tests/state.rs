//! The state of a run over a WebSocket, and changes.

use serde_json::json;

use crate::client::{Run, SMALL};

#[test]
fn a_page_sees_the_run_and_what_it_changes() {
    let run = Run::start(SMALL);
    let mut page = run.state();
    let hello = page.next().unwrap();
    assert_eq!((&hello["kind"], &hello["api"]), (&json!("hello"), &json!(1)));
    assert_eq!((&hello["rights"]["read"], &hello["rights"]["write"]), (&json!(true), &json!(false)));
    let graph = page.next().unwrap();
    assert_eq!((&graph["edges"][0]["from"], &graph["edges"][0]["to"]), (&json!("cam.out"), &json!("roi.in")));
    assert_eq!(page.next().unwrap()["watching"], 1);

    page.say(&json!({ "kind": "watch", "nodes": ["roi"] }));
    let moment = page.wait_for("moment");
    assert_eq!(moment["nodes"]["hz"].as_array().unwrap().len(), 3);
    assert_eq!(
        moment["edges"]["offered"].as_array().unwrap().len(),
        graph["edges"].as_array().unwrap().len()
    );
    let values = loop {
        let values = page.wait_for("values");
        if values["nodes"]["roi"]["size_x"] == 16 {
            break values;
        }
    };
    assert!(values["nodes"].get("cam").is_none());

    let answer = run.send(
        "PATCH",
        "/api/v1/nodes/roi",
        &json!({ "set": { "min_x": 3, "min_y": 4 }, "if": { "min_x": 0 } }),
    );
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(
        (&answer.json()["values"]["min_x"], &answer.json()["values"]["min_y"]),
        (&json!(3), &json!(4))
    );
    let entry = loop {
        let log = page.wait_for("log");
        let entries = log["entries"].as_array().unwrap().clone();
        if let Some(entry) = entries.into_iter().find(|entry| entry["node"] == "roi") {
            break entry;
        }
    };
    assert_eq!((&entry["text"], &entry["by"]["face"]), (&json!("min_x = 3, min_y = 4"), &json!("web")));

    run.model.run().stop();
    run.served.end();
    let end = page.wait_for("end");
    assert_eq!(end["report"]["ledger_closed"], true);
    assert!(page.next().is_none());
    assert!(run.model.finish(crate::client::LONG).imbalances().is_empty());
}

#[test]
fn a_page_that_has_not_seen_gets_no_more_and_then_the_newest() {
    let run = Run::start(SMALL);
    let mut page = run.state();
    let first = loop {
        let message = page.next().unwrap();
        if message["kind"] == "moment" {
            break message["version"].as_u64().unwrap();
        }
    };
    // Others see more moments meanwhile.
    let mut other = run.state();
    let newest = (0..5).map(|_| other.wait_for("moment")["version"].as_u64().unwrap()).last().unwrap();
    assert!(newest > first + 3);
    page.say(&json!({ "kind": "seen", "version": first }));
    let next = loop {
        let message = page.next().unwrap();
        if message["kind"] == "moment" {
            break message["version"].as_u64().unwrap();
        }
    };
    assert!(next >= newest, "{first} {newest} {next}");
    run.end();
}

#[test]
fn what_is_not_understood_ends_a_socket_and_says_why() {
    let run = Run::start(SMALL);
    for (message, wanted) in
        [("{}", "`kind`"), ("[", "JSON"), (r#"{"kind": "watch", "nodes": ["nobody"]}"#, "nobody")]
    {
        let mut page = run.state();
        page.socket.send(tungstenite::Message::text(message)).unwrap();
        let reason = loop {
            match page.socket.read().unwrap() {
                tungstenite::Message::Close(Some(frame)) => break frame,
                _ => continue,
            }
        };
        assert_eq!(u16::from(reason.code), 1008);
        assert!(reason.reason.contains(wanted), "{}", reason.reason);
    }
    run.end();
}

#[test]
fn changes_are_refused_with_reasons() {
    let run = Run::start(SMALL);
    let set = |body| run.send("PATCH", "/api/v1/nodes/roi", &body);
    let refused = set(json!({ "set": { "size_x": "wide" } }));
    assert_eq!(
        (refused.status, &refused.json()["error"]["param"]),
        (422, &json!("size_x")),
        "{}",
        refused.text()
    );
    assert_eq!(set(json!({ "set": { "size_z_": 1 } })).status, 422);
    assert_eq!(set(json!({ "set": {} })).status, 400);
    assert_eq!(set(json!({ "set": { "min_x": null } })).status, 422);
    let faster = set(json!({ "set": { "min_x": 1 }, "if": { "size_x": 15 } }));
    assert_eq!((faster.status, &faster.json()["error"]["values"]["size_x"]), (409, &json!(16)));
    assert_eq!(run.send("PATCH", "/api/v1/nodes/nobody", &json!({ "set": { "a": 1 } })).status, 404);
    assert_eq!(run.send("POST", "/api/v1/nodes/roi/acquire", &json!({})).status, 422);
    assert_eq!(run.send("POST", "/api/v1/run/stop", &json!({ "run": "another" })).status, 409);
    let from = run.send("PATCH", "/api/v1/nodes/stats/input", &json!({ "from": "cam.nothing" }));
    assert_eq!(from.status, 422);
    let rewired = run.send("PATCH", "/api/v1/nodes/stats/input", &json!({ "from": "cam", "queue": 7 }));
    assert_eq!((rewired.status, &rewired.json()["input"]["from"]), (200, &json!("cam.out")));
    assert_eq!(rewired.json()["input"]["queue"], 7);
    let disabled = run.send("POST", "/api/v1/nodes/stats/disable", &json!({}));
    assert_eq!(disabled.json()["enabled"], false);
    run.end();
}

#[test]
fn one_operator_has_control_and_everybody_sees_it() {
    let run = Run::start(SMALL);
    let mut page = run.state();
    page.wait_for("control");
    let token = run.served.token().to_owned();
    let began = run.ask("POST", "/api/v1/session", &[], Some(&json!({ "token": token, "user": "ada" })));
    assert_eq!((began.status, &began.json()["write"]), (200, &json!(true)), "{}", began.text());
    let cookie = began.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let origin = format!("http://{}", run.address());
    let as_ada = |method: &str, path: &str, body| {
        run.ask(method, path, &[("Cookie", &cookie), ("Origin", &origin)], Some(&body))
    };
    let set = json!({ "set": { "min_x": 1 } });
    assert_eq!(as_ada("PATCH", "/api/v1/nodes/roi", set.clone()).status, 200);
    let control = page.wait_for("control");
    assert_eq!((&control["holder"]["user"], &control["holder"]["you"]), (&json!("ada"), &json!(false)));
    // A client with the token names its user, also while it has control; other clients cannot.
    let named = as_ada("PATCH", "/api/v1/session", json!({ "user": "grace" }));
    assert_eq!((named.status, &named.json()["user"]), (200, &json!("grace")), "{}", named.text());
    assert_eq!(page.wait_for("control")["holder"]["user"], "grace");
    assert_eq!(run.ask("PATCH", "/api/v1/session", &[], Some(&json!({ "user": "eve" }))).status, 403);
    assert_eq!(run.send("PATCH", "/api/v1/session", &json!({ "user": "eve" })).status, 422);
    assert_eq!(as_ada("PATCH", "/api/v1/session", json!({ "user": "ada" })).status, 200);
    // A second page of the same browser comes with its cookie, and takes nothing from the first one.
    let again = as_ada("POST", "/api/v1/session", json!({ "token": token, "user": "ada" }));
    assert_eq!((again.status, &again.json()["in_control"]), (200, &json!(true)), "{}", again.text());
    assert!(again.head.contains(&cookie), "{}", again.head);
    // Another caller has the token, too.
    let locked = run.send("PATCH", "/api/v1/nodes/roi", &set);
    assert_eq!((locked.status, &locked.json()["error"]["holder"]["user"]), (423, &json!("ada")));
    assert!(locked.message().contains("ada has control"));
    assert_eq!(run.send("POST", "/api/v1/control", &json!({ "take": true })).status, 200);
    assert_eq!(run.send("PATCH", "/api/v1/nodes/roi", &set).status, 200);
    assert_eq!(as_ada("PATCH", "/api/v1/nodes/roi", set.clone()).status, 423);
    assert_eq!(run.send("POST", "/api/v1/control", &json!({ "take": false })).json()["holder"], json!(null));
    assert_eq!(as_ada("PATCH", "/api/v1/nodes/roi", set.clone()).status, 200);
    assert_eq!(as_ada("DELETE", "/api/v1/session", json!({})).json()["write"], false);
    assert_eq!(as_ada("PATCH", "/api/v1/nodes/roi", set).status, 403);
    run.end();
}

#[test]
fn numbers_over_time_are_kept_by_the_server() {
    let run = Run::start(SMALL);
    let mut page = run.state();
    (0..4).for_each(|_| _ = page.wait_for("moment"));
    let names = run.get("/api/v1/history").json();
    let has = |name: &str| names["series"].as_array().unwrap().iter().any(|series| series["name"] == name);
    assert!(has("run.hz") && has("cam.lost") && has("roi.min_x") && has("stats.mean_value"), "{names}");
    let bytes = run.get("/api/v1/history?of=roi.size_x,cam.hz").body;
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let rows = word(8) as usize;
    assert_eq!((word(0), word(4), word(12)), (1, 2, 0));
    assert!(rows >= 3, "{rows}");
    assert_eq!(bytes.len(), 16 + rows * (8 + 2 * 4));
    let last = f32::from_bits(word(16 + rows * 8 + (rows - 1) * 4));
    assert_eq!(last, 16.0);
    let time = f64::from_le_bytes(bytes[16 + (rows - 1) * 8..][..8].try_into().unwrap());
    let nothing = run.get(&format!("/api/v1/history?of=cam.hz&step=coarse&since_ms={}", time + 1e9)).body;
    assert_eq!(nothing.len(), 16);
    let some = run.get("/api/v1/history?of=nobody.hz,cam.hz");
    assert_eq!(
        (some.status, some.head.contains("livetime-unknown: nobody.hz")),
        (200, true),
        "{}",
        some.head
    );
    assert_eq!(some.body[4], 2);
    for wrong in ["of=nobody.hz", "of=cam.hz&step=x", "of=cam.hz&since_ms=x"] {
        assert_eq!(run.get(&format!("/api/v1/history?{wrong}")).status, 400, "{wrong}");
    }
    run.end();
}

#[test]
fn everything_that_can_be_asked_for_answers() {
    let run = Run::start(SMALL);
    let api = run.get("/api/v1/openapi.json").json();
    for (path, methods) in api["paths"].as_object().unwrap() {
        // Some take long, and those below `runs` want a file; other tests ask for them.
        let others =
            ["/state", "/records"].iter().any(|end| path.ends_with(end)) || path.starts_with("/api/v1/runs/");
        if methods.get("get").is_none() || path.contains('{') || others {
            continue;
        }
        let path = if path.ends_with("/picture") { format!("{path}?from=cam") } else { path.clone() };
        assert_eq!(run.get(&path).status, 200, "{path}");
    }
    let describe = run.get("/api/v1/describe").json();
    assert_eq!(
        (&describe["nodes"][1]["initial"]["size_x"], &describe["run"]["pipeline"]),
        (&json!(16), &json!("small.yaml"))
    );
    assert_eq!(describe["types"]["roi"]["name"], "roi");
    // Only a program that knows trigger records can describe them.
    assert_eq!(run.get("/api/v1/records").status, 400);
    assert_eq!(run.get("/api/v1/records?from=roi").status, 422);
    assert_eq!(run.get("/api/v1/report").json()["ledger_closed"], true);
    assert!(run.get("/metrics").text().contains("livetime_frames_sent_total{node=\"cam\"}"));
    assert_eq!(run.get("/nothing").status, 404);
    assert_eq!(run.send("PUT", "/api/v1/report", &json!({})).status, 405);
    run.end();
}
