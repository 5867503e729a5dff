//! The interleavings of frames that come home, checked by the model checker with at most as many preemptions as
//! `make models` allows (two).

use livetime_frame::{FramePool, Returns};
use loom::thread;

#[test]
fn last_drop_races_with_the_next_allocation() {
    loom::model(|| {
        let pool = FramePool::new(1 << 20);
        let mut allocator = pool.allocator();
        let frame = allocator.bytes(8).unwrap().freeze();
        let other = frame.clone();
        let thread = thread::spawn(move || drop(other));
        drop(frame);
        let next = allocator.bytes(8).unwrap().freeze();
        thread.join().unwrap();
        drop(next);
        drop(allocator);
        assert_eq!(pool.statistics().buffers, 0);
    });
}

#[test]
fn two_frames_come_home_while_the_allocator_closes() {
    loom::model(|| {
        let pool = FramePool::new(1 << 20);
        let mut allocator = pool.allocator();
        let frames = [(); 2].map(|()| allocator.bytes(8).unwrap().freeze());
        let threads = frames.map(|frame| thread::spawn(move || drop(frame)));
        drop(allocator);
        threads.into_iter().for_each(|t| t.join().unwrap());
        assert_eq!(pool.statistics().buffers, 0);
    });
}

#[test]
fn shared_references_are_counted_once_each() {
    loom::model(|| {
        let pool = FramePool::new(1 << 20);
        let mut allocator = pool.allocator();
        let frame = allocator.bytes(8).unwrap().freeze();
        let mut shares = frame.split(3);
        let picked = shares.take();
        let thread = thread::spawn(move || drop(picked));
        drop(shares);
        thread.join().unwrap();
        drop(allocator);
        assert_eq!(pool.statistics().buffers, 0);
    });
}

#[test]
fn a_frame_is_written_again_only_when_no_reader_is_left() {
    loom::model(|| {
        let pool = FramePool::new(1 << 20);
        let mut allocator = pool.allocator();
        let mut frame = allocator.bytes(8).unwrap().freeze();
        let reader = frame.clone();
        let thread = thread::spawn(move || assert_eq!(reader.bytes(), [0; 8]));
        match frame.try_into_mut() {
            Ok(mut again) => {
                again.bytes_mut().fill(1);
                frame = again.freeze();
                assert_eq!(frame.bytes(), [1; 8]);
            }
            Err(same) => frame = same,
        }
        thread.join().unwrap();
        drop((frame, allocator));
        assert_eq!(pool.statistics().buffers, 0);
    });
}

#[test]
fn a_batch_comes_home_while_the_allocator_takes_or_closes() {
    for closes in [false, true] {
        loom::model(move || {
            let pool = FramePool::new(1 << 20);
            let mut allocator = pool.allocator();
            let frames = [(); 2].map(|()| allocator.bytes(8).unwrap().freeze());
            let thread = thread::spawn(move || {
                let mut returns = Returns::default();
                frames.into_iter().for_each(|frame| returns.give(frame));
            });
            let next = (!closes).then(|| allocator.bytes(8).unwrap().freeze());
            drop(allocator);
            thread.join().unwrap();
            drop(next);
            assert_eq!(pool.statistics().buffers, 0);
        });
    }
}
