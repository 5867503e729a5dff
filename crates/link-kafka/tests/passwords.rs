//! Brokers that want a password.

use std::sync::atomic::AtomicU64;

use livetime_link_kafka::{Address, read_properties};
use livetime_testkit::Broker;

use crate::ends::{all, send_to, settings, take_from};

/// The address of a topic behind the listener that wants a password, for a user who has this one.
fn address(broker: &Broker, password: &str) -> Address {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "security.protocol=sasl_plaintext\nsasl.mechanisms=PLAIN\nsasl.username=livetime\nsasl.password={password}\n"
    );
    std::fs::write(folder.path().join("kafka.properties"), text).unwrap();
    let address: Address = format!("{}/secured", broker.secured()).parse().unwrap();
    Address { properties: read_properties(folder.path()).unwrap(), ..address }
}

#[test]
fn the_right_password_comes_in_and_a_wrong_one_is_refused_at_both_ends() {
    let Some(broker) = Broker::start_with_password("passwords", "right") else { return };
    assert_eq!(send_to(&settings(), address(&broker, "right"), 50, u64::MAX), (all(50), None));
    let (account, refusal) = send_to(&settings(), address(&broker, "wrong"), 5, u64::MAX);
    let refusal = refusal.unwrap();
    assert!(account.delivered == 0 && refusal.contains("Authentication"), "{account:?} {refusal}");
    let wrong = take_from(address(&broker, "wrong"), &AtomicU64::new(0), |_| true);
    assert!(wrong.numbers.is_empty() && wrong.refusal.unwrap().contains("Authentication"));
    let right = take_from(address(&broker, "right"), &AtomicU64::new(0), |_| true);
    assert_eq!((right.numbers, right.refusal), ((0..50).collect(), None));
}
