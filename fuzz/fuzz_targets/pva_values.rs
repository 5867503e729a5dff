//! Any bytes as types, with and without numbers for them, and values: what is read is written and read again the
//! same.
//!
//! `cargo +nightly fuzz run pva_values`
#![no_main]

use livetime_pva::data::{Dynamic, Type, TypeCache, Value};
use livetime_pva::wire::{BitSet, Order, Reader, Writer};

/// Compares by what is written, because a NaN is not equal to itself.
fn written(order: Order, write: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::new(order);
    write(&mut writer);
    writer.to_vec()
}

fn check_dynamic(value: &Dynamic, order: Order) {
    assert!(!format!("{value:?}").is_empty());
    let bytes = written(order, |w| value.encode(w));
    let mut reader = Reader::new(&bytes, order);
    let again = Dynamic::decode(&mut reader, &mut TypeCache::new()).expect("ours").expect("not null");
    assert!(reader.is_empty());
    assert_eq!(written(order, |w| again.encode(w)), bytes);
}

fn check_changed(value: &Value, bits: &BitSet, order: Order) {
    let bytes = written(order, |w| value.encode_bits(w, bits));
    let mut copy = Value::new(value.structure());
    let mut reader = Reader::new(&bytes, order);
    copy.decode_changed(&mut reader, &mut TypeCache::new()).expect("ours");
    assert!(reader.is_empty());
    assert_eq!(written(order, |w| copy.encode_bits(w, bits)), bytes);
    assert!(!value.to_string().is_empty());
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&flags, bytes)) = input.split_first() else { return };
    let order = if flags & 1 == 0 { Order::Little } else { Order::Big };
    let shared = bytes::Bytes::copy_from_slice(bytes);
    let mut reader = if flags & 2 == 0 { Reader::new(bytes, order) } else { Reader::shared(&shared, order) };
    let mut cache = TypeCache::new();
    if flags & 4 != 0 {
        while let Ok(value) = Dynamic::decode(&mut reader, &mut cache) {
            value.iter().for_each(|value| check_dynamic(value, order));
            if reader.is_empty() {
                return;
            }
        }
        return;
    }
    let Ok(Some(ty)) = Type::decode(&mut reader, &mut cache) else { return };
    let bytes = written(order, |w| ty.encode(w));
    let again = Type::decode_some(&mut Reader::new(&bytes, order), &mut TypeCache::new());
    assert_eq!(again.expect("ours"), ty);
    let Type::Structure(structure) = &ty else { return };
    let mut value = Value::new(structure);
    while let Ok(changed) = value.decode_changed(&mut reader, &mut cache) {
        check_changed(&value, &changed, order);
        if reader.is_empty() {
            return;
        }
    }
});
