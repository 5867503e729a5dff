//! An update of numbers and short texts takes no memory, at either end.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use livetime_pva::data::{Array, ScalarType, TypeCache, Value};
use livetime_pva::nt;
use livetime_pva::wire::{BitSet, Order, Reader, SHARE_BYTES, Writer};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn allocations(run: impl FnOnce()) -> usize {
    let region = Region::new(GLOBAL);
    run();
    let change = region.change();
    change.allocations + change.reallocations
}

// One test, so that no other thread allocates meanwhile.
#[test]
fn memory_is_used_again() {
    small_updates_allocate_nothing();
    large_arrays_are_not_copied();
}

fn small_updates_allocate_nothing() {
    let ty = nt::scalar(ScalarType::F64);
    let (mut sent, mut received) = (Value::new(&ty), Value::new(&ty));
    let mut writer = Writer::new(Order::Big);
    let mut cache = TypeCache::new();
    let mut bytes = Vec::with_capacity(4096);
    let mut update = |number: f64, message: &str| {
        sent.clear_changed();
        sent.set_bit(1, number).unwrap();
        nt::set_alarm_text(&mut sent, nt::Severity::Major, 1, message).unwrap();
        writer.clear();
        sent.encode_changed(&mut writer);
        bytes.clear();
        writer.chunks().for_each(|chunk| bytes.extend_from_slice(chunk));
        received.decode_changed(&mut Reader::new(&bytes, Order::Big), &mut cache).unwrap();
    };
    update(1.0, "a text that is long");
    assert_eq!(allocations(|| (0..100).for_each(|i| update(f64::from(i), "shorter"))), 0);
    assert_eq!(received.f64("value"), Some(99.0));
    assert_eq!(received.str("alarm.message"), Some("shorter"));
}

fn large_arrays_are_not_copied() {
    let ty = nt::scalar_array(ScalarType::U16);
    let mut value = Value::new(&ty);
    value.set("value", Array::from(vec![7u16; 1 << 20])).unwrap();
    let before = value.array("value").unwrap().data().as_ptr();
    let update = value.update(&mut Writer::new(Order::HOST), &BitSet::from_iter([1]));
    let large = update.chunks().find(|chunk| chunk.len() >= SHARE_BYTES).unwrap();
    assert_eq!(large.as_ptr(), before);
    assert_eq!(allocations(|| drop(update.clone())), 0);

    let bytes = update.to_bytes();
    let mut received = Value::new(&ty);
    let mut reader = Reader::shared(&bytes, Order::HOST);
    received.decode_changed(&mut reader, &mut TypeCache::new()).unwrap();
    let array = received.array("value").unwrap().data();
    assert!(bytes.as_ptr_range().contains(&array.as_ptr()));
}
