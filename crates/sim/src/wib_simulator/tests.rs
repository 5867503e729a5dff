use livetime_engine::testing::{Harness, Simulation, assert_compliant};
use livetime_engine::{Graph, LossReason, NodeType, Value};
use livetime_formats::wib::{Faults, Wib1Check, Wib1Frame, Wib1Identity};
use livetime_frame::Frame;

use super::*;
use livetime_wire::{LedgerRow, LinkLedger, RawBatch, State};

const FIRST: u64 = 80_000_000_000_000_000;

/// Small and quick; then `more`.
fn params<'a>(more: &[(&'a str, Value)]) -> Vec<(&'a str, Value)> {
    let mut params = vec![
        ("links", 2.into()),
        ("batch", 4.into()),
        ("loop_time", 96e-6.into()),
        ("first_timestamp", (FIRST as i64).into()),
    ];
    params.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    params.extend(more.iter().cloned());
    params
}

fn harness(more: &[(&str, Value)]) -> Harness {
    Harness::new::<WibSimulator>(&params(more)).unwrap()
}

/// Link and first time of the raw batches.
fn batches(frames: &[Frame]) -> Vec<(u16, u64)> {
    frames.iter().filter_map(|f| RawBatch::of(f).ok()).map(|b| (b.link, (b.first - FIRST) / 25)).collect()
}

fn rows<T: livetime_wire::Row>(frames: &[Frame]) -> Vec<T> {
    let (table, mut all, mut some) = (RowTable::<T>::default(), Vec::new(), Vec::new());
    for frame in frames {
        if table.read(frame, &mut some).is_ok() {
            all.append(&mut some);
        }
    }
    all
}

#[test]
fn it_keeps_the_contract() {
    assert_compliant::<WibSimulator>(&params(&[]));
    assert_compliant::<WibSimulator>(&params(&[
        ("format", "wibeth".into()),
        ("test_pulse_rate", 100.0.into()),
    ]));
}

#[test]
fn links_take_turns_and_the_loop_goes_on_in_time() {
    let mut harness = harness(&[]);
    let frames = harness.run_source(14).unwrap();
    let expected: Vec<_> = (0..6).flat_map(|i| [(0, 48 * i), (1, 48 * i)]).collect();
    assert_eq!(batches(&frames), expected[..batches(&frames).len()]);
    let mut check = Wib1Check::new(Wib1Identity { crate_number: 1, slot: 0, fiber: 2 });
    check.checksums = true;
    for batch in frames.iter().filter_map(|f| RawBatch::of(f).ok()).filter(|b| b.link == 1) {
        assert_eq!((batch.len(), batch.faults), (48, 0));
        for frame in batch.frames() {
            assert_eq!(check.next(&Wib1Frame::parse(frame).unwrap()), Faults::NONE);
        }
    }
    let numbers: Vec<u64> = frames.iter().map(|f| f.header().sequence).collect();
    assert_eq!(numbers, (0..frames.len() as u64).collect::<Vec<_>>());
    let raw = frames.iter().find(|f| RawBatch::of(f).is_ok()).unwrap();
    assert_eq!(raw.header().event_time_ns, FIRST as i64 * 20);
}

