use proptest::prelude::*;

use super::*;
use crate::test_nodes;

fn check(text: &str) -> Result<Pipeline, String> {
    parse("f", text, &test_nodes::all(), &[]).map_err(|e| e.to_string())
}

fn set(settings: &[&str]) -> Result<Pipeline, String> {
    let settings: Vec<Setting> = settings.iter().map(|s| s.parse().unwrap()).collect();
    parse("f", GOOD, &test_nodes::all(), &settings).map_err(|e| e.to_string())
}

const GOOD: &str = "\
memory: 1 MiB
nodes:
  cam:
    type: counter
    params: {size_x: 100, size_y: 50, period: 10 ms}
  show:
    type: image
    from: cam.out
  end:
    type: slow
    from: show
    queue: 3
";

#[test]
fn a_good_file_becomes_a_graph() {
    let pipeline = check(GOOD).unwrap();
    assert_eq!(pipeline.graph.memory_bytes, 1 << 20);
    let names: Vec<&str> = pipeline.graph.nodes().iter().map(|n| &*n.name).collect();
    assert_eq!(names, ["cam", "show", "end"]);
    assert_eq!(pipeline.graph.edges()[1].options.queue, 3);
    assert!(pipeline.plan.memory_bytes > 10_000);
}

#[test]
fn every_mistake_has_its_place() {
    let broken = |from: &str, to: &str| check(&GOOD.replace(from, to)).unwrap_err();
    let of_python = "unknown node type `beamline:cut`: `--python` (`imports=True` in Python) looks for nodes of Python in modules";
    assert_eq!(broken("counter", "'beamline:cut'"), format!("f:4:11: {of_python}"));
    assert_eq!(broken("counter", "conter"), "f:4:11: unknown node type `conter`; did you mean `counter`?");
    assert_eq!(broken("from: cam.out", "from: cam.outt"), {
        "f:8:11: node `cam` has no output `outt`; did you mean `out`?"
    });
    assert_eq!(broken("from: show", "from: shwo"), "f:11:11: unknown node `shwo`; did you mean `show`?");
    assert_eq!(broken("    queue: 3", "    to: inn"), {
        "f:12:9: node `end` has no input `inn`; did you mean `in`?"
    });
    assert_eq!(
        broken("size_x: 100", "sise_x: 100"),
        "f:5:14: cam: unknown parameter `sise_x`; did you mean `size_x`?"
    );
    assert_eq!(
        broken("size_x: 100", "size_x: 0"),
        "f:5:22: cam: `size_x`: wanted int in px, 1 to 4096, found 0"
    );
    let unit = broken("10 ms", "10 mm");
    assert!(unit.starts_with("f:5:47: cam: `period`: wanted float in s, at least 0"), "{unit}");
    assert!(broken("10 ms", "").contains("`period`: wanted a value, found nothing"));
    assert!(broken("10 ms", "{a: 1}").contains("`period`: wanted a value, found a mapping"));
    assert_eq!(broken("from: cam.out", "from: [cam, show]"), "f:8:17: the nodes form a cycle: show -> show");
    let memory = broken("memory: 1 MiB", "memory: 64 KiB");
    assert!(memory.starts_with("f:1:9: full queues and links would hold"), "{memory}");
    assert!(memory.contains("found a memory bound of 64 KiB;"), "{memory}");
    assert!(broken("  show:", "  cam:").contains("f:6:3: `cam` stands here already, at 3:3"));
}

#[test]
fn wrong_counts_are_refused_by_the_type_of_the_parameter() {
    let message = check(&GOOD.replace("size_x: 100", "count: -1")).unwrap_err();
    assert!(message.starts_with("f:5:21: cam: `count`: wanted 0 to"), "{message}");
}

