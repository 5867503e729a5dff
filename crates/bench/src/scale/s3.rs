//! An analysis of a run in an object store, beside the plain client that reads the same bytes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use futures_util::{StreamExt, TryStreamExt};
use livetime_analysis::{GoOn, Options, Recording, Reducers, analyze, detector};
use livetime_formats::file::{Stores, write_index};
use livetime_formats::xtc1::DatagramHeader;
use livetime_formats::xtc1::compressed::Engine;
use livetime_objects::{Objects, Settings as Access};
use object_store::aws::AmazonS3Builder;
use object_store::{ObjectStore, ObjectStoreExt};
use serde_json::json;

use super::row::{Row, spread};
use crate::analyze::SimulatedRun;
use crate::{Failed, Settings};

const SCRIPT: &str = include_str!("s3.py");

pub(super) const CASE: &str = "S3: analyze over moto on loopback";
/// 0.9 GB, and what shows that the row can be measured.
const EVENTS: u64 = 200;
const QUICK_EVENTS: u64 = 8;
/// Bytes of a range and requests at a time, of both.
const RANGE: u64 = 8 << 20;
const IN_FLIGHT: usize = 16;

/// The server, which ends with the measurement.
struct Moto {
    process: Child,
    endpoint: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        // A process that has ended already needs no signal.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether this Python can serve S3.
pub(super) fn is_there(python: &Path) -> bool {
    let asked = Command::new(python).args(["-c", "import moto.server, boto3"]).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Measures with a Python that has moto.
pub(super) fn measure(settings: &Settings, python: &Path, row: &mut Row) -> Result<(), Failed> {
    let run = SimulatedRun::write(Engine::NONE, if settings.quick { QUICK_EVENTS } else { EVENTS })?;
    write_index::<DatagramHeader>(run.path())?;
    let moto = serve(python, run.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let name = run.path().file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    let size = run.path().metadata()?.len();
    // The first pair brings what is loaded once.
    for repeat in 0..=settings.repeats() {
        let begin = Instant::now();
        let read = runtime.block_on(read_plainly(&moto.endpoint, &name))?;
        let plain_s = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let (events, bytes) = mean(&moto.endpoint, &name)?;
        let ours_s = begin.elapsed().as_secs_f64();
        if read != size || bytes < size || events == 0 {
            return Err(format!("wanted {size} bytes read by both, found {read} and {bytes}").into());
        }
        if repeat > 0 {
            ours.push(ours_s);
            plain.push(plain_s);
        }
    }
    row.values = ours.iter().zip(&plain).map(|(ours, plain)| ours / plain).collect();
    row.reference = vec![1.0];
    row.more = json!({ "bytes": size, "livetime_s": spread(ours), "object_store_s": spread(plain) });
    Ok(())
}

/// Starts a server that holds the run and its index.
fn serve(python: &Path, run: &Path) -> Result<Moto, Failed> {
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT]).arg(run).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn()?;
    let mut port = String::new();
    if let Some(out) = process.stdout.take() {
        BufReader::new(out).read_line(&mut port)?;
    }
    let moto = Moto { process, endpoint: format!("http://127.0.0.1:{}", port.trim()) };
    if port.trim().parse::<u16>().is_err() {
        return Err(format!("wanted a server of moto with a port, found `{}`", port.trim()).into());
    }
    Ok(moto)
}

/// Mean and deviation, as `livetime analyze` computes them; the events and the bytes that came.
fn mean(endpoint: &str, name: &str) -> Result<(u64, u64), Failed> {
    let variables = [
        ("AWS_ENDPOINT_URL", endpoint),
        ("AWS_ACCESS_KEY_ID", "user"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "us-east-1"),
    ];
    let objects =
        Arc::new(Objects::new(Access::of(variables.map(|(name, value)| (name.into(), value.into())))));
    let recording = Recording::open_from(&Stores::with(objects.clone()), &[format!("s3://runs/{name}")])?;
    let detector = detector(&recording, None)?;
    let reducers = Reducers::described(&["pixels mean,std".to_owned()])?;
    let options = Options { workers: 2, ..Options::default() };
    let found = analyze(&recording, &detector, &options, &reducers, &mut |_| GoOn::Yes)?;
    Ok((found.account.used, objects.read().1))
}

/// Reads the object in ranges, as many at a time, and forgets them.
async fn read_plainly(endpoint: &str, name: &str) -> Result<u64, Failed> {
    let builder =
        AmazonS3Builder::new().with_endpoint(endpoint).with_allow_http(true).with_bucket_name("runs");
    let builder =
        builder.with_access_key_id("user").with_secret_access_key("secret").with_region("us-east-1");
    let store: Arc<dyn ObjectStore> = Arc::new(builder.build()?);
    let path = object_store::path::Path::from(name);
    let size = store.head(&path).await?.size;
    let ranges = (0..size).step_by(RANGE as usize).map(|start| start..size.min(start + RANGE));
    let read = futures_util::stream::iter(ranges).map(|range| {
        let (store, path) = (store.clone(), path.clone());
        async move { store.get_range(&path, range).await.map(|bytes| bytes.len() as u64) }
    });
    Ok(read.buffer_unordered(IN_FLIGHT).try_fold(0, |sum, bytes| async move { Ok(sum + bytes) }).await?)
}
