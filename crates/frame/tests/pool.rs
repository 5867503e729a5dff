//! The pool as its users see it.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;
use std::thread;

use livetime_frame::{
    AttributeValue, Bytes, ColorMode, DType, FramePool, Layout, Payload, Returns, Schema, TableLayout,
    ViewError,
};

fn image(width: usize, height: usize) -> Layout {
    Layout::packed(DType::U8, ColorMode::Mono, &[height, width]).unwrap()
}

#[test]
fn memory_is_reused_and_comes_back_clean() {
    let pool = FramePool::new(1 << 20);
    let mut allocator = pool.allocator();
    for sequence in 0..100 {
        let mut frame = allocator.array(image(100, 100)).unwrap();
        assert!(frame.header().attributes.is_empty());
        assert_eq!(frame.header().sequence, 0);
        frame.header_mut().sequence = sequence;
        frame.header_mut().attributes.set(&"a".into(), AttributeValue::Int(1));
        let frame = frame.freeze();
        let second = frame.clone();
        drop(frame);
        assert_eq!(second.header().sequence, sequence);
    }
    assert_eq!(pool.statistics().buffers, 1);
}

#[test]
fn the_bound_holds_and_other_sizes_make_room() {
    let pool = FramePool::new(3 * FramePool::cost_bytes(10_000));
    let mut allocator = pool.allocator();
    let held: Vec<_> = (0..3).map(|_| allocator.bytes(10_000).unwrap().freeze()).collect();
    let error = allocator.bytes(10_000).unwrap_err();
    assert_eq!(error.limit_bytes, error.used_bytes);
    assert_eq!(pool.statistics().exhausted, 1);
    drop(held);
    let larger = allocator.bytes(20_000).unwrap();
    assert!(pool.statistics().used_bytes <= pool.statistics().limit_bytes);
    drop(larger);
    drop(allocator);
    assert_eq!(pool.statistics().used_bytes, 0);
}

#[test]
fn views_keep_the_memory_alive_and_stay_inside() {
    let pool = FramePool::new(1 << 20);
    let mut allocator = pool.allocator();
    let whole = image(8, 4);
    let mut frame = allocator.array(whole).unwrap();
    for (i, pixel) in frame.elements_mut::<u8>().unwrap().iter_mut().enumerate() {
        *pixel = i as u8;
    }
    let frame = frame.freeze();
    let (rows, y) = whole.crop(0, 1, 2).unwrap();
    let (part, x) = rows.crop(1, 2, 3).unwrap();
    let view = allocator.view(&frame, part, y + x).unwrap().freeze();
    let (corner, skip) = part.crop(0, 1, 1).unwrap();
    let view_of_view = allocator.view(&view, corner, skip).unwrap().freeze();
    drop((frame, view));
    let again = allocator.array(whole).unwrap();
    let rows: Vec<&[u8]> = view_of_view.array().unwrap().rows().unwrap().collect();
    assert_eq!(rows, [[18, 19, 20]]);
    assert!(matches!(allocator.view(&again.freeze(), whole, 1), Err(ViewError::Outside(_))));
}

#[test]
fn frames_outlive_their_allocator_and_come_back_from_other_threads() {
    let pool = FramePool::new(1 << 20);
    let mut allocator = pool.allocator();
    let frames: Vec<_> = (0..50).map(|_| allocator.bytes(100).unwrap().freeze()).collect();
    let copies = frames.clone();
    let threads = [frames, copies].map(|frames| thread::spawn(move || drop(frames)));
    drop(allocator);
    threads.into_iter().for_each(|t| t.join().unwrap());
    assert_eq!(pool.statistics().used_bytes, 0);
    assert_eq!(pool.statistics().buffers, 0);
}

#[test]
fn batches_come_back_from_many_shelves_and_after_the_end() {
    let pool = FramePool::new(1 << 20);
    for closes_first in [false, true] {
        let mut allocator = pool.allocator();
        // More than two shelves, in an order that changes the shelf at every step.
        let mut frames: Vec<_> = (0..150).map(|_| allocator.bytes(100).unwrap().freeze()).collect();
        let shared = frames[7].clone();
        let mut returns = Returns::default();
        let mut allocator = Some(allocator);
        if closes_first {
            allocator = None;
        }
        while let Some(frame) = frames.pop() {
            returns.give(frame);
            if !frames.is_empty() {
                returns.give(frames.remove(0));
            }
        }
        drop(returns);
        if let Some(allocator) = &mut allocator {
            let again: Vec<_> = (0..149).map(|_| allocator.bytes(100).unwrap()).collect();
            assert_eq!((again.len(), pool.statistics().buffers), (149, 150));
        } else {
            assert_eq!(pool.statistics().buffers, 1);
        }
        drop((shared, allocator));
        assert_eq!(pool.statistics().used_bytes, 0);
    }
}