#[test]
fn nothing_is_copied_and_what_is_still_in_use_is_lost_and_told() {
    // Each loop has four batches of 24 us for each link.
    let mut live = harness(&[("links", 1.into())]);
    let frames = live.run_source(5).unwrap();
    let (truth, first): (Vec<_>, Vec<_>) = frames.into_iter().partition(|f| RawBatch::of(f).is_err());
    assert_eq!((truth.len(), first.len()), (1, 4));
    let addresses: Vec<_> = first.iter().map(|f| f.bytes().as_ptr()).collect();
    let kept = first[2].clone();
    let before = kept.bytes().to_vec();
    drop((first, truth));
    // Truth of the second loop, three batches; that which is kept is left out.
    let frames = live.run_source(4).unwrap();
    assert_eq!(batches(&frames), [(0, 192), (0, 240), (0, 336)]);
    let again: Vec<_> = frames[1..].iter().map(|f| f.bytes().as_ptr()).collect();
    assert_eq!(again, [addresses[0], addresses[1], addresses[3]]);
    assert_eq!(kept.bytes(), before);
    assert_eq!(live.number_of("lost_in_use"), 1.0);
    let told = |event: &livetime_engine::Event| {
        event.message.contains("memory that is free again after `loop_time`")
    };
    assert!(live.events().iter().any(told), "{:?}", live.events());
    drop(frames);
    let mut ledger = LinkLedger::default();
    rows::<LedgerRow>(&live.drain().unwrap()).iter().for_each(|row| ledger.tell(row.into()));
    let states: Vec<_> =
        ledger.intervals().map(|i| ((i.begin - FIRST) / 25, (i.end - FIRST) / 25, i.state)).collect();
    assert_eq!(states, [(0, 288, State::Good), (288, 336, State::Dropped), (336, 384, State::Good)]);
}

#[test]
fn without_loss_it_waits() {
    let mut harness = harness(&[("links", 1.into()), ("lossless", true.into())]);
    let kept = harness.run_source(5).unwrap();
    // The truth of the second loop comes, and then nothing.
    for i in 1..10 {
        let (frames, next) = harness.produce().unwrap();
        assert_eq!(batches(&frames), []);
        assert!(matches!(next, Next::At(_)));
        harness.advance(1_000_000 * i).unwrap();
    }
    drop(kept);
    let (frames, _) = harness.produce().unwrap();
    assert_eq!(batches(&frames)[0], (0, 192));
    assert_eq!(harness.number_of("lost_in_use") + harness.number_of("lost_behind"), 0.0);
}

#[test]
fn what_is_too_far_behind_is_lost() {
    let mut harness = harness(&[("links", 1.into())]);
    drop(harness.run_source(3).unwrap());
    harness.advance(60_000_000).unwrap();
    let (frames, _) = harness.produce().unwrap();
    assert!(batches(&frames).is_empty());
    let mut first = None;
    while first.is_none() {
        first = batches(&harness.produce().unwrap().0).first().copied();
    }
    // Due not more than 50 ms ago.
    assert_eq!(first.unwrap().1 / 48, 10_000_000 / 24_000);
    assert_eq!(harness.number_of("lost_behind") as u64, 10_000_000 / 24_000 - 2);
}

#[test]
fn the_truth_comes_with_each_loop() {
    let mut harness = harness(&[("test_pulse_rate", 40_000.0.into()), ("argon_rate", 0.0.into())]);
    let frames = harness.run_source(18).unwrap();
    let truth: Vec<TruthRow> = rows(&frames);
    let per_loop = truth.iter().filter(|row| row.time_peak < FIRST + 192 * 25).count();
    assert!(per_loop >= 512 && truth.len() >= 2 * per_loop);
    for (a, b) in truth[..per_loop].iter().zip(&truth[per_loop..]) {
        assert_eq!(
            (a.time_peak + 192 * 25, a.channel, a.adc_peak, a.link),
            (b.time_peak, b.channel, b.adc_peak, b.link)
        );
        assert_eq!((a.origin, a.adc_peak, a.width, a.bipolar), (0, 100, 250, u8::from(a.plane != 2)));
    }
}

#[test]
fn it_ends_after_its_duration() {
    let mut harness = harness(&[("duration", 48e-6.into()), ("rate", 0.0.into())]);
    let frames = harness.run_source(100).unwrap();
    assert_eq!(batches(&frames), [(0, 0), (1, 0), (0, 48), (1, 48)]);
    assert_eq!(harness.produce().unwrap().1, Next::Finished);
    let told: Vec<LedgerRow> = rows(&harness.drain().unwrap());
    assert!(told.iter().all(|r| (r.begin, r.end, r.state) == (FIRST, FIRST + 96 * 25, State::Good as u8)));
    assert_eq!(told.len(), 2);
}

