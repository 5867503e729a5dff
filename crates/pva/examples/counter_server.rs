//! Serves `demo:counter`, which counts, and `demo:step`, which can be written. Watch it with
//! `pvmonitor demo:counter` or `python -m p4p.client.cli monitor demo:counter`.

use std::time::Duration;

use livetime_pva::data::{ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::server::{PvMap, Server, ServerConfig, SharedPv};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let counter = SharedPv::new(Value::new(&nt::scalar(ScalarType::I64)));
    let mut one = Value::new(&nt::scalar(ScalarType::I64));
    one.set("value", 1)?;
    let step = SharedPv::writable(one);

    let pvs = PvMap::new();
    pvs.add("demo:counter", counter.clone());
    pvs.add("demo:step", step.clone());
    let config = ServerConfig { addresses: vec![[127, 0, 0, 1].into()], ..ServerConfig::default() };
    let _server = Server::start(config, pvs)?;
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let step = step.value().and_then(|value| value.i64("value")).unwrap_or(1);
        counter.update(|value| {
            let count = value.i64("value").unwrap_or(0).wrapping_add(step);
            value.set("value", count)
        })?;
    }
}
