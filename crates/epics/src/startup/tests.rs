//! Start-up scripts in folders of their own, and the pipelines made out of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use livetime_control::config::{self, Pipeline};
use livetime_engine::NodeType;

use super::*;

/// Written as people write them: values in the script, plugins in an included one, comments, a driver of its own.
const SCRIPT: &str = r#"
#!../../bin/linux-x86_64/simDetectorApp
< envPaths
errlogInit(20000)
dbLoadDatabase("$(TOP)/dbd/app.dbd")
app_registerRecordDeviceDriver(pdbbase)
epicsEnvSet("PREFIX", "BL7:")
epicsEnvSet("PORT", "CAM")
epicsEnvSet QSIZE 30
simDetectorConfig("$(PORT)", 640, 480, 3, 0, 0)
dbLoadRecords("$(ADSIMDETECTOR)/db/simDetector.template", "P=$(PREFIX),R=cam1:,PORT=$(PORT),ADDR=0,TIMEOUT=1")
< plugins.cmd
asynSetTraceIOMask("$(PORT)",0,2)
iocInit()
dbpf("BL7:cam1:AcquireTime", "0.25")
dbpf BL7:cam1:ImageMode.VAL Multiple
dbpf("BL7:Stats1:ComputeCentroid", "Yes")
dbpf("BL7:Stats1:NoSuchThing", "1")
dbpf("BL7:m1.VELO", "3")
seq &scan, "P=BL7:"
create_monitor_set("auto_settings.req", 30, "P=$(PREFIX)")
"#;

const PLUGINS: &str = r#"
NDROIConfigure("ROI1", $(QSIZE), 0, "$(PORT)", 0, 0, 0, 0, 0, $(MAX_THREADS=5))
dbLoadRecords("NDROI.template", "P=$(PREFIX),R=ROI1:,  PORT=ROI1,ADDR=0,TIMEOUT=1,NDARRAY_PORT=$(PORT)")
NDStatsConfigure("STATS1", $(QSIZE), 0, "$(PORT)", 0, 0, 0)
dbLoadRecords("NDStats.template", "P=$(PREFIX),R=Stats1:,PORT=STATS1,NCHANS=2048,NDARRAY_PORT=ROI1")
NDTimeSeriesConfigure("STATS1_TS", $(QSIZE), 0, "STATS1", 1, 23)
dbLoadRecords("NDTimeSeries.template", "P=$(PREFIX),R=Stats1:TS:, PORT=STATS1_TS,NDARRAY_PORT=STATS1,NDARRAY_ADDR=1")
NDFileHDF5Configure("HDF1", 50, 1, "ROI1", 0)
dbLoadRecords("NDFileHDF5.template", "P=$(PREFIX),R=HDF1:,PORT=HDF1,NDARRAY_PORT=ROI1")
NDFileNexusConfigure("NEXUS1", 20, 0, "$(PORT)", 0)
set_savefile_path("./autosave")
set_pass0_restoreFile("auto_settings.sav")
dbLoadRecords("$(SSCAN)/db/scan.db", "P=$(PREFIX)")
"#;

fn nodes() -> Vec<NodeType> {
    [livetime_nodes::ALL, livetime_sim::ALL].concat()
}

fn imported(files: &[(&str, &str)]) -> Result<Imported, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    import(&folder.path().join("st.cmd"), &BTreeMap::new(), &nodes())
}

fn pipeline(imported: &Imported) -> Pipeline {
    let found = config::parse("imported.yaml", &imported.pipeline, &nodes(), &[]);
    found.unwrap_or_else(|problems| panic!("{problems}\n{}", imported.pipeline))
}

fn fate_of<'a>(imported: &'a Imported, begin: &str) -> &'a Fate {
    let found = imported.lines.iter().find(|(line, _)| line.text.starts_with(begin));
    &found.unwrap_or_else(|| panic!("{begin}")).1
}

