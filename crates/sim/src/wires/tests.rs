use livetime_formats::wib::{Faults, Wib1Check, Wib1Frame, Wib1Identity, WibEthFrame};
use livetime_kernels::Level;
use livetime_kernels::wib::{unpack_wib1, unpack_wibeth};

use super::*;
use livetime_wire::RawFormat;

fn samples(simulation: &Simulation, link: usize) -> Vec<i16> {
    let setup = simulation.setup();
    let mut samples = vec![0; setup.ticks * setup.format.channels()];
    simulation.samples(link).unwrap().read(Level::best(), &mut samples).unwrap();
    samples
}

fn quiet(links: usize, ticks: usize) -> SimulationSetup {
    SimulationSetup { links, ticks, noise_rms: 0.0, ..SimulationSetup::default() }
}

/// Mean and standard deviation of a channel.
fn moments(samples: &[i16], channels: usize, channel: usize) -> (f64, f64) {
    let values: Vec<f64> = samples.iter().skip(channel).step_by(channels).map(|s| f64::from(*s)).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
    (mean, square.sqrt())
}

#[test]
fn data_do_not_depend_on_how_they_are_cut_nor_on_other_links() {
    let setup = SimulationSetup {
        correlation: 0.6,
        coherent_rms: 1.0,
        sticky: 0.2,
        undershoot: true,
        argon_hz: 5000.0,
        tracks_hz: 20_000.0,
        ..quiet(2, 1000)
    };
    let simulation = Simulation::new(SimulationSetup { noise_rms: 4.0, ..setup.clone() }).unwrap();
    let whole = samples(&simulation, 0);
    let mut cut = vec![0; whole.len()];
    let mut reader = simulation.samples(0).unwrap();
    for part in cut.chunks_mut(37 * 256) {
        reader.read(Level::PORTABLE, part).unwrap();
    }
    let far = whole.iter().zip(&cut).filter(|(a, b)| (*a - *b).abs() > 1).count();
    let unlike = whole.iter().zip(&cut).filter(|(a, b)| a != b).count();
    // Levels may round otherwise.
    assert!(far == 0 && unlike < whole.len() / 1000, "{far} {unlike}");
    let alone = Simulation::new(SimulationSetup { noise_rms: 4.0, links: 1, ..setup.clone() }).unwrap();
    assert_eq!(samples(&alone, 0), whole);
    let other = Simulation::new(SimulationSetup { noise_rms: 4.0, seed: 2, ..setup }).unwrap();
    assert_ne!(samples(&other, 0), whole);
}

#[test]
fn the_samples_are_pedestal_and_true_pulses() {
    let test_pulses = Some(TestPulses {
        rate_hz: 4000.0,
        amplitudes: vec![50.0, 100.0],
        shape: PulseShape::ByPlane,
        ..TestPulses::default()
    });
    let simulation = Simulation::new(SimulationSetup { test_pulses, ..quiet(2, 2000) }).unwrap();
    assert!(simulation.truth().windows(2).all(|w| w[0].time_peak() <= w[1].time_peak()));
    for link in 0..2 {
        let (found, wires) = (samples(&simulation, link), &simulation.links()[link].wires);
        for (channel, wire) in wires.iter().enumerate() {
            let truth: Vec<_> = simulation
                .truth()
                .iter()
                .filter(|p| (usize::from(p.link), usize::from(p.channel)) == (link, channel))
                .collect();
            assert_eq!(truth.len(), 4);
            let bipolar = wire.plane.number() != 2;
            assert!(truth.iter().all(|p| p.bipolar == bipolar));
            let column: Vec<i16> = found.iter().skip(channel).step_by(256).copied().collect();
            let pedestal = *column.iter().max_by_key(|v| column.iter().filter(|w| w == v).count()).unwrap();
            for (tick, sample) in column.iter().enumerate() {
                let at = |p: &&&TruePulse| {
                    [-2000.0, 0.0, 2000.0].map(|turn| p.at(tick as f64 + turn)).iter().sum::<f32>()
                };
                let expected = truth.iter().map(|p| at(&p)).sum::<f32>();
                assert!((f32::from(*sample - pedestal) - expected).abs() < 1.1, "{channel} {tick}");
            }
        }
    }
}

