//! Graphs over two hosts with a real broker of Kafka between them: each half is a process of the program.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use livetime_runtime::Random;
use livetime_testkit::Broker;
use serde_json::Value;

use crate::links::{Hosts, cut, one_by_one, some_more, stack};

/// The broker of the tests that do it no harm; none where it cannot be had.
fn broker() -> Option<&'static Broker> {
    static BROKER: OnceLock<Option<Broker>> = OnceLock::new();
    BROKER.get_or_init(|| Broker::start("program")).as_ref()
}

/// A topic that no other test has.
fn topic(broker: &Broker, name: &str) -> String {
    format!("kafka://{}/{name}-{}", broker.address(), std::process::id())
}

fn sent_again(report: &Value) -> u64 {
    let cuts = report["cuts"].as_array().unwrap().iter();
    cuts.map(|cut| cut["sent_again"].as_u64().unwrap()).sum()
}

#[test]
fn a_receiver_may_come_when_the_sender_has_gone_and_another_group_reads_all_again() {
    let Some(broker) = broker() else { return };
    let (hosts, topic) = (Hosts::new(|text| text), topic(broker, "late"));
    let (code, sent) = hosts.send(&topic).end();
    assert_eq!((code, cut(&sent)), (Some(0), [1000, 1000, 0, 0]), "{sent}");
    for listen in [topic.clone(), format!("{topic}?group=another")] {
        let (code, came) = hosts.receive(&listen).end();
        assert_eq!((code, cut(&came)), (Some(0), [1000, 1000, 0, 0]), "{came}");
        assert!(stack(&hosts.folder.0, "sent") == stack(&hosts.folder.0, "came"), "the same pixels in order");
        let (code, ledger) = hosts.ledger(&[&sent, &came]);
        assert_eq!((code, &ledger["ledger_closed"]), (Some(0), &true.into()), "{ledger}");
        std::fs::remove_file(hosts.folder.0.join("came_0001.npy")).unwrap();
    }
}

#[test]
fn a_killed_receiver_misses_nothing_and_says_what_it_may_have_twice() {
    let Some(broker) = broker() else { return };
    let (hosts, topic) = (Hosts::new(one_by_one), topic(broker, "killed-receiver"));
    let sender = hosts.send(&topic);
    let receiver = hosts.receive(&topic);
    some_more(&hosts, &mut Random::new(33));
    receiver.kill();
    let (code, sent) = sender.end();
    assert_eq!((code, cut(&sent)), (Some(0), [1000, 1000, 0, 0]), "{sent}");
    let (_, came) = hosts.receive(&topic).end();
    let files = hosts.came();
    let distinct: BTreeSet<u16> = files.iter().copied().collect();
    let (twice, again) = ((files.len() - distinct.len()) as u64, sent_again(&came));
    assert_eq!(distinct.len(), 1000, "none is missing");
    assert!(twice <= again, "{twice} are recorded twice, {again} were sent again");
    let (code, ledger) = hosts.ledger(&[&sent, &came]);
    assert_eq!((code, &ledger["ledger_closed"]), (Some(3), &true.into()), "{ledger}");
    assert_eq!(ledger["unknown"].as_array().map(Vec::len), Some(1), "the killed run: {ledger}");
}

#[test]
fn a_receiver_that_is_interrupted_hands_over_to_its_next_run() {
    let Some(broker) = broker() else { return };
    let (hosts, topic) = (Hosts::new(one_by_one), topic(broker, "interrupted"));
    let (sender, receiver) = (hosts.send(&topic), hosts.receive(&topic));
    some_more(&hosts, &mut Random::new(34));
    receiver.signal("-INT");
    let (code, first) = receiver.end();
    assert_eq!((code, &first["ended_by"]), (Some(0), &"interrupted".into()), "{first}");
    let (code, last) = hosts.receive(&topic).end();
    assert_eq!(code, Some(0), "{last}");
    let (code, sent) = sender.end();
    assert_eq!(code, Some(0), "{sent}");
    assert_eq!(hosts.came().len(), 1000, "none is missing, and none came twice");
    assert_eq!(hosts.ledger(&[&sent, &first, &last]).0, Some(0));
}

#[test]
fn a_broker_that_is_killed_and_back_costs_nothing() {
    let Some(broker) = Broker::start("program-killed") else { return };
    // The sender must not have ended when the broker is killed: it does not wait for the receiver.
    let hosts = Hosts::new(|text| one_by_one(text).replace("acquire_period: 1 ms", "acquire_period: 10 ms"));
    let topic = topic(&broker, "killed-broker");
    let (sender, receiver) = (hosts.send(&topic), hosts.receive(&topic));
    some_more(&hosts, &mut Random::new(35));
    broker.signal("-KILL");
    sender.hear("the receiver is gone");
    broker.start_again();
    hosts.end_without_a_loss(sender, receiver);
}
