//! Pictures of a run.

use livetime_control::model::Model;
use serde_json::json;

use crate::client::{Run, SMALL};

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn outlet_offered(model: &Model) -> u64 {
    let report = model.run().report();
    report.edges.iter().filter(|edge| edge.to == "(outlet)").map(|edge| edge.offered).sum()
}

#[test]
fn a_view_shows_each_picture_once_and_its_account_closes() {
    let run = Run::start(SMALL);
    assert_eq!(outlet_offered(&run.model), 0);
    let open = run.ask("POST", "/api/v1/views", &[], Some(&json!({ "from": "cam" })));
    assert_eq!(open.status, 201, "{}", open.text());
    let url = open.json()["url"].as_str().unwrap().to_owned();
    let mut last = None;
    let mut left_out = 0;
    for _ in 0..5 {
        let after = last.map_or(String::new(), |last| format!("?after={last}"));
        let answer = loop {
            let answer = run.get(&format!("{url}{after}"));
            match answer.status {
                // Nothing new within a second.
                204 => continue,
                _ => break answer,
            }
        };
        assert_eq!(answer.status, 200, "{}", answer.text());
        let body = &answer.body;
        assert_eq!((body[0], body[1], body[2], body[3]), (1, 1, 1, 3));
        assert_eq!((word(body, 24), word(body, 28), word(body, 60)), (64, 32, 64 * 32 * 2));
        assert_eq!(body.len(), 64 + 64 * 32 * 2);
        let sequence = u64::from_le_bytes(body[8..16].try_into().unwrap());
        assert!(last != Some(sequence));
        last = Some(sequence);
        left_out += u64::from(word(body, 52));
    }
    let views = run.get("/api/v1/views").json();
    let view = &views["views"][0];
    let number = |key: &str| view[key].as_u64().unwrap();
    assert_eq!(number("offered"), number("sent") + number("left_out") + number("waiting"));
    assert_eq!((number("sent"), number("left_out")), (5, left_out));
    assert_eq!(run.ask("DELETE", &url, &[], None).status, 204);
    assert_eq!(run.get(&url).status, 404);
    assert_eq!(run.ask("DELETE", &url, &[], None).status, 404);
    run.end();
}

#[test]
fn an_output_that_nobody_watches_is_offered_nothing() {
    let run = Run::start(SMALL);
    let open = run.ask("POST", "/api/v1/views", &[], Some(&json!({ "from": "cam.out" })));
    let url = open.json()["url"].as_str().unwrap().to_owned();
    while run.get(&url).status == 204 {}
    assert!(outlet_offered(&run.model) > 0);
    run.ask("DELETE", &url, &[], None);
    // The thread that takes its frames leaves; from then on the count stands while the camera goes on.
    let until = std::time::Instant::now() + crate::client::LONG;
    let frames = |run: &Run| run.model.run().report().nodes[0].emitted;
    loop {
        let (offered, sent) = (outlet_offered(&run.model), frames(&run));
        while frames(&run) < sent + 20 {
            std::thread::yield_now();
        }
        if outlet_offered(&run.model) == offered {
            break;
        }
        assert!(std::time::Instant::now() < until, "frames are offered to nobody");
    }
    run.end();
}

