//! A link over Kafka, beside a plain producer and consumer of the same client.

use std::thread;
use std::time::{Duration, Instant};

use livetime_engine::testing::Harness;
use livetime_engine::{Next, Value};
use livetime_frame::{DType, Frame, FramePool, Schema, TableLayout};
use livetime_measure::process_cpu;
use livetime_nodes::sinks::link_out::LinkOut;
use livetime_nodes::sources::link_in::LinkIn;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::{BaseRecord, DefaultProducerContext, Producer, ThreadedProducer};
use rdkafka::{ClientConfig, Message};
use serde_json::json;

use super::row::{Row, spread};
use crate::{Failed, Settings};

pub(super) const CASE: &str = "link over Kafka, 200 kB batches of hits";

/// Columns of a batch, of 8 bytes each, and its rows: 200 kB.
const COLUMNS: [&str; 5] = ["channel", "start", "length", "charge", "peak"];
const ROWS: usize = 5_000;
const BATCHES: u64 = 2_000;
const QUICK_BATCHES: u64 = 50;

/// One way of both ends, in CPU and in time.
struct Cost {
    cpu_per_gb: f64,
    per_s: f64,
}

/// Measures with the broker at this address. Its own CPU is not counted.
pub(super) fn measure(settings: &Settings, broker: &str, row: &mut Row) -> Result<(), Failed> {
    let batch = batch()?;
    let batches = if settings.quick { QUICK_BATCHES } else { BATCHES };
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for repeat in 0..settings.repeats() {
        let topic = |name| format!("livetime-bench-{}-{repeat}-{name}", std::process::id());
        ours.push(cost(&batch, batches, || over_link(broker, &topic("link"), &batch, batches))?);
        plain.push(cost(&batch, batches, || plainly(broker, &topic("plain"), &batch, batches))?);
    }
    row.values = ours.iter().zip(&plain).map(|(a, b)| a.cpu_per_gb / b.cpu_per_gb).collect();
    row.reference = vec![1.0];
    let of = |costs: &[Cost], number: fn(&Cost) -> f64| spread(costs.iter().map(number).collect());
    row.more = json!({
        "batches": batches,
        "bytes": batch.bytes().len(),
        "cpu_s_per_gb": of(&ours, |cost| cost.cpu_per_gb),
        "plain_cpu_s_per_gb": of(&plain, |cost| cost.cpu_per_gb),
        "batches_per_s": of(&ours, |cost| cost.per_s),
        "plain_batches_per_s": of(&plain, |cost| cost.per_s),
    });
    Ok(())
}

fn batch() -> Result<Frame, Failed> {
    let schema = Schema::new(COLUMNS.map(|name| (name, DType::U64)));
    let table = TableLayout::new(schema, ROWS).ok_or("wanted a table, found none")?;
    let mut batch = FramePool::new(8 << 20).allocator().table(table)?;
    batch.bytes_mut().iter_mut().enumerate().for_each(|(at, byte)| *byte = (at * 7) as u8);
    Ok(batch.freeze())
}

fn cost(batch: &Frame, batches: u64, carry: impl FnOnce() -> Result<(), Failed>) -> Result<Cost, Failed> {
    let (cpu, begun) = (process_cpu(), Instant::now());
    carry()?;
    let (cpu, s) = ((process_cpu() - cpu).as_secs_f64(), begun.elapsed().as_secs_f64());
    let gb = batches as f64 * batch.bytes().len() as f64 / 1e9;
    Ok(Cost { cpu_per_gb: cpu / gb, per_s: batches as f64 / s })
}

fn over_link(broker: &str, topic: &str, batch: &Frame, batches: u64) -> Result<(), Failed> {
    let address = format!("kafka://{broker}/{topic}");
    let mut receiver = Harness::new::<LinkIn>(&[("listen", Value::from(&*address))])?;
    let (to, batch, bytes) = (address.clone(), batch.clone(), batch.bytes().len());
    let sending = thread::spawn(move || -> Result<f64, String> {
        let mut sender = Harness::new::<LinkOut>(&[("to", Value::from(&*to))]).map_err(|e| e.to_string())?;
        for _ in 0..batches {
            sender.feed(&batch).map_err(|e| e.to_string())?;
        }
        sender.drain().map_err(|e| e.to_string())?;
        sender.stop();
        Ok(sender.number_of("delivered"))
    });
    let mut came = 0;
    loop {
        let (frames, next) = receiver.produce()?;
        came += frames.iter().filter(|frame| frame.bytes().len() == bytes).count() as u64;
        if next == Next::Finished {
            break;
        }
    }
    receiver.drain()?;
    receiver.stop();
    let delivered = sending.join().map_err(|_| "the sender panicked")??;
    if came != batches || delivered != batches as f64 {
        return Err(format!("wanted {batches} batches, found {delivered} sent and {came} received").into());
    }
    Ok(())
}

/// What a user of the client writes: the same promises (all replicas, no repetition), one topic, one partition.
fn plainly(broker: &str, topic: &str, batch: &Frame, batches: u64) -> Result<(), Failed> {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", broker);
    create(&config, topic)?;
    let (from, bytes) = (config.clone(), batch.bytes().len());
    let name = topic.to_owned();
    let reading = thread::spawn(move || read(from, &name, bytes, batches));
    config.set("enable.idempotence", "true").set("acks", "all").set("linger.ms", "1");
    // As the link does: it is the cheaper way.
    config.set("max.in.flight", "1");
    let producer: ThreadedProducer<DefaultProducerContext> = config.create()?;
    for number in 0..batches {
        let key = number.to_le_bytes();
        let mut record = BaseRecord::to(topic).partition(0).key(&key[..]).payload(batch.bytes());
        while let Err((error, back)) = producer.send(record) {
            if error != KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull) {
                return Err(error.into());
            }
            thread::sleep(Duration::from_millis(1));
            record = back;
        }
        // As many bytes under way as the window of a link.
        while producer.in_flight_count() as usize * bytes > 64 << 20 {
            thread::sleep(Duration::from_millis(1));
        }
    }
    while producer.in_flight_count() > 0 {
        thread::sleep(Duration::from_millis(1));
    }
    reading.join().map_err(|_| "the reader panicked")?
}

fn read(mut config: ClientConfig, topic: &str, bytes: usize, batches: u64) -> Result<(), Failed> {
    config.set("group.id", "livetime-bench").set("auto.offset.reset", "earliest");
    let reader: BaseConsumer = config.create()?;
    reader.subscribe(&[topic])?;
    for _ in 0..batches {
        let record = loop {
            if let Some(record) = reader.poll(Duration::from_millis(100)) {
                break record?;
            }
        };
        if record.payload().map_or(0, <[u8]>::len) != bytes {
            return Err(format!("wanted {bytes} bytes, found another length").into());
        }
    }
    Ok(())
}

fn create(config: &ClientConfig, topic: &str) -> Result<(), Failed> {
    let admin: AdminClient<DefaultClientContext> = config.create()?;
    let topic = NewTopic::new(topic, 1, TopicReplication::Fixed(-1));
    let mut work = std::pin::pin!(admin.create_topics([&topic], &AdminOptions::new()));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(created) = work.as_mut().poll(&mut context) {
            created?;
            return Ok(());
        }
        thread::sleep(Duration::from_millis(5));
    }
}
