//! Threads that only write pictures into a new file.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use livetime_engine::NodeError;
use livetime_frame::Frame;

/// Frames per second, and no flushes.
pub(super) fn write(
    frames: &[Frame],
    count: usize,
    threads: usize,
    path: &Path,
) -> Result<(f64, Vec<f64>), NodeError> {
    let begin = Instant::now();
    let file = File::create_new(path).map_err(NodeError::new)?;
    // Each frame has a place as long as the longest, so that threads need not wait for each other.
    let longest = frames.iter().map(|frame| frame.bytes().len()).max().unwrap_or(0) as u64;
    let part = |thread: usize| {
        (thread..count).step_by(threads).try_for_each(|number| {
            file.write_all_at(frames[number % frames.len()].bytes(), number as u64 * longest)
        })
    };
    std::thread::scope(|scope| {
        let part = &part;
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        let mut ended = threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread has panicked"));
        ended.try_for_each(|done| done.map_err(NodeError::new)?.map_err(NodeError::new))
    })?;
    Ok((count as f64 / begin.elapsed().as_secs_f64(), vec![]))
}