#[test]
fn a_region_is_cut_binned_and_read_exactly() {
    let run = Run::start(SMALL);
    let view = json!({ "from": "cam", "region": [60, 0, 10, 32], "fit": [2, 16], "reduce": "max" });
    let open = run.ask("POST", "/api/v1/views", &[], Some(&view));
    let url = open.json()["url"].as_str().unwrap().to_owned();
    let answer = loop {
        let answer = run.get(&url);
        if answer.status != 204 {
            break answer;
        }
    };
    let body = &answer.body;
    // Four of ten columns are there; binned by two.
    assert_eq!((word(body, 24), word(body, 28), word(body, 32), word(body, 36)), (2, 16, 60, 0));
    assert_eq!((body[5], u16::from_le_bytes([body[6], body[7]]) & 4, word(body, 40)), (1, 4, 2 | 2 << 16));
    assert_eq!((word(body, 44), word(body, 48)), (64, 32));
    assert!(answer.head.contains("livetime-place: 0,1,0,0,1,0"), "{}", answer.head);
    let value = run.get(&format!("{url}/at?x=60&y=0")).json();
    assert!(value["value"].is_u64(), "{value}");
    let values = run.get(&format!("{url}/at?x=60,61&y=0,1")).json();
    assert_eq!(values["value"].as_array().unwrap().len(), 2);
    for wrong in ["x=64&y=0", "x=0&y=32"] {
        assert_eq!(run.get(&format!("{url}/at?{wrong}")).status, 422);
    }
    for wrong in ["x=1,2&y=1", "", "x=-1&y=0", "x=a&y=0"] {
        assert_eq!(run.get(&format!("{url}/at?{wrong}")).status, 400, "{wrong}");
    }
    // The same view of something else.
    let all = json!({ "from": "roi", "as": "u8", "range": [0, 1000] });
    assert_eq!(run.ask("PUT", &url, &[], Some(&all)).status, 200);
    let answer = loop {
        let answer = run.get(&url);
        if answer.status != 204 {
            break answer;
        }
    };
    assert_eq!((answer.body[3], word(&answer.body, 24), answer.body.len()), (1, 16, 64 + 16 * 16));
    let outside = json!({ "from": "cam", "region": [64, 0, 10, 10] });
    assert_eq!(run.ask("PUT", &url, &[], Some(&outside)).status, 200);
    let refused = loop {
        let answer = run.get(&url);
        if answer.status != 204 {
            break answer;
        }
    };
    assert_eq!(refused.status, 422);
    assert!(refused.message().contains("64 x 32 pixels"), "{}", refused.message());
    run.end();
}

#[test]
fn one_picture_comes_as_a_file() {
    let run = Run::start(SMALL);
    let get = |query: &str| run.get(&format!("/api/v1/picture?from=cam&{query}"));
    let npy = get("as=npy&region=0,0,8,4");
    assert!(npy.body.starts_with(b"\x93NUMPY\x01\x00"), "{}", npy.text());
    let header = String::from_utf8_lossy(&npy.body[10..128]).into_owned();
    assert!(header.contains("'descr': '<u2'") && header.contains("'shape': (4, 8)"), "{header}");
    assert_eq!(npy.body.len(), 128 + 8 * 4 * 2);
    assert!(npy.head.contains("livetime-sequence: "), "{}", npy.head);
    let png = get("as=png");
    assert!(png.body.starts_with(b"\x89PNG"), "{}", png.text());
    assert_eq!(get("as=raw").body.len(), 64 + 64 * 32 * 2);
    assert_eq!(get("as=png&range=0,100").status, 200);
    for wrong in ["as=jpeg", "region=0,0,1", "fit=0,1", "range=1", "range=2,1", "wait_ms=x", "reduce=sum"] {
        assert_eq!(get(wrong).status, 400, "{wrong}");
    }
    // As often as a client asks.
    (0..40).for_each(|_| assert_eq!(get("as=raw").status, 200));
    assert_eq!(run.get("/api/v1/picture?from=nobody").status, 422);
    assert_eq!(run.get("/api/v1/picture").status, 400);
    run.end();
}

/// The next picture of a new view of the camera, and its header without what differs from answer to answer.
fn look(run: &Run, fit: usize) -> (Vec<u8>, u16) {
    let view = json!({ "from": "cam", "fit": [fit, fit] });
    let open = run.ask("POST", "/api/v1/views", &[], Some(&view));
    let url = open.json()["url"].as_str().unwrap().to_owned();
    let until = std::time::Instant::now() + crate::client::LONG;
    let mut body = loop {
        let answer = run.get(&url);
        if answer.status == 200 {
            break answer.body;
        }
        assert!(std::time::Instant::now() < until, "no picture: {}", answer.status);
    };
    run.ask("DELETE", &url, &[], None);
    let flags = u16::from_le_bytes([body[6], body[7]]);
    body[6..8].fill(0);
    body[52..60].fill(0);
    (body, flags)
}

