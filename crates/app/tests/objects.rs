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
