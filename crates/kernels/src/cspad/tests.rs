use super::*;

fn quad(preset: Preset, level: Level, event: u64, quad: usize) -> Vec<u16> {
    let mut out = vec![0; QUAD_PIXELS];
    Cspad::new(preset, 1).quad(level, event, quad, &mut out).unwrap();
    out
}

#[test]
fn every_level_makes_the_same_pixels() {
    for preset in [Preset::Deck, Preset::Rings] {
        let expected = quad(preset, Level::PORTABLE, 3, 1);
        for level in Level::available() {
            assert_eq!(quad(preset, level, 3, 1), expected, "{level:?}");
        }
    }
}

#[test]
fn events_and_quadrants_differ_and_events_share_their_pedestals() {
    let first = quad(Preset::Deck, Level::best(), 0, 0);
    let distance = |other: Vec<u16>| {
        let all = first.iter().zip(&other).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>();
        all / QUAD_PIXELS as f64
    };
    assert!((3.0..12.0).contains(&distance(quad(Preset::Deck, Level::best(), 1, 0))));
    assert!(distance(quad(Preset::Deck, Level::best(), 0, 1)) > 100.0);
}

#[test]
fn bad_pixels_are_as_many_as_the_preset_says() {
    let outside = |pixels: Vec<u16>| pixels.iter().filter(|v| !(900..1700).contains(*v)).count();
    let fraction = |preset| outside(quad(preset, Level::best(), 0, 2)) as f64 / QUAD_PIXELS as f64;
    assert!((0.012..0.015).contains(&fraction(Preset::Deck)));
    assert!((0.0015..0.0025).contains(&fraction(Preset::Dark)));
}

#[test]
fn a_wrong_length_is_refused() {
    let error = Cspad::new(Preset::Dark, 1).quad(Level::best(), 0, 0, &mut [0; 3]);
    assert_eq!(error, Err(LengthError { what: "out", len: 3, expected: QUAD_PIXELS }));
}
