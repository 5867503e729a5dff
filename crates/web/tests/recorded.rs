//! Recorded runs, seen over HTTP.

use std::fs;
use std::path::{Path, PathBuf};

use livetime_testkit::data;
use serde_json::Value;

use crate::client::{Answer, Run, SMALL};

/// A run that may browse `folders`.
fn browsing(folders: &[&Path]) -> Run {
    Run::with_files(SMALL, folders.iter().map(PathBuf::from).collect())
}

/// A path as part of a query.
fn quoted(path: &Path) -> String {
    path.display().to_string().bytes().map(|c| format!("%{c:02x}")).collect()
}

fn get(run: &Run, what: &str, path: &Path, more: &str) -> Answer {
    run.get(&format!("/api/v1/runs/{what}?path={}{more}", quoted(path)))
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn a_run_of_lcls1_is_browsed_event_by_event() {
    let Some(file) = data("xtc1/container/e236-r0003-s04-c00.xtc") else { return };
    let run = browsing(&[file.parent().unwrap()]);
    let list = run.get("/api/v1/runs").json();
    assert!(names(&list["runs"]).contains(&"e236-r0003.xtc"), "{list}");
    let file = file.canonicalize().unwrap();
    let summary = get(&run, "summary", &file, "").json();
    assert_eq!(summary["format"], "xtc1", "{summary}");
    let events = summary["events"].as_u64().unwrap();
    assert!(events > 1 && summary["problems"].as_array().unwrap().is_empty(), "{summary}");
    let detector = &summary["detectors"][0];
    let name = detector["name"].as_str().unwrap().replace('|', "%7C");
    let shape: Vec<u64> = serde_json::from_value(detector["shape"].clone()).unwrap();
    for event in 0..events {
        let place = format!("&event={event}&detector={name}");
        let found = get(&run, "event", &file, &place).json();
        assert_eq!(found["event"], event);
        let picture = get(&run, "picture", &file, &format!("{place}&as=raw"));
        if found.get("fault").is_some() {
            assert_eq!(picture.status, 422, "{found}");
            continue;
        }
        assert_eq!(picture.status, 200, "{}", picture.text());
        // All elements are in the picture, each once; panels lie beside each other.
        let (width, height) = (word(&picture.body, 24), word(&picture.body, 28));
        assert!(u64::from(width * height) >= shape.iter().product::<u64>(), "{width} x {height}, {shape:?}");
        assert_eq!(u64::from_le_bytes(picture.body[8..16].try_into().unwrap()), event);
        let damaged = found["picture"]["condition"] != "whole";
        assert_eq!(picture.body[6] & 1 == 1, damaged, "{found}");
        let at = get(&run, "at", &file, &format!("{place}&x=1,0&y=0,0")).json();
        let wanted = |x: usize| u16::from_le_bytes(picture.body[64 + 2 * x..66 + 2 * x].try_into().unwrap());
        if picture.body[3] == 3 {
            assert_eq!(at["value"], serde_json::json!([wanted(1), wanted(0)]));
        }
        assert!(found["small"].is_array(), "{found}");
    }
    let png = get(&run, "picture", &file, &format!("&event=0&detector={name}&as=png&fit=100,100"));
    assert!(png.body.starts_with(b"\x89PNG") || png.status == 422, "{}", png.text());
    for (wrong, status) in [
        (format!("&event={events}&detector={name}"), 404),
        (format!("&event=18446744073709551615&detector={name}"), 404),
        ("&event=0&detector=nobody".into(), 404),
        ("&event=0".into(), 404),
        (format!("&event=-1&detector={name}"), 400),
        (format!("&event=0&detector={name}&fit=0,1"), 400),
        (format!("&event=0&detector={name}&region=100000,0,1,1"), 422),
    ] {
        let answer = get(&run, "picture", &file, &wrong);
        assert_eq!(answer.status, status, "{wrong}: {}", answer.text());
    }
    run.end();
}

#[test]
fn runs_of_lcls2_and_their_small_data_are_browsed() {
    let Some(file) = data("xtc2/lcls2/mixed_rate/xpptut15-r0014-s000-c000.xtc2") else { return };
    let run = browsing(&[file.parent().unwrap()]);
    let file = file.canonicalize().unwrap();
    let summary = get(&run, "summary", &file, "").json();
    assert_eq!(
        (&summary["format"], summary["files"].as_array().unwrap().len()),
        (&"xtc2".into(), 2),
        "{summary}"
    );
    let events = summary["events"].as_u64().unwrap();
    let event = get(&run, "event", &file, &format!("&event={}", events - 1)).json();
    assert!(!event["small"].as_array().unwrap().is_empty(), "{event}");
    assert!(event.get("picture").is_none());
    for detector in summary["detectors"].as_array().unwrap() {
        let name = detector["name"].as_str().unwrap();
        let picture = get(&run, "picture", &file, &format!("&event=0&detector={name}&as=raw"));
        assert!([200, 422].contains(&picture.status), "{name}: {}", picture.text());
    }
    run.end();
}

#[test]
fn nothing_but_recorded_files_in_the_folders_is_shown() {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    let inside = top.join("runs");
    fs::create_dir(&inside).unwrap();
    for name in ["secret.json", "secret.npy", "runs/notes.txt", "runs/plain.json"] {
        fs::write(
            top.join(name),
            "{\"traceEvents\": []}"
                .replace("traceEvents", if name.contains("plain") { "x" } else { "traceEvents" }),
        )
        .unwrap();
    }
    std::os::unix::fs::symlink(top.join("secret.json"), inside.join("link.json")).unwrap();
    std::os::unix::fs::symlink(&top, inside.join("up")).unwrap();
    fs::write(inside.join("trace.json"), "{\"traceEvents\": []}").unwrap();
    let run = browsing(&[&inside]);
    let list = run.get("/api/v1/runs").json();
    assert_eq!(names(&list["traces"]), ["trace.json"]);
    assert!(!list.to_string().contains("secret"), "{list}");
    let trace = get(&run, "download", &inside.join("trace.json"), "");
    assert_eq!((trace.status, trace.text().as_str()), (200, "{\"traceEvents\": []}"));
    assert!(trace.head.contains("attachment; filename=\"trace.json\""), "{}", trace.head);
    for path in [
        top.join("secret.json"),
        inside.join("../secret.json"),
        inside.join("link.json"),
        inside.join("up/secret.json"),
        inside.join("notes.txt"),
        inside.join("plain.json"),
        inside.join("none.npy"),
        "/etc/passwd".into(),
        inside.clone(),
        "secret.json".into(),
        "".into(),
        inside.join("trace.json\0"),
        inside.join("trace.json/../../secret.json"),
    ] {
        for what in ["download", "summary", "event", "picture", "at"] {
            let answer = get(&run, what, &path, "&x=0&y=0");
            assert_eq!(answer.status, 404, "{what} {}: {}", path.display(), answer.text());
            assert!(!answer.text().contains("secret"), "{}", answer.text());
        }
    }
    assert_eq!(run.get("/api/v1/runs/summary").status, 400);
    run.end();
}

/// For any content of a file, the answer is a sentence, and the next file is read.
#[test]
fn broken_files_are_told_and_harm_nobody() {
    let Some(good) = data("xtc1/container/e236-r0003-s04-c00.xtc") else { return };
    let bytes = fs::read(&good).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    write("e1-r0001-s00-c00.xtc", &bytes[..bytes.len() * 2 / 3]);
    write("e1-r0002-s00-c00.xtc", b"");
    write("e1-r0003-s00-c00.xtc", &[0xff; 4096]);
    write("e1-r0004-s00-c00.xtc2", &bytes);
    write("a.h5", b"\x89HDF\r\n\x1a\n");
    write("b.h5", b"nothing");
    write("a.npy", b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8'");
    for number in 0..6u8 {
        let mut changed = bytes.clone();
        for at in (usize::from(number) * 7..changed.len()).step_by(1009) {
            changed[at] ^= 0x5a + number;
        }
        write(&format!("e1-r{:04}-s00-c00.xtc", 100 + u16::from(number)), &changed);
    }
    let run = browsing(&[&folder, good.parent().unwrap()]);
    let list = run.get("/api/v1/runs").json();
    let mut seen = 0;
    for entry in list["runs"].as_array().unwrap() {
        let path = PathBuf::from(entry["path"].as_str().unwrap());
        let summary = get(&run, "summary", &path, "");
        assert!([200, 422].contains(&summary.status), "{}: {}", path.display(), summary.text());
        if summary.status == 422 {
            assert!(summary.message().contains("cannot be opened"), "{}", summary.message());
            continue;
        }
        let summary = summary.json();
        let name = summary["detectors"][0]["name"].as_str().unwrap_or("x").replace('|', "%7C");
        for event in 0..summary["events"].as_u64().unwrap().min(3) {
            let place = format!("&event={event}&detector={name}");
            let statuses = ["event", "picture"].map(|what| get(&run, what, &path, &place).status);
            assert!(
                statuses.iter().all(|status| [200, 404, 422].contains(status)),
                "{}: {statuses:?}",
                path.display()
            );
        }
        seen += 1;
    }
    assert!(seen > 3, "{list}");
    let array = get(&run, "summary", &folder.join("a.npy"), "");
    assert_eq!(array.status, 422, "{}", array.text());
    // The cut one is known up to its cut, and says where that is.
    let cut = get(&run, "summary", &folder.join("e1-r0001-s00-c00.xtc"), "").json();
    assert!(cut["problems"][0]["why"].as_str().unwrap().contains("at byte"), "{cut}");
    assert_eq!(get(&run, "summary", &good.canonicalize().unwrap(), "").status, 200);
    assert_eq!(run.get("/healthz").status, 200);
    run.end();
}

/// Opening a pipe could block without end.
/// A picture of 400 MB in a file of some kilobytes: the summary reads no pixel, and the picture is refused before its memory
/// is taken.
#[test]
fn a_small_file_with_a_huge_picture_takes_no_memory() {
    use livetime_formats::hdf5::{Element, Filter, Growing, Tree, Writer};
    use livetime_frame::DType;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().canonicalize().unwrap().join("huge.h5");
    let mut tree = Tree::default();
    let what = Growing {
        element: Element::Number(DType::U16),
        row: &[20_000, 10_000],
        chunk: 1,
        part: &[],
        filter: Some(Filter { id: 1, values: vec![1] }),
    };
    let (_, data) = tree.growing(Tree::ROOT, "data", what, vec![]);
    let mut writer = Writer::create(&file, tree, false).unwrap();
    (0..50).for_each(|row| writer.write_chunk(data, row, 1, &[&[0; 8000]]).unwrap());
    writer.close().unwrap();
    let run = browsing(&[file.parent().unwrap()]);
    let summary = get(&run, "summary", &file, "").json();
    assert_eq!(
        (&summary["events"], &summary["detectors"][0]["shape"][0]),
        (&50.into(), &20_000.into()),
        "{summary}"
    );
    let found = get(&run, "event", &file, "&event=7&detector=/data").json();
    assert_eq!(found["fault"]["kind"], "no memory", "{found}");
    let picture = get(&run, "picture", &file, "&event=7&detector=/data&as=raw");
    assert_eq!(picture.status, 422);
    assert!(
        picture.text().contains("of memory (for a run on a page), found a picture of `/data`"),
        "{}",
        picture.text()
    );
}

#[test]
fn a_pipe_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.join("wait.h5")).status();
    if !made.is_ok_and(|made| made.success()) {
        livetime_testkit::skip("tool/mkfifo", "no mkfifo");
        return;
    }
    let run = browsing(&[&folder]);
    assert!(names(&run.get("/api/v1/runs").json()["runs"]).is_empty());
    assert_eq!(get(&run, "summary", &folder.join("wait.h5"), "").status, 404);
    run.end();
}

