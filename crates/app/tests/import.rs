//! `livetime import`: a start-up script of an IOC becomes a pipeline file that runs under the same names.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;

use common::{livetime, stderr, stdout, temporary};
use serde_json::Value;

const SCRIPT: &str = r#"
epicsEnvSet("PREFIX", "BL7:")
simDetectorConfig("CAM", 64, 48, 1, 0, 0)
dbLoadRecords("simDetector.template", "P=$(PREFIX),R=cam1:,PORT=CAM,ADDR=0,TIMEOUT=1")
NDStatsConfigure("STATS1", 20, 0, "CAM", 0)
dbLoadRecords("NDStats.template", "P=$(PREFIX),R=Stats1:,PORT=STATS1,NDARRAY_PORT=CAM")
motorSimCreate(0, 0, -32000, 32000, 0, 1, 1)
iocInit()
dbpf("BL7:cam1:ImageMode", "Multiple")
dbpf("BL7:cam1:NumImages", "7")
dbpf("BL7:cam1:Acquire", "1")
"#;

#[test]
fn an_imported_script_runs() {
    let folder = temporary("import");
    std::fs::create_dir_all(&folder).unwrap();
    let (script, pipeline) = (folder.join("st.cmd"), folder.join("beamline.yaml"));
    let (script, pipeline) = (script.to_str().unwrap(), pipeline.to_str().unwrap());
    std::fs::write(script, SCRIPT).unwrap();

    let to_stdout = livetime(&["import", script]);
    assert_eq!(to_stdout.status.code(), Some(0), "{}", stderr(&to_stdout));
    let told = stderr(&to_stdout);
    assert!(told.contains("st.cmd:7") && told.contains("motorSimCreate"), "{told}");
    assert!(told.contains("2 nodes out of 7 lines; 1 line to look at"), "{told}");

    let to_file = livetime(&["import", script, "-o", pipeline, "--json"]);
    let json: Value = serde_json::from_slice(&to_file.stdout).unwrap();
    assert_eq!((&json["ok"], &json["nodes"]), (&true.into(), &2.into()));
    assert_eq!(json["pipeline"], stdout(&to_stdout));
    assert_eq!(std::fs::read_to_string(pipeline).unwrap(), stdout(&to_stdout));

    let again = livetime(&["import", script, "-o", pipeline, "--json"]);
    let json: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!((again.status.code(), &json["errors"][0]["code"]), (Some(1), &"exists".into()));

    // The IOC's detector does not end the run; the option does.
    let frames = ["run", pipeline, "--no-pva", "--frames", "7", "--json"];
    let run = livetime(&frames);
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    assert_eq!(report["nodes"][1]["name"], "STATS1");
    let names = stdout(&livetime(&["pvs", pipeline]));
    assert!(names.contains("BL7:Stats1:MeanValue_RBV") && names.contains("BL7:cam1:Acquire "), "{names}");
}

#[test]
fn scripts_that_make_nothing_are_refused() {
    let missing = livetime(&["import", "/nowhere/st.cmd", "--json"]);
    assert_eq!(missing.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&missing.stdout).unwrap();
    assert!(json["errors"][0]["message"].as_str().unwrap().starts_with("/nowhere/st.cmd: "), "{json}");
    let wrong = livetime(&["import", "/nowhere/st.cmd", "--macro", "ADCORE"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("wanted NAME=VALUE, found `ADCORE`"), "{}", stderr(&wrong));
}
