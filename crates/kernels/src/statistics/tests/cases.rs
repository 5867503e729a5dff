//! The images that every level is judged on.

use super::judge::Exact;
use super::*;
use proptest::prelude::*;

/// Random numbers that every run repeats.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ (self.0 >> 33)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The pixels of an image.
#[derive(Clone, Copy, Debug)]
enum Fill {
    /// Anything from the lowest to the highest value (floats: ±10⁶).
    Full,
    /// 0 to 120.
    Small,
    Lowest,
    Highest,
}

const FILLS: [Fill; 4] = [Fill::Full, Fill::Small, Fill::Lowest, Fill::Highest];

fn pixel<T: Exact>(fill: Fill, random: &mut Random) -> T {
    let (low, high) = if T::FLOAT { (-1e6, 1e6) } else { (T::LOWEST.to_f64(), T::HIGHEST.to_f64()) };
    match fill {
        Fill::Full => T::from_f64(low + (high - low) * random.unit()),
        Fill::Small => T::from_f64(random.unit() * 121.0),
        Fill::Lowest => T::from_f64(low),
        Fill::Highest => T::from_f64(high),
    }
}

/// Judges an image at an odd start, with a stride above its width; every value outside is the
/// highest there is, so that reading it shows.
fn judge_size<T: Exact>(width: usize, height: usize, fill: Fill, scratch: &mut Scratch) {
    let mut random = Random(width as u64 * 1000 + height as u64);
    let (start, stride) = (1 + width % 3, width + width % 5);
    let mut data = vec![T::HIGHEST; start + stride * height];
    for y in 0..height {
        for x in 0..width {
            data[start + y * stride + x] = pixel(fill, &mut random);
        }
    }
    let image = Plane::new(&data[start..], width, height, stride).unwrap();
    for threshold in [20.0, 50.5] {
        check(image, &everything(threshold), scratch);
    }
    check(image, &everything(-1e30), scratch);
}

fn sizes<T: Exact>() {
    let mut scratch = Scratch::default();
    for width in [0, 1, 2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 127, 130, 257, 1000] {
        for height in [0, 1, 3, 24] {
            for fill in [Fill::Full, Fill::Small] {
                judge_size::<T>(width, height, fill, &mut scratch);
            }
        }
    }
}

/// More rows than the column sums of any width hold.
fn tall<T: Exact>() {
    let mut scratch = Scratch::default();
    for fill in FILLS {
        for (width, height) in [(70, 259), (33, 800), (3, 9000)] {
            judge_size::<T>(width, height, fill, &mut scratch);
        }
    }
}

macro_rules! for_all_types {
    ($($name:ident $t:ident),*) => {$(
        mod $name {
            #[test]
            fn sizes() {
                super::sizes::<$t>();
            }

            #[test]
            fn tall() {
                super::tall::<$t>();
            }
        }
    )*};
}

for_all_types!(
    bytes u8, signed_bytes i8, unsigned16 u16, signed16 i16, unsigned32 u32, signed32 i32,
    unsigned64 u64, signed64 i64, single f32, double f64
);

fn special<T: Exact>() {
    let mut scratch = Scratch::default();
    let nan = T::from_f64(f64::NAN);
    let infinity = T::from_f64(f64::INFINITY);
    let minus = T::from_f64(f64::NEG_INFINITY);
    for specials in [vec![nan], vec![infinity], vec![nan, infinity], vec![minus, nan], vec![infinity, minus]]
    {
        for width in [1, 5, 16, 64, 130] {
            for step in [1, 3, 50] {
                let mut random = Random(7);
                let mut data: Vec<T> = (0..width * 5).map(|_| pixel(Fill::Small, &mut random)).collect();
                let places = data.iter_mut().step_by(step);
                for (place, &v) in places.zip(specials.iter().cycle()) {
                    *place = v;
                }
                let image = Plane::packed(&data, width, 5).unwrap();
                check(image, &everything(10.0), &mut scratch);
            }
        }
    }
}

#[test]
fn nan_and_infinities() {
    special::<f32>();
    special::<f64>();
}