#[test]
fn what_a_node_refuses_is_shown_where_it_is_written() {
    let check = |roi: &str| {
        let text = format!(
            "nodes:\n  cam: {{type: sim_detector, params: {{max_size_x: 100, max_size_y: 50}}}}\n  \
             part: {{type: roi, from: cam, params: {{{roi}}}}}\n  end: {{type: 'null', from: part}}\n"
        );
        parse("f", &text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])
            .map_err(|e| e.to_string())
            .unwrap_err()
    };
    let size = check("enable_x: true, min_x: 90, size_x: 20");
    assert_eq!(size, "f:3:76: part: wanted elements 90 to 109 along x, found 100 elements along x");
    assert!(
        check("enable_y: true, min_y: 50, size_y: 20").starts_with("f:3:64: part: wanted elements 50 to 69")
    );
    let large = parse(
        "f",
        "nodes:\n  cam: {type: sim_detector, params: {max_size_x: 65000, max_size_y: 65000, data_type: f64}}\n",
        &[livetime_nodes::ALL, livetime_sim::ALL].concat(),
        &[],
    );
    let large = large.unwrap_err().to_string();
    assert!(large.starts_with("f:2:50: cam: wanted a picture of at most 4 GiB, found"), "{large}");
}

#[test]
fn names_of_area_detector_lead_to_ours() {
    let of = |name: &str| {
        find_type(&[livetime_nodes::ALL, livetime_sim::ALL].concat(), name).unwrap_err().to_string()
    };
    for (theirs, ours) in [
        ("NDStats", "statistics"),
        ("NDPluginStats", "statistics"),
        ("NDStatsConfigure", "statistics"),
        ("NDROI", "roi"),
        ("NDPluginROI", "roi"),
        ("NDFileHDF5", "hdf5_files"),
        ("NDFileTIFF", "tiff_files"),
        ("NDPluginProcess", "process"),
        ("NDProcess", "process"),
        ("NDStdArrays", "image"),
        ("NDPva", "pva_image"),
        ("NDPluginTransform", "transform"),
        ("NDROIStat", "roi_statistics"),
        ("NDPluginOverlay", "overlay"),
        ("NDPluginTimeSeries", "time_series"),
        ("NDColorConvert", "color_convert"),
        ("NDPosPlugin", "positions"),
        ("NDCodec", "compress` or `decompress"),
        ("simDetector", "sim_detector"),
        ("ADSimDetector", "sim_detector"),
        ("pvaDriver", "pva_source"),
    ] {
        let wanted = format!("unknown node type `{theirs}`; areaDetector's is `{ours}` here");
        assert_eq!(of(theirs), wanted);
    }
    let with_names = livetime_nodes::ALL.iter().filter(|node| node.counterpart.is_some());
    for (node, counterpart) in with_names.filter_map(|node| Some((node, node.counterpart?))) {
        let short = |name: &str| name.replace("NDPlugin", "ND");
        for name in
            counterpart.names().flat_map(|name| [name.to_owned(), short(name), format!("{name}Configure")])
        {
            let is_ours = node.spec.name == name || of(&name).contains(&format!("`{}`", node.spec.name));
            assert!(is_ours, "{name}: {}", of(&name));
        }
    }
    // Names of plugins that people write without their beginning.
    assert!(of("stats").ends_with("areaDetector's is `statistics` here"), "{}", of("stats"));
    assert!(of("NDFileNexus").ends_with("has no counterpart here so far"), "{}", of("NDFileNexus"));
    assert!(of("Statistic").ends_with("did you mean `statistics`?"));
    assert!(of("NDNothing").starts_with("unknown node type `NDNothing`; known are "));
}

#[test]
fn two_sinks_into_one_name_are_refused() {
    let check = |second: &str| {
        let text = format!(
            "nodes:\n  cam: {{type: sim_detector}}\n  \
             one: {{type: tiff_files, from: cam, params: {{path: /tmp, file_name: a}}}}\n  \
             two: {{type: tiff_files, from: cam, params: {{{second}}}}}\n"
        );
        parse("f", &text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])
            .map(drop)
            .map_err(|e| e.to_string())
    };
    assert!(check("path: /tmp, file_name: b").is_ok());
    assert!(check("path: /, file_name: a").is_ok());
    for second in [
        "path: /tmp/, file_name: a",
        "path: /tmp/../tmp, file_name: a, file_number: 100",
        "path: /tmp, file_name: a, template: '%s%s_%03d.tif'",
    ] {
        let error = check(second).unwrap_err();
        assert!(
            error.starts_with("f:4:3: two: wanted files of its own, found that `one` writes to"),
            "{error}"
        );
    }
}

