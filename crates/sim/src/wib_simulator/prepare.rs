//! The loop of data that is sent repeatedly.

use std::sync::Mutex;
use std::thread;

use livetime_engine::{Context, NodeError};
use livetime_frame::{Frame, FrameMut};
use livetime_kernels::Level;

use crate::wires::{FrameWriter, Simulation, SimulationSetup};
use livetime_wire::RawFormat;

/// The batches of one link, in order; a place is empty only while its batch is being written.
pub(super) type Ring = Vec<Option<Frame>>;

/// Makes the frames of all links of a loop: `batches` of `batch_frames` frames each. With all cores: each link is made by one thread,
/// and does not depend on which one.
///
/// # Errors
/// [`NodeError`] when there is no memory, or the setup is refused.
pub(super) fn prepare(
    setup: SimulationSetup,
    batch_frames: usize,
    ctx: &mut Context,
) -> Result<(Simulation, Vec<Ring>), NodeError> {
    let simulation = Simulation::new(setup)?;
    let format = simulation.setup().format;
    let batches = simulation.setup().ticks / format.samples() / batch_frames;
    let bytes = batch_frames * format.bytes();
    let count = batches * simulation.links().len();
    // Before they are asked for one by one, which may mean to wait.
    ctx.preallocate(bytes, count).map_err(|e| too_large(e, count * bytes))?;
    let mut links = Vec::new();
    for _ in simulation.links() {
        links.push((0..batches).map(|_| ctx.bytes(bytes)).collect::<Result<Vec<_>, _>>()?);
    }
    fill_all(&simulation, batch_frames, &mut links)?;
    let freeze = |frames: Vec<FrameMut>| frames.into_iter().map(|f| Some(f.freeze())).collect();
    Ok((simulation, links.into_iter().map(freeze).collect()))
}

fn too_large(error: NodeError, bytes: usize) -> NodeError {
    NodeError::new(format_args!(
        "{error}; the prepared loop needs {} MB: give the pipeline more memory, or shorten loop_time",
        bytes >> 20
    ))
}

fn fill_all(
    simulation: &Simulation,
    batch_frames: usize,
    links: &mut [Vec<FrameMut>],
) -> Result<(), NodeError> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(links.len());
    let work = Mutex::new(links.iter_mut().enumerate());
    // A closure, so that the lock is free while a link is filled.
    let next = || work.lock().unwrap_or_else(|e| e.into_inner()).next();
    let fill_links = || {
        while let Some((link, frames)) = next() {
            fill(simulation, link, batch_frames, frames)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(fill_links)).collect();
        let panicked = |_| Err(NodeError::new("a thread that simulates a link has panicked"));
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(panicked))
    })
}

/// Writes the batches of a link.
fn fill(
    simulation: &Simulation,
    link: usize,
    batch_frames: usize,
    frames: &mut [FrameMut],
) -> Result<(), NodeError> {
    let format: RawFormat = simulation.setup().format;
    let mut samples = vec![0; batch_frames * format.samples() * format.channels()];
    let mut reader = simulation.samples(link)?;
    let writer = FrameWriter { format, link: &simulation.links()[link] };
    for (frame, number) in frames.iter_mut().zip((0..).step_by(batch_frames)) {
        reader.read(Level::best(), &mut samples)?;
        // The times are written when the batch is sent.
        writer.write(&samples, number, 0, frame.bytes_mut())?;
    }
    Ok(())
}