/// A file that a node of this run writes can be browsed while it is written.
#[test]
fn the_files_of_this_run_are_listed_and_opened() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let text = format!(
        "{SMALL}  rec: {{type: xtc_recorder, from: cam, params: {{path: {}, file_name: e1}}}}\n",
        folder.display()
    );
    let run = Run::start(&text);
    let until = std::time::Instant::now() + crate::client::LONG;
    let files = loop {
        let files = run.get("/api/v1/files").json();
        if files["files"][0]["frames"].as_u64().is_some_and(|frames| frames > 3) {
            break files;
        }
        assert!(std::time::Instant::now() < until, "{files}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let file = &files["files"][0];
    assert_eq!((&file["node"], &file["state"]), (&"rec".into(), &"open".into()), "{files}");
    assert!(file["bytes"].as_u64().unwrap() > 0 && files["writers"][0]["counters"]["num_captured"].is_u64());
    let path = PathBuf::from(file["path"].as_str().unwrap());
    loop {
        let summary = get(&run, "summary", &path, "").json();
        if summary["events"].as_u64().is_some_and(|events| events > 3) {
            assert_eq!(
                (&summary["growing"], &summary["detectors"][0]["shape"]),
                (&true.into(), &serde_json::json!([32, 64]))
            );
            break;
        }
        assert!(std::time::Instant::now() < until, "{summary}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let picture = get(&run, "picture", &path, "&event=2&detector=DetLab-0%7COpal1000-0&as=raw");
    assert_eq!((picture.status, picture.body.len()), (200, 64 + 64 * 32 * 2), "{}", picture.text());
    run.end();
}