#[test]
fn a_change_of_the_detector_simulates_anew() {
    let mut harness = harness(&[("links", 1.into())]);
    let before = harness.run_source(2).unwrap()[1].bytes().to_vec();
    harness.set("noise_rms", 20.0).unwrap();
    let frames = harness.run_source(2).unwrap();
    assert_eq!(batches(&frames)[0], (0, 0));
    assert_ne!(frames[1].bytes(), before);
    assert!(harness.set("links", 11).unwrap_err().to_string().contains("1 to 10 links, found 11"));
}

#[test]
fn a_loop_that_is_too_large_is_told() {
    let error = Harness::new::<WibSimulator>(&[("loop_time", 1.0.into())]).err().unwrap().to_string();
    assert!(error.contains("memory") && error.contains("loop_time"), "{error}");
}

/// First frame, end, state and faults.
type Told = (u64, u64, State, Faults);

/// A run of one link with `faults`: the frames that came, and the entries of the ledger, in frames from the begin,
/// without the good stretches.
fn faulty(faults: &str) -> (Vec<Frame>, Vec<Told>) {
    let more = [
        ("links", 1.into()),
        ("loop_time", 480e-6.into()),
        ("duration", 960e-6.into()),
        ("faults", faults.into()),
    ];
    let mut harness = harness(&more);
    let mut frames = harness.run_source(1000).unwrap();
    frames.extend(harness.drain().unwrap());
    let mut ledger = LinkLedger::default();
    rows::<LedgerRow>(&frames).iter().for_each(|row| ledger.tell(row.into()));
    assert_eq!(ledger.ticks(), 25 * 1920, "{faults}");
    let at = |time: u64| (time - FIRST) / 25;
    let odd = ledger.intervals().filter(|i| i.state != State::Good);
    let odd = odd.map(|i| (at(i.begin), at(i.end), i.state, Faults::of_bits(i.bits))).collect();
    (frames, odd)
}

fn frames_sent(frames: &[Frame]) -> usize {
    frames.iter().filter_map(|f| RawBatch::of(f).ok()).map(|b| b.len()).sum()
}

#[test]
fn every_fault_is_located() {
    use State::{Absent, Corrupt, Late};
    let none = Faults::NONE;
    for (text, sent, expected) in [
        ("drop 700", 1919, vec![(700, 701, Absent, none)]),
        ("drop 700+300", 1620, vec![(700, 1000, Absent, none)]),
        ("repeat 40", 1920, vec![]),
        ("swap 50", 1920, vec![(50, 51, Late, none)]),
        ("back 60 1000", 1919, vec![(60, 61, Absent, Faults::BACK)]),
        ("stuck 60+20", 1901, vec![(61, 80, Absent, Faults::BACK)]),
        ("mm 70", 1920, vec![(70, 71, Corrupt, Faults::MM)]),
        ("oos 70+3", 1920, vec![(70, 73, Corrupt, Faults::OOS)]),
        ("wib_errors 80 3", 1920, vec![(80, 81, Corrupt, Faults::WIB_ERRORS)]),
        ("checksum 90 2", 1920, vec![(90, 91, Corrupt, Faults::checksum(2))]),
        ("capture 90 3 1", 1920, vec![(90, 91, Corrupt, Faults::capture(3))]),
        ("fiber 100", 1920, vec![(100, 101, Corrupt, Faults::IDENTITY)]),
        ("constant 200+1000 31 4095; stall 300 10ms", 1920, vec![]),
        (
            "mm 1000; oos 1000; drop 1500",
            1919,
            vec![(1000, 1001, Corrupt, Faults::MM | Faults::OOS), (1500, 1501, Absent, none)],
        ),
        // Over the end of a batch.
        ("swap 47", 1920, vec![(47, 48, Late, none)]),
    ] {
        let (frames, odd) = faulty(text);
        assert_eq!((frames_sent(&frames), odd), (sent, expected), "{text}");
    }
}

