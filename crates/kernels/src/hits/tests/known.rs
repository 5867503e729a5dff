//! Cases whose answer is known without any program.

use crate::Level;
use crate::hits::{
    FinderSetup, Hit, HitBuffer, HitFinder, SampleBits, SeedHits, TpgHits, TpgSetup, remove_coherent,
};

/// `ticks` rows of 32 channels at 900 counts, with `add` added to channel 3.
fn flat(ticks: usize, add: impl Fn(usize) -> i16) -> Vec<i16> {
    (0..ticks)
        .flat_map(|t| (0..32).map(move |c| (c, t)))
        .map(|(c, t)| 900 + if c == 3 { add(t) } else { 0 })
        .collect()
}

fn find(setup: FinderSetup, samples: &[i16]) -> Vec<Hit> {
    let mut hits = HitBuffer::with_capacity(100);
    HitFinder::new(&[0; 32], setup).unwrap().find(Level::best(), samples, 1000, &mut hits).unwrap();
    hits.hits().to_vec()
}

const UNIPOLAR: [i16; 7] = [10, 40, 80, 100, 80, 40, 10];

#[test]
fn a_pulse_is_found_at_its_time_with_its_peak_and_its_charge() {
    let pulse = |t: usize| if (200..207).contains(&t) { UNIPOLAR[t - 200] } else { 0 };
    for (bits, scale) in [(SampleBits::Twelve, 1), (SampleBits::Fourteen, 4)] {
        let hits = find(FinderSetup::new(bits), &flat(400, |t| pulse(t) * scale));
        let [hit] = hits[..] else { panic!("{hits:?}") };
        assert_eq!(hit.start + i64::from(hit.to_peak), 1203);
        // The filter keeps the sum but for its edges below half the threshold; it makes a pulse that is
        // as narrow as itself lower by a quarter.
        assert!((345..=361).contains(&(hit.sum / i32::from(scale))), "{hit:?}");
        assert!((70..100).contains(&(hit.peak / scale)), "{hit:?}");
    }
}

#[test]
fn both_lobes_of_a_bipolar_pulse_are_one_hit() {
    let lobes: Vec<i16> = UNIPOLAR.iter().map(|v| -v).chain(UNIPOLAR).collect();
    let samples = flat(400, |t| if (200..214).contains(&t) { lobes[t - 200] } else { 0 });
    let bipolar = FinderSetup { bipolar: [true, false, false], ..FinderSetup::new(SampleBits::Twelve) };
    let [hit] = find(bipolar, &samples)[..] else { panic!() };
    assert!(hit.start < 1201 && hit.end() > 1212, "{hit:?}");
    let [hit] = find(FinderSetup::new(SampleBits::Twelve), &samples)[..] else { panic!() };
    assert!(hit.start > 1204, "without the option only the positive lobe is one: {hit:?}");
}

#[test]
fn a_long_hit_is_cut_and_goes_on() {
    let hits = find(FinderSetup::new(SampleBits::Twelve), &flat(9000, |t| if t >= 100 { 2000 } else { 0 }));
    assert!(hits.len() >= 2, "{hits:?}");
    assert_eq!((hits[0].over, hits[0].flags), (4000, Hit::CUT));
    assert_eq!(hits[1].start, hits[0].end(), "nothing lies between the parts");
    // The pedestal follows by one count in 88 ticks.
    assert!((1950..=2000).contains(&(hits[0].sum / 4000)), "{hits:?}");
}

#[test]
fn the_pulse_of_the_first_ticks_is_not_lost() {
    let hits = find(
        FinderSetup::new(SampleBits::Twelve),
        &flat(70, |t| if (10..15).contains(&t) { 100 } else { 0 }),
    );
    assert_eq!(hits.len(), 1);
    assert!((1007..=1010).contains(&hits[0].start), "{hits:?}");
}

#[test]
fn the_seeds_hits_are_five_ticks_late() {
    let samples = flat(400, |t| if t == 200 { 200 } else { 0 });
    let mut hits = HitBuffer::with_capacity(100);
    SeedHits::new(32, 3).unwrap().find(Level::best(), &samples, 1000, &mut hits).unwrap();
    let [hit] = hits.hits() else { panic!("{hits:?}") };
    assert_eq!(hit.start + i64::from(hit.over / 2), 1205);
}

