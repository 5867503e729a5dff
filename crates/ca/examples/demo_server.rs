//! Serves a few channels on this machine until it is killed: `cargo run -p livetime-ca --example demo_server`.

use std::thread::{sleep, spawn};
use std::time::Duration;

use livetime_ca::dbr::{About, Limits, Values};
use livetime_ca::server::{Pv, PvMap, Server, ServerConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pvs = PvMap::new();
    let limits =
        Limits { display: (0.0, 100.0), control: (1.0, 99.0), alarm: (5.0, 95.0), warning: (10.0, 90.0) };
    let about = About { units: "mm".into(), precision: 3, limits, choices: Vec::new(), class: "ao".into() };
    pvs.add("demo:double", Pv::writable(Values::Double(vec![1.5]), about.clone()));
    pvs.add("demo:long", Pv::writable(Values::Long(vec![7]), about.clone()));
    let choices = vec!["Done".into(), "Acquire".into()];
    let choice = About { choices, class: "bo".into(), ..About::default() };
    pvs.add("demo:enum", Pv::writable(Values::Enum(vec![0]), choice.clone()));
    pvs.add("demo:text", Pv::writable(Values::Text(vec!["hello".into()]), About::default()));
    let path = Pv::builder(Values::long_text("/tmp"), About::default()).count(256).on_put(Pv::accept).build();
    pvs.add("demo:path", path);
    pvs.add("demo:image", Pv::new(Values::Char(vec![1; 1 << 20].into()), About::default()));
    let acquire = Pv::builder(Values::Enum(vec![0]), choice).on_put(|pv, put| {
        let pv = pv.clone();
        spawn(move || {
            sleep(Duration::from_millis(500));
            pv.accept(put);
        });
    });
    pvs.add("demo:slow", acquire.build());
    let counter = Pv::new(Values::Long(vec![0]), About::default());
    pvs.add("demo:counter", counter.clone());
    let config = ServerConfig { udp_port: Some(5064), ..ServerConfig::default() };
    let server = Server::start(config, pvs)?;
    println!("{}", server.tcp_address());
    for count in 0.. {
        counter.post(Values::Long(vec![count]));
        sleep(Duration::from_millis(100));
    }
    Ok(())
}
