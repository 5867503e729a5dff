//! Values found by hand, and corners that a comparison with a judge does not reach.

use super::*;

fn found<T: Measure>(pixels: &[T], width: usize, height: usize, wanted: &Wanted) -> (Statistics, Scratch) {
    let mut scratch = Scratch::default();
    let image = Plane::packed(pixels, width, height).unwrap();
    let found = statistics(Level::best(), image, wanted, &mut scratch);
    (found, scratch)
}

fn basic<T: Measure>(pixels: &[T], width: usize, height: usize) -> Basic {
    let wanted = Wanted { basic: true, ..Wanted::default() };
    found(pixels, width, height, &wanted).0.basic.unwrap()
}

#[test]
fn large_offsets_do_not_cancel() {
    let doubles: Vec<f64> = (0..1000).map(|i| 1e9 + f64::from(i % 2)).collect();
    assert!((basic(&doubles, 100, 10).sigma - 0.5).abs() < 1e-9);
    let words: Vec<u64> = (0..1000).map(|i| u64::MAX - 2 + 2 * (i % 2)).collect();
    assert!((basic(&words, 100, 10).sigma - 1.0).abs() < 1e-12);
    let words: Vec<u32> = (0..1000).map(|i| u32::MAX - 2 + 2 * (i % 2)).collect();
    assert_eq!(basic(&words, 100, 10).sigma, 1.0);
    assert_eq!(basic(&[i64::MIN, i64::MAX], 2, 1).sigma, 2f64.powi(63));
}

/// The first row is far from all others, so the first pivot is a bad one.
#[test]
fn a_bad_first_row_does_no_harm() {
    let mut pixels = vec![1e6; 50];
    pixels.extend((0..5000).map(|i| f64::from(i % 2)));
    let mean = (5e7 + 2500.0) / 5050.0;
    let variance =
        (50.0 * (1e6f64 - mean).powi(2) + 2500.0 * mean * mean + 2500.0 * (1.0 - mean) * (1.0 - mean))
            / 5050.0;
    assert!((basic(&pixels, 50, 101).sigma / variance.sqrt() - 1.0).abs() < 1e-12);
}

#[test]
fn finite_pixels_give_a_finite_sigma() {
    let b = basic(&[f64::MAX, f64::MIN, f64::MAX, f64::MIN], 2, 2);
    assert_eq!((b.sigma, b.total, b.mean), (f64::MAX, 0.0, 0.0));
    let b = basic(&[f64::MAX; 4], 2, 2);
    assert_eq!((b.sigma, b.total), (0.0, f64::INFINITY));
    let b = basic(&[1e-200, 3e-200], 2, 1);
    assert!((b.sigma / 1e-200 - 1.0).abs() < 1e-12);
    assert!(basic(&[1e200, f64::NAN], 2, 1).sigma.is_nan());
}

#[test]
fn all_nan_has_no_extreme() {
    let b = basic(&[f32::NAN; 70], 35, 2);
    assert!(b.min.is_nan() && b.max.is_nan() && b.mean.is_nan());
    let b = basic(&[f32::NAN, f32::INFINITY], 2, 1);
    assert_eq!((b.min, b.min_x, b.max), (f64::INFINITY, 1, f64::INFINITY));
}

#[test]
fn nothing_wanted_nothing_found() {
    let (found, scratch) = found(&[1u8, 2], 2, 1, &Wanted::default());
    assert_eq!(found, Statistics::default());
    assert_eq!(scratch.profiles(), Profiles::default());
    assert!(scratch.counts().is_empty() && scratch.axis().is_empty());
}

#[test]
fn old_results_do_not_stay() {
    let mut scratch = Scratch::default();
    let image = Plane::packed(&[7u8; 12], 4, 3).unwrap();
    statistics(Level::best(), image, &everything(1.0), &mut scratch);
    statistics(Level::best(), image, &Wanted::default(), &mut scratch);
    assert_eq!(scratch.profiles(), Profiles::default());
    assert!(scratch.counts().is_empty() && scratch.axis().is_empty());
}

#[test]
fn background_counts_corners_once_or_twice() {
    let pixels = [8u8, 1, 8, 1, 50, 1, 8, 1, 8];
    let wanted = Wanted { basic: true, background_width: 1, ..Wanted::default() };
    assert_eq!(found(&pixels, 3, 3, &wanted).0.basic.unwrap().net, 86.0 - 36.0 / 8.0 * 9.0);
    let twice = Wanted { quirks: Quirks::AREA_DETECTOR, ..wanted };
    assert_eq!(found(&pixels, 3, 3, &twice).0.basic.unwrap().net, 86.0 - 68.0 / 12.0 * 9.0);
    assert_eq!(found(&[4u8, 9, 2], 3, 1, &wanted).0.basic.unwrap().net, 15.0 - 9.0);
}

#[test]
fn a_diagonal_line_lies_at_45_degrees() {
    let mut pixels = [0u16; 25];
    pixels.iter_mut().step_by(6).for_each(|v| *v = 10);
    let wanted = Wanted { centroid: true, threshold: 1.0, ..Wanted::default() };
    let line = found(&pixels, 5, 5, &wanted).0.centroid.unwrap();
    assert_eq!((line.x, line.y, line.orientation), (2.0, 2.0, 45.0));
    assert!((line.sigma_xy - 1.0).abs() < 1e-15 && (line.eccentricity - 1.0).abs() < 1e-15);
    let minus = Wanted { quirks: Quirks::AREA_DETECTOR, ..wanted };
    let line = found(&pixels, 5, 5, &minus).0.centroid.unwrap();
    assert!((line.eccentricity + 1.0).abs() < 1e-15);
}

