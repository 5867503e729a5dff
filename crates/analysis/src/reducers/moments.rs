//! Number, mean and spread of values together.

/// Number, sum, mean, and the sum of squared distances from the mean.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Moments {
    count: u64,
    pub(super) sum: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Of `count` integers with these sums. Distances are taken from the integer next to the mean, exactly, so that nothing cancels.
    pub(super) fn exact(count: u64, sum: i128, squares: u128) -> Moments {
        if count == 0 {
            return Moments::default();
        }
        let n = i128::from(count);
        let pivot = sum.div_euclid(n);
        let rest = sum - n * pivot;
        // As many as 2^60 values of 32 bits fit.
        let about = squares as i128 - pivot * (2 * sum - n * pivot);
        Moments { sum: sum as f64, ..Moments::about(count, pivot as f64, rest as f64, about as f64) }
    }

    /// Of `count` values with these sums of distances from a pivot.
    pub(super) fn about(count: u64, pivot: f64, sum: f64, squares: f64) -> Moments {
        if count == 0 {
            return Moments::default();
        }
        let n = count as f64;
        Moments { count, sum: n * pivot + sum, mean: pivot + sum / n, squares: squares - sum * sum / n }
    }

    /// Takes in more values.
    pub(super) fn add(&mut self, more: Moments) {
        if self.count == 0 || more.count == 0 {
            *self = if self.count == 0 { more } else { *self };
            return;
        }
        let (n, m) = (self.count as f64, more.count as f64);
        let distance = more.mean - self.mean;
        self.mean += distance * (m / (n + m));
        self.squares += more.squares + distance * distance * (n * m / (n + m));
        self.sum += more.sum;
        self.count += more.count;
    }

    /// NaN if there are no values, as the mean of none.
    pub(super) fn mean(&self) -> f64 {
        if self.count == 0 { f64::NAN } else { self.mean }
    }

    /// √(Σ(v − mean)²/n).
    pub(super) fn deviation(&self) -> f64 {
        // Rounding may leave less than nothing; NaN stays.
        let squares = if self.squares < 0.0 { 0.0 } else { self.squares };
        (squares / self.count as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_plain_sums() {
        let values = [-7i64, 4_000_000_000, 3, 3, 12, -4_000_000_000, 1];
        let of = |values: &[i64]| {
            let sum = values.iter().map(|v| i128::from(*v)).sum();
            Moments::exact(
                values.len() as u64,
                sum,
                values.iter().map(|v| u128::from(v.unsigned_abs()).pow(2)).sum(),
            )
        };
        let mean = values.iter().sum::<i64>() as f64 / 7.0;
        let deviation = (values.iter().map(|v| (*v as f64 - mean).powi(2)).sum::<f64>() / 7.0).sqrt();
        let mut parts = Moments::default();
        [&values[..0], &values[..2], &values[2..]].iter().for_each(|part| parts.add(of(part)));
        for found in [of(&values), parts] {
            assert_eq!(found.count, 7);
            assert!((found.mean() - mean).abs() < 1e-6, "{} {mean}", found.mean());
            assert!((found.deviation() / deviation - 1.0).abs() < 1e-12, "{} {deviation}", found.deviation());
        }
        // The mean is far from zero, the spread small.
        let near = of(&[4_000_000_000, 4_000_000_001, 4_000_000_001, 4_000_000_002]);
        assert_eq!((near.mean(), near.deviation()), (4_000_000_001.0, 0.5f64.sqrt()));
        assert!(of(&[]).mean().is_nan() && of(&[]).deviation().is_nan());
    }
}
