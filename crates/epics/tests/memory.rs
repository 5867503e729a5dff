//! How much memory a PV takes. A program of its own, because it counts what everybody allocates.

use std::alloc::System;
use std::sync::Arc;

use livetime_control::access::Access;
use livetime_control::config;
use livetime_control::model::{Bell, Model};
use livetime_engine::{Run, RunOptions};
use livetime_epics::{Options, Served};
use livetime_pva::client::{Client, ClientConfig};
use livetime_pva::server::ServerConfig;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes of one PV, with its name, its value, what it showed last and how it is written. It takes some 1,600 today, of which 1,500 are
/// the fields of its value.
const MOST: usize = 2000;

fn used() -> usize {
    let all = ALLOCATOR.stats();
    all.bytes_allocated.saturating_sub(all.bytes_deallocated).saturating_add_signed(all.bytes_reallocated)
}

#[test]
fn a_pv_takes_little_memory() {
    let nodes = (0..100).map(|n| format!("  s{n}: {{type: statistics, from: cam, params: {{}}}}\n"));
    let text = format!(
        "nodes:\n  cam: {{type: sim_detector, params: {{acquire: false, max_size_x: 64, max_size_y: 64}}}}\n{}",
        nodes.collect::<String>()
    );
    let pipeline =
        config::parse("f", &text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap();
    let run =
        Arc::new(Run::start(&pipeline.graph, RunOptions::default()).unwrap_or_else(|e| panic!("{e:?}")));
    let model = Model::start(&run, &Bell::default(), Access::default()).unwrap();
    let before = used();
    let options = Options { enabled: true, server: ServerConfig::loopback(), ..Options::default() };
    let served = Served::of(&model, &pipeline.plan, &options).unwrap();
    // With values in them.
    let version = model.newest().version;
    model.newer_than(version + 2, livetime_testkit::HANG);
    let bytes = used().saturating_sub(before);
    let address = served.address().unwrap();
    let client = Client::new(ClientConfig::name_servers(&[address])).unwrap();
    let count = client.names(address).unwrap().wait(livetime_testkit::HANG).unwrap().len();
    assert!(count > 10_000, "{count}");
    assert!(bytes / count <= MOST, "{} bytes for each of {count} PVs", bytes / count);
    drop(served);
    model.end();
    run.stop();
    assert!(run.wait(livetime_testkit::HANG));
}