/// Two missing frames and three with faults, of a run that goes on.
#[test]
fn losses_are_in_the_ledger_while_the_run_goes_on() {
    let mut graph = Graph::default();
    graph.add("apa", NodeType::of::<WibSimulator>()).unwrap();
    for (name, value) in params(&[("links", 1.into()), ("faults", "drop 30+2; mm 60+3".into())]) {
        graph.set(0, name, &value).unwrap();
    }
    let mut simulation = Simulation::new(&graph, 1).unwrap();
    let lost = |simulation: &Simulation| simulation.report().nodes[0].lost.clone();
    let wanted = [(LossReason::SourceGap, 2), (LossReason::Unreadable, 3)].into();
    assert!((0..100_000).any(|_| {
        simulation.step();
        lost(&simulation) == wanted
    }));
    assert!(!simulation.is_finished());
    simulation.stop();
    assert!(simulation.run_to_end(100_000));
    assert_eq!(lost(&simulation), wanted, "each once");
}

#[test]
fn a_constant_chip_is_in_the_samples() {
    let (frames, _) = faulty("constant 200+10 2 4095");
    let mut samples = [0; 256];
    for batch in frames.iter().filter_map(|f| RawBatch::of(f).ok()) {
        for (frame, i) in batch.frames().zip((batch.first - FIRST) / 25..) {
            livetime_kernels::wib::unpack_wib1(livetime_kernels::Level::best(), frame, &mut samples).unwrap();
            assert_eq!(samples[16..24] == [4095; 8], (200..210).contains(&i), "{i}");
            assert!(samples[24..].iter().all(|s| *s < 4095));
        }
    }
}

#[test]
fn delays_do_not_change_the_data() {
    let mut harness = harness(&[("faults", "link 1 skew 50us; link 0 stall 96 100us".into())]);
    let frames = harness.run_source(30).unwrap();
    let links = [0, 1].map(|link| {
        let of: Vec<u64> = batches(&frames).iter().filter(|b| b.0 == link).map(|b| b.1).collect();
        assert!(of.windows(2).all(|w| w[1] == w[0] + 48));
        of.len()
    });
    assert!(links.iter().all(|n| *n > 5));
    let order: Vec<u16> = batches(&frames).iter().map(|b| b.0).collect();
    // Link 1 comes two batches later; link 0 has nothing from the third batch on for 100 us.
    assert_eq!(order[..6], [0, 0, 1, 1, 1, 1]);
}

#[test]
fn chance_makes_as_many_faults_as_asked_for() {
    let (_, odd) = faulty("random 20000");
    // 19 in 0.96 ms; repeats are not seen, and some fall together.
    assert!((5..25).contains(&odd.len()), "{odd:?}");
    let again = faulty("random 20000").1;
    assert_eq!(odd, again);
}

#[test]
fn wibeth_frames_have_faults_of_time() {
    let faults = "drop 30+2; repeat 50; swap 60";
    let more = [
        ("links", 1.into()),
        ("format", "wibeth".into()),
        ("loop_time", 0.0033.into()),
        ("duration", 0.0033.into()),
        ("faults", faults.into()),
    ];
    let mut harness = harness(&more);
    let mut frames = harness.run_source(1000).unwrap();
    frames.extend(harness.drain().unwrap());
    let mut ledger = LinkLedger::default();
    rows::<LedgerRow>(&frames).iter().for_each(|row| ledger.tell(row.into()));
    let odd: Vec<_> = ledger
        .intervals()
        .filter(|i| i.state != State::Good)
        .map(|i| ((i.begin - FIRST) / 2048, (i.end - FIRST) / 2048, i.state))
        .collect();
    assert_eq!(odd, [(30, 32, State::Absent), (60, 61, State::Late)]);
    let error = harness.set("faults", "mm 5").unwrap_err().to_string();
    assert!(error.contains("wibeth"), "{error}");
}
