//! Recorded runs in an object store and behind http, with servers from elsewhere: moto for S3, and one that serves ranges of files.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::common::stderr;

/// Puts a folder's files into a bucket, with the client that moto brings.
const PUT: &str = "
import boto3, os, sys
s3 = boto3.client('s3')
s3.create_bucket(Bucket='runs')
for name in os.listdir(sys.argv[1]):
    s3.upload_file(os.path.join(sys.argv[1], name), 'runs', 'day 1/' + name)
";
/// A server of moto that says where it listens.
const MOTO: &str = "
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
";
/// A server of ranges of the files in a folder.
const RANGES: &str = "
import functools, http.server, sys
from RangeHTTPServer import RangeRequestHandler
class Quiet(RangeRequestHandler):
    def log_message(self, *_): pass
handler = functools.partial(Quiet, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
";

/// A server, which ends with the test.
struct Server {
    process: Child,
    port: String,
}

impl Server {
    fn start(python: &Path, script: &str, arguments: &[&str]) -> Server {
        let mut command = Command::new(python);
        command.arg("-c").arg(script).args(arguments);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let port = port.trim().to_owned();
        assert!(port.parse::<u16>().is_ok(), "a server that says its port, not `{port}`");
        Server { process, port }
    }

    fn variables(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ACCESS_KEY_ID", "user".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    }

    fn livetime(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_livetime"));
        command.args(arguments).envs(self.variables()).output().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A run of each format, in a folder: recorded ones, and made ones.
fn runs(folder: &Path) -> Option<[&'static str; 4]> {
    let xtc1 = livetime_testkit::data("xtc1/container/e236-r0003-s04-c00.hist16.xtc")?;
    let xtc2 = livetime_testkit::data("xtc2/lcls2/multi-seg-epics")?;
    std::fs::copy(xtc1, folder.join("e236-r0003-s04-c00.hist16.xtc")).unwrap();
    let scan = livetime_testkit::repository().join("testdata/adcore/scan.h5");
    std::fs::copy(scan, folder.join("scan.h5")).unwrap();
    for name in ["xpptut15-r0014-s000-c000.xtc2", "xpptut15-r0014-s001-c000.xtc2"] {
        std::fs::copy(xtc2.join(name), folder.join(name)).unwrap();
    }
    let sim = folder.join("e1-r0001-s00-c00.xtc");
    let made = Command::new(env!("CARGO_BIN_EXE_livetime"))
        .args(["sim", "xtc"])
        .arg(&sim)
        .args(["--count", "6"])
        .output();
    assert!(made.unwrap().status.success());
    let indexed = Command::new(env!("CARGO_BIN_EXE_livetime")).arg("index").arg(&sim).output();
    assert!(indexed.unwrap().status.success());
    Some([
        "e236-r0003-s04-c00.hist16.xtc",
        "e1-r0001-s00-c00.xtc",
        "scan.h5",
        "xpptut15-r0014-s000-c000.xtc2",
    ])
}

/// What `inspect --pictures` and `analyze` say and write, without the names of the places.
fn results(run: impl Fn(&[&str]) -> Output, file: &str, out: &Path) -> (String, Vec<(String, Vec<u8>)>) {
    let inspected = run(&["inspect", file, "--pictures", "--json"]);
    let text = String::from_utf8_lossy(&inspected.stdout).replace(file, "FILE");
    assert!(text.contains("pictures"), "{file}: {text} {}", stderr(&inspected));
    let folder = out.to_str().unwrap();
    let analyzed = run(&["analyze", file, "--with", "mean,std", "-o", folder]);
    // A run whose pictures are of no use for a mean ends alike from both places.
    let code = analyzed.status.code();
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for name in ["mean.npy", "std.npy"] {
        if let Ok(bytes) = std::fs::read(out.join(name)) {
            files.push((name.to_owned(), bytes));
        }
    }
    assert_eq!(code == Some(0), files.len() == 2, "{file}: {code:?} {}", stderr(&analyzed));
    (text, files)
}

#[test]
fn a_run_has_the_same_bits_from_s3_from_http_and_from_a_disk() {
    let Some(python) = livetime_testkit::python("s3") else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("disk");
    std::fs::create_dir(&source).unwrap();
    let Some(files) = runs(&source) else { return };
    let moto = Server::start(&python, MOTO, &[]);
    let put = Command::new(&python).arg("-c").arg(PUT).arg(&source).envs(moto.variables()).output().unwrap();
    assert!(put.status.success(), "{}", stderr(&put));
    let http = Server::start(&python, RANGES, &[source.to_str().unwrap()]);
    let mut with_pictures = 0;
    for file in files {
        let places = [
            source.join(file).to_str().unwrap().to_owned(),
            format!("s3://runs/day 1/{file}"),
            format!("http://127.0.0.1:{}/{file}", http.port),
        ];
        let one = |place: &String| {
            results(|args| moto.livetime(args), place, &tempfile::tempdir_in(&folder).unwrap().keep())
        };
        let disk = one(&places[0]);
        // A server of http lists nothing, so that the second stream of the run is not found there.
        let others = if file.ends_with(".xtc2") { &places[1..2] } else { &places[1..] };
        for place in others {
            let found = one(place);
            assert!(found == disk, "{place}: {} {}", found.0, disk.0);
        }
        with_pictures += usize::from(disk.1.len() == 2);
    }
    assert!(with_pictures >= 2, "{with_pictures}");

    // Names with a star, a plan that another process carries out in part, and the index beside the file.
    let plan = folder.path().join("plan.json");
    let (plan, parts) = (plan.to_str().unwrap(), folder.path().join("parts"));
    let planned = moto.livetime(&[
        "analyze",
        "s3://runs/day 1/e1-r0001-*.xtc",
        "--with",
        "mean",
        "--plan",
        plan,
        "--parts",
        "2",
    ]);
    assert_eq!(planned.status.code(), Some(0), "{}", stderr(&planned));
    assert_eq!(stderr(&planned), "", "the index is used");
    for part in ["0", "1"] {
        let done = moto.livetime(&["analyze", "--plan", plan, "--part", part, "-o", parts.to_str().unwrap()]);
        assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    }
    let out = folder.path().join("merged");
    let merged = moto.livetime(&[
        "analyze",
        "--plan",
        plan,
        "--merge",
        parts.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
    ]);
    assert_eq!(merged.status.code(), Some(0), "{}", stderr(&merged));

    // An address without an object.
    let none = moto.livetime(&["inspect", "s3://runs/day 1/none.xtc"]);
    assert_eq!(none.status.code(), Some(1));
    let said = stderr(&none);
    assert!(said.contains("s3://runs/day 1/none.xtc: wanted") && said.contains("status 404"), "{said}");
}

#[test]
fn a_server_that_dies_is_a_failure_and_never_a_short_result() {
    let Some(python) = livetime_testkit::python("s3") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e1-r0001-s00-c00.xtc");
    let made = Command::new(env!("CARGO_BIN_EXE_livetime"))
        .args(["sim", "xtc"])
        .arg(&path)
        .args(["--count", "20"])
        .output();
    assert!(made.unwrap().status.success());
    let index = Command::new(env!("CARGO_BIN_EXE_livetime")).arg("index").arg(&path).output();
    assert!(index.unwrap().status.success());
    let mut http = Server::start(&python, RANGES, &[folder.path().to_str().unwrap()]);
    let address = format!("http://127.0.0.1:{}/e1-r0001-s00-c00.xtc", http.port);
    let plan = folder.path().join("plan.json");
    let planned = http.livetime(&[
        "analyze",
        &address,
        "--with",
        "mean",
        "--plan",
        plan.to_str().unwrap(),
        "--parts",
        "1",
    ]);
    assert_eq!(planned.status.code(), Some(0), "{}", stderr(&planned));
    let _ = http.process.kill();
    let _ = http.process.wait();
    let out = folder.path().join("parts");
    for arguments in [
        &["analyze", &*address, "--with", "mean", "-o", out.to_str().unwrap()][..],
        &["analyze", "--plan", plan.to_str().unwrap(), "--part", "0", "-o", out.to_str().unwrap()],
        &["inspect", &address],
    ] {
        let ended = http.livetime(arguments);
        assert_eq!(ended.status.code(), Some(1), "{arguments:?}: {}", stderr(&ended));
        assert!(stderr(&ended).contains("wanted an object, found "), "{}", stderr(&ended));
    }
    assert!(!out.join("mean.npy").exists());
}

/// Copies objects into a folder, lists and signs them with the client that moto brings, which takes seconds to start.
const CLIENT: &str = "
import boto3, os, sys
s3 = boto3.client('s3')
keys = [entry['Key'] for entry in s3.list_objects_v2(Bucket='runs').get('Contents', [])]
if sys.argv[1] == 'sign':
    for key in sys.argv[2:]:
        print(s3.generate_presigned_url('get_object', {'Bucket': 'runs', 'Key': key}))
else:
    for key in keys:
        path = os.path.join(sys.argv[2], key)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        s3.download_file('runs', key, path)
    uploads = s3.list_multipart_uploads(Bucket='runs').get('Uploads', [])
    print(*[key for key in keys if not key.startswith('day 1/')], len(uploads))
";

/// moto with a made run and a scan, which lie on a disk, too.
struct Bucket {
    moto: Server,
    python: std::path::PathBuf,
    folder: tempfile::TempDir,
}

impl Bucket {
    fn new() -> Option<Bucket> {
        let python = livetime_testkit::python("s3")?;
        let folder = tempfile::tempdir().unwrap();
        let disk = folder.path().join("disk");
        std::fs::create_dir(&disk).unwrap();
        let run = disk.join("e1-r0001-s00-c00.xtc");
        let made = Command::new(env!("CARGO_BIN_EXE_livetime"))
            .args(["sim", "xtc"])
            .arg(run)
            .args(["--count", "6"])
            .output();
        assert!(made.unwrap().status.success());
        let scan = livetime_testkit::repository().join("testdata/adcore/scan.h5");
        std::fs::copy(scan, disk.join("scan.h5")).unwrap();
        let moto = Server::start(&python, MOTO, &[]);
        let put =
            Command::new(&python).arg("-c").arg(PUT).arg(&disk).envs(moto.variables()).output().unwrap();
        assert!(put.status.success(), "{}", stderr(&put));
        Some(Bucket { moto, python, folder })
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn client(&self, arguments: &[&str]) -> Vec<u8> {
        let mut command = Command::new(&self.python);
        let output =
            command.arg("-c").arg(CLIENT).args(arguments).envs(self.moto.variables()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        output.stdout
    }

    /// Copies the bucket into a folder. Returns the new keys, and how many uploads have no end.
    fn copied(&self) -> String {
        String::from_utf8(self.client(&["copy", &self.path("bucket")])).unwrap().trim().to_owned()
    }

    /// An object as it was copied.
    fn object(&self, key: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join("bucket").join(key)).unwrap()
    }

    fn does(&self, arguments: &[&str]) -> Output {
        let output = self.moto.livetime(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        output
    }

    /// Ends with this code, and says so.
    fn refuses(&self, arguments: &[&str], code: i32, words: &str) {
        let output = self.moto.livetime(arguments);
        let said = stderr(&output);
        assert!(output.status.code() == Some(code) && said.contains(words), "{arguments:?}: {code} {said}");
    }
}

const RUN: &str = "s3://runs/day 1/e1-r0001-s00-c00.xtc";

#[test]
fn an_index_is_written_beside_the_object() {
    let Some(bucket) = Bucket::new() else { return };
    let local = bucket.path("disk/e1-r0001-s00-c00.xtc");
    let before = bucket.does(&["analyze", RUN, "--with", "mean"]);
    assert!(stderr(&before).contains("no index beside it"), "{}", stderr(&before));
    bucket.does(&["index", RUN]);
    bucket.does(&["index", &local]);
    let index = std::fs::read(format!("{local}.ltindex")).unwrap();
    bucket.copied();
    assert!(bucket.object("day 1/e1-r0001-s00-c00.xtc.ltindex") == index);
    assert_eq!(stderr(&bucket.does(&["analyze", RUN, "--with", "mean"])), "");
    let http = Server::start(&bucket.python, RANGES, &[&bucket.path("disk")]);
    let address = format!("http://127.0.0.1:{}/e1-r0001-s00-c00.xtc", http.port);
    bucket.refuses(
        &["index", &address],
        1,
        "wanted an object in a bucket (s3://bucket/key) to write, found an address of http",
    );
    bucket.refuses(&["index", "s3://none/e1-r0001-s00-c00.xtc"], 1, "s3://none/");
}

#[test]
fn a_run_is_converted_from_a_store_and_into_one() {
    let Some(bucket) = Bucket::new() else { return };
    let local = bucket.path("disk/e1-r0001-s00-c00.xtc");
    let outs = ["a.xtc", "b.xtc"].map(|name| bucket.path(name));
    bucket.does(&["convert", &local, "-o", &outs[0], "--codec", "hist16"]);
    bucket.does(&["convert", RUN, "-o", &outs[1], "--codec", "hist16"]);
    bucket.does(&["convert", RUN, "-o", "s3://runs/out/packed.xtc", "--codec", "hist16"]);
    let [here, there] = outs.map(|path| std::fs::read(path).unwrap());
    assert!(here == there);
    // In files of two events, and merged of them again.
    bucket.does(&["convert", RUN, "-o", "s3://runs/split/e1-r0001-s00-c00.xtc", "--split-events", "2"]);
    bucket.does(&["convert", "s3://runs/split/e1-*.xtc", "-o", "s3://runs/out/whole.xtc"]);
    // Pictures out of HDF5, which is not written into a store.
    bucket.does(&["convert", "s3://runs/day 1/scan.h5", "-o", "s3://runs/out/scan.xtc"]);
    let scan = bucket.path("scan.xtc");
    bucket.does(&["convert", &bucket.path("disk/scan.h5"), "-o", &scan]);
    let hdf5 =
        "wanted a file on a disk for HDF5, whose beginning is written last, found an object in a store";
    bucket.refuses(&["convert", RUN, "-o", "s3://runs/out/run.h5"], 1, hdf5);
    bucket.refuses(&["convert", RUN, "-o", "s3://runs/out/whole.xtc"], 1, "found one");
    bucket.refuses(&["convert", RUN, "-o", "http://127.0.0.1/out.xtc"], 1, "an address of http");
    bucket.refuses(&["convert", RUN, "-o", "s3://none/out.xtc"], 1, "to begin an object");
    bucket.refuses(
        &["convert", RUN, "-o", "s3://runs/x.xtc", "--workers", "1..2"],
        2,
        "wanted a file on a disk",
    );
    bucket.refuses(&["convert", RUN, "-o", "s3://runs/x.xtc", "--events", "100.."], 1, "at least one event");
    let chunks = ["00", "01", "02"].map(|chunk| format!("split/e1-r0001-s00-c{chunk}.xtc"));
    let keys = format!("out/packed.xtc out/scan.xtc out/whole.xtc {} 0", chunks.join(" "));
    assert_eq!(bucket.copied(), keys);
    assert!(here == bucket.object("out/packed.xtc"));
    assert!(std::fs::read(&local).unwrap() == bucket.object("out/whole.xtc"));
    assert!(std::fs::read(scan).unwrap() == bucket.object("out/scan.xtc"));
}

#[test]
fn a_graph_plays_a_run_of_a_store() {
    let Some(bucket) = Bucket::new() else { return };
    let graph = |file: &str| {
        format!(
            "nodes:\n  run: {{type: recording, params: {{file: '{file}', timing: fast}}}}\n  \
             stats: {{type: statistics, from: run, when_full: block, params: {{compute_statistics: true}}}}\n"
        )
    };
    let played = |file: &str| {
        let path = bucket.path("graph.yaml");
        std::fs::write(&path, graph(file)).unwrap();
        bucket.does(&["check", &path]);
        let ran = bucket.does(&["run", &path, "--no-pva", "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        let nodes = json["nodes"].as_array().unwrap().clone();
        let of = |name: &str| nodes.iter().find(|node| node["name"] == name).unwrap()["readbacks"].clone();
        (of("run")["missing"].clone(), of("stats").to_string())
    };
    let disk = played(&bucket.path("disk/e1-r0001-s00-c00.xtc"));
    assert!(disk.1.contains("mean"), "{disk:?}");
    assert_eq!(played(RUN), disk);
    let path = bucket.path("graph.yaml");
    std::fs::write(&path, graph("https://host/run.xtc?X-Amz-Signature=geheim")).unwrap();
    let refused = bucket.moto.livetime(&["run", &path, "--no-pva"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = stderr(&refused);
    assert!(said.contains("file: wanted an address without a query") && !said.contains("geheim"), "{said}");
    std::fs::write(&path, graph("s3://runs/none.xtc")).unwrap();
    bucket.refuses(
        &["run", &path, "--no-pva"],
        1,
        "`s3://runs/none.xtc`: wanted a recorded file, found none",
    );
}

#[test]
fn results_plans_and_parts_are_written_into_a_store() {
    let Some(bucket) = Bucket::new() else { return };
    let local = bucket.path("disk/e1-r0001-s00-c00.xtc");
    let out = bucket.path("out");
    let with = ["--with", "mean,std,hits", "--threshold", "100", "--tables", "npy,csv"];
    bucket.does(&[&["analyze", &local, "-o", &out][..], &with].concat());
    bucket.does(&[&["analyze", RUN, "-o", "s3://runs/results"][..], &with].concat());
    let names: Vec<String> = {
        let mut names: Vec<String> = std::fs::read_dir(&out)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert!(names.len() >= 6, "{names:?}");
    let keys: Vec<String> = names.iter().map(|name| format!("results/{name}")).collect();
    assert_eq!(bucket.copied(), format!("{} 0", keys.join(" ")));
    for name in names.iter().filter(|name| *name != "analysis.json") {
        let here = std::fs::read(format!("{out}/{name}")).unwrap();
        assert!(here == bucket.object(&format!("results/{name}")), "{name}");
    }
    // A plan, its parts and their merges, each by another process, all in the bucket.
    let plan = "s3://runs/plan/plan.json";
    bucket.does(&["analyze", RUN, "--with", "mean,std", "--plan", plan, "--parts", "3"]);
    for part in ["0", "1", "2", "1"] {
        bucket.does(&["analyze", "--plan", plan, "--part", part, "-o", "s3://runs/parts"]);
    }
    bucket.does(&[
        "analyze",
        "--plan",
        plan,
        "--merge",
        "s3://runs/parts",
        "--into",
        "0..2",
        "-o",
        "s3://runs/some",
    ]);
    bucket.does(&[
        "analyze",
        "--plan",
        plan,
        "--merge",
        "s3://runs/some",
        "s3://runs/parts/part-00002.ltpart",
        "-o",
        "s3://runs/results",
    ]);
    bucket.refuses(&["analyze", "--plan", plan, "--merge", "s3://runs/some", "-o", &out], 1, "2");
    bucket.refuses(
        &["analyze", RUN, "-o", "s3://none/results"],
        1,
        "s3://none/results/analysis.json: wanted to write the object",
    );
    bucket.refuses(
        &["analyze", &local, "-o", "https://127.0.0.1/out"],
        1,
        "an address of http, where objects are only read",
    );
    // The tables of the analysis before are no results of the merge.
    let results = "results/analysis.json results/mean.npy results/mean.png results/std.npy results/std.png";
    let parts = [0, 1, 2].map(|part| format!("parts/part-0000{part}.ltpart")).join(" ");
    let keys = format!("{parts} plan/plan.json {results} some/parts-00000-00001.ltpart 0");
    assert_eq!(bucket.copied(), keys);
    let mean = std::fs::read(format!("{out}/mean.npy")).unwrap();
    assert!(mean == bucket.object("results/mean.npy"));
}

#[test]
fn a_signed_address_is_read_and_its_signature_is_never_shown() {
    let Some(bucket) = Bucket::new() else { return };
    let signed = bucket.client(&["sign", "day 1/e1-r0001-s00-c00.xtc", "day 1/scan.h5"]);
    let signed = String::from_utf8(signed).unwrap();
    let [run, scan]: [String; 2] = signed.lines().map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
    let signature = run.split_once('?').unwrap().1.to_owned();
    let secrets: Vec<&str> = signature.split('&').map(|part| part.split_once('=').unwrap().1).collect();
    assert!(secrets.iter().any(|secret| secret.len() > 20), "{signature}");
    let is_secret = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        secrets.iter().filter(|secret| secret.len() > 3).any(|secret| text.contains(secret))
    };
    let (out, disk) = (bucket.path("signed"), bucket.path("local"));
    bucket.does(&["analyze", &bucket.path("disk/e1-r0001-s00-c00.xtc"), "-o", &disk]);
    let mut said = Vec::new();
    for arguments in [
        &["analyze", &run, "-o", &out, "--json"][..],
        &["inspect", &run, "--pictures", "--json"],
        &["inspect", &scan],
        &["convert", &run, "-o", &bucket.path("from.xtc"), "--json"],
    ] {
        let output = bucket.does(arguments);
        said.extend([output.stdout, output.stderr]);
    }
    for name in ["mean.npy", "std.npy"] {
        let [here, there] = [&out, &disk].map(|folder| std::fs::read(format!("{folder}/{name}")).unwrap());
        assert!(here == there, "{name}");
    }
    said.push(std::fs::read(format!("{out}/analysis.json")).unwrap());
    // A plan would give the signature away.
    let plan = bucket.path("plan.json");
    let refused = bucket.moto.livetime(&["analyze", &run, "--plan", &plan]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("whose signature no plan keeps"), "{}", stderr(&refused));
    let mut others = vec![refused];
    for wrong in [run.replace("e1-r0001", "e2-r0001"), run.replace("127.0.0.1", "127.0.0.1:1")] {
        others.push(bucket.moto.livetime(&["analyze", &wrong, "-o", &out]));
        others.push(bucket.moto.livetime(&["inspect", &wrong]));
        others.push(bucket.moto.livetime(&["convert", &wrong, "-o", &bucket.path("x.xtc")]));
    }
    for output in others {
        assert_ne!(output.status.code(), Some(0));
        said.extend([output.stdout, output.stderr]);
    }
    assert!(!Path::new(&plan).exists());
    for text in said {
        assert!(!is_secret(&text), "{}", String::from_utf8_lossy(&text));
    }
}
