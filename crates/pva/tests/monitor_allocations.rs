//! An update that is posted, sent, received and given back takes no memory on either side.

#![cfg(all(feature = "client", feature = "server"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use livetime_pva::client::{Client, ClientConfig, Event, Monitor, Update};
use livetime_pva::data::{ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn next(monitor: &mut Monitor) -> Update {
    loop {
        if let Event::Update(update) = monitor.next(livetime_testkit::HANG).unwrap().unwrap() {
            return update;
        }
    }
}

#[test]
fn updates_take_no_memory() {
    let pv = SharedPv::new(Value::new(&nt::scalar(ScalarType::F64)));
    let pvs = PvMap::new();
    pvs.add("n", pv.clone());
    let server = Server::start(ServerConfig::loopback(), pvs).unwrap();
    let client = Client::new(ClientConfig::name_servers(&[])).unwrap();
    let channel = client.channel_at(server.tcp_address(), "n");
    let mut monitors = [(); 3].map(|()| channel.monitor("").unwrap());
    monitors.iter_mut().for_each(|monitor| drop(next(monitor)));
    let mut round = |number: f64| {
        pv.update(|value| value.set_bit(1, number)).unwrap();
        for monitor in &mut monitors {
            let update = next(monitor);
            assert_eq!(update.value.f64("value"), Some(number));
            monitor.recycle(update);
        }
    };
    (0..10).for_each(|i| round(f64::from(i)));
    let region = Region::new(GLOBAL);
    (0..1000).for_each(|i| round(f64::from(i)));
    let change = region.change();
    // Threads in the background may have something of their own to do from time to time.
    let count = change.allocations + change.reallocations;
    assert!(count < 100, "{count} in 1000 updates to 3 subscribers");
}