/// Waits until no client watches any output, and the camera has all its buffers back.
fn leave(run: &Run) {
    let until = std::time::Instant::now() + crate::client::LONG;
    let free = || run.model.newest().nodes[0].state.free_buffers;
    while free() < run.model.run().report().pool.buffers {
        assert!(std::time::Instant::now() < until, "a frame is held: {:?}", run.model.run().report().pool);
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn who_comes_back_while_the_source_pauses_sees_its_last_picture() {
    let run = Run::start(
        "nodes:\n  cam: {type: sim_detector, params: {max_size_x: 64, max_size_y: 32, data_type: u16, acquire_period: 5 ms, acquire_time: 0 s}}\n",
    );
    look(&run, 64);
    assert_eq!(run.send("POST", "/api/v1/nodes/cam/abort", &json!({})).status, 200);
    // Nothing is under way any more.
    leave(&run);
    let (last, _) = look(&run, 64);
    leave(&run);
    let (again, flags) = look(&run, 64);
    assert_eq!(again, last);
    // Left and come back once more, by a client that wants it smaller.
    leave(&run);
    std::thread::sleep(std::time::Duration::from_secs(2));
    let (small, later) = look(&run, 32);
    assert_eq!((word(&small, 24), word(&small, 28), &small[8..16]), (32, 16, &last[8..16]));
    assert_eq!((flags & !8, later), (0, 8), "held, once nothing has come for 2 s");
    // The next frame takes its place, however many have had its number before.
    assert_eq!(run.send("POST", "/api/v1/nodes/cam/acquire", &json!({})).status, 200);
    let until = std::time::Instant::now() + crate::client::LONG;
    while look(&run, 64).0[8..16] == last[8..16] {
        assert!(std::time::Instant::now() < until, "the old picture stays");
    }
    run.end();
}

/// A page needs this to find the detector pixels under a shape that is drawn on the picture.
#[test]
fn a_picture_says_where_on_the_detector_it_was_read() {
    let run = Run::start(
        "nodes:
  cam: {type: sim_detector, params: {max_size_x: 64, max_size_y: 32, data_type: u16, acquire_period: 5 ms, acquire_time: 0 s}}
  roi: {type: roi, from: cam, params: {min_x: 8, size_x: 16, min_y: 4, size_y: 12, bin_x: 2, reverse_y: true}}
",
    );
    let answer = run.get("/api/v1/picture?from=roi&as=raw&fit=2,2");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.head.contains("livetime-place: 8,2,0,4,1,1"), "{}", answer.head);
    run.end();
}

/// A script that asks for a picture gets one of now, whatever a client saw before; while the source pauses, the last
/// one.
#[test]
fn one_picture_is_a_new_one_and_the_last_one_while_the_source_pauses() {
    let run = Run::start(SMALL);
    let sequence = |wait: u64| {
        let url = format!("/api/v1/picture?from=cam&as=raw&wait_ms={wait}");
        // On a busy machine none may come in time.
        let answer = std::iter::repeat_with(|| run.get(&url)).find(|answer| answer.status != 204).unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        u64::from_le_bytes(answer.body[8..16].try_into().unwrap())
    };
    let first = sequence(10_000);
    // The output is left a second after the last question, and a copy of its last frame is kept.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let emitted = run.model.run().report().nodes[0].emitted;
    let second = sequence(10_000);
    assert!(second > first && second + 20 > emitted, "{first} {second} of {emitted}");
    assert_eq!(run.send("POST", "/api/v1/nodes/cam/abort", &json!({})).status, 200);
    // The frames that were under way come; then the last picture stays.
    let mut last = sequence(100);
    while let next = sequence(100)
        && next != last
    {
        last = next;
    }
    assert_eq!(sequence(100), last);
    assert!(last >= second);
    run.end();
}
