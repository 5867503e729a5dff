//! The other process of a benchmark: a pvAccess server, and a plain TCP server beside it.

use crate::Failed;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use livetime_pva::data::{Array, ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};
use serde_json::{Value as Json, json};

use super::raw;
use crate::Settings;

/// The PVs of the other process.
#[derive(Clone, Copy, Default)]
pub(super) struct Offer {
    /// Channels `bench:0` and so on, of `elements` doubles each.
    pub(super) channels: usize,
    pub(super) elements: usize,
    /// Bytes of the images of `bench:image`; 0: none.
    pub(super) image_bytes: usize,
    pub(super) spin: bool,
}

/// The process, as long as this value lives.
pub(super) struct Peer {
    child: Child,
    pub(super) pva: SocketAddr,
    pub(super) raw: SocketAddr,
}

impl Peer {
    /// `program` is `livetime-bench`, which serves when it is called so.
    pub(super) fn start(program: &Path, offer: Offer) -> Result<Peer, Failed> {
        let mut command = Command::new(program);
        command.args(["pva-peer", "--channels", &offer.channels.to_string()]);
        command.args(["--elements", &offer.elements.to_string(), "--image", &offer.image_bytes.to_string()]);
        if offer.spin {
            command.arg("--spin");
        }
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|e| format!("cannot start the server process: {e}"))?;
        let mut line = String::new();
        let found = child.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        let places: Json = serde_json::from_str(&line).unwrap_or_default();
        let address = |name: &str| places[name].as_str().and_then(|text| text.parse().ok());
        match (address("pva"), address("raw")) {
            (Some(pva), Some(raw)) => Ok(Peer { child, pva, raw }),
            _ => {
                let _ = child.kill();
                Err(format!("wanted the addresses of the server process, found `{line}` ({found:?})").into())
            }
        }
    }

    pub(super) fn cpu_seconds(&self) -> f64 {
        super::cpu_seconds(self.child.id())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The process ends when its input is closed.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The work of the other process, until its input ends. The function writes its address to `out`.
///
/// # Errors
/// Text, when a server cannot be started or `out` is gone.
pub fn serve(settings: &Settings, out: &mut dyn Write) -> Result<(), Failed> {
    let of = |list: &[usize]| list.first().copied().unwrap_or(0);
    let (channels, elements) = (of(&settings.channels), of(&settings.elements));
    let (image_bytes, spin) = (settings.image_bytes, settings.spin);
    let pvs = PvMap::new();
    for number in 0..channels {
        pvs.add(format!("bench:{number}"), SharedPv::new(doubles(elements)?));
    }
    let image = SharedPv::new(Value::new(&nt::ndarray()));
    pvs.add("bench:image", image.clone());
    let counter = SharedPv::new(Value::new(&nt::scalar(ScalarType::F64)));
    pvs.add("bench:counter", counter.clone());
    let busy = if spin { Duration::from_millis(100) } else { Duration::ZERO };
    let config = ServerConfig { spin: busy, ..ServerConfig::loopback() };
    let server = Server::start(config, pvs)?;
    let raw = raw::listen()?;
    let places = json!({ "pva": server.tcp_address().to_string(), "raw": raw.to_string() });
    // The benchmark waits for this line.
    writeln!(out, "{places}").and_then(|()| out.flush())?;
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        if image_bytes > 0 {
            scope.spawn(|| post_images(&image, image_bytes, &ended));
        } else {
            scope.spawn(|| post_counts(&counter, &ended));
        }
        // The benchmark closes this input at its end, also when it is killed.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        ended.store(true, Ordering::Relaxed);
    });
    Ok(())
}

/// One double as NTScalar, more as NTScalarArray.
pub(super) fn doubles(elements: usize) -> Result<Value, Failed> {
    let mut value = Value::new(&match elements {
        1 => nt::scalar(ScalarType::F64),
        _ => nt::scalar_array(ScalarType::F64),
    });
    let set = match elements {
        1 => value.set("value", 1.5),
        _ => value.set("value", Array::from((0..elements).map(|i| i as f64).collect::<Vec<f64>>())),
    };
    set?;
    Ok(value)
}

/// Images without end, as fast as all subscribers take them.
fn post_images(pv: &SharedPv, bytes: usize, ended: &AtomicBool) {
    // Four buffers in turn, as a frame pool would have them.
    let pixels: Vec<Array> = (0..4u8).map(|n| Array::from(vec![n; bytes])).collect();
    let mut number = 0i32;
    while !ended.load(Ordering::Relaxed) {
        if pv.subscribers() == 0 || !pv.wait_for_room(Duration::from_millis(50)) {
            std::thread::sleep(Duration::from_micros(if pv.subscribers() == 0 { 500 } else { 0 }));
            continue;
        }
        number = number.wrapping_add(1);
        let array = pixels[number as usize % pixels.len()].clone();
        let posted = pv.update(|value| {
            value.set("uniqueId", number)?;
            value.set("uncompressedSize", bytes as i64)?;
            value.set("compressedSize", bytes as i64)?;
            value.set("value", array)
        });
        if posted.is_err() {
            return;
        }
    }
}

/// A number that counts up without end, as fast as all subscribers take it.
fn post_counts(pv: &SharedPv, ended: &AtomicBool) {
    let mut count = 0.0;
    while !ended.load(Ordering::Relaxed) {
        if pv.subscribers() == 0 {
            std::thread::sleep(Duration::from_micros(500));
            continue;
        }
        if !pv.wait_for_room(Duration::from_millis(50)) {
            continue;
        }
        count += 1.0;
        if pv.update(|value| value.set("value", count)).is_err() {
            return;
        }
    }
}
