//! Settings of a run survive it: a killed process, a full disk, a second copy, a damaged file; and files of autosave.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use livetime_pva::client::{Client, ClientConfig};
use livetime_testkit::{HANG, wait_until};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{livetime, serving, stderr, stdout};

const PIPELINE: &str = "\
# A pipeline file is never changed.
memory: 64 MiB
pvaccess: {prefix: 'T:', port: 0, search_port: 0, interfaces: 127.0.0.1}
nodes:
  cam: {type: sim_detector, params: {max_size_x: 8, max_size_y: 8, acquire_period: 1 ms}}
  Stats1: {type: statistics, from: cam}
  TIFF1: {type: tiff_files, from: cam, every: 1000000000}
";

/// A folder with a pipeline file.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        std::fs::write(place.path("p.yaml"), PIPELINE).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn pipeline(&self) -> String {
        self.path("p.yaml").display().to_string()
    }

    fn settings(&self) -> String {
        std::fs::read_to_string(self.path("p.settings.json")).unwrap_or_default()
    }

    fn names(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = names.map(|n| n.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn start(&self, more: &[&str]) -> Served {
        Served::start(Command::new(env!("CARGO_BIN_EXE_livetime")).args(["run", &self.pipeline()]).args(more))
    }

    /// The report of a short run.
    fn run(&self, more: &[&str]) -> (Value, String) {
        let pipeline = self.pipeline();
        let output = livetime(&[&["run", &pipeline, "--json", "--no-web", "--frames", "5"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        (serde_json::from_slice(&output.stdout).unwrap(), stderr(&output))
    }
}

/// A run with its PVs, ended when the test is over.
struct Served {
    program: Child,
    client: Client,
}

impl Served {
    fn start(command: &mut Command) -> Served {
        let (program, address) = serving(command.arg("--no-web").stdout(Stdio::null()));
        let client = Client::new(ClientConfig::name_servers(&[address.parse().unwrap()])).unwrap();
        Served { program, client }
    }

    fn put(&self, name: &str, value: f64) -> livetime_pva::client::Result<()> {
        self.client.channel(&format!("T:{name}")).put(("value", value)).wait(HANG)
    }

    fn get(&self, name: &str) -> String {
        let value = self.client.channel(&format!("T:{name}")).get().wait(HANG).unwrap();
        let field = value.get("value.index").or_else(|| value.get("value"));
        field.map(|value| format!("{value:?}")).unwrap_or_default()
    }

    fn kill(mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn a_killed_run_has_left_its_settings_and_the_pipeline_file_is_as_it_was() {
    let place = Place::new();
    let run = place.start(&[]);
    run.put("cam1:Gain", 2.5).unwrap();
    run.put("Stats1:EnableCallbacks", 0.0).unwrap();
    wait_until("the settings are written", || place.settings().contains("run.enabled"));
    assert!(
        run.get("Run:SettingsSources_RBV").contains("cam.gain = 2.5 (PV by "),
        "{}",
        run.get("Run:SettingsSources_RBV")
    );
    run.kill();
    // No other program ended, and its lock is the system's: the next run takes it over.
    let (report, log) = place.run(&[]);
    let values = report["settings"]["values"].as_array().unwrap();
    let found: Vec<(&str, &str)> =
        values.iter().map(|v| (v["key"].as_str().unwrap(), v["source"].as_str().unwrap())).collect();
    assert_eq!(found, [("gain", "settings"), ("run.enabled", "settings")]);
    assert!(values[0]["by"].as_str().unwrap().starts_with("PV by "), "{values:?}");
    assert!(log.contains("settings: cam.gain = 2.5 (pipeline file: 1; PV by "), "{log}");
    let checked = livetime(&["check", &place.pipeline(), "--json"]);
    let checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!((&checked["ok"], &checked["settings"]["values"][0]["value"]), (&true.into(), &2.5.into()));
    assert_eq!(std::fs::read_to_string(place.path("p.yaml")).unwrap(), PIPELINE);
    let shown = stdout(&livetime(&["settings", "diff", &place.pipeline()]));
    assert!(shown.contains("- cam.gain = 1\n+ cam.gain = 2.5\n"), "{shown}");
    let shown = stdout(&livetime(&["settings", "show", &place.pipeline()]));
    assert!(shown.contains("gain") && shown.contains("yes"), "{shown}");
}

#[test]
fn limits_of_alarms_survive() {
    let place = Place::new();
    let run = place.start(&[]);
    run.put("cam1:Gain.HIGH", 2.0).unwrap();
    run.put("cam1:Gain.HSV", 2.0).unwrap();
    run.put("Stats1:ArrayCounter_RBV.LOLO", 5.0).unwrap();
    wait_until("the settings are written", || {
        place.settings().contains("gain HIGH=2 MAJOR")
            && place.settings().contains("run.frames LOLO=5 NO_ALARM")
    });
    run.kill();
    let shown = stdout(&livetime(&["settings", "show", &place.pipeline()]));
    assert!(shown.contains("run.limits") && shown.contains("gain HIGH=2 MAJOR"), "{shown}");
    let diff = stdout(&livetime(&["settings", "diff", &place.pipeline()]));
    assert!(diff.contains("+ cam.run.limits = gain HIGH=2 MAJOR"), "{diff}");

    let run = place.start(&[]);
    wait_until("the limits are back", || run.get("cam1:Gain.HSV").contains('2'));
    assert!(run.get("cam1:Gain.HIGH").contains('2'), "{}", run.get("cam1:Gain.HIGH"));
    let source = "cam.run.limits = gain HIGH=2 MAJOR (settings";
    wait_until("the source is shown", || run.get("Run:SettingsSources_RBV").contains(source));
    run.put("cam1:Gain", 3.0).unwrap();
    wait_until("the alarm acts", || run.get("cam1:Gain.SEVR").contains('2'));
    // Without limits there is nothing to keep.
    run.put("cam1:Gain.HIGH", 0.0).unwrap();
    run.put("cam1:Gain.HSV", 0.0).unwrap();
    wait_until("the settings are written", || !place.settings().contains("gain HIGH"));
}

#[test]
fn nothing_is_kept_where_nothing_should_be() {
    let place = Place::new();
    let run = place.start(&["--no-settings"]);
    run.put("cam1:Gain", 2.5).unwrap();
    let refused = run.put("Run:SaveNow", 1.0).unwrap_err().to_string();
    assert!(refused.contains("keeps no settings: --no-settings"), "{refused}");
    drop(run);
    let (report, _) = place.run(&[]);
    assert_eq!(report["settings"]["values"], Value::Array(Vec::new()));
    assert_eq!(place.names(), ["p.yaml"], "a run without changes leaves nothing");
    let built_in = livetime(&["run", "--json", "--no-web", "--no-pva", "--frames", "1"]);
    let report: Value = serde_json::from_slice(&built_in.stdout).unwrap();
    assert!(report["settings"]["problem"].as_str().unwrap().contains("built-in"), "{}", report["settings"]);
}

#[test]
fn puts_save_and_restore_and_complete() {
    let place = Place::new();
    let run = place.start(&[]);
    run.put("cam1:Gain", 2.5).unwrap();
    run.put("Run:SaveNow", 1.0).unwrap();
    // The put has ended, so the file is there.
    assert!(place.settings().contains("2.5"), "{}", place.settings());
    run.put("cam1:Gain", 3.5).unwrap();
    run.put("Run:RestoreNow", 1.0).unwrap();
    assert!(run.get("cam1:Gain_RBV").contains("2.5"), "{}", run.get("cam1:Gain_RBV"));
    assert!(run.get("Run:SettingsFile_RBV").contains("p.settings.json"));
    // Restored values have the settings as their source.
    assert!(run.get("Run:SettingsSources_RBV").contains("cam.gain = 2.5 (settings; file: 1)"));
}

#[test]
fn two_copies_of_a_run_do_not_overwrite_each_other() {
    let place = Place::new();
    let (first, second) = (place.start(&[]), place.start(&[]));
    first.put("cam1:Gain", 2.5).unwrap();
    first.put("Run:SaveNow", 1.0).unwrap();
    second.put("cam1:Gain", 7.5).unwrap();
    let refused = second.put("Run:SaveNow", 1.0).unwrap_err().to_string();
    let holder = format!("another run (process {})", first.program.id());
    assert!(refused.contains(&holder), "{refused}");
    wait_until("its PV says so", || second.get("Run:SettingsMessage_RBV").contains(&holder));
    assert!(place.settings().contains("2.5") && !place.settings().contains("7.5"));
    // Import waits for no run, either.
    std::fs::write(place.path("a.sav"), "T:cam1:Gain 9\n<END>\n").unwrap();
    let sav = place.path("a.sav").display().to_string();
    let output = livetime(&["settings", "import", &sav, "--pipeline", &place.pipeline()]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains(&holder), "{}", stderr(&output));
}

#[test]
fn a_file_that_was_cut_gives_way_to_its_last_good_copy() {
    let place = Place::new();
    for gain in [2.5, 3.5] {
        let run = place.start(&[]);
        run.put("cam1:Gain", gain).unwrap();
        run.put("Run:SaveNow", 1.0).unwrap();
    }
    let text = place.settings();
    std::fs::write(place.path("p.settings.json"), &text[..text.len() / 2]).unwrap();
    let (report, log) = place.run(&[]);
    assert_eq!(report["settings"]["values"][0]["value"], 2.5);
    assert!(log.contains("p.settings.json`: wanted a settings file"), "{log}");
    assert!(log.contains("restored from") && log.contains("p.settings.json.1"), "{log}");
}

#[test]
fn values_that_are_refused_are_named_and_the_run_goes_on() {
    let place = Place::new();
    let text = r#"{"livetime_settings": 1, "pipeline": "p.yaml", "nodes": {
        "cam": {"type": "sim_detector", "values": {"gain": {"value": 3}, "acquire_period": {"value": -1}}},
        "gone": {"type": "roi", "values": {"size_x": {"value": 5}}},
        "TIFF1": {"type": "tiff_files", "values": {"capture": {"value": true}, "file_name": {"value": "x"}}}}}"#;
    std::fs::write(place.path("p.settings.json"), text).unwrap();
    let (report, log) = place.run(&[]);
    let refused: Vec<&str> = report["settings"]["not_restored"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["code"].as_str().unwrap())
        .collect();
    assert_eq!(refused, ["no_setting", "refused", "no_node"]);
    assert!(
        log.contains("warn settings: not restored (kept in the file): gone.size_x = 5: unknown node `gone`"),
        "{log}"
    );
    // The command line has the last word.
    let (report, log) = place.run(&["--set", "cam.gain=5"]);
    assert!(log.contains("the command line says otherwise"), "{log}");
    assert_eq!(report["settings"]["not_restored"][0]["code"], "no_setting");
}

#[test]
fn a_folder_that_cannot_be_written_is_said_and_the_run_goes_on() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let set_mode = |mode| {
        std::fs::set_permissions(place.folder.path(), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(0o555);
    if std::fs::write(place.path("probe"), "x").is_ok() {
        set_mode(0o755);
        return livetime_testkit::skip("machine/user", "this user may write everywhere");
    }
    let run = place.start(&[]);
    run.put("cam1:Gain", 2.5).unwrap();
    let refused = run.put("Run:SaveNow", 1.0).unwrap_err().to_string();
    drop(run);
    set_mode(0o755);
    assert!(refused.contains("wanted to write the settings"), "{refused}");
}

/// As autosave R5.3 writes it in an IOC of EPICS 7, with the signed characters of its arrays.
const SAV: &str = "\
# autosave R5.3	Automatically generated
! 1 channel(s) not connected - or not all gets were successful
13SIM1:cam1:AcquirePeriod 0.25
13SIM1:cam1:ImageMode 1
13SIM1:cam1:Gain 1
13SIM1:cam1:Acquire 1
13SIM1:cam1:TriggerMode 0
13SIM1:Stats1:EnableCallbacks 0
13SIM1:Stats1:NDArrayPort SIM1
13SIM1:TIFF1:FilePath @array@ { \"47\" \"116\" \"109\" \"112\" \"0\" }
13SIM1:TIFF1:FileName @array@ { \"75\" \"-61\" \"-92\" \"115\" \"101\" \"0\" }
13SIM1:TIFF1:NumCapture -5
#13SIM1:Gone:Name Search Issued
13SIM1:cam1:Gain.DESC 
13SIM1:HDF1:FileName none
<END>
";

#[test]
fn files_of_autosave_become_settings_line_by_line() {
    let place = Place::new();
    let sav = place.path("auto_settings.sav").display().to_string();
    std::fs::write(&sav, SAV).unwrap();
    let import = |more: &[&str]| {
        let pipeline = place.pipeline();
        let output =
            livetime(&[&["settings", "import", &sav, "--pipeline", &pipeline, "--json"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let report = import(&["--dry-run"]);
    assert_eq!((&report["prefix"], place.names().len()), (&"13SIM1:".into(), 2));
    let results: Vec<(&str, &str)> = report["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            (line["pv"].as_str().unwrap().strip_prefix("13SIM1:").unwrap(), line["result"].as_str().unwrap())
        })
        .collect();
    let wanted = [
        ("cam1:AcquirePeriod", "written"),
        ("cam1:ImageMode", "written"),
        ("cam1:Gain", "as_in_file"),
        ("cam1:Acquire", "not_kept"),
        ("cam1:TriggerMode", "not_kept"),
        ("Stats1:EnableCallbacks", "written"),
        ("Stats1:NDArrayPort", "not_kept"),
        ("TIFF1:FilePath", "written"),
        ("TIFF1:FileName", "written"),
        ("TIFF1:NumCapture", "refused"),
        ("cam1:Gain.DESC", "not_kept"),
        ("HDF1:FileName", "unknown"),
        ("Gone:Name", "disconnected"),
    ];
    assert_eq!(results, wanted);
    assert_eq!(import(&[])["written"], true);
    let (report, log) = place.run(&[]);
    let values = report["settings"]["values"].as_array().unwrap();
    let found: Vec<(&str, &Value)> =
        values.iter().map(|v| (v["key"].as_str().unwrap(), &v["value"])).collect();
    let wanted = [
        ("acquire_period", Value::from(0.25)),
        ("image_mode", "multiple".into()),
        ("run.enabled", false.into()),
        ("file_name", "Käse".into()),
        // The node ends names of folders with a slash.
        ("path", "/tmp/".into()),
    ];
    assert_eq!(found, wanted.each_ref().map(|(key, value)| (*key, value)), "{log}");
    assert_eq!(values[0]["by"], "auto_settings.sav:3");
}

#[test]
fn request_files_say_which_names_settings_keep() {
    let place = Place::new();
    std::fs::create_dir(place.path("db")).unwrap();
    std::fs::write(place.path("auto.req"), "file \"base.req\", P=$(P), R=cam1:\n$(P)HDF1:FileName\n")
        .unwrap();
    std::fs::write(place.path("db/base.req"), "$(P)$(R)Gain\n$(P)$(R)Acquire\nfile no.req\n").unwrap();
    let [req, db] = ["auto.req", "db"].map(|name| place.path(name).display().to_string());
    let pipeline = place.pipeline();
    let args = [
        "settings",
        "import",
        &req,
        "--pipeline",
        &pipeline,
        "--macros",
        "P=X:",
        "--req-path",
        &db,
        "--json",
    ];
    let report: Value = serde_json::from_slice(&livetime(&args).stdout).unwrap();
    let lines = report["lines"].as_array().unwrap();
    let results: Vec<&str> = lines.iter().map(|line| line["result"].as_str().unwrap()).collect();
    assert_eq!(
        (results, &report["written"]),
        (vec!["kept", "not_kept", "unknown", "refused"], &false.into())
    );
    assert!(lines[3]["message"].as_str().unwrap().contains("base.req:3: `no.req`"), "{report}");
    // A file that is not whole is none that autosave would restore.
    let sav = place.path("cut.sav").display().to_string();
    std::fs::write(&sav, "X:cam1:Gain 3\n").unwrap();
    let output = livetime(&["settings", "import", &sav, "--pipeline", &pipeline]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("wanted `<END>`"), "{}", stderr(&output));
}

/// A disk of the system's memory, which is full after the first settings, in a namespace of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_last_good_settings() {
    let place = Place::new();
    // The disk becomes full once the first settings are there, and has room again when the file `room` appears.
    let script = "mount -t tmpfs -o size=64k none /mnt || exit 99; cp $1/p.yaml /mnt/p.yaml; \
                  ($2 run /mnt/p.yaml --no-web 2>$1/log >$1/out; echo over >$1/over) & run=$!; \
                  while [ ! -e /mnt/p.settings.json ]; do [ -e $1/over ] && exit 98; sleep 0.05; done; \
                  head -c 1000000 /dev/zero >/mnt/fill 2>$1/fill; touch $1/full; \
                  while [ ! -e $1/room ]; do sleep 0.05; done; \
                  cp /mnt/p.settings.json $1/good.json; rm /mnt/fill; touch $1/freed; \
                  while [ ! -e $1/end ]; do sleep 0.05; done; cp /mnt/p.settings.json $1/last.json; exit 0";
    let probe = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"])
        .output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        return livetime_testkit::skip("machine/namespaces", "`unshare` cannot mount a disk of its own here");
    }
    let folder = place.folder.path().to_str().unwrap();
    let mut disk = Command::new("unshare");
    disk.args(["--map-root-user", "--mount", "--kill-child", "--fork", "--pid", "sh", "-c", script, "sh"]);
    let mut disk = disk.args([folder, env!("CARGO_BIN_EXE_livetime")]).spawn().unwrap();
    let log = || std::fs::read_to_string(place.path("log")).unwrap_or_default();
    wait_until("it serves", || log().contains("... at "));
    let address = log().split_once("... at ").unwrap().1.lines().next().unwrap().to_owned();
    let client = Client::new(ClientConfig::name_servers(&[address.parse().unwrap()])).unwrap();
    let put = |name: &str, value: f64| client.channel(&format!("T:{name}")).put(("value", value)).wait(HANG);
    put("cam1:Gain", 2.5).unwrap();
    wait_until("the disk is full", || place.path("full").exists());
    put("cam1:Gain", 3.5).unwrap();
    let refused = put("Run:SaveNow", 1.0).unwrap_err().to_string();
    assert!(refused.contains("No space left on device"), "{refused}");
    wait_until("the log says so", || log().contains("settings are not saved"));
    std::fs::write(place.path("room"), "").unwrap();
    wait_until("settings are saved again", || log().contains("settings are saved again"));
    std::fs::write(place.path("end"), "").unwrap();
    disk.wait().unwrap();
    let [good, last] =
        ["good.json", "last.json"].map(|name| std::fs::read_to_string(place.path(name)).unwrap());
    assert!(good.contains("2.5") && !good.contains("3.5"), "{good}");
    assert!(last.contains("3.5"), "{last}");
}
