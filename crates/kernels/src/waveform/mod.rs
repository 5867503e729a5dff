//! Simulated samples of wires: pedestal, noise and pulses, rounded and limited as an ADC does.
//!
//! ```text
//! noise(t)  = correlation · noise(t − 1) + √(1 − correlation²) · normal        first-order autoregressive, deviation 1
//! sample(t) = round(pedestal + gain · signal(t) + rms · noise(t))              kept from 0 to the highest code
//! ```
//!
//! Every random number is a function of seed, tick and channel.

#[cfg(test)]
mod tests;

use crate::random::{Counter, Normal};
use crate::{LengthError, Level};

/// The state of one channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WireChannel {
    /// Mean of the samples without a signal, counts.
    pub pedestal: f32,
    /// Standard deviation of the noise, counts.
    pub rms: f32,
    /// Factor of the signal; 0 for a dead channel.
    pub gain: f32,
}

/// The samples of some channels, tick after tick.
///
/// ```
/// use livetime_kernels::{Level, random::Counter, waveform::{Waveform, WireChannel}};
/// let channels = [WireChannel { pedestal: 900.0, rms: 4.0, gain: 1.0 }; 32];
/// let mut waveform = Waveform::new(Counter::new(1, [0, 0]), &channels, 0.6, 4095);
/// let mut samples = vec![0; 1000 * 32];
/// waveform.digitize(Level::best(), &vec![0.0; 1000 * 32], &mut samples)?;
/// let mean = samples.iter().map(|s| f64::from(*s)).sum::<f64>() / 32_000.0;
/// assert!((mean - 900.0).abs() < 0.3);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Waveform {
    normal: Normal,
    counter: Counter,
    pedestals: Vec<f32>,
    rms: Vec<f32>,
    gains: Vec<f32>,
    /// Noise of the tick before, in deviations.
    noise: Vec<f32>,
    correlation: f32,
    highest: f32,
    /// Random numbers used.
    position: usize,
}

impl Waveform {
    /// For `channels`, with random numbers of `counter`. `correlation` between the noise of neighbouring ticks is kept from
    /// −0.999 to 0.999; `highest` is the highest code.
    pub fn new(counter: Counter, channels: &[WireChannel], correlation: f32, highest: i16) -> Waveform {
        let normal = Normal::new();
        let noise = (0..channels.len()).map(|c| normal.of(counter.at(c))).collect();
        let of = |value: fn(&WireChannel) -> f32| channels.iter().map(value).collect();
        Waveform {
            counter,
            pedestals: of(|c| c.pedestal),
            rms: of(|c| c.rms),
            gains: of(|c| c.gain),
            noise,
            correlation: correlation.clamp(-0.999, 0.999),
            highest: f32::from(highest),
            position: channels.len(),
            normal,
        }
    }

    /// Makes the next `samples`, rows of all channels, from as many values of `signal` in counts.
    ///
    /// # Errors
    /// `samples` is not whole rows, or `signal` not as long; nothing has been made.
    pub fn digitize(&mut self, level: Level, signal: &[f32], samples: &mut [i16]) -> Result<(), LengthError> {
        let channels = self.noise.len();
        let rows = samples.len().checked_div(channels).unwrap_or(0);
        LengthError::check("samples", samples.len(), rows * channels)?;
        LengthError::check("signal", signal.len(), samples.len())?;
        if rows > 0 {
            digitize(level, self, signal, samples);
        }
        Ok(())
    }
}

per_level! {
    fn digitize(waveform: &mut Waveform, signal: &[f32], samples: &mut [i16]) = body;
}

#[inline(always)]
fn body(waveform: &mut Waveform, signal: &[f32], samples: &mut [i16]) {
    let Waveform { normal, counter, pedestals, rms, gains, noise, .. } = waveform;
    let channels = noise.len();
    let (kept, highest) = (waveform.correlation, waveform.highest);
    // The deviation of the noise stays 1.
    let fresh = (1.0 - kept * kept).sqrt();
    // All slices have the same length, so that the loop needs no checks.
    let (pedestals, rms, gains) = (&pedestals[..channels], &rms[..channels], &gains[..channels]);
    for (signal, samples) in signal.chunks_exact(channels).zip(samples.chunks_exact_mut(channels)) {
        let numbers = counter.from(waveform.position);
        waveform.position += channels;
        for c in 0..channels {
            noise[c] = kept * noise[c] + fresh * normal.of(numbers.at(c));
            let value = pedestals[c] + gains[c] * signal[c] + rms[c] * noise[c];
            // Half a count, and the fraction cut off: rounded.
            samples[c] = (value.clamp(0.0, highest) + 0.5) as i16;
        }
    }
}
