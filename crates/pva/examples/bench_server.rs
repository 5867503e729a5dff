//! Serves what `bench/pva_peers/run.py` measures: doubles under the names ELEMENTS:NUMBER, and `image`, which is posted as
//! fast as it is taken between the lines `images` and `quiet` on its input.
//! `cargo run --release -p livetime-pva --example bench_server -- UDP_PORT`

#![allow(clippy::print_stdout, reason = "whoever starts it waits for its first line")]

use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use livetime_pva::data::{Array, ScalarType, Value};
use livetime_pva::nt::{self, Metadata};
use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PIXELS: usize = 1024 * 1024;

/// How many channels of so many doubles are served.
const SERVED: [(usize, usize); 4] = [(1, 10_000), (1_000, 1_000), (100_000, 1), (1_000_000, 1)];

fn main() -> Outcome<()> {
    let port = std::env::args().nth(1).ok_or("wanted a UDP port")?.parse()?;
    let image = SharedPv::new(first_image()?);
    let config = ServerConfig { udp_port: Some(port), ..ServerConfig::loopback() };
    let _server = Server::start(config, pvs(&image)?)?;
    let posting = Arc::new(AtomicBool::new(false));
    let on = Arc::clone(&posting);
    std::thread::spawn(move || post(&image, &on));
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        posting.store(line? == "images", Ordering::Relaxed);
        println!("ok");
    }
    Ok(())
}

fn pvs(image: &SharedPv) -> Outcome<PvMap> {
    let pvs = PvMap::new();
    for (elements, channels) in SERVED {
        let value = doubles(elements)?;
        for number in 0..channels {
            pvs.add(format!("{elements}:{number}"), SharedPv::new(value.clone()));
        }
    }
    pvs.add("image", image.clone());
    Ok(pvs)
}

fn doubles(elements: usize) -> Outcome<Value> {
    if elements == 1 {
        return Ok(Value::new(&nt::scalar_with(ScalarType::F64, Metadata::NONE)));
    }
    let mut value = Value::new(&nt::scalar_array_with(ScalarType::F64, Metadata::NONE));
    value.set("value", Array::from(vec![1.0; elements]))?;
    Ok(value)
}

fn first_image() -> Outcome<Value> {
    let mut value = Value::new(&nt::ndarray());
    value.set("value", Array::from(vec![1_u8; PIXELS]))?;
    value.set("compressedSize", PIXELS as i64)?;
    value.set("uncompressedSize", PIXELS as i64)?;
    Ok(value)
}

fn post(image: &SharedPv, on: &AtomicBool) {
    let pixels = Array::from(vec![1_u8; PIXELS]);
    for number in 0_i32.. {
        while !on.load(Ordering::Relaxed) || image.subscribers() == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        image.wait_for_room(Duration::from_millis(100));
        let posted = image.update(|value| {
            value.set("value", pixels.clone())?;
            value.set("uniqueId", number)
        });
        if posted.is_err() {
            return;
        }
    }
}