#[test]
fn a_charge_is_the_sum_of_the_positive_side() {
    for bipolar in [false, true] {
        let (link, channel, centre, peak, width) = (0, 0, 50.3, 80.0, 3.0);
        let pulse = TruePulse { link, channel, centre, peak, width, bipolar, origin: Origin::Test };
        let sum: f32 = (0..100).map(|t| pulse.at(f64::from(t)).max(0.0)).sum();
        assert!((f64::from(sum) / pulse.charge() - 1.0).abs() < 0.01, "{sum}");
        assert!((pulse.at(pulse.time_peak()) - peak).abs() < 1e-3);
    }
}

#[test]
fn argon_has_its_rate_and_its_energies() {
    let spectrum = argon::Spectrum::new();
    let mean = (0..10_000).map(|i| spectrum.energy_kev((f64::from(i) + 0.5) / 1e4)).sum::<f64>() / 1e4;
    assert!((214.0..224.0).contains(&mean), "{mean}");
    assert!(spectrum.energy_kev(0.0) >= 0.0 && spectrum.energy_kev(1.0) <= 565.0);
    let setup = SimulationSetup { argon_hz: 70.0, ..quiet(10, 200_000) };
    let simulation = Simulation::new(setup).unwrap();
    let on_collection = simulation.truth().iter().filter(|p| !p.bipolar);
    // Some fall below half a count, some are shared by two wires.
    let per_wire_hz = on_collection.clone().count() as f64 / 960.0 / 0.1;
    assert!((60.0..85.0).contains(&per_wire_hz), "{per_wire_hz}");
    let mut peaks: Vec<f32> = on_collection.map(|p| p.peak).collect();
    peaks.sort_by(f32::total_cmp);
    assert!((15.0..50.0).contains(&peaks[peaks.len() / 2]), "{}", peaks[peaks.len() / 2]);
}

#[test]
fn tracks_pass_neighbouring_wires_of_all_planes() {
    let simulation = &Simulation::new(SimulationSetup { tracks_hz: 500.0, ..quiet(10, 40_000) }).unwrap();
    let planes = |plane: u8| {
        simulation.truth().iter().filter(move |p| {
            let wire = simulation.links()[usize::from(p.link)].wires[usize::from(p.channel)];
            wire.plane.number() == plane
        })
    };
    assert!((0..3).all(|plane| planes(plane).count() > 500));
    let mut peaks: Vec<f32> = planes(2).map(|p| p.peak).collect();
    peaks.sort_by(f32::total_cmp);
    let median = peaks[peaks.len() / 2];
    // More than the 150 of 4.8 mm: most tracks come from above, along the wires.
    assert!((250.0..1000.0).contains(&median), "{median}");
    let mut wires: Vec<u32> = planes(2)
        .map(|p| simulation.links()[usize::from(p.link)].wires[usize::from(p.channel)].offline)
        .collect();
    wires.sort_unstable();
    let neighbours = wires.windows(2).filter(|w| w[1] - w[0] <= 1).count();
    assert!(neighbours > wires.len() * 9 / 10);
}

#[test]
fn defects_are_as_many_as_asked_for() {
    let setup = SimulationSetup { dead: 0.1, noisy: 0.1, sticky: 0.2, ..quiet(4, 500) };
    let simulation = Simulation::new(SimulationSetup { noise_rms: 4.0, ..setup }).unwrap();
    let (mut dead, mut noisy, mut sticky) = (0, 0, 0);
    for link in 0..4 {
        let samples = samples(&simulation, link);
        for channel in 0..256 {
            let (_, rms) = moments(&samples, 256, channel);
            dead += i32::from(rms == 0.0);
            noisy += i32::from(rms > 18.0);
            let codes = samples.iter().skip(channel).step_by(256).filter(|s| [0, 1, 63].contains(&(*s % 64)));
            sticky += i32::from((4.2..18.0).contains(&rms) && codes.count() > 20);
        }
    }
    assert!((70..140).contains(&dead) && (70..140).contains(&noisy), "{dead} {noisy}");
    assert!(sticky > 60, "{sticky}");
}

#[test]
fn a_board_has_noise_in_common() {
    let simulation = Simulation::new(SimulationSetup { coherent_rms: 3.0, ..quiet(1, 4000) }).unwrap();
    let samples = samples(&simulation, 0);
    let column = |c: usize| {
        let mean = moments(&samples, 256, c).0;
        samples.iter().skip(c).step_by(256).map(move |s| f64::from(*s) - mean)
    };
    let product = |a: usize, b: usize| column(a).zip(column(b)).map(|(a, b)| a * b).sum::<f64>() / 4000.0;
    let own = product(0, 0);
    assert!((own.sqrt() - 3.0).abs() < 0.8, "{own}");
    assert!(product(0, 127) > 0.95 * own && product(0, 128).abs() < 0.6 * own);
}