/// Values at and next to the edges of bins, where single precision is in doubt.
#[test]
fn edges_of_bins() {
    let mut scratch = Scratch::default();
    let ranges = [(3.0, 100.5, 37), (0.0, 255.0, 256), (-1.0, 0.7, 4096), (0.1, 77.7, 100), (0.0, 1e-3, 5)];
    for (min, max, bins) in ranges {
        let edge = |i: usize| min + (i / 3) as f64 * (max - min) / (bins - 1) as f64 / 2.0;
        let near =
            |i: usize| [edge(i) as f32, (edge(i) as f32).next_up(), (edge(i) as f32).next_down()][i % 3];
        let pixels: Vec<f32> = (0..bins * 6 + 9).map(near).collect();
        let range = HistogramRange { min, max, bins };
        let wanted = Wanted { histogram: Some(range), ..everything(1.0) };
        check(Plane::packed(&pixels, pixels.len() / 3, 3).unwrap(), &wanted, &mut scratch);
        let words: Vec<i16> = (-300..900).collect();
        check(Plane::packed(&words, 400, 3).unwrap(), &wanted, &mut scratch);
    }
}

/// More bins than single precision is used for, and more than several tables are kept for.
#[test]
fn many_bins() {
    let mut scratch = Scratch::default();
    let words: Vec<u16> = (0..3000u32).map(|i| (i * 7919) as u16).collect();
    let singles: Vec<f32> = words.iter().map(|&v| f32::from(v) * 1.37 - 99.0).chain([f32::NAN]).collect();
    for bins in [4097, 16380, 16381, 16382, 65536] {
        let range = HistogramRange { min: 0.0, max: 65535.0, bins };
        let wanted = Wanted { histogram: Some(range), ..everything(1.0) };
        check(Plane::packed(&words, 300, 10).unwrap(), &wanted, &mut scratch);
        check(Plane::packed(&singles, 3001, 1).unwrap(), &wanted, &mut scratch);
    }
}

/// Any bytes at all, read as any type.
fn any<T: Exact>(values: &[f64], width: usize, extra: usize, wanted: &Wanted) {
    let data: Vec<T> = values.iter().map(|&v| T::from_f64(v)).collect();
    let stride = width + extra;
    let height = data.len() / stride;
    let image = Plane::new(&data, width, height, stride).unwrap();
    check(image, wanted, &mut Scratch::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_image(
        values in prop::collection::vec(prop_oneof![-200.0..300.0f64, -1e5..1e5f64, Just(0.0)], 1..1500),
        width in 1..80usize,
        extra in 0..4usize,
        threshold in -10.0..300.0f64,
        border in 0..6usize,
        corners_twice: bool,
    ) {
        let quirks = Quirks { corners_twice, ..Quirks::default() };
        let wanted = Wanted { background_width: border, quirks, ..everything(threshold) };
        any::<u8>(&values, width, extra, &wanted);
        any::<i8>(&values, width, extra, &wanted);
        any::<u16>(&values, width, extra, &wanted);
        any::<i16>(&values, width, extra, &wanted);
        any::<u32>(&values, width, extra, &wanted);
        any::<i32>(&values, width, extra, &wanted);
        any::<u64>(&values, width, extra, &wanted);
        any::<i64>(&values, width, extra, &wanted);
        any::<f32>(&values, width, extra, &wanted);
        any::<f64>(&values, width, extra, &wanted);
    }
}

/// Requests beside them change neither the basic statistics nor the centroid.
fn apart<T: Exact>() {
    let mut random = Random(11);
    let data: Vec<T> = (0..150 * 40).map(|_| pixel(Fill::Small, &mut random)).collect();
    let image = Plane::new(&data, 141, 40, 150).unwrap();
    for (level, threshold) in Level::available().into_iter().flat_map(|l| [(l, 1.0), (l, 30.0), (l, 1e9)]) {
        let mut scratch = Scratch::default();
        let mut found = |wanted: &Wanted| statistics(level, image, wanted, &mut scratch);
        let all = everything(threshold);
        let both = found(&Wanted { profiles: None, histogram: None, ..all });
        let basic = found(&Wanted { centroid: false, profiles: None, histogram: None, ..all });
        let all = found(&all);
        assert_eq!((all.basic, all.centroid), (both.basic, both.centroid));
        assert_eq!((all.basic, None), (basic.basic, basic.centroid));
    }
}

#[test]
fn less_is_the_same() {
    apart::<u8>();
    apart::<i8>();
    apart::<u16>();
    apart::<f32>();
    apart::<f64>();
}
