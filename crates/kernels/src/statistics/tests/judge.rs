//! The plain definitions: exact integers where the pixel is one, two passes where it is not.

use super::super::*;

/// Pixels with their exact value.
pub(super) trait Exact: Measure {
    /// The exact value of an integer pixel.
    fn exact(self) -> i128;
}

macro_rules! exact {
    ($($t:ty)*) => {$(impl Exact for $t { fn exact(self) -> i128 { self as i128 } })*};
}

exact!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

/// The statistics of an image by definition.
pub(super) struct Judgement {
    basic: Basic,
    /// Sum of the absolute values of all finite pixels: the scale of rounding errors of sums.
    weight: f64,
    /// No sum of this type may round.
    exact: bool,
    centroid: Centroid,
    /// The same over the pixels that pass.
    passing_weight: f64,
    /// Some pixel that passes is negative, so that the second moments mean nothing.
    negative: bool,
    cursor: f64,
    profiles: [Vec<f64>; 6],
    counts: Vec<u64>,
    histogram: Histogram,
}

fn pixels<T: Exact>(image: Plane<T>) -> impl Iterator<Item = (usize, usize, T)> {
    image.rows().enumerate().flat_map(|(y, row)| row.iter().enumerate().map(move |(x, &v)| (x, y, v)))
}

fn passes<T: Exact>(v: T, threshold: f64) -> bool {
    if T::FLOAT || threshold.is_nan() {
        return v.to_f64() >= threshold;
    }
    v.exact() >= threshold.ceil() as i128
}

/// Σv over pixels: exact for integers, then rounded once.
fn sum<T: Exact>(values: impl Iterator<Item = T>) -> f64 {
    if T::FLOAT { values.map(T::to_f64).sum() } else { values.map(T::exact).sum::<i128>() as f64 }
}

fn finite_weight<T: Exact>(values: impl Iterator<Item = T>) -> f64 {
    values.map(|v| v.to_f64().abs()).filter(|v| v.is_finite()).sum()
}

fn sigma<T: Exact>(image: Plane<T>) -> f64 {
    let n = image.len() as f64;
    let first = pixels(image).next().map_or(0, |p| p.2.exact());
    let value = |v: T| if T::FLOAT { v.to_f64() } else { (v.exact() - first) as f64 };
    let mean = pixels(image).map(|p| value(p.2)).sum::<f64>() / n;
    (pixels(image).map(|p| (value(p.2) - mean).powi(2)).sum::<f64>() / n).sqrt()
}

fn extreme<T: Exact>(image: Plane<T>, better: impl Fn(T, T) -> bool) -> (f64, usize, usize) {
    let mut best: Option<(usize, usize, T)> = None;
    for (x, y, v) in pixels(image).filter(|p| !p.2.to_f64().is_nan()) {
        if best.is_none_or(|b| better(v, b.2)) {
            best = Some((x, y, v));
        }
    }
    best.map_or((f64::NAN, 0, 0), |(x, y, v)| (v.to_f64(), x, y))
}

fn net<T: Exact>(image: Plane<T>, wanted: &Wanted, total: f64) -> f64 {
    let (w, h, b) = (image.width(), image.height(), wanted.background_width);
    let times = |x: usize, y: usize| {
        let slabs = h > 1 || wanted.quirks.corners_twice && !wanted.is_line;
        let ends = [x < b, x + b >= w, slabs && y < b, slabs && y + b >= h];
        let n = ends.into_iter().filter(|&e| e).count();
        if wanted.quirks.corners_twice { n } else { n.min(1) }
    };
    let sum: f64 = pixels(image).map(|(x, y, v)| v.to_f64() * times(x, y) as f64).sum();
    let count: usize = pixels(image).map(|(x, y, _)| times(x, y)).sum();
    if count == 0 { total } else { total - sum / count as f64 * image.len() as f64 }
}

fn basic<T: Exact>(image: Plane<T>, wanted: &Wanted) -> Basic {
    let (min, min_x, min_y) = extreme(image, |a, b| a < b);
    let (max, max_x, max_y) = extreme(image, |a, b| a > b);
    let total = sum(pixels(image).map(|p| p.2));
    let mean = total / image.len() as f64;
    let net = net(image, wanted, total);
    Basic { min, max, min_x, min_y, max_x, max_y, mean, sigma: sigma(image), total, net }
}

