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
