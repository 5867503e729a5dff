//! Changes over HTTP: inputs, the file of the run as it stands, and values that nodes cannot take.

use serde_json::{Value, json};

use crate::client::{LONG, Run, SMALL};

#[test]
fn an_input_is_thinned_and_its_policy_changes_while_it_runs() {
    let run = Run::start(SMALL);
    let input = |body| run.send("PATCH", "/api/v1/nodes/stats/input", &body);
    let thinned = input(json!({ "every": 4, "when_full": "latest", "max_rate_hz": 50, "queue": 1 }));
    assert_eq!(thinned.status, 200, "{}", thinned.text());
    let now = &thinned.json()["input"];
    assert_eq!((&now["every"], &now["when_full"]), (&json!(4), &json!("latest")));
    assert_eq!((&now["max_rate_hz"], &now["queue"]), (&json!(50.0), &json!(1)));
    for (body, status) in [
        (json!({ "every": 0 }), 400),
        (json!({ "every": 1.5 }), 400),
        (json!({ "when_full": "sometimes" }), 400),
        (json!({ "queue": 0 }), 400),
        (json!({ "max_rate_hz": -1 }), 422),
        (json!({ "from": "stats" }), 422),
    ] {
        let refused = input(body.clone());
        assert_eq!(refused.status, status, "{body}: {}", refused.text());
        assert!(
            refused.message().contains("wanted") || refused.message().contains("stats"),
            "{}",
            refused.text()
        );
    }
    assert_eq!(run.get("/api/v1/nodes/stats").json()["input"]["every"], 4);
    run.end();
}

const SEVERAL: &str = "memory: 64 MiB
nodes:
  cam: {type: sim_detector, params: {max_size_x: 64, max_size_y: 32, acquire_period: 5 ms, acquire_time: 0 s}}
  roi: {type: roi, from: cam}
  rates:
    type: rate_monitor
    from:
      - {node: cam, queue: 7}
      - {node: roi, to: in2}
";

/// The edges to a node, input by input.
fn inputs(node: &Value) -> Vec<(String, String, u64)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = node["inputs"].as_array().unwrap().iter();
    all.map(|edge| (text(&edge["from"]), text(&edge["to"]), edge["queue"].as_u64().unwrap())).collect()
}

fn edges(list: &[(&str, &str, u64)]) -> Vec<(String, String, u64)> {
    list.iter().map(|(from, to, queue)| ((*from).to_owned(), (*to).to_owned(), *queue)).collect()
}