#[test]
fn a_script_becomes_a_pipeline_with_its_names_and_senders() {
    let imported = imported(&[("st.cmd", SCRIPT), ("plugins.cmd", PLUGINS)]).unwrap();
    let pipeline = pipeline(&imported);
    assert_eq!(pipeline.pvaccess.prefix, "BL7:");
    let graph = &pipeline.graph;
    let instances = crate::instances(graph, &pipeline.pvaccess.names);
    let found: Vec<(&str, &str, &str)> = graph
        .nodes()
        .iter()
        .zip(&instances)
        .map(|(node, instance)| (&*node.name, node.node_type.spec.name, &**instance))
        .collect();
    let wanted = [
        ("CAM", "sim_detector", "cam1"),
        ("ROI1", "roi", "ROI1"),
        ("STATS1", "statistics", "Stats1"),
        ("STATS1_TS", "time_series", "Stats1:TS"),
        ("HDF1", "hdf5_files", "HDF1"),
    ];
    assert_eq!(found, wanted);
    let mut edges: Vec<_> =
        graph.edges().iter().map(|edge| (edge.from, edge.to.0, edge.options.queue)).collect();
    edges.sort();
    // STATS1 looks at ROI1, as its records say, and not at the detector, as its command says.
    assert_eq!(edges[..3], [((0, 0), 1, 30), ((1, 0), 2, 30), ((1, 0), 4, 20)]);
    assert_eq!(edges[3].0, (2, 1));
    assert_eq!(imported.saved, [Path::new("./autosave/auto_settings.sav")]);
    for wanted in
        ["max_size_x: 640", "max_size_y: 480", "data_type: u16", "acquire: false", "acquire_time: 0.25"]
    {
        assert!(imported.pipeline.contains(wanted), "{wanted}\n{}", imported.pipeline);
    }
    for wanted in ["image_mode: multiple", "compute_centroid: true", "placement: inline", "auto_save: false"]
    {
        assert!(imported.pipeline.contains(wanted), "{wanted}\n{}", imported.pipeline);
    }
}

#[test]
fn each_line_has_its_fate() {
    let imported = imported(&[("st.cmd", SCRIPT), ("plugins.cmd", PLUGINS)]).unwrap();
    for (begin, code) in [
        ("< envPaths", "missing"),
        ("errlogInit", "not_needed"),
        ("app_register", "not_needed"),
        ("simDetectorConfig", "taken"),
        ("NDFileNexusConfigure", "left"),
        ("dbLoadRecords(\"$(SSCAN)", "left"),
        ("dbpf(\"BL7:cam1:AcquireTime", "taken"),
        ("dbpf(\"BL7:Stats1:NoSuchThing", "left"),
        ("dbpf(\"BL7:m1.VELO", "left"),
        ("seq", "left"),
    ] {
        let fate = fate_of(&imported, begin);
        assert!(
            imported.lines.iter().any(|(line, fate)| line.text.starts_with(begin) && fate.code() == code),
            "{begin}: {fate}"
        );
    }
    assert!(!imported.lines.iter().any(|(_, fate)| matches!(fate, Fate::Undefined(_))));
}

#[test]
fn a_name_without_a_value_is_told_where_it_matters() {
    let script = "dbLoadDatabase(\"$(TOP)/a.dbd\")\nsimDetectorConfig(\"SIM\", $(XSIZE), 64, 1)\n";
    let imported = imported(&[("st.cmd", script)]).unwrap();
    let undefined: Vec<_> =
        imported.lines.iter().filter(|(_, fate)| matches!(fate, Fate::Undefined(_))).collect();
    let [(line, fate)] = &undefined[..] else { panic!("{undefined:?}") };
    assert_eq!(
        (line.number, &*fate.to_string()),
        (2, "no value for XSIZE; give it by `--macro XSIZE=VALUE`")
    );
}

#[test]
fn a_driver_that_is_no_node_sends_its_pictures_over_pvaccess() {
    let script = "pilatusDetectorConfig(\"PIL\", \"camserver\", 487, 195)\nNDStatsConfigure(\"STATS1\", 20, 0, \"PIL\", 0)\n";
    let imported = imported(&[("st.cmd", script)]).unwrap();
    let graph = pipeline(&imported).graph;
    let found: Vec<_> = graph.nodes().iter().map(|node| (&*node.name, node.node_type.spec.name)).collect();
    assert_eq!(found, [("PIL", "pva_source"), ("STATS1", "statistics")]);
    assert_eq!(fate_of(&imported, "pilatus").code(), "differs");
}

#[test]
fn frames_are_scattered_and_gathered() {
    let script = r#"
simDetectorConfig("SIM", 64, 64, 1)
NDScatterConfigure("SCATTER1", 20, 0, "SIM", 0)
NDROIConfigure("ROI1", 20, 0, "SCATTER1", 0)
NDROIConfigure("ROI2", 20, 0, "SCATTER1", 0)
NDGatherConfigure("GATHER1", 20, 0, 2, 0, 0)
dbLoadRecords("NDGather.template", "P=A:,R=Gather1:,PORT=GATHER1")
dbLoadRecords("NDGatherN.template", "P=A:,R=Gather1:,N=1,PORT=GATHER1,NDARRAY_PORT=ROI1")
dbLoadRecords("NDGatherN.template", "P=A:,R=Gather1:,N=2,PORT=GATHER1,NDARRAY_PORT=ROI2")
"#;
    let imported = imported(&[("st.cmd", script)]).unwrap();
    let graph = pipeline(&imported).graph;
    let edges: Vec<_> = graph.edges().iter().map(|edge| (edge.from, edge.to.0)).collect();
    assert_eq!(edges, [((0, 0), 1), ((1, 0), 2), ((1, 1), 3), ((2, 0), 4), ((3, 0), 4)]);
}

