//! A list of bad pixels drawn by hand comes to the node that takes it, by the rules of every other change.

use serde_json::{Value, json};

use crate::client::Run;

/// No pixel of the camera is 0.
const CAMERA: &str = "nodes:
  cam:
    type: sim_detector
    params: {max_size_x: 64, max_size_y: 32, data_type: u16, acquire_period: 5 ms, acquire_time: 0 s, offset: 100}
  bad: {type: bad_pixels, from: cam}
";

fn set(list: &Value) -> Value {
    json!({ "set": { "file_name": list.to_string() } })
}

/// Pixels of the next frame behind the node that are 0.
fn zeros(run: &Run) -> Vec<(usize, usize)> {
    let answer = run.get("/api/v1/picture?from=bad&as=raw&wait_ms=10000");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let pixels = answer.body[64..].chunks_exact(2).enumerate();
    pixels.filter(|(_, pixel)| **pixel == [0, 0]).map(|(at, _)| (at % 64, at / 64)).collect()
}

#[test]
fn a_mask_acts_on_the_next_frames_and_the_ledger_closes() {
    let run = Run::start(CAMERA);
    let list = set(&json!({ "Bad pixels": [{ "Pixel": [10, 20], "Size": [3, 2], "Set": 0 }] }));
    assert_eq!(run.ask("PATCH", "/api/v1/nodes/bad", &[], Some(&list)).status, 403);
    let now = run.send("PATCH", "/api/v1/nodes/bad", &list);
    assert_eq!((now.status, &now.json()["values"]["listed"]), (200, &json!(6)), "{}", now.text());
    let wanted = [(10, 20), (11, 20), (12, 20), (10, 21), (11, 21), (12, 21)];
    // Frames that were under way may come first.
    let until = std::time::Instant::now() + crate::client::LONG;
    while zeros(&run) != wanted {
        assert!(std::time::Instant::now() < until, "{:?}", zeros(&run));
    }
    let log = run.get("/api/v1/log?since=0").json();
    let of_mask = |entry: &&Value| entry["node"] == "bad" && entry["what"] == "action";
    let entry = log["entries"].as_array().unwrap().iter().rfind(of_mask).unwrap().clone();
    assert!(
        entry["text"].as_str().unwrap().starts_with("file_name = ") && entry["by"]["face"] == "web",
        "{entry}"
    );
    assert!(run.get("/api/v1/pipeline").json()["now"].as_str().unwrap().contains("Bad pixels"));
    run.end();
}

#[test]
fn lists_that_are_too_large_or_wrong_change_nothing() {
    let run = Run::start(CAMERA);
    let entry = json!({ "Pixel": [1, 2], "Set": 0 });
    let long = set(&json!({ "Bad pixels": vec![entry.clone(); 4000] }));
    assert_eq!(run.send("PATCH", "/api/v1/nodes/bad", &long).status, 413);
    for list in [
        json!({ "Bad pixels": [{ "Pixel": [0, 0], "Size": [1_000_000, 1_000_000], "Set": 0 }] }),
        json!({ "Bad pixels": [{ "Pixel": [0, 0], "Size": [0, 1], "Set": 0 }] }),
        json!({ "Bad pixels": [entry, { "Pixel": [0, 0] }] }),
    ] {
        let refused = run.send("PATCH", "/api/v1/nodes/bad", &set(&list));
        assert_eq!(
            (refused.status, &refused.json()["error"]["param"]),
            (422, &json!("file_name")),
            "{}",
            refused.text()
        );
    }
    assert_eq!(run.get("/api/v1/nodes/bad").json()["values"]["listed"], 0);
    run.end();
}