#[test]
fn one_pixel_has_a_place_and_no_shape() {
    for x in 0..50 {
        let mut pixels = [0f64; 100];
        pixels[50 + x] = 0.3;
        let wanted = Wanted { centroid: true, threshold: 0.1, ..Wanted::default() };
        let spot = found(&pixels, 50, 2, &wanted).0.centroid.unwrap();
        assert!((spot.x - x as f64).abs() < 1e-12 && spot.y == 1.0);
        assert_eq!((spot.sigma_x, spot.skew_x, spot.kurtosis_x, spot.sigma_xy), (0.0, 0.0, 0.0, 0.0));
    }
}

#[test]
fn profiles_cut_through_the_centroid() {
    let pixels = [0u8, 1, 0, 2, 9, 3, 0, 4, 0];
    let cursor = Cursor { x: 7, y: 0 };
    let wanted = Wanted { profiles: Some(cursor), threshold: 5.0, ..Wanted::default() };
    let (found, scratch) = found(&pixels, 3, 3, &wanted);
    // A cursor outside is at the nearest border.
    assert_eq!((found.cursor_value, found.centroid, found.basic), (Some(0.0), None, None));
    let p = scratch.profiles();
    assert_eq!((p.centroid_x, p.centroid_y), (&[2.0, 9.0, 3.0][..], &[1.0, 9.0, 4.0][..]));
    assert_eq!((p.cursor_x, p.cursor_y), (&[0.0, 1.0, 0.0][..], &[0.0, 3.0, 0.0][..]));
    assert_eq!((p.threshold_x, p.threshold_y), (&[0.0, 3.0, 0.0][..], &[0.0, 3.0, 0.0][..]));
}

/// By hand after NDPluginStats: of each dimension the first and the last slab, clipped to the array; of one row both are all of it.
#[test]
fn the_background_of_one_row_as_area_detector_has_it() {
    let pixels = [9u8, 1, 2, 3, 7];
    let net = |is_line, corners_twice| {
        let quirks = Quirks { corners_twice, ..Quirks::default() };
        let wanted = Wanted { basic: true, background_width: 1, is_line, quirks, ..Wanted::default() };
        found(&pixels, 5, 1, &wanted).0.basic.unwrap().net
    };
    let of = |sum: f64, count: f64| 22.0 - sum / count * 5.0;
    assert_eq!(net(false, true), of(9.0 + 7.0 + 22.0 + 22.0, 12.0));
    assert_eq!([net(false, false), net(true, false), net(true, true)], [of(16.0, 2.0); 3]);
}

#[test]
fn thresholds_beyond_the_type() {
    for threshold in [255.5, f64::NAN, f64::INFINITY, 1e300] {
        let wanted = Wanted { centroid: true, threshold, ..Wanted::default() };
        assert_eq!(found(&[255u8; 4], 2, 2, &wanted).0.centroid, Some(Centroid::default()));
        assert_eq!(found(&[-1i64; 4], 2, 2, &wanted).0.centroid, Some(Centroid::default()));
    }
    let wanted = Wanted { centroid: true, threshold: f64::NEG_INFINITY, ..Wanted::default() };
    assert_eq!(found(&[255u8; 4], 2, 2, &wanted).0.centroid.unwrap().total, 1020.0);
    let tenth = Wanted { centroid: true, threshold: 0.1, ..Wanted::default() };
    // The nearest f32 to 0.1 is above it; the one below does not pass.
    assert!(found(&[0.1f32], 1, 1, &tenth).0.centroid.unwrap().total > 0.1);
    assert_eq!(found(&[0.1f32.next_down()], 1, 1, &tenth).0.centroid.unwrap().total, 0.0);
}

fn histogram<T: Measure>(pixels: &[T], min: f64, max: f64, bins: usize) -> (Histogram, Vec<u64>, Vec<f64>) {
    let wanted = Wanted { histogram: Some(HistogramRange { min, max, bins }), ..Wanted::default() };
    let (found, scratch) = found(pixels, pixels.len(), 1, &wanted);
    (found.histogram.unwrap(), scratch.counts().to_vec(), scratch.axis().to_vec())
}

#[test]
fn histogram_of_odd_ranges() {
    let pixels = [f64::NAN, -1.0, 0.0, 0.4, 0.6, 1.0, 2.0, f64::INFINITY, f64::NEG_INFINITY];
    let (other, counts, axis) = histogram(&pixels, 0.0, 1.0, 2);
    assert_eq!((other.nan, other.below, other.above), (1, 2, 2));
    assert_eq!((counts, axis), (vec![2, 2], vec![0.0, 1.0]));
    assert_eq!(histogram(&pixels, 0.0, 0.0, 0).1, [4]);
    assert_eq!(histogram(&pixels, f64::NAN, f64::NAN, 1).1, [4]);
    assert_eq!(histogram(&pixels, f64::MIN, f64::MAX, 3).1.len(), 3);
    assert_eq!(histogram(&[f64::MAX, f64::MIN], f64::MAX, 0.0, 3).0.below, 1);
    assert_eq!(histogram(&[1u8; 9], 1e300, -1.0, 3).0.below, 9);
}

#[test]
fn axis_of_centres_or_edges() {
    let range = HistogramRange { min: 0.0, max: 8.0, bins: 4 };
    let wanted = Wanted { histogram: Some(range), ..Wanted::default() };
    assert_eq!(found(&[1u8], 1, 1, &wanted).1.axis(), [0.0, 8.0 / 3.0, 16.0 / 3.0, 8.0]);
    let edges = Wanted { quirks: Quirks::AREA_DETECTOR, ..wanted };
    assert_eq!(found(&[1u8], 1, 1, &edges).1.axis(), [0.0, 2.0, 4.0, 6.0]);
}