const ROIS: &str = "\
global {TIMEOUT=1}
file \"$(ADCORE)/db/NDROI.template\" {
pattern {R, PORT, NDARRAY_PORT}
{ROI1:, ROI1, $(CAM)}
{\"ROI2:\", \"ROI2\", ROI1}
}
file NDStats.template { {R=Stats1:, PORT=STATS1, NDARRAY_PORT=ROI2} }
file broken.template {
{R=Stats2: PORT}
}
";

#[test]
fn rows_of_a_substitutions_file_are_records() {
    let script = r#"
simDetectorConfig("SIM", 64, 64, 1)
NDROIConfigure("ROI1", 20, 0, "SIM", 0)
NDROIConfigure("ROI2", 20, 0, "SIM", 0)
NDStatsConfigure("STATS1", 20, 0, "SIM", 0)
dbLoadTemplate("rois.substitutions", "P=BL7:,CAM=SIM")
dbLoadTemplate("missing.substitutions")
"#;
    let imported = imported(&[("st.cmd", script), ("rois.substitutions", ROIS)]).unwrap();
    let pipeline = pipeline(&imported);
    let instances = crate::instances(&pipeline.graph, &pipeline.pvaccess.names);
    assert_eq!(
        (&*pipeline.pvaccess.prefix, &instances[1..]),
        ("BL7:", &["ROI1", "ROI2", "Stats1"].map(String::from)[..])
    );
    let edges: Vec<_> = pipeline.graph.edges().iter().map(|edge| (edge.from.0, edge.to.0)).collect();
    assert_eq!(edges, [(0, 1), (1, 2), (2, 3)]);
    let told: Vec<String> = imported
        .lines
        .iter()
        .filter(|(line, _)| line.file.ends_with("rois.substitutions"))
        .map(|(line, fate)| format!("{} {}: {fate}", line.number, fate.code()))
        .collect();
    let wrong = "9 left: wanted `=`, found `}`; the rest of the file is left out";
    assert_eq!(told, ["4 taken: PVs", "5 taken: PVs", "7 taken: PVs", wrong]);
    assert_eq!(fate_of(&imported, "dbLoadTemplate(\"rois").code(), "differs");
    assert_eq!(fate_of(&imported, "dbLoadTemplate(\"missing").code(), "missing");
}

/// A row of ten bytes that names a long value, again and again: without a bound gigabytes.
#[test]
fn rows_that_grow_end() {
    let rows = "{R=$(LONG)}\n".repeat(200);
    let text = format!("global {{LONG=\"{}\"}}\nfile a.db {{\n{rows}}}\n", "x".repeat(1 << 19));
    let script = "simDetectorConfig(\"SIM\", 64, 64, 1)\ndbLoadTemplate(\"a.substitutions\")\n";
    let imported = imported(&[("st.cmd", script), ("a.substitutions", &text)]).unwrap();
    let fate = fate_of(&imported, "dbLoadTemplate").to_string();
    assert!(fate.contains("16777216 bytes of macros; the rest is left out"), "{fate}");
    assert!(imported.lines.len() < 50, "{}", imported.lines.len());
}

#[test]
fn a_script_without_plugins_is_refused() {
    let error = imported(&[("st.cmd", "< missing.cmd\niocInit\n")]).unwrap_err().to_string();
    assert!(error.contains("found none; no file `missing.cmd`"), "{error}");
    let error = import(Path::new("/nowhere/st.cmd"), &BTreeMap::new(), &nodes()).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/st.cmd: "), "{error}");
}

#[test]
fn scripts_that_include_one_another_end() {
    let script = "< st.cmd\n< st.cmd\nsimDetectorConfig(\"SIM\", 64, 64, 1)\n";
    assert_eq!(imported(&[("st.cmd", script)]).unwrap().nodes, 1);
}

/// For any script, the reader ends, and the pipeline is read or refused with a place.
#[test]
fn damaged_scripts_are_read_or_refused() {
    for number in 0..300 {
        let (script, plugins) =
            (livetime_testkit::mutated(SCRIPT, number), livetime_testkit::mutated(PLUGINS, number));
        let script = format!("dbLoadTemplate(\"a.substitutions\", \"P=A:\")\n{script}");
        let rows = livetime_testkit::mutated(ROIS, number);
        let files = [("st.cmd", &*script), ("plugins.cmd", &plugins), ("a.substitutions", &rows)];
        if let Ok(imported) = imported(&files) {
            let _ = config::parse("imported.yaml", &imported.pipeline, &nodes(), &[]);
        }
    }
}
