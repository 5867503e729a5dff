//! Buffers, regions and time series as clients see them, under areaDetector's names.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use livetime_control::access::Access;
use livetime_control::config;
use livetime_control::model::{Bell, Model};
use livetime_engine::{Run, RunOptions};
use livetime_epics::{Options, Served};
use livetime_pva::client::{Client, ClientConfig};
use livetime_pva::data::{Array, Field, Type, Value};
use livetime_pva::nt;
use livetime_pva::server::ServerConfig;

/// No test waits this long unless something is broken.
const LONG: Duration = livetime_testkit::HANG;

const TEXT: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 16, max_size_y: 8, acquire_period: 2 ms}}
  CB1: {type: circular_buffer, from: cam}
  end: {type: null, from: CB1}
  STATS1: {type: statistics, from: cam, placement: {pool: 2}}
  series: {type: time_series, from: STATS1.values, params: {num_points: 5}}
  ROIS1: {type: roi_statistics, from: cam, params: {ts_num_points: 4}}
  FFT1: {type: fft, from: cam}
";

struct Pvs {
    client: Client,
    prefix: String,
}

impl Pvs {
    fn get(&self, name: &str) -> Value {
        self.client.channel(&format!("{}{name}", self.prefix)).get().wait(LONG).unwrap()
    }

    fn number(&self, name: &str) -> f64 {
        let value = self.get(name);
        match value.get("value.index").or_else(|| value.get("value")).unwrap() {
            Field::F64(v) => *v,
            other => other.as_i64().unwrap() as f64,
        }
    }

    fn text(&self, name: &str) -> String {
        self.get(name).str("value").unwrap().to_owned()
    }

    fn list(&self, name: &str) -> Vec<f64> {
        match self.get(name).get("value").unwrap() {
            Field::Array(values) => values.iter_f64().collect(),
            other => panic!("{name}: {other:?}"),
        }
    }

    fn put(&self, name: &str, value: f64) {
        let channel = self.client.channel(&format!("{}{name}", self.prefix));
        channel.put(("value", value)).wait(LONG).unwrap();
    }