#[test]
fn one_mistake_is_told_once() {
    let text = GOOD.replace("counter", "conter");
    assert_eq!(check(&text).unwrap_err().lines().count(), 1);
}

#[test]
fn all_mistakes_are_told_in_the_order_of_the_file() {
    let text = GOOD.replace("counter", "conter").replace("queue: 3", "queu: 3").replace("MiB", "MB/s");
    let message = check(&text).unwrap_err();
    let lines: Vec<&str> = message.lines().map(|l| &l[..5]).collect();
    assert_eq!(lines, ["f:1:9", "f:4:1", "f:12:"]);
}

#[test]
fn a_wrong_dimension_is_told_at_the_edge() {
    let text = "nodes:\n  cam: {type: counter, params: {size_y: 0}}\n  end: {type: slow, from: cam}\n";
    assert_eq!(check(text).unwrap_err().split(", found").next(), {
        Some("f:3:27: end: wanted array of 2 dimensions")
    });
}

#[test]
fn control_characters_are_made_visible() {
    let message = check("nodes: {\"a\\e[2Jb\\n\": {type: slow}}").unwrap_err();
    assert!(message.contains("found `a\\u{1b}[2Jb\\n`"), "{message}");
}

#[test]
fn settings_override_the_file() {
    assert!(set(&["cam.size_x=7", "cam.period=1 s", "end.fail_every = 3"]).is_ok());
    assert!(set(&["cam.size_x=4096", "cam.size_y=4096"]).unwrap_err().contains("memory bound"));
    assert_eq!(
        set(&["cam.sizex=7"]).unwrap_err(),
        "--set cam.sizex=7: cam: unknown parameter `sizex`; did you mean `size_x`?"
    );
    assert_eq!(set(&["can.size_x=7"]).unwrap_err(), {
        "--set can.size_x=7: unknown node `can`; did you mean `cam`?"
    });
    assert!(set(&["cam.size_x=wide"]).unwrap_err().ends_with("1 to 4096, found `wide`"));
    assert!("cam=7".parse::<Setting>().is_err() && "cam.x".parse::<Setting>().is_err());
}

#[test]
fn text_that_is_no_utf8_is_refused_with_its_place() {
    let path = std::env::temp_dir().join(format!("livetime-latin1-{}.yaml", std::process::id()));
    std::fs::write(&path, b"nodes:\n  caf\xe9: {}\n").unwrap();
    let message = load(Some(&path), &[], &[]).unwrap_err().to_string();
    assert!(message.ends_with(".yaml:2:6: wanted UTF-8 text, found the byte 0xe9"), "{message}");
    std::fs::remove_file(&path).unwrap();
    let message = load(Some(&path), &[], &[]).unwrap_err().to_string();
    assert!(message.starts_with("cannot read the pipeline file /"), "{message}");
    #[cfg(unix)]
    assert!(load(Some(Path::new("/dev/zero")), &[], &[]).unwrap_err().to_string().contains("at most 1 MiB"));
}

proptest! {
    #[test]
    fn no_mutation_of_a_good_file_panics(
        cuts in prop::collection::vec((0usize..260, 0usize..12, "[a-z0-9:{}\\[\\],&*\"'.\n -]{0,4}"), 1..6)
    ) {
        let mut text = GOOD.to_owned();
        for (at, len, new) in cuts {
            let at = at.min(text.len());
            let end = (at + len).min(text.len());
            text.replace_range(at..end, &new);
        }
        let _ = check(&text);
    }
}