fn centroid<T: Exact>(image: Plane<T>, wanted: &Wanted) -> Centroid {
    let passing: Vec<(f64, f64, T)> = pixels(image)
        .filter(|p| passes(p.2, wanted.threshold))
        .map(|(x, y, v)| (x as f64, y as f64, v))
        .collect();
    let total = sum(passing.iter().map(|p| p.2));
    if total.is_nan() || total <= 0.0 {
        return Centroid::default();
    }
    let mean = |f: &dyn Fn(f64, f64) -> f64| {
        passing.iter().map(|&(x, y, v)| f(x, y) * v.to_f64()).sum::<f64>() / total
    };
    let (cx, cy) = (mean(&|x, _| x), mean(&|_, y| y));
    let (var_x, var_y) = (mean(&|x, _| (x - cx).powi(2)), mean(&|_, y| (y - cy).powi(2)));
    let cov = mean(&|x, y| (x - cx) * (y - cy));
    let safe = |v: f64, d: f64| if d > 1e-18 { v / d } else { 0.0 };
    Centroid {
        total,
        x: cx,
        y: cy,
        sigma_x: var_x.sqrt(),
        sigma_y: var_y.sqrt(),
        sigma_xy: safe(cov, (var_x * var_y).sqrt()),
        skew_x: safe(mean(&|x, _| (x - cx).powi(3)), var_x.powf(1.5)),
        skew_y: safe(mean(&|_, y| (y - cy).powi(3)), var_y.powf(1.5)),
        kurtosis_x: if var_x > 1e-18 { mean(&|x, _| (x - cx).powi(4)) / var_x.powi(2) - 3.0 } else { 0.0 },
        kurtosis_y: if var_y > 1e-18 { mean(&|_, y| (y - cy).powi(4)) / var_y.powi(2) - 3.0 } else { 0.0 },
        eccentricity: safe((var_x - var_y).powi(2) + 4.0 * cov * cov, (var_x + var_y).powi(2)),
        orientation: 0.5 * (2.0 * cov).atan2(var_x - var_y).to_degrees(),
    }
}

fn profiles<T: Exact>(image: Plane<T>, wanted: &Wanted) -> [Vec<f64>; 6] {
    let (w, h) = (image.width(), image.height());
    let cut = |v: T| if passes(v, wanted.threshold) { v } else { T::default() };
    let column = |x: usize| image.rows().map(move |row| row[x]);
    let row = |y: usize| image.row(y).iter().copied();
    let cursor = wanted.profiles.unwrap_or_default();
    let at = |x: usize, y: usize| match w.min(h) {
        0 => 0.0,
        _ => image.row(y.min(h - 1))[x.min(w - 1)].to_f64(),
    };
    [
        (0..w).map(|x| sum(column(x)) / h as f64).collect(),
        (0..h).map(|y| sum(row(y)) / w as f64).collect(),
        (0..w).map(|x| sum(column(x).map(cut)) / h as f64).collect(),
        (0..h).map(|y| sum(row(y).map(cut)) / w as f64).collect(),
        (0..w).map(|x| at(x, cursor.y)).collect(),
        (0..h).map(|y| at(cursor.x, y)).collect(),
    ]
}

fn histogram<T: Exact>(image: Plane<T>, range: HistogramRange) -> (Vec<u64>, Histogram) {
    let mut counts = vec![0; range.bins];
    let mut other = Histogram::default();
    for (_, _, v) in pixels(image) {
        let v = v.to_f64();
        match v {
            _ if v.is_nan() => other.nan += 1,
            _ if v < range.min => other.below += 1,
            _ if v > range.max => other.above += 1,
            _ => {
                let scale = (range.bins - 1) as f64 / (range.max - range.min);
                counts[((v - range.min) * scale + 0.5) as usize] += 1;
            }
        }
    }
    let terms = counts.iter().map(|&c: &u64| c.max(1) as f64).map(|c| c * c.ln()).sum::<f64>();
    other.entropy = if image.is_empty() { 0.0 } else { -terms / image.len() as f64 };
    (counts, other)
}

impl Judgement {
    pub(super) fn of<T: Exact>(image: Plane<T>, wanted: &Wanted) -> Judgement {
        let passing = || pixels(image).map(|p| p.2).filter(|&v| passes(v, wanted.threshold));
        let cursor = wanted.profiles.unwrap_or_default();
        let range = wanted.histogram.unwrap_or(HistogramRange { min: 0.0, max: 1.0, bins: 1 });
        let (counts, histogram) = histogram(image, range);
        let at =
            (cursor.x.min(image.width().saturating_sub(1)), cursor.y.min(image.height().saturating_sub(1)));
        Judgement {
            basic: basic(image, wanted),
            weight: finite_weight(pixels(image).map(|p| p.2)),
            exact: !T::FLOAT && size_of::<T>() < 8,
            centroid: centroid(image, wanted),
            passing_weight: finite_weight(passing()),
            negative: passing().any(|v| v < T::default()),
            cursor: if !image.is_empty() { image.row(at.1)[at.0].to_f64() } else { 0.0 },
            profiles: profiles(image, wanted),
            counts,
            histogram,
        }
    }

