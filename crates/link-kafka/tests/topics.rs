//! Topics with other content, and topics of which a part was removed.

use std::sync::atomic::AtomicU64;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use livetime_link::{Account, Cut, Settings};
use livetime_runtime::LossReason;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};

use crate::ends::{all, broker, send, send_as, settings, take, take_while, topic};

fn client(topic: &str) -> (ClientConfig, String) {
    let (address, name) = topic.split_once('/').unwrap();
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", address);
    (config, name.to_owned())
}

fn wait_for<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        if let Poll::Ready(result) = work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// As another program would.
fn write_record(topic: &str, value: &[u8]) {
    let (config, name) = client(topic);
    let producer: BaseProducer = config.create().unwrap();
    producer.send(BaseRecord::<[u8], [u8]>::to(&name).partition(0).payload(value)).unwrap();
    producer.flush(livetime_testkit::HANG).unwrap();
}

/// As retention would: removes all records before this part of the log. Returns its first offset.
fn remove(topic: &str, share: f64) -> i64 {
    let (config, name) = client(topic);
    let admin: AdminClient<DefaultClientContext> = config.create().unwrap();
    let (low, high) = admin.inner().fetch_watermarks(&name, 0, livetime_testkit::HANG).unwrap();
    let offset = low + ((high - low) as f64 * share) as i64;
    let mut before = TopicPartitionList::new();
    before.add_partition_offset(&name, 0, Offset::Offset(offset)).unwrap();
    wait_for(admin.delete_records(&before, &AdminOptions::new())).unwrap();
    offset
}

#[test]
fn a_topic_with_records_of_another_program_is_refused_by_both_ends() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "foreign");
    assert_eq!(send(&topic, 3), (all(3), None));
    write_record(&topic, b"{\"detector\": 5}");
    let (account, refusal) = send(&topic, 3);
    assert!(refusal.unwrap().contains("wanted a record of a link"));
    assert_eq!((account.delivered, account.queued), (0, 3));
    // The group has no frame of the run before the foreign record twice, and none behind it.
    let run = take(&topic);
    assert_eq!((run.numbers, run.refusal), (vec![0, 1, 2], None));
    let behind = take(&topic);
    let refusal = behind.refusal.unwrap();
    assert!(behind.numbers.is_empty() && refusal.contains("wanted a record of a link"), "{refusal}");
}

#[test]
fn a_topic_of_another_link_is_refused_by_both_ends() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "other");
    let other = Settings { cut: Cut { name: "other".into(), ..Cut::default() }, ..settings() };
    assert_eq!(send_as(&other, &topic, 3, u64::MAX), (all(3), None));
    let refusals = [send(&topic, 3).1, take(&topic).refusal];
    for refusal in refusals {
        let refusal = refusal.unwrap();
        assert!(refusal.contains("`link`, found") && refusal.contains("`other`"), "{refusal}");
    }
}

#[test]
fn a_topic_with_two_partitions_is_refused() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "wide");
    let (config, name) = client(&topic);
    let admin: AdminClient<DefaultClientContext> = config.create().unwrap();
    let wide = NewTopic::new(&name, 2, TopicReplication::Fixed(1));
    wait_for(admin.create_topics([&wide], &AdminOptions::new())).unwrap();
    for refusal in [send(&topic, 3).1, take(&topic).refusal] {
        assert!(refusal.unwrap().contains("wanted one partition, found 2"));
    }
}

#[test]
fn frames_that_retention_has_removed_are_counted() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "retention");
    assert_eq!(send(&topic, 200), (all(200), None));
    let first = take_while(&format!("{topic}?group=a"), &AtomicU64::new(0), |number| number < 20);
    assert_eq!(first.numbers, (0..=20).collect::<Vec<_>>());
    remove(&topic, 0.5);
    for (group, had) in [("a", 21), ("b", 0)] {
        let taken = take(&format!("{topic}?group={group}"));
        let [part] = &taken.parts[..] else { panic!("one sender: {:?}", taken.parts) };
        let Account { offered, delivered, lost, .. } = part.account;
        let begin = taken.numbers[0];
        assert!(begin > 21, "group {group} began at {begin}");
        assert_eq!(taken.numbers, (begin..200).collect::<Vec<_>>());
        assert!(part.start <= had && part.start + offered == 200, "{part:?}");
        assert_eq!((delivered, lost.of(LossReason::Retention)), (200 - begin, begin - part.start));
        assert!(part.account.closes() && taken.refusal.is_none());
    }
}

#[test]
fn a_run_of_which_only_the_end_is_left_is_counted_as_lost() {
    let Some(broker) = broker() else { return };
    let topic = topic(broker, "gone");
    assert_eq!(send(&topic, 50), (all(50), None));
    let (config, name) = client(&topic);
    let producer: BaseProducer = config.create().unwrap();
    let (low, high) = producer.client().fetch_watermarks(&name, 0, livetime_testkit::HANG).unwrap();
    // Rounds to the last record.
    let last = remove(&topic, ((high - low - 1) as f64 + 0.5) / (high - low) as f64);
    assert_eq!(last, high - 1);
    let taken = take(&topic);
    let [part] = &taken.parts[..] else { panic!("one sender: {:?}", taken.parts) };
    assert_eq!((part.account.delivered, part.account.lost.of(LossReason::Retention)), (0, 50));
}