    fn until(&self, name: &str, wanted: f64) {
        while self.number(name) != wanted {
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_trigger_a_time_series_and_a_region() {
    let pipeline = config::parse("f", TEXT, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap();
    let run = Run::start(&pipeline.graph, RunOptions::default()).map_err(|e| format!("{e:?}")).unwrap();
    let run = Arc::new(run);
    let model = Model::start(&run, &Bell::default(), Access::default()).unwrap();
    let options = Options { enabled: true, server: ServerConfig::loopback(), ..Options::default() };
    let prefix = options.prefix.clone();
    let served = Served::of(&model, &pipeline.plan, &options).unwrap();
    let client = Client::new(ClientConfig::name_servers(&[served.address().unwrap()])).unwrap();
    let pvs = Pvs { client, prefix };

    // The detector of ophyd-async with continuous acquisition writes these values.
    for (name, value) in
        [("PreCount", 0.0), ("PostCount", 5.0), ("PresetTriggerCount", 1.0), ("FlushOnSoftTrg", 0.0)]
    {
        pvs.put(&format!("CB1:{name}"), value);
    }
    pvs.put("CB1:Capture", 1.0);
    pvs.put("CB1:Trigger", 1.0);
    pvs.until("CB1:Capture_RBV", 0.0);
    assert_eq!(pvs.text("CB1:StatusMessage"), "Acquisition Completed");
    let counts =
        ["CB1:PostTriggerQty_RBV", "CB1:ActualTriggerCount_RBV", "CB1:Trigger_RBV"].map(|n| pvs.number(n));
    assert_eq!(counts, [5.0, 1.0, 0.0]);

    pvs.put("Stats1:TS:TSAcquire", 1.0);
    pvs.until("Stats1:TS:TSAcquiring", 0.0);
    let total = pvs.list("Stats1:TSTotal");
    assert!(total.len() == 5 && total.iter().all(|v| *v > 0.0), "{total:?}");
    assert_eq!(pvs.list("Stats1:TS:9:TimeSeries"), total);
    assert!(pvs.list("Stats1:TSTimestamp").windows(2).all(|pair| pair[1] > pair[0]), "in order, from a pool");
    assert!(pvs.list("Stats1:TSCentroidX").iter().all(|v| v.is_nan()), "not measured");

    for (name, value) in [("Use", 1.0), ("SizeX", 4.0), ("SizeY", 2.0)] {
        pvs.put(&format!("ROIStat1:1:{name}"), value);
    }
    pvs.until("ROIStat1:1:SizeX_RBV", 4.0);
    pvs.put("ROIStat1:TSControl", 0.0);
    pvs.until("ROIStat1:TSAcquiring", 0.0);
    assert_eq!(pvs.list("ROIStat1:1:TSTotal").len(), 4);
    assert_eq!(pvs.list("FFT1:FFTAbsValue").len(), 8);

    drop(served);
    model.end();
    run.stop();
    assert!(run.wait(LONG));
    assert_eq!(run.report().imbalances(), [""; 0]);
}

const REST: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 16, max_size_y: 8, acquire: false, acquire_time: 0, acquire_period: 0, \
image_mode: multiple, num_images: 1, finish_when_done: false}}
  STATS1: {type: statistics, from: cam}
  ROI1: {type: roi, from: cam}
  GATHER1: {type: gather, from: [cam, ROI1]}
";

impl Pvs {
    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let channel = self.client.channel(&format!("{}{name}", self.prefix));
        channel.put(("value", text)).wait(LONG).map(drop).map_err(|e| e.to_string())
    }

    /// Takes frames, and returns when they are handled.
    fn acquire(&self, frames: f64) {
        self.put("cam1:WaitForPlugins", 1.0);
        self.put("cam1:NumImages", frames);
        let channel = self.client.channel(&format!("{}cam1:Acquire", self.prefix));
        channel.put_with("record[block=true]", ("value", 1)).wait(LONG).unwrap();
    }
}

#[test]
fn frames_again_limits_joins_macros_and_memory() {
    let pipeline = config::parse("f", REST, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap();
    let run_options = RunOptions { remember_frames: true, ..RunOptions::default() };
    let run = Arc::new(Run::start(&pipeline.graph, run_options).map_err(|e| format!("{e:?}")).unwrap());
    let model = Model::start(&run, &Bell::default(), Access::default()).unwrap();
    let options = Options { enabled: true, server: ServerConfig::loopback(), ..Options::default() };
    let prefix = options.prefix.clone();
    let served = Served::of(&model, &pipeline.plan, &options).unwrap();
    let client = Client::new(ClientConfig::name_servers(&[served.address().unwrap()])).unwrap();
    let pvs = Pvs { client, prefix };

    let refused = pvs.write("Stats1:ProcessPlugin", "1").unwrap_err();
    assert!(refused.contains("keeps its last one from now on"), "{refused}");
    pvs.acquire(1.0);
    pvs.write("Stats1:ProcessPlugin", "1").unwrap();
    pvs.until("Stats1:ArrayCounter_RBV", 2.0);

    // A field that follows from the run cannot be written, and a put of it is not taken for a change of the value.
    let alarm = pvs.client.channel(&format!("{}Stats1:MaxByteRate", pvs.prefix));
    let refused = alarm.put(("valueAlarm.highAlarmLimit", 5.0)).wait(LONG).map(drop).unwrap_err().to_string();
    assert!(
        refused.contains("wanted a change of `value`, found one of `valueAlarm.highAlarmLimit` alone"),
        "{refused}"
    );
    // Clients that send back all that they read change the value.
    let mut all = pvs.get("Stats1:MaxByteRate");
    all.set("value", 2.0).unwrap();
    alarm.put(all).wait(LONG).unwrap();
    assert_eq!(pvs.number("Stats1:MaxByteRate_RBV"), 2.0);

    pvs.put("Stats1:MaxByteRate", 1.0);
    assert_eq!(pvs.number("Stats1:MaxByteRate_RBV"), 1.0);
    pvs.acquire(5.0);
    // The first one passes; each of the others would be too much for two minutes.
    pvs.until("Stats1:LostRateLimited_RBV", 4.0);
    pvs.put("Stats1:MaxByteRate", 0.0);

    assert_eq!(
        ["1", "2", "3"].map(|n| pvs.text(&format!("Gather1:NDArrayPort_{n}_RBV"))),
        ["cam", "ROI1", ""]
    );
    pvs.write("Gather1:NDArrayPort_2", "").unwrap();
    assert_eq!(pvs.text("Gather1:NDArrayPort_2_RBV"), "");
    let before = pvs.number("Gather1:ArrayCounter_RBV");
    pvs.acquire(3.0);
    pvs.until("Gather1:ArrayCounter_RBV", before + 3.0);
    pvs.write("Gather1:NDArrayPort_2", "ROI1").unwrap();
    pvs.acquire(3.0);
    pvs.until("Gather1:ArrayCounter_RBV", before + 9.0);
    assert!(pvs.write("Gather1:NDArrayPort_2", "nobody").unwrap_err().contains("nobody"));
    assert_eq!(pvs.text("Gather1:NDArrayPort_2_RBV"), "ROI1");

    let xml =
        "<Attributes><Attribute name='sum' type='PARAM' source='$(WHAT)' datatype='DOUBLE'/></Attributes>";
    assert!(pvs.write("Stats1:NDAttributesFile", xml).unwrap_err().contains("`WHAT`"));
    assert_eq!(pvs.number("Stats1:NDAttributesStatus"), 3.0);
    pvs.write("Stats1:NDAttributesMacros", "WHAT=TOTAL").unwrap();
    pvs.write("Stats1:NDAttributesFile", xml).unwrap();
    assert_eq!(pvs.number("Stats1:NDAttributesStatus"), 0.0);

    pvs.put("cam1:NumPreAllocBuffers", 50.0);
    pvs.put("cam1:PreAllocBuffers", 1.0);
    let free = pvs.number("cam1:PoolFreeBuffers");
    assert!(free >= 50.0, "{free}");
    // Read one after the other, while other nodes may still be asked.
    let counts = || ["Alloc", "Free", "Used"].map(|which| pvs.number(&format!("cam1:Pool{which}Buffers")));
    while !matches!(counts(), [all, free, used] if all == free + used) {
        std::thread::yield_now();
    }
    pvs.put("cam1:EmptyFreeList", 1.0);
    pvs.until("cam1:PoolFreeBuffers", 0.0);

    drop(served);
    model.end();
    run.stop();
    assert!(run.wait(LONG));
    assert_eq!(run.report().imbalances(), [""; 0]);
}

const FORMER: &str = "\
nodes:
  cam: {type: sim_detector, params: {max_size_x: 16, max_size_y: 8, acquire: false, image_mode: single, \
finish_when_done: false}}
  STATS1: {type: statistics, from: cam}
  STATS2: {type: statistics, from: STATS1, placement: inline}
  PROC1: {type: process, from: cam}
  OVER1: {type: overlay, from: cam}
  CODEC1: {type: decompress, from: cam}
  ROI1: {type: roi, from: cam}
  ROIS1: {type: roi_statistics, from: cam}
";

/// Records that areaDetector's clients write, read back or connect to.
#[test]
fn records_of_former_clients() {
    let pipeline =
        config::parse("f", FORMER, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap();
    let run_options = RunOptions { remember_frames: true, ..RunOptions::default() };
    let run = Arc::new(Run::start(&pipeline.graph, run_options).map_err(|e| format!("{e:?}")).unwrap());
    let model = Model::start(&run, &Bell::default(), Access::default()).unwrap();
    let options = Options { enabled: true, server: ServerConfig::loopback(), ..Options::default() };
    let prefix = options.prefix.clone();
    let served = Served::of(&model, &pipeline.plan, &options).unwrap();
    let client = Client::new(ClientConfig::name_servers(&[served.address().unwrap()])).unwrap();
    let pvs = Pvs { client, prefix };

    let blocking =
        |n| ["BlockingCallbacks_RBV", "Inline_RBV"].map(|name| pvs.number(&format!("Stats{n}:{name}")));
    assert_eq!((blocking(1), blocking(2)), ([0.0, 0.0], [1.0, 1.0]));
    pvs.put("Stats1:BlockingCallbacks", 1.0);
    pvs.put("Stats2:BlockingCallbacks", 0.0);
    assert_eq!((blocking(1), blocking(2)), ([1.0, 0.0], [0.0, 1.0]));

    // Clients wait until it reads back, and no frame comes.
    for name in ["ROI1:SizeX", "ROI1:MinY", "ROI1:BinX", "ROIStat1:1:SizeY", "ROIStat1:2:MinX"] {
        pvs.put(name, 2.0);
        assert_eq!(pvs.number(&format!("{name}_RBV")), 2.0, "{name}");
    }

    // A result is written over, until the next frame has its own.
    for (written, shown) in
        [("Total", "Total_RBV"), ("SigmaValue", "Sigma_RBV"), ("HistBelow", "HistBelow_RBV")]
    {
        pvs.put(&format!("Stats1:{written}"), 7.0);
        assert_eq!(pvs.number(&format!("Stats1:{shown}")), 7.0, "{written}");
    }
    pvs.acquire(1.0);
    assert_ne!(pvs.number("Stats1:Total_RBV"), 7.0);
    // A pipeline file has no frame to write over.
    let text = FORMER.replace("STATS1: {type: statistics,", "STATS1: {type: statistics, params: {total: 7},");
    assert!(config::parse("f", &text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).is_err());

    // Other names of a value, records that act, and records that keep a value.
    pvs.until("Over1:2:MaxSizeX", 16.0);
    assert_eq!(pvs.number("Over1:2:SetXHOPR"), 0.0);
    pvs.put("Over1:2:PositionXLink", 5.0);
    pvs.until("Over1:2:PositionX_RBV", 5.0);
    pvs.put("Proc1:AverageSeq", 1.0);
    assert_eq!(pvs.number("Proc1:FilterType"), 1.0);
    pvs.put("Proc1:NumFilter", 4.0);
    assert_eq!(pvs.number("Proc1:NumFilterRecip"), 0.25);
    pvs.put("Codec1:Compressor", 6.0);
    pvs.put("Codec1:JPEGQuality", 50.0);
    let kept = ["Compressor_RBV", "JPEGQuality_RBV"].map(|name| pvs.number(&format!("Codec1:{name}")));
    assert_eq!(kept, [6.0, 50.0]);

    drop(served);
    model.end();
    run.stop();
    assert!(run.wait(LONG));
    assert_eq!(run.report().imbalances(), [""; 0]);
}

const PICTURES: &str = "\
memory: 256 MiB
nodes:
  cam: {type: array_source, params: {dimensions: [4, 3]}}
  PVA1: {type: pva_image, from: cam, queue: 10}
";

/// A picture of 20 MB becomes a frame; one beyond what a message may have is answered with the reason, and the client goes on.
#[test]
fn a_client_writes_large_pictures() {
    let pipeline =
        config::parse("f", PICTURES, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap();
    let run_options = RunOptions { remember_frames: true, ..RunOptions::default() };
    let run = Arc::new(Run::start(&pipeline.graph, run_options).map_err(|e| format!("{e:?}")).unwrap());
    let model = Model::start(&run, &Bell::default(), Access::default()).unwrap();
    let server = ServerConfig { tcp_port: 0, udp_port: None, ..Options::default().server };
    let options = Options { enabled: true, server, ..Options::default() };
    let prefix = options.prefix.clone();
    let served = Served::of(&model, &pipeline.plan, &options).unwrap();
    let client = Client::new(ClientConfig::name_servers(&[served.address().unwrap()])).unwrap();
    let pvs = Pvs { client, prefix };

    let channel = pvs.client.channel(&format!("{}cam1:Image", pvs.prefix));
    let put = |pixels: Vec<u8>| {
        let mut picture = Value::new(&nt::ndarray());
        let Some(Type::StructureArray(ty)) =
            picture.bit("dimension").map(|bit| picture.structure().nodes()[bit].ty.clone())
        else {
            panic!("a picture has dimensions")
        };
        let mut dimension = Value::new(&ty);
        dimension.set("size", pixels.len() as i32).unwrap();
        picture.set("dimension", Field::StructArray(vec![Some(dimension)])).unwrap();
        picture.set("value", Array::from(pixels)).unwrap();
        channel.put(picture).wait(LONG).map(drop).map_err(|e| e.to_string())
    };
    let large: Vec<u8> = (0..20_000_000).map(|i| (i % 251) as u8).collect();
    put(large.clone()).unwrap();
    pvs.until("Pva1:ArrayCounter_RBV", 1.0);
    while pvs.get("Pva1:Image").array("value").is_none_or(|pixels| pixels.data() != &large[..]) {
        std::thread::yield_now();
    }
    let refused = put(vec![0; 270_000_000]).unwrap_err();
    assert!(refused.contains("wanted a message of at most 269484032 bytes, found 270000"), "{refused}");
    put(large).unwrap();
    pvs.until("Pva1:ArrayCounter_RBV", 2.0);

    drop(served);
    model.end();
    run.stop();
    assert!(run.wait(LONG));
}
