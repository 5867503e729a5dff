//! Centroid and shape from the projections.

use super::projections::Projections;
use super::results::Centroid;
use super::wanted::Quirks;

/// The moments of one projection.
#[derive(Default)]
struct Axis {
    centre: f64,
    variance: f64,
    skew: f64,
    kurtosis: f64,
}

/// All of [`Centroid`]; 0 when the sum is not positive.
#[inline(always)]
pub(super) fn centroid(sums: &Projections, quirks: Quirks) -> Centroid {
    let [total] = weighted(&sums.rows, 0.0, |_| [1.0]);
    // Also when it is NaN.
    if total.is_nan() || total <= 0.0 {
        return Centroid::default();
    }
    let (x, y) = (axis(&sums.columns, total), axis(&sums.rows, total));
    let mixed = if sums.moment_of_columns {
        mixed(&sums.moment, &sums.columns, x.centre, y.centre)
    } else {
        mixed(&sums.moment, &sums.rows, y.centre, x.centre)
    };
    shape(total, &x, &y, mixed / total, quirks)
}

/// Independent partial sums, so that the additions of neighbours need not wait for each other.
const LANES: usize = 8;

/// `Σ f(i − centre)·profile[i]`, for several f at once.
#[inline(always)]
fn weighted<const N: usize>(profile: &[f64], centre: f64, f: impl Fn(f64) -> [f64; N]) -> [f64; N] {
    let mut sums = [[0.0; LANES]; N];
    let (chunks, tail) = profile.as_chunks::<LANES>();
    let mut distance: [f64; LANES] = std::array::from_fn(|lane| lane as f64 - centre);
    for (i, chunk) in chunks.iter().enumerate() {
        for lane in 0..LANES {
            distance[lane] = (i * LANES + lane) as f64 - centre;
            let weights = f(distance[lane]);
            for n in 0..N {
                sums[n][lane] += weights[n] * chunk[lane];
            }
        }
    }
    for (lane, p) in tail.iter().enumerate() {
        let weights = f((chunks.len() * LANES + lane) as f64 - centre);
        for n in 0..N {
            sums[n][lane] += weights[n] * p;
        }
    }
    sums.map(|lanes| lanes.iter().sum())
}

#[inline(always)]
fn axis(profile: &[f64], total: f64) -> Axis {
    let [first] = weighted(profile, 0.0, |d| [d]);
    let centre = first / total;
    let powers = weighted(profile, centre, |d| [d * d, d * d * d, d * d * d * d]);
    let [variance, third, fourth] = powers.map(|sum| sum / total);
    // A variance as small as this is the rounding of the centre: all lies in one column or row.
    let rounding = 4.0 * f64::EPSILON * profile.len() as f64;
    if variance <= rounding * rounding {
        return Axis { centre, ..Axis::default() };
    }
    let skew = third / (variance * variance.sqrt());
    // Less 3, so that a normal distribution has none.
    Axis { centre, variance, skew, kurtosis: fourth / (variance * variance) - 3.0 }
}

/// Σ (i − own)·(j − other)·v; `moment` has Σ j·v and `profile` Σ v for every i.
#[inline(always)]
fn mixed(moment: &[f64], profile: &[f64], own: f64, other: f64) -> f64 {
    let term = |i: usize, m: f64, p: f64| (i as f64 - own) * (m - other * p);
    let mut sums = [0.0; LANES];
    let (chunks, tail) = moment.as_chunks::<LANES>();
    let (profile_chunks, profile_tail) = profile.as_chunks::<LANES>();
    for (i, (m, p)) in chunks.iter().zip(profile_chunks).enumerate() {
        for lane in 0..LANES {
            sums[lane] += term(i * LANES + lane, m[lane], p[lane]);
        }
    }
    for (lane, (&m, &p)) in tail.iter().zip(profile_tail).enumerate() {
        sums[lane] += term(chunks.len() * LANES + lane, m, p);
    }
    sums.iter().sum()
}

fn shape(total: f64, x: &Axis, y: &Axis, covariance: f64, quirks: Quirks) -> Centroid {
    let (sigma_x, sigma_y) = (x.variance.sqrt(), y.variance.sqrt());
    // A flat axis has no deviation to divide by.
    let flat = x.variance == 0.0 || y.variance == 0.0;
    Centroid {
        total,
        x: x.centre,
        y: y.centre,
        sigma_x,
        sigma_y,
        sigma_xy: if flat { 0.0 } else { covariance / (sigma_x * sigma_y) },
        skew_x: x.skew,
        skew_y: y.skew,
        kurtosis_x: x.kurtosis,
        kurtosis_y: y.kurtosis,
        eccentricity: eccentricity(x.variance, y.variance, covariance, quirks),
        orientation: (2.0 * covariance).atan2(x.variance - y.variance).to_degrees() / 2.0,
    }
}

fn eccentricity(x: f64, y: f64, covariance: f64, quirks: Quirks) -> f64 {
    if x + y == 0.0 {
        return 0.0;
    }
    let sign = if quirks.eccentricity_minus { -1.0 } else { 1.0 };
    ((x - y).powi(2) + sign * 4.0 * covariance.powi(2)) / (x + y).powi(2)
}