#[test]
fn large_frames_use_few_buffers_small_ones_go_round() {
    let pool = FramePool::new(64 << 20);
    let mut allocator = pool.allocator();
    drop((0..5).map(|_| allocator.bytes(100_000).unwrap()).collect::<Vec<_>>());
    let place = |frame: livetime_frame::FrameMut| frame.freeze().bytes().as_ptr() as usize;
    let first = place(allocator.bytes(100_000).unwrap());
    assert!((0..9).all(|_| place(allocator.bytes(100_000).unwrap()) == first));
    assert_eq!(pool.statistics().buffers, 5);
}

#[test]
fn memory_from_elsewhere_is_shown_and_let_go_of() {
    struct Owner(Vec<u8>, #[allow(dead_code, reason = "dropped with it")] Arc<()>);
    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    let pool = FramePool::new(1 << 20);
    let mut allocator = pool.allocator();
    let token = Arc::new(());
    let alive = Arc::downgrade(&token);
    let bytes = Bytes::from_owner(Owner((0..16).collect(), token));
    let layout = image(4, 4);
    assert!(allocator.adopt(layout, bytes.slice(1..)).is_err(), "too short");
    let odd = Layout::packed(DType::U16, ColorMode::Mono, &[2]).unwrap();
    let start = usize::from(bytes.as_ptr().addr().is_multiple_of(2));
    assert!(allocator.adopt(odd, bytes.slice(start..start + 4)).is_err(), "between two elements");
    let mut frame = allocator.adopt(layout, bytes).unwrap();
    assert!(frame.bytes_mut().is_empty(), "memory of others is not written");
    let frame = frame.freeze();
    let (rows, start) = layout.crop(0, 1, 2).unwrap();
    let view = allocator.view(&frame, rows, start).unwrap().freeze();
    let labelled = allocator.relabel(&view).unwrap().freeze();
    drop((frame, view));
    assert_eq!(labelled.bytes(), (4..12).collect::<Vec<u8>>());
    assert!(alive.upgrade().is_some());
    drop(labelled);
    assert!(alive.upgrade().is_none());
}

#[test]
fn a_new_header_needs_no_copy_of_the_pixels() {
    let pool = FramePool::new(1 << 20);
    let mut allocator = pool.allocator();
    let mut frame = allocator.array(image(4, 4)).unwrap();
    frame.elements_mut::<u8>().unwrap()[0] = 7;
    let frame = frame.freeze();
    let mut labelled = allocator.relabel(&frame).unwrap();
    labelled.header_mut().attributes.set(&"Gain".into(), AttributeValue::Float(2.0));
    let labelled = labelled.freeze();
    assert_eq!(labelled.bytes().as_ptr(), frame.bytes().as_ptr());
    assert!(frame.header().attributes.is_empty());
}

#[test]
fn wrong_types_are_refused_with_both_sides_named() {
    let pool = FramePool::new(1 << 20);
    let mut allocator = pool.allocator();
    let mut frame = allocator.array(image(4, 4)).unwrap();
    assert!(frame.elements_mut::<u16>().is_err());
    let frame = frame.freeze();
    let error = frame.array().unwrap().elements::<f32>().unwrap_err();
    assert_eq!(error.to_string(), "wanted array of f32, found 4x4 u8 mono");
    assert_eq!(frame.table().unwrap_err().to_string(), "wanted table, found array 4x4 u8 mono");
}

#[test]
fn tables_and_values_travel() {
    let pool = FramePool::new(1 << 20);
    let mut allocator = pool.allocator();
    let schema = Schema::new([("channel", DType::U16), ("peak", DType::F32)]);
    let mut hits = allocator.table(TableLayout::new(schema, 3).unwrap()).unwrap();
    hits.column_mut::<u16>(0).unwrap().copy_from_slice(&[5, 6, 7]);
    hits.column_mut::<f32>(1).unwrap().copy_from_slice(&[0.5, 1.5, 2.5]);
    assert!(hits.column_mut::<u16>(1).is_err());
    assert!(hits.column_mut::<u16>(2).is_err());
    let hits = hits.freeze();
    assert_eq!(hits.table().unwrap().column::<f32>(1).unwrap(), [0.5, 1.5, 2.5]);
    let value = allocator.value(Arc::new(String::from("hello"))).unwrap().freeze();
    assert_eq!(value.value::<String>().unwrap(), "hello");
    assert!(value.value::<u32>().is_err());
    assert!(matches!(value.payload(), Payload::Any(_)));
}

#[test]
fn bytes_can_be_shortened_and_arrays_cannot() {
    let mut allocator = FramePool::new(1 << 20).allocator();
    let mut frame = allocator.bytes(1000).unwrap();
    frame.bytes_mut().fill(7);
    frame.shorten(2000);
    frame.shorten(300);
    assert_eq!(frame.freeze().bytes(), [7; 300]);
    // The next one has all its room again.
    assert_eq!(allocator.bytes(1000).unwrap().bytes_mut().len(), 1000);
    let layout = Layout::packed(DType::U8, ColorMode::Mono, &[3, 4]).unwrap();
    let mut array = allocator.array(layout).unwrap();
    array.shorten(5);
    assert_eq!(array.freeze().bytes().len(), 12);
}