    pub(super) fn compare(&self, found: &Statistics, scratch: &Scratch, what: &str) {
        self.compare_basic(&found.basic.unwrap(), what);
        self.compare_centroid(&found.centroid.unwrap(), what);
        let close = |a: f64, b: f64| same(a, b, if self.exact { 0.0 } else { self.weight * 1e-13 });
        let p = scratch.profiles();
        let found_profiles = [p.average_x, p.average_y, p.threshold_x, p.threshold_y, p.cursor_x, p.cursor_y];
        for (found, wanted) in found_profiles.into_iter().zip(&self.profiles) {
            assert_eq!(found.len(), wanted.len(), "{what}");
            assert!(found.iter().zip(wanted).all(|(&a, &b)| close(a, b)), "{what} {found:?} {wanted:?}");
        }
        assert!(same(found.cursor_value.unwrap(), self.cursor, 0.0), "{what}");
        let counted = found.histogram.unwrap();
        assert_eq!(scratch.counts(), self.counts, "{what}");
        assert_eq!(Histogram { entropy: self.histogram.entropy, ..counted }, self.histogram, "{what}");
        assert!(same(counted.entropy, self.histogram.entropy, 1e-11), "{what}");
    }

    fn compare_basic(&self, found: &Basic, what: &str) {
        let judged = &self.basic;
        let what = format!("{what}\nfound {found:?}\njudge {judged:?}");
        assert!(same(found.min, judged.min, 0.0) && same(found.max, judged.max, 0.0), "{what}");
        assert_eq!((found.min_x, found.min_y), (judged.min_x, judged.min_y), "{what}");
        assert_eq!((found.max_x, found.max_y), (judged.max_x, judged.max_y), "{what}");
        let sums = if self.exact { 0.0 } else { self.weight * 1e-13 };
        assert!(same(found.total, judged.total, sums), "{what}");
        assert!(same(found.mean, judged.mean, sums), "{what}");
        // The background is a quotient, so it rounds for integers, too.
        assert!(same(found.net, judged.net, self.weight * 1e-12), "{what}");
        // The judge rounds its mean, hence the second term.
        let spread = judged.max.abs().max(judged.min.abs());
        assert!(same(found.sigma, judged.sigma, judged.sigma * 1e-10 + spread * 1e-15), "{what}");
    }

    fn compare_centroid(&self, found: &Centroid, what: &str) {
        let judged = &self.centroid;
        let what = format!("{what}\nfound {found:?}\njudge {judged:?}");
        let sums = if self.exact { 0.0 } else { self.passing_weight * 1e-13 };
        // A sum that is zero but for rounding has no centroid to compare.
        if judged.total.abs() <= sums * 1e6 {
            return;
        }
        assert!(same(found.total, judged.total, sums), "{what}");
        if judged.total == 0.0 {
            return assert_eq!(*found, Centroid::default(), "{what}");
        }
        if judged.total.is_infinite() {
            return assert!(found.x.is_nan() && found.y.is_nan(), "{what}");
        }
        let rounding = 1e-10 * self.passing_weight / judged.total * 1000.0;
        assert!(same(found.x, judged.x, rounding) && same(found.y, judged.y, rounding), "{what}");
        if self.negative {
            return;
        }
        let near = |a: f64, b: f64| same(a, b, 1e-8 * (1.0 + b.abs()));
        let second = [
            (found.sigma_x, judged.sigma_x),
            (found.sigma_y, judged.sigma_y),
            (found.sigma_xy, judged.sigma_xy),
            (found.skew_x, judged.skew_x),
            (found.skew_y, judged.skew_y),
            (found.kurtosis_x, judged.kurtosis_x),
            (found.kurtosis_y, judged.kurtosis_y),
            (found.eccentricity, judged.eccentricity),
        ];
        assert!(second.into_iter().all(|(a, b)| near(a, b)), "{what}");
        // The angle of a round spot is anything.
        if judged.eccentricity > 1e-6 {
            let turn = (found.orientation - judged.orientation).abs();
            assert!(turn.is_nan() || turn.min(180.0 - turn) < 1e-4, "{what}");
        }
    }
}

/// Equal within `tolerance`; NaN equals NaN.
pub(super) fn same(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance
}