#[test]
fn every_input_of_a_node_is_connected_anew_added_and_taken_away() {
    let run = Run::start(SEVERAL);
    let change = |body: Value| run.send("PATCH", "/api/v1/nodes/rates/input", &body);
    let done = |body: Value| {
        let answer = change(body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        inputs(&answer.json())
    };
    let (first, second) = (("cam.out", "rates.in", 7), ("roi.out", "rates.in2", 20));
    assert_eq!(inputs(&run.get("/api/v1/nodes/rates").json()), edges(&[first, second]));
    // The second input: thinned, then from elsewhere.
    let edge = |from: &str, to: &str| json!({ "from": from, "to": to });
    let found = done(json!({ "edge": edge("roi.out", "rates.in2"), "queue": 3, "from": "cam" }));
    assert_eq!(found, edges(&[first, ("cam.out", "rates.in2", 3)]));
    // One more edge to it, and one to an input that had none; each begins as its neighbour is.
    done(json!({ "add": "rates.in2", "from": "roi.out" }));
    let found = done(json!({ "add": "rates.in4", "from": "roi.out", "queue": 2 }));
    let all = [first, ("cam.out", "rates.in2", 3), ("roi.out", "rates.in2", 3), ("roi.out", "rates.in4", 2)];
    assert_eq!(found, edges(&all));
    frames_come(&run, "roi.out", "rates.in4");
    // The file of the run as it stands says all of it.
    let text = run.get("/api/v1/pipeline?as=yaml").text();
    let again = Run::start(&text);
    assert_eq!(inputs(&again.get("/api/v1/nodes/rates").json()), edges(&all), "{text}");
    again.end();
    let found = done(json!({ "edge": edge("cam.out", "rates.in2"), "from": null }));
    assert_eq!(found, edges(&[first, ("roi.out", "rates.in2", 3), ("roi.out", "rates.in4", 2)]));
    // The first one as before, without a name.
    let found = done(json!({ "from": "roi", "queue": 9 }));
    assert_eq!(found[0], ("roi.out".to_owned(), "rates.in".to_owned(), 9));
    for (body, status, wanted) in [
        (json!({ "edge": edge("cam.out", "rates.in2"), "queue": 1 }), 422, "there is no edge from `cam.out`"),
        (json!({ "edge": edge("cam.out", "roi.in"), "queue": 1 }), 422, "there is no edge from `cam.out`"),
        (json!({ "add": "roi.in", "from": "cam" }), 422, "wanted an input of the node, as rates.in, "),
        (json!({ "add": "rates.in3" }), 422, "wanted an output for a new edge"),
        (json!({ "from": null }), 422, "the first edge to the first input stays"),
        (json!({ "add": "rates.in3", "from": "nobody" }), 422, "wanted an output of a node"),
        (json!({ "edge": "roi.out" }), 400, "wanted an edge, as {"),
        (json!({ "add": 3 }), 400, "wanted an input, as node.input"),
        (json!({ "add": "rates.in3", "edge": edge("a", "b") }), 400, "found both"),
    ] {
        let refused = change(body.clone());
        assert_eq!(refused.status, status, "{body}: {}", refused.text());
        assert!(refused.message().contains(wanted), "{body}: {}", refused.text());
    }
    let now = inputs(&run.get("/api/v1/nodes/rates").json());
    assert_eq!(now[1..], edges(&[("roi.out", "rates.in2", 3), ("roi.out", "rates.in4", 2)]));
    run.end();
}

/// Waits until an edge has delivered something.
fn frames_come(run: &Run, from: &str, to: &str) {
    let until = std::time::Instant::now() + LONG;
    let is_it =
        |edge: &&livetime_engine::EdgeAccount| edge.from == from && edge.to == to && edge.delivered > 0;
    while !run.model.run().report().edges.iter().any(|edge| is_it(&edge)) {
        assert!(std::time::Instant::now() < until, "nothing comes from {from} to {to}");
        std::thread::yield_now();
    }
}

/// A node that is turned off stays so with a new edge.
#[test]
fn an_edge_that_is_added_to_a_node_that_is_off_offers_nothing() {
    let run = Run::start(SEVERAL);
    assert_eq!(run.send("POST", "/api/v1/nodes/rates/disable", &json!({})).status, 200);
    let add = json!({ "add": "rates.in3", "from": "cam" });
    assert_eq!(run.send("PATCH", "/api/v1/nodes/rates/input", &add).status, 200);
    let emitted = || run.model.run().report().nodes[0].emitted;
    let offered = || {
        let report = run.model.run().report();
        report.edges.iter().find(|edge| edge.to == "rates.in3").unwrap().offered
    };
    // Some may have come before it was turned off again.
    let (before, first) = (emitted(), offered());
    while emitted() < before + 20 {
        std::thread::yield_now();
    }
    assert_eq!(offered(), first);
    run.end();
}

const WITH_COMMENTS: &str = "# Two halves.
memory: 64 MiB
nodes:
  cam: {type: sim_detector, params: {max_size_x: 64, max_size_y: 32, acquire_period: 5 ms, acquire_time: 0 s}}
  # The half with the beam.
  roi:
    type: roi
    from: cam
    params: {size_x: 16, size_y: 16} # as in March
  stats: {type: statistics, from: {node: roi, queue: 7}}
";

#[test]
fn the_file_of_the_run_as_it_stands_starts_the_same_run() {
    let run = Run::start(WITH_COMMENTS);
    let first = run.get("/api/v1/pipeline").json();
    assert_eq!(
        (&first["file"], &first["now"], &first["differences"]),
        (&json!(WITH_COMMENTS), &json!(WITH_COMMENTS), &json!([]))
    );
    let set = json!({ "set": { "size_x": 24, "bin_y": 2, "name": "beam: 1" } });
    assert_eq!(run.send("PATCH", "/api/v1/nodes/roi", &set).status, 200);
    let thin = json!({ "from": "cam", "every": 3 });
    assert_eq!(run.send("PATCH", "/api/v1/nodes/stats/input", &thin).status, 200);
    let saved = run.get("/api/v1/pipeline").json();
    assert_eq!(saved["problem"], json!(null), "{saved}");
    let differs: Vec<&str> =
        saved["differences"].as_array().unwrap().iter().map(|d| d["what"].as_str().unwrap()).collect();
    assert_eq!(differs, ["name", "size_x", "bin_y", "from"]);
    let text = run.get("/api/v1/pipeline?as=yaml").text();
    assert_eq!(saved["now"], text);
    assert!(text.contains("size_x: 24, size_y: 16} # as in March"), "{text}");
    assert!(text.contains("from: {node: cam, queue: 7, every: 3}"), "{text}");
    assert_eq!(run.get("/api/v1/pipeline?as=xml").status, 400);
    run.end();

    let again = Run::start(&text);
    let node = wait_for_values(&again, "roi");
    assert_eq!((&node["values"]["size_x"], &node["values"]["name"]), (&json!(24), &json!("beam: 1")));
    assert_eq!(again.get("/api/v1/nodes/stats").json()["input"]["every"], 3);
    assert_eq!(again.get("/api/v1/pipeline").json()["differences"], json!([]));
    again.end();
}

fn wait_for_values(run: &Run, name: &str) -> Value {
    let until = std::time::Instant::now() + LONG;
    loop {
        let node = run.get(&format!("/api/v1/nodes/{name}")).json();
        if !node["values"].as_object().unwrap().is_empty() {
            return node;
        }
        assert!(std::time::Instant::now() < until, "{name} gives no values");
        std::thread::yield_now();
    }
}

#[test]
fn values_outside_of_a_declared_range_are_refused_in_words() {
    let run = Run::start(SMALL);
    for (node, param, value) in [
        ("cam", "bin_x", json!(0)),
        ("cam", "max_size_x", json!(65537)),
        ("cam", "max_size_x", json!(1e300)),
        ("stats", "hist_size", json!(-1)),
        ("cam", "max_size_x", json!(2.5)),
    ] {
        let answer = set(&run, node, param, &value);
        assert_eq!(
            (answer.status, &answer.json()["error"]["param"]),
            (422, &json!(param)),
            "{}",
            answer.text()
        );
        assert!(answer.message().starts_with(&format!("`{param}`: wanted int, ")), "{}", answer.text());
    }
    run.end();
}

fn set(run: &Run, node: &str, param: &str, value: &Value) -> crate::client::Answer {
    run.send("PATCH", &format!("/api/v1/nodes/{node}"), &json!({ "set": { param: value } }))
}

#[test]
fn a_bin_of_zero_is_kept_as_asked_and_acts_as_one() {
    let run = Run::start(SMALL);
    let answer = set(&run, "roi", "bin_x", &json!(0));
    assert_eq!((answer.status, &answer.json()["values"]["bin_x"]), (200, &json!(0)), "{}", answer.text());
    let until = std::time::Instant::now() + LONG;
    loop {
        let values = run.get("/api/v1/nodes/roi").json()["values"].clone();
        if values["actual_size_x"] == 16 {
            assert_eq!(values["actual_bin_x"], 1);
            break;
        }
        assert!(std::time::Instant::now() < until, "{values}");
        std::thread::yield_now();
    }
    run.end();
}

#[test]
fn losses_are_acknowledged_as_far_as_they_were_seen_and_by_whom() {
    let run = Run::start(
        "nodes:
  cam: {type: sim_detector, params: {max_size_x: 8, max_size_y: 8, acquire_period: 2 ms, acquire_time: 0 s}}
  end: {type: tiff_files, from: cam, params: {path: /nowhere}}
",
    );
    let mut page = run.state();
    let lost = loop {
        let moment = page.wait_for("moment");
        page.say(&json!({ "kind": "seen", "version": moment["version"] }));
        if moment["run"]["unintended"] != 0 {
            break moment;
        }
    };
    assert_eq!((&lost["loss"]["state"], &lost["loss"]["acknowledged"]), (&json!("losing"), &Value::Null));
    assert_eq!(lost["loss"]["text"], "node error in end");
    let seen = &lost["run"]["unintended"];
    assert_eq!(run.send("POST", "/api/v1/losses/acknowledge", &json!({})).status, 400);
    let guest = run.ask("POST", "/api/v1/losses/acknowledge", &[], Some(&json!({ "unintended": seen })));
    assert_eq!(guest.status, 403);
    let answer = run.send("POST", "/api/v1/losses/acknowledge", &json!({ "unintended": seen }));
    assert_eq!((answer.status, &answer.json()["by"]["face"]), (200, &json!("web")), "{}", answer.text());
    let noted = loop {
        let moment = page.wait_for("moment");
        page.say(&json!({ "kind": "seen", "version": moment["version"] }));
        if !moment["loss"]["acknowledged"].is_null() {
            break moment["loss"]["acknowledged"].clone();
        }
    };
    assert_eq!((&noted["unintended"], &noted["by"]["face"]), (seen, &json!("web")));
    let log = run.get("/api/v1/log").json();
    let wanted = format!("acknowledge {seen} losses");
    assert!(log["entries"].as_array().unwrap().iter().any(|entry| entry["text"] == wanted), "{log}");
    run.model.run().stop();
    run.served.end();
    run.model.finish(LONG);
}

/// A value may name another parameter, as a sentence does: neither is searched for the parameter that is refused.
#[test]
fn the_parameter_that_is_refused_is_named_whatever_its_value_says() {
    let run = Run::start(SMALL);
    let body = json!({ "set": { "size_x": 5, "size_y": "`size_x`" } });
    let refused = run.send("PATCH", "/api/v1/nodes/roi", &body);
    let error = &refused.json()["error"];
    assert_eq!((&error["param"], &error["code"]), (&json!("size_y"), &json!("value")), "{}", refused.text());
    let unknown = set(&run, "roi", "size_z_", &json!(1));
    let error = &unknown.json()["error"];
    assert_eq!((&error["param"], &error["code"]), (&json!("size_z_"), &json!("unknown_parameter")));
    let stranger = run.send("PATCH", "/api/v1/nodes/nobody", &body);
    assert_eq!(stranger.json()["error"]["code"], "not_found");
    run.end();
}
