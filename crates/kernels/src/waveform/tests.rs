use super::*;

fn channels(count: usize) -> Vec<WireChannel> {
    (0..count)
        .map(|c| WireChannel { pedestal: 500.0 + 10.0 * c as f32, rms: 2.0 + c as f32 / 16.0, gain: 1.0 })
        .collect()
}

/// The definition, number by number.
fn judge(
    counter: Counter,
    channels: &[WireChannel],
    correlation: f64,
    signal: &[f32],
    tick: usize,
    c: usize,
) -> f64 {
    let (normal, count) = (Normal::new(), channels.len());
    let number = |row: usize| f64::from(normal.of(counter.at(row * count + c)));
    let fresh = (1.0 - correlation * correlation).sqrt();
    let noise = (1..=tick + 1).fold(number(0), |noise, row| correlation * noise + fresh * number(row));
    let WireChannel { pedestal, rms, gain } = channels[c];
    f64::from(pedestal) + f64::from(gain * signal[tick * count + c]) + f64::from(rms) * noise
}

#[test]
fn every_level_makes_what_the_definition_says() {
    for count in [1, 3, 16, 33, 64] {
        let mut channels = channels(count);
        channels[0].gain = 0.0;
        let counter = Counter::new(5, [count as u64, 1]);
        let signal: Vec<f32> = (0..20 * count).map(|i| (i % 7) as f32 * 3.25).collect();
        for level in Level::available() {
            let mut waveform = Waveform::new(counter, &channels, 0.7, 16383);
            let mut samples = vec![0; 20 * count];
            // In two calls of unlike length.
            let (first, rest) = samples.split_at_mut(7 * count);
            waveform.digitize(level, &signal[..7 * count], first).unwrap();
            waveform.digitize(level, &signal[7 * count..], rest).unwrap();
            for (i, sample) in samples.iter().enumerate() {
                let expected = judge(counter, &channels, 0.7, &signal, i / count, i % count);
                assert!((f64::from(*sample) - expected).abs() < 0.51, "{} {count} {i}", level.name());
            }
        }
    }
}

#[test]
fn noise_has_deviation_and_correlation_and_codes_have_limits() {
    for correlation in [0.0, 0.6, 0.9] {
        let channels = [WireChannel { pedestal: 900.0, rms: 4.0, gain: 1.0 }; 64];
        let mut waveform = Waveform::new(Counter::new(2, [0, 0]), &channels, correlation, 4095);
        let mut samples = vec![0; 5000 * 64];
        waveform.digitize(Level::best(), &vec![0.0; 5000 * 64], &mut samples).unwrap();
        let over = |i: usize| f64::from(samples[i]) - 900.0;
        let count = 4999.0 * 64.0;
        let square = (0..4999 * 64).map(|i| over(i) * over(i)).sum::<f64>() / count;
        let product = (0..4999 * 64).map(|i| over(i) * over(i + 64)).sum::<f64>() / count;
        // Rounding adds a twelfth.
        assert!((square - 16.083).abs() < 0.5, "{correlation}: {square}");
        assert!((product / square - f64::from(correlation)).abs() < 0.02, "{correlation}: {product}");
    }
    let channels = [WireChannel { pedestal: 10.0, rms: 0.0, gain: 1.0 }; 2];
    let mut samples = [0; 4];
    let mut waveform = Waveform::new(Counter::new(2, [0, 0]), &channels, 0.0, 4095);
    waveform.digitize(Level::best(), &[-20.0, 1e9, f32::NAN, 0.6], &mut samples).unwrap();
    assert_eq!(samples, [0, 4095, 0, 11]);
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let mut waveform = Waveform::new(Counter::new(2, [0, 0]), &channels(4), 0.0, 4095);
    assert_eq!(waveform.digitize(Level::best(), &[0.0; 7], &mut [0; 7]).unwrap_err().what, "samples");
    assert_eq!(waveform.digitize(Level::best(), &[0.0; 4], &mut [0; 8]).unwrap_err().what, "signal");
    let mut none = Waveform::new(Counter::new(2, [0, 0]), &[], 0.0, 4095);
    none.digitize(Level::best(), &[], &mut []).unwrap();
    assert!(none.digitize(Level::best(), &[], &mut [0]).is_err());
}
