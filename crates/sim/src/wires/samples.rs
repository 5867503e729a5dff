//! The samples of a link.

use livetime_engine::NodeError;
use livetime_kernels::Level;
use livetime_kernels::random::Counter;
use livetime_kernels::waveform::{Waveform, WireChannel};

use super::channels::channels;
use super::coherent::{BOARD, Coherent};
use super::random::Stream;
use super::{SimulatedLink, SimulationSetup, TruePulse};

/// Rows that are made at once: with their signal they stay in the second cache.
const ROWS: usize = 256;
/// Time constant of AC coupling.
const COUPLING_S: f64 = 1.1e-3;

/// Makes the samples of one link, row after row. Behind the end of the loop come its pulses again, with other noise.
pub struct LinkSamples<'a> {
    channels: usize,
    ticks: usize,
    waveform: Waveform,
    /// Common noise of the boards that the channels belong to.
    boards: Vec<Coherent>,
    sticky: Sticky,
    undershoot: Option<Undershoot>,
    pulses: &'a [TruePulse],
    /// The first of `pulses` that has not begun, and the pulses that have begun and not ended.
    next: usize,
    open: Vec<TruePulse>,
    /// Tick in the loop of the next row.
    tick: usize,
    signal: Vec<f32>,
}

impl<'a> LinkSamples<'a> {
    pub(super) fn new(
        setup: &SimulationSetup,
        link: &SimulatedLink,
        pulses: &'a [TruePulse],
    ) -> LinkSamples<'a> {
        let made = channels(setup, link);
        let wires: Vec<WireChannel> = made.iter().map(|c| c.wire).collect();
        let (count, number) = (wires.len(), u64::from(link.number));
        let noise = Stream::Noise.numbers(setup.seed, number);
        let boards = 0..count.div_ceil(BOARD) as u64;
        // Two WIBEth streams read one board.
        let first_board = number * count as u64 / BOARD as u64;
        LinkSamples {
            channels: count,
            ticks: setup.ticks,
            waveform: Waveform::new(noise, &wires, setup.correlation, setup.format.most()),
            boards: match setup.coherent_rms > 0.0 {
                true => boards.map(|b| Coherent::new(setup, first_board + b)).collect(),
                false => Vec::new(),
            },
            sticky: Sticky {
                numbers: Stream::Sticky.numbers(setup.seed, number),
                channels: made.iter().map(|c| c.sticky).enumerate().filter(|(_, p)| *p > 0.0).collect(),
            },
            undershoot: setup.undershoot.then(|| Undershoot {
                level: vec![0.0; count],
                part: (setup.tick_seconds() / COUPLING_S) as f32,
            }),
            pulses,
            next: 0,
            open: Vec::new(),
            tick: 0,
            signal: vec![0.0; ROWS * count],
        }
    }

    /// Makes the next rows: all channels of a tick, then all of the next tick.
    ///
    /// # Errors
    /// [`NodeError`] when `samples` are not whole rows.
    pub fn read(&mut self, level: Level, samples: &mut [i16]) -> Result<(), NodeError> {
        let mut rest = samples;
        while !rest.is_empty() {
            // No piece reaches over the end of the loop, where the pulses begin again.
            let rows = (rest.len() / self.channels).min(ROWS).min(self.ticks - self.tick);
            if rows == 0 {
                let (channels, found) = (self.channels, rest.len());
                return Err(NodeError::new(format_args!("wanted rows of {channels} samples, found {found}")));
            }
            let (now, later) = rest.split_at_mut(rows * self.channels);
            self.draw(rows);
            let signal = &self.signal[..now.len()];
            self.waveform.digitize(level, signal, now).map_err(NodeError::new)?;
            // Sticky codes are a fault of the ADC, so they come after noise and pulses.
            self.sticky.apply(now, self.channels, self.tick);
            self.tick += rows;
            if self.tick == self.ticks {
                // Pulses that reach over the end are listed a second time, at the begin.
                (self.tick, self.next) = (0, 0);
                self.open.clear();
            }
            rest = later;
        }
        Ok(())
    }

    /// Common noise and pulses of the next rows.
    fn draw(&mut self, rows: usize) {
        let signal = &mut self.signal[..rows * self.channels];
        signal.fill(0.0);
        for row in signal.chunks_exact_mut(self.channels) {
            for (board, row) in self.boards.iter_mut().zip(row.chunks_mut(BOARD)) {
                row.fill(board.next());
            }
        }
        let (begin, end) = (self.tick as f64, (self.tick + rows) as f64);
        // The list is in the order in which pulses begin.
        let begun = self.pulses[self.next..].iter().take_while(|p| p.begin() < end);
        self.open.extend(begun);
        self.next += self.pulses[self.next..].iter().take_while(|p| p.begin() < end).count();
        for pulse in &self.open {
            let ticks = pulse.begin().max(begin) as usize..pulse.end().min(end).max(begin) as usize;
            for tick in ticks {
                let at = (tick - self.tick) * self.channels + usize::from(pulse.channel);
                signal[at] += pulse.at(tick as f64);
            }
        }
        self.open.retain(|p| p.end() > end);
        if let Some(undershoot) = &mut self.undershoot {
            undershoot.apply(signal, self.channels);
        }
    }
}

/// Channels whose samples keep to some codes.
struct Sticky {
    numbers: Counter,
    /// With the probability of it.
    channels: Vec<(usize, f64)>,
}

impl Sticky {
    /// `first` is the tick of the first row.
    fn apply(&self, samples: &mut [i16], channels: usize, first: usize) {
        for (row, tick) in samples.chunks_exact_mut(channels).zip(first..) {
            for (channel, probability) in &self.channels {
                // A number for each sample, so that pieces of any length give the same data.
                let at = tick * channels + channel;
                if self.numbers.uniform(at) < *probability {
                    row[*channel] = stuck(row[*channel], self.numbers.at(at));
                }
            }
        }
    }
}

/// The nearest multiple of 64, or one beside it.
fn stuck(sample: i16, random: u64) -> i16 {
    let beside = [0, 1, -1][(random % 3) as usize];
    ((sample.saturating_add(32) & !63) + beside).max(0)
}

/// AC coupling: the mean of the signal over its time constant is missing from it.
struct Undershoot {
    level: Vec<f32>,
    /// Of a tick in the time constant.
    part: f32,
}

impl Undershoot {
    fn apply(&mut self, signal: &mut [f32], channels: usize) {
        for row in signal.chunks_exact_mut(channels) {
            for (signal, level) in row.iter_mut().zip(&mut self.level) {
                let over = *signal - *level;
                *level += self.part * over;
                *signal = over;
            }
        }
    }
}