#[test]
fn an_undershoot_follows_a_large_pulse() {
    let test_pulses =
        Some(TestPulses { rate_hz: 1000.0, amplitudes: vec![2000.0], width: 5.0, ..TestPulses::default() });
    let simulation =
        Simulation::new(SimulationSetup { undershoot: true, test_pulses, ..quiet(1, 2000) }).unwrap();
    let samples = samples(&simulation, 0);
    let pulse = simulation.truth().iter().find(|p| p.centre > 500.0 && p.centre < 1000.0).unwrap();
    let at = |tick: f64| samples[tick as usize * 256 + usize::from(pulse.channel)];
    let under = at(pulse.centre - 100.0) - at(pulse.centre + 100.0);
    // 25,000 counts · ticks over 2,200 ticks.
    assert!((9..=13).contains(&under), "{under}");
}

#[test]
fn frames_are_what_the_checks_expect() {
    let simulation =
        Simulation::new(SimulationSetup { links: 3, ticks: 100, ..SimulationSetup::default() }).unwrap();
    let link = &simulation.links()[2];
    assert_eq!((link.crate_number, link.slot, link.fiber), (1, 1, 1));
    let samples = samples(&simulation, 2);
    let mut frames = vec![0xFF; 100 * 464];
    let writer = FrameWriter { format: RawFormat::Wib1, link };
    writer.write(&samples, 65_500, 80_000_000_000_000_000, &mut frames).unwrap();
    let mut again = vec![0; samples.len()];
    unpack_wib1(Level::best(), &frames, &mut again).unwrap();
    assert_eq!(again, samples);
    restamp(RawFormat::Wib1, &mut frames, 0, 90_000_000_000_000_000);
    let identity = Wib1Identity { crate_number: 1, slot: 1, fiber: 1 };
    let mut check = Wib1Check::new(identity);
    (check.checksums, check.convert_counts) = (true, true);
    for (frame, i) in frames.chunks_exact(464).zip(0..) {
        let frame = Wib1Frame::parse(frame).unwrap();
        assert_eq!(check.next(&frame), Faults::NONE, "{i}");
        assert_eq!(frame.timestamp(), 90_000_000_000_000_000 + 25 * i);
    }
}

#[test]
fn ethernet_frames_too() {
    let setup =
        SimulationSetup { format: RawFormat::WibEth, links: 40, ticks: 128, ..SimulationSetup::default() };
    let simulation = Simulation::new(setup).unwrap();
    let link = &simulation.links()[13];
    assert_eq!((link.slot, link.fiber), (1, 65));
    let samples = samples(&simulation, 13);
    let mut frames = vec![0; 2 * 7200];
    FrameWriter { format: RawFormat::WibEth, link }.write(&samples, 4095, 5000, &mut frames).unwrap();
    let mut again = vec![0; samples.len()];
    unpack_wibeth(Level::best(), &frames, &mut again).unwrap();
    assert_eq!(again, samples);
    let heads: Vec<_> = frames.chunks_exact(7200).map(|f| WibEthFrame::parse(f).unwrap()).collect();
    assert_eq!([heads[0].sequence(), heads[1].sequence()], [4095, 0]);
    assert_eq!([heads[0].timestamp(), heads[1].timestamp()], [5000, 7048]);
}

#[test]
fn what_does_not_exist_is_refused() {
    let message = |setup| Simulation::new(setup).unwrap_err().to_string();
    assert!(message(quiet(11, 10)).contains("1 to 10 links, found 11"));
    assert!(message(SimulationSetup { crate_number: 7, ..quiet(1, 10) }).contains("found crate 7"));
    assert!(message(SimulationSetup { format: RawFormat::Wib2, ..quiet(1, 10) }).contains("found wib2"));
    assert!(message(SimulationSetup { tracks_hz: 1e12, ..quiet(10, 1000) }).contains("fewer than"));
    let simulation = Simulation::new(quiet(1, 10)).unwrap();
    assert!(simulation.samples(1).is_err());
    let mut odd = [0; 255];
    assert!(simulation.samples(0).unwrap().read(Level::best(), &mut odd).is_err());
}