#[test]
fn coherent_noise_goes_and_every_level_agrees() {
    let planes: Vec<u8> = (0..256).map(|c| if c % 32 < 10 { 0 } else { 2 }).collect();
    let pedestals: Vec<i16> = (0..256).map(|c| 800 + c).collect();
    // Another wave on each board and plane, and a pulse.
    let wave = |t: usize, c: usize| {
        ((t as f64 * 0.3 + f64::from(planes[c]) + (c / 128) as f64).sin() * 20.0).round() as i16
    };
    let add = |t: usize, c: usize| wave(t, c) + if (t, c) == (50, 200) { 2000 } else { 0 };
    let samples: Vec<i16> = (0..100 * 256).map(|i| pedestals[i % 256] + add(i / 256, i % 256)).collect();
    for level in Level::available() {
        let mut cleaned = samples.clone();
        remove_coherent(level, &mut cleaned, &pedestals, &planes).unwrap();
        for (i, value) in cleaned.iter().enumerate() {
            let over = value - pedestals[i % 256];
            match i {
                13_000 => assert!((1990..=2010).contains(&over), "{} {i}: {over}", level.name()),
                _ if i / 256 == 50 => assert!(over.abs() <= 3, "{} {i}: {over}", level.name()),
                _ => assert_eq!(over, 0, "{} {i}", level.name()),
            }
        }
    }
    assert!(remove_coherent(Level::best(), &mut [0; 64], &[0; 64], &[0; 64]).is_err());
    assert!(remove_coherent(Level::best(), &mut [0; 128], &[0; 128], &[0; 127]).is_err());
}

#[test]
fn a_full_buffer_counts_what_it_loses() {
    let samples = flat(400, |t| if t % 50 == 49 { 400 } else { 0 });
    let mut hits = HitBuffer::with_capacity(3);
    let setup = FinderSetup::new(SampleBits::Twelve);
    HitFinder::new(&[0; 32], setup).unwrap().find(Level::best(), &samples, 0, &mut hits).unwrap();
    assert_eq!((hits.hits().len(), hits.lost()), (3, 5 - 1));
    hits.clear();
    assert_eq!((hits.hits().len(), hits.lost()), (0, 4));
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    assert!(
        SeedHits::new(0, 3).is_err() && SeedHits::new(33, 3).is_err() && SeedHits::new(1 << 17, 3).is_err()
    );
    assert!(TpgHits::new(&[0; 31], TpgSetup::default()).is_err());
    let mut hits = HitBuffer::default();
    let mut finder = HitFinder::new(&[0; 32], FinderSetup::new(SampleBits::Twelve)).unwrap();
    assert_eq!(finder.find(Level::best(), &[0; 33], 0, &mut hits).unwrap_err().expected, 32);
    assert!(finder.find(Level::best(), &[], 0, &mut hits).is_ok());
}

#[test]
fn any_values_and_times_are_endured() {
    let samples: Vec<i16> = crate::test_data::numbers(9).map(|x| (x >> 40) as i16).take(32 * 3000).collect();
    for first in [0, i64::MAX - 5, i64::MIN] {
        let mut hits = HitBuffer::with_capacity(10);
        let mut seed = SeedHits::new(32, i16::MAX).unwrap();
        seed.find(Level::best(), &samples, first, &mut hits).unwrap();
        let setup = TpgSetup {
            limit: i16::MIN,
            threshold: [i16::MIN; 3],
            memory: [i16::MAX; 3],
            ..TpgSetup::default()
        };
        TpgHits::new(&[9; 32], setup).unwrap().find(Level::best(), &samples, first, &mut hits).unwrap();
        let setup =
            FinderSetup { threshold: [f32::NAN; 3], floor: i16::MIN, ..FinderSetup::new(SampleBits::Twelve) };
        HitFinder::new(&[9; 32], setup).unwrap().find(Level::best(), &samples, first, &mut hits).unwrap();
        assert!(hits.lost() > 0);
    }
}

