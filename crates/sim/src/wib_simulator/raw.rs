//! The simulated links without a graph: every frame as it comes, for files.

use livetime_engine::NodeError;
use livetime_kernels::Level;

use super::faults::{Fault, LinkFaults};
use super::{WibSimulatorParams, truth};
use crate::wires::{FrameWriter, Simulation};
use livetime_wire::{RawFormat, TruthRow};

/// The output of the links for some time, with all faults: the frames as they come out of the detector, before any account of them. Nothing repeats: all of the time is
/// simulated, so that memory holds the pulses only.
///
/// ```
/// use livetime_sim::wib_simulator::{SimulatedLinks, WibSimulatorParams};
///
/// let mut params = WibSimulatorParams::default();
/// (params.links, params.first_timestamp, params.faults) = (2, 1000, "drop 10".into());
/// let links = SimulatedLinks::new(&params, 0.001)?;
/// let mut bytes = Vec::new();
/// links.write(1, |frames| Ok(bytes.extend_from_slice(frames)))?;
/// assert_eq!((links.links(), bytes.len()), (2, (links.frames() as usize - 1) * 464));
/// # Ok::<(), livetime_engine::NodeError>(())
/// ```
#[derive(Debug)]
pub struct SimulatedLinks {
    simulation: Simulation,
    format: RawFormat,
    batch_frames: usize,
    first: u64,
    seed: u64,
    faults: Vec<Fault>,
}

impl SimulatedLinks {
    /// `seconds` of the detector that `params` describe, rounded up to whole batches, from `first_timestamp` on. Rate, loop and duration do not matter.
    ///
    /// # Errors
    /// [`NodeError`] when the parameters ask for something that does not exist.
    pub fn new(params: &WibSimulatorParams, seconds: f64) -> Result<SimulatedLinks, NodeError> {
        let batch_frames = params.batch_frames();
        let mut setup = params.setup()?;
        setup.ticks = params.batches_in(seconds) as usize * batch_frames * setup.format.samples();
        let (format, seed) = (setup.format, setup.seed);
        let (simulation, faults) = (Simulation::new(setup)?, params.faults()?);
        Ok(SimulatedLinks { simulation, format, batch_frames, first: params.first_timestamp, seed, faults })
    }

    /// Number of links.
    pub fn links(&self) -> usize {
        self.simulation.links().len()
    }

    /// Frames of each link, if nothing goes wrong.
    pub fn frames(&self) -> u64 {
        (self.simulation.setup().ticks / self.format.samples()) as u64
    }

    /// Format of the frames.
    pub fn format(&self) -> RawFormat {
        self.format
    }

    /// Gives the frames of link `link` to `give`, one or many at once, as they come. Links do not depend on each other.
    ///
    /// # Errors
    /// [`NodeError`] when there is no such link, or the error of `give`, which is not called again.
    pub fn write(
        &self,
        link: usize,
        mut give: impl FnMut(&[u8]) -> Result<(), NodeError>,
    ) -> Result<(), NodeError> {
        let format = self.format;
        let mut reader = self.simulation.samples(link)?;
        let Some(at) = self.simulation.links().get(link) else { return Ok(()) };
        let writer = FrameWriter { format, link: at };
        let mut samples = vec![0; self.batch_frames * format.samples() * format.channels()];
        let mut frames = vec![0; self.batch_frames * format.bytes()];
        // One for the whole link, because a fault may reach over the end of a batch.
        let mut faults = LinkFaults::new(format, link as u16, self.seed, &self.faults);
        for number in (0..self.frames()).step_by(self.batch_frames) {
            reader.read(Level::best(), &mut samples)?;
            let stamp = self.first.wrapping_add(number.wrapping_mul(format.step()));
            writer.write(&samples, number, stamp, &mut frames)?;
            faults.pass(&frames, number, &mut give)?;
        }
        Ok(())
    }

    /// The true pulses of all links, in the order of time.
    pub fn truth(&self) -> Vec<TruthRow> {
        let mut rows = truth::rows(&self.simulation);
        rows.iter_mut().for_each(|row| row.time_peak = row.time_peak.wrapping_add(self.first));
        rows
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::Harness;

    use super::*;
    use crate::WibSimulator;
    use livetime_wire::RawBatch;

    /// The node sends the same bytes and truth, where nothing goes wrong.
    #[test]
    fn it_is_what_the_node_sends() {
        let mut params = WibSimulatorParams::default();
        (params.links, params.first_timestamp, params.batch, params.argon_rate) = (2, 5000, 8, 5000.0);
        let links = SimulatedLinks::new(&params, 0.001).unwrap();
        let given = [
            ("links", 2.into()),
            ("first_timestamp", 5000.into()),
            ("batch", 8.into()),
            ("argon_rate", 5000.0.into()),
            ("loop_time", 0.001.into()),
            ("duration", 0.001.into()),
            ("rate", 0.0.into()),
        ];
        let frames = Harness::new::<WibSimulator>(&given).unwrap().run_source(100).unwrap();
        for link in 0..2 {
            let sent: Vec<u8> = frames
                .iter()
                .filter_map(|frame| RawBatch::of(frame).ok())
                .filter(|batch| usize::from(batch.link) == link)
                .flat_map(|batch| batch.bytes.iter().copied())
                .collect();
            let mut written = Vec::new();
            links
                .write(link, |frames| {
                    written.extend_from_slice(frames);
                    Ok(())
                })
                .unwrap();
            assert!(written == sent && written.len() == links.frames() as usize * 464);
        }
        let truth = links.truth();
        let node: usize = frames
            .iter()
            .filter_map(|frame| frame.table().ok())
            .filter(|t| t.layout().schema().column("origin").is_some())
            .map(|t| t.layout().rows())
            .sum();
        assert!(!truth.is_empty() && truth.len() == node && truth.iter().all(|row| row.time_peak >= 5000));
        assert!(links.write(2, |_| Ok(())).is_err());
    }

    #[test]
    fn faults_are_in_the_bytes() {
        let mut params = WibSimulatorParams::default();
        (params.links, params.first_timestamp) = (1, 1000);
        params.faults = "drop 20; repeat 40; back 60 1000; mm 80".into();
        let links = SimulatedLinks::new(&params, 0.001).unwrap();
        let mut bytes = Vec::new();
        links
            .write(0, |frames| {
                bytes.extend_from_slice(frames);
                Ok(())
            })
            .unwrap();
        let stamps: Vec<u64> = bytes.chunks(464).map(|frame| RawFormat::Wib1.stamp(frame)).collect();
        let frame = |stamp: u64| (stamp as i64 - 1000) / 25;
        assert_eq!(stamps.len() as u64, links.frames());
        assert_eq!([19, 20, 39, 40, 60].map(|i| frame(stamps[i])), [19, 21, 40, 40, 20]);
    }
}
