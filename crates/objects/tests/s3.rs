//! Runs in an object store and behind http, with servers from elsewhere: moto for S3, and one that serves ranges of files.
//! The same bits as from a disk.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use livetime_analysis::{GoOn, Options, Plan, Recording, Reducers, Work, analyze, detector};
use livetime_formats::file::{Stores, write_index};
use livetime_formats::xtc1::DatagramHeader;
use livetime_objects::{Objects, Settings};

/// A server of moto with the files of a folder in the bucket `runs`, which says where it listens, and for each line of its input the keys
/// and the uploads without an end.
pub(crate) const MOTO: &str = "
import os, sys
import boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
port = server.get_host_and_port()[1]
s3 = boto3.client('s3', endpoint_url=f'http://127.0.0.1:{port}', aws_access_key_id='user',
    aws_secret_access_key='secret', region_name='us-east-1')
s3.create_bucket(Bucket='runs')
for name in os.listdir(sys.argv[1]):
    s3.upload_file(os.path.join(sys.argv[1], name), 'runs', 'day 1/' + name)
print(port, flush=True)
for _ in sys.stdin:
    keys = [entry['Key'] for entry in s3.list_objects_v2(Bucket='runs').get('Contents', [])]
    uploads = [entry['Key'] for entry in s3.list_multipart_uploads(Bucket='runs').get('Uploads', [])]
    print(keys, uploads, flush=True)
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
pub(crate) struct Server {
    process: Child,
    port: String,
    out: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn start(python: &Path, script: &str, folder: &Path) -> Server {
        let mut command = Command::new(python);
        command.arg("-c").arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let (mut port, mut out) = (String::new(), BufReader::new(process.stdout.take().unwrap()));
        out.read_line(&mut port).unwrap();
        let port = port.trim().to_owned();
        assert!(port.parse::<u16>().is_ok(), "a server that says its port, not `{port}`");
        Server { process, port, out }
    }

    /// Keys in the bucket of moto, and uploads that have no end yet.
    pub(crate) fn listed(&mut self) -> String {
        self.process.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    pub(crate) fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    pub(crate) fn stores(&self) -> Stores {
        let variables = [
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ACCESS_KEY_ID", "user".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value));
        Stores::with(Arc::new(Objects::new(Settings::of(variables))))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// One file of a run of each format: recorded ones.
fn runs(folder: &Path) -> Option<[&'static str; 3]> {
    let xtc1 = livetime_testkit::data("xtc1/container/e236-r0003-s04-c00.hist16.xtc")?;
    let xtc2 = livetime_testkit::data("xtc2/lcls2/multi-seg-epics")?;
    let hdf5 = livetime_testkit::repository().join("testdata/adcore/scan.h5");
    let all = ["e236-r0003-s04-c00.hist16.xtc", "scan.h5", "xpptut15-r0014-s000-c000.xtc2"];
    std::fs::copy(xtc1, folder.join(all[0])).unwrap();
    std::fs::copy(hdf5, folder.join(all[1])).unwrap();
    for name in [all[2], "xpptut15-r0014-s001-c000.xtc2"] {
        std::fs::copy(xtc2.join(name), folder.join(name)).unwrap();
    }
    Some(all)
}

/// Mean and deviation of the first detector, how every event was judged, and the files of the run.
fn results(stores: &Stores, file: &str) -> String {
    let recording = Recording::open_from(stores, &[file]).unwrap();
    let found = recording.detectors().unwrap();
    let one = found.iter().find(|detector| detector.has_pictures()).unwrap();
    let reducers = Reducers::described(&["pixels mean,std".to_owned()]).unwrap();
    let options = Options { workers: 2, ..Options::default() };
    let analyzed = analyze(&recording, one, &options, &reducers, &mut |_| GoOn::Yes).unwrap();
    let files = recording.files().len();
    format!("{files} files, {:?}, {:?}, {:?}", recording.judge(one), analyzed.account, analyzed.results)
}

#[test]
fn a_run_has_the_same_bits_from_s3_from_http_and_from_a_disk() {
    let Some(python) = livetime_testkit::python("s3") else { return };
    let folder = tempfile::tempdir().unwrap();
    let Some(files) = runs(folder.path()) else { return };
    let moto = Server::start(&python, MOTO, folder.path());
    let http = Server::start(&python, RANGES, folder.path());
    let stores = moto.stores();
    for file in files {
        let disk = results(&Stores::default(), folder.path().join(file).to_str().unwrap());
        assert!(disk.contains("name: \"mean\""), "{disk}");
        assert!(results(&stores, &format!("s3://runs/day 1/{file}")) == disk, "{file}");
        // A server of http lists nothing, so that the second stream is named.
        if !file.ends_with(".xtc2") {
            assert!(results(&stores, &format!("http://127.0.0.1:{}/{file}", http.port)) == disk, "{file}");
        }
    }
    let starred = Recording::open_from(&stores, &["s3://runs/day 1/xpp*.xtc2"]).unwrap();
    assert_eq!(starred.files().len(), 2);
    let error = Recording::open_from(&stores, &["s3://runs/day 1/none.xtc"]).unwrap_err().to_string();
    assert!(
        error.starts_with("s3://runs/day 1/none.xtc: wanted ") && error.contains("status 404"),
        "{error}"
    );
    let error = Recording::open_from(&stores, &["s3://runs/day 2/*.xtc"]).unwrap_err().to_string();
    assert!(error.contains("wanted files `*.xtc`, found none"), "{error}");
}

#[test]
fn a_plan_is_carried_out_from_a_store_with_an_index_and_fails_when_the_server_is_gone() {
    let Some(python) = livetime_testkit::python("s3") else { return };
    let folder = tempfile::tempdir().unwrap();
    let Some([file, ..]) = runs(folder.path()) else { return };
    write_index::<DatagramHeader>(&folder.path().join(file)).unwrap();
    let mut moto = Server::start(&python, MOTO, folder.path());
    let (stores, address) = (moto.stores(), format!("s3://runs/day 1/{file}"));
    let reducers = Reducers::described(&["pixels mean,std".to_owned()]).unwrap();
    let plan = |stores: &Stores, file: &str| {
        let recording = Recording::open_from(stores, &[file]).unwrap();
        assert!(recording.scanned_objects().is_empty() && recording.ignored_indices().is_empty());
        let detector = detector(&recording, None).unwrap();
        let work = Work::new(&recording, &detector, &Options::default(), &reducers).unwrap();
        Plan::new(&recording, &work, Some(2)).unwrap()
    };
    let (remote, local) =
        (plan(&stores, &address), plan(&Stores::default(), folder.path().join(file).to_str().unwrap()));
    // As another process that has the text alone.
    let remote = Plan::parse(&remote.text()).unwrap().with_stores(&moto.stores());
    let merged = |plan: &Plan, out: &str| {
        let (work, out) = (plan.work(&reducers).unwrap(), folder.path().join(out));
        for part in 0..2 {
            plan.reduce(&work, part, 1, &mut |_| GoOn::Yes).unwrap().write(&out).unwrap();
        }
        format!("{:?}", plan.merge(&work, &[out]).unwrap().found.results)
    };
    assert!(merged(&remote, "remote") == merged(&local, "local"));
    moto.stop();
    let work = remote.work(&reducers).unwrap();
    let fresh = Plan::parse(&remote.text()).unwrap().with_stores(&moto.stores());
    let error = fresh.reduce(&work, 0, 1, &mut |_| GoOn::Yes).map(drop).unwrap_err().to_string();
    assert!(error.contains(&address) && error.contains("wanted an object, found "), "{error}");
}