#[test]
fn an_interruption_ends_open_hits_and_marks_them() {
    // Over the threshold from row 100 on; the rows from 110 on are missing.
    let samples = flat(140, |t| if (100..130).contains(&t) { 200 } else { 0 });
    let (before, after) = samples.split_at(110 * 32);
    let level = Level::best();
    let mut hits = HitBuffer::with_capacity(100);
    let mut ours = HitFinder::new(&[0; 32], FinderSetup::new(SampleBits::Twelve)).unwrap();
    let mut seed = SeedHits::new(32, 3).unwrap();
    let mut tpg = TpgHits::new(&[0; 32], TpgSetup { limit: 1, ..TpgSetup::default() }).unwrap();

    ours.find(level, before, 0, &mut hits).unwrap();
    let begin = ours.open_since(110);
    ours.interrupt(110, &mut hits);
    let [hit] = hits.hits() else { panic!("{hits:?}") };
    assert_eq!(
        (hit.start, hit.start + i64::from(hit.over) + i64::from(hit.late), hit.flags),
        (begin, 110, Hit::GAP)
    );
    assert!((97..=101).contains(&hit.start), "{hit:?}");
    assert_eq!(ours.open_since(200), 197);
    hits.clear();
    ours.find(level, after, 1000, &mut hits).unwrap();
    // The rest of the pulse begins where the rows begin again.
    let [hit] = hits.hits() else { panic!("{hits:?}") };
    assert!((997..=1001).contains(&hit.start) && hit.flags == 0, "{hit:?}");

    hits.clear();
    seed.find(level, before, 0, &mut hits).unwrap();
    let begin = seed.open_since(110);
    seed.interrupt(110, &mut hits);
    assert_eq!(
        hits.hits().iter().map(|h| (h.start, h.end(), h.flags)).collect::<Vec<_>>(),
        [(begin, 110, Hit::GAP)]
    );
    hits.clear();
    seed.find(level, &flat(50, |_| 0), 110, &mut hits).unwrap();
    assert!(hits.hits().is_empty(), "the filter forgot the pulse: {hits:?}");

    hits.clear();
    let high = flat(16000, |t| if t >= 15990 { 200 } else { 0 });
    let high: Vec<i16> = high.iter().map(|s| s + 15000).collect();
    tpg.find(level, &high, 0, &mut hits).unwrap();
    hits.clear();
    // A tick before the open hit: if its sum reached its end, it would start that early.
    assert_eq!(tpg.open_since(16000), 15989);
    tpg.interrupt(16000, &mut hits);
    assert_eq!(
        hits.hits().iter().map(|h| (h.start, h.end(), h.flags)).collect::<Vec<_>>(),
        [(15990, 16000, Hit::GAP)]
    );
}

#[test]
fn what_is_still_to_come_does_not_start_before_it_was_said() {
    let mut state = 7u32;
    let mut random = move |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    for bipolar in [false, true] {
        let setup = FinderSetup { bipolar: [bipolar; 3], ..FinderSetup::new(SampleBits::Twelve) };
        let mut finder = HitFinder::new(&[0; 32], setup).unwrap();
        let (mut hits, mut tick, mut said) = (HitBuffer::with_capacity(1000), 0, i64::MIN);
        let (mut found, mut height) = (0, 0);
        for _ in 0..3000 {
            let rows = random(20) as usize;
            let mut samples = vec![900; rows * 32];
            samples.iter_mut().for_each(|s| *s += random(9) as i16);
            for row in samples.chunks_mut(32) {
                height = match height {
                    0 if random(300) == 0 => [150, -150][random(2) as usize],
                    0 => 0,
                    height => height * i16::from(random(15) > 0),
                };
                row[3] += height;
            }
            hits.clear();
            finder.find(Level::best(), &samples, tick, &mut hits).unwrap();
            found += hits.hits().len();
            assert!(hits.hits().iter().all(|hit| hit.start >= said), "{said} {hits:?}");
            tick += rows as i64;
            let now = finder.open_since(tick);
            assert!(now >= said && now <= tick);
            said = now;
        }
        assert!(found > 30, "{found}");
    }
}
