//! From values to places, and the numbers along an axis.

/// An axis: its quantity, and its range.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    title: String,
    from: Option<f64>,
    to: Option<f64>,
}

impl Axis {
    /// An axis that shows `quantity`, in `unit` if that is not empty. It reaches as far as the values.
    pub fn new(quantity: &str, unit: &str) -> Axis {
        let title = if unit.is_empty() { quantity.to_owned() } else { format!("{quantity} ({unit})") };
        Axis { title, from: None, to: None }
    }

    /// The lowest value shown, whatever the values are.
    #[must_use]
    pub fn from(self, from: f64) -> Axis {
        Axis { from: Some(from), ..self }
    }

    /// The highest value shown, whatever the values are.
    #[must_use]
    pub fn to(self, to: f64) -> Axis {
        Axis { to: Some(to), ..self }
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    /// The scale for `values`; values that are no numbers do not matter. `headroom` is added above the highest, as a share of the range.
    pub(super) fn scale(&self, values: impl Iterator<Item = f64>, most_ticks: usize, headroom: f64) -> Scale {
        let finite = values.filter(|v| v.is_finite());
        let found = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        // Without any number the axis has a range all the same.
        let (low, high) = if found.0 > found.1 { (0.0, 1.0) } else { found };
        let (low, high) = (self.from.unwrap_or(low), self.to.unwrap_or(high));
        let (low, high) = match high > low {
            true => (low, high),
            // A highest value that is given stays, so the range opens downwards.
            false if self.to.is_some() && self.from.is_none() => (high - 1.0, high),
            false => (low, low + 1.0),
        };
        let high = if self.to.is_some() { high } else { high + (high - low) * headroom };
        let step = step((high - low) / most_ticks.max(1) as f64);
        let low = if self.from.is_some() { low } else { (low / step).floor() * step };
        let high = if self.to.is_some() { high } else { (high / step).ceil() * step };
        Scale { low, high, step }
    }
}

/// A range with round numbers at equal distances.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) step: f64,
}

impl Scale {
    /// The range as it is, without rounding it.
    pub(super) fn exact(low: f64, high: f64, most_ticks: usize) -> Scale {
        let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
        Scale { low, high, step: step((high - low) / most_ticks.max(1) as f64) }
    }

    /// 0 for the lowest value, 1 for the highest.
    pub(super) fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Multiples of the step in the range, with their texts.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        // Rounding must not take a tick from the very end.
        let (first, last) = (self.low / self.step - 1e-6, self.high / self.step + 1e-6);
        let (first, last) = (first.ceil(), last.floor());
        // A step far too small for the range must not make ticks without end.
        let count = ((last - first).max(0.0) as usize).min(1000) + usize::from(last >= first);
        (0..count).map(|i| (first + i as f64) * self.step).map(|v| (v, number(v, self.step))).collect()
    }
}

/// The next of 1, 2, 5, 10, 20 ... that is not below.
pub(super) fn step(least: f64) -> f64 {
    if !(least > 0.0 && least.is_finite()) {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].map(|n| n * power).into_iter().find(|s| *s >= least).unwrap_or(10.0 * power)
}

/// As short as it can be, for values that differ by `step`.
pub(super) fn number(value: f64, step: f64) -> String {
    // Rounding beside 0 is shown as 0.
    if value.abs() < step * 1e-6 {
        return "0".into();
    }
    let decimals = (-step.log10().floor()).max(0.0);
    if value.abs() >= 1e6 || decimals > 5.0 {
        // So many digits that neighbours differ.
        let digits = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 12.0) as usize;
        let text = format!("{value:.digits$e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", trimmed(mantissa));
    }
    trimmed(&format!("{value:.*}", decimals as usize)).to_owned()
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_numbers() {
        assert_eq!(
            [0.0, 0.7, 1.0, 3.0, 60.0, 400.0, f64::NAN].map(step),
            [1.0, 1.0, 1.0, 5.0, 100.0, 500.0, 1.0]
        );
    }

    #[test]
    fn numbers_are_short_and_differ() {
        assert_eq!([0.0, 2.0, 2.5, 1500.0, -3.0].map(|v| number(v, 0.5)), ["0", "2", "2.5", "1500", "-3"]);
        assert_eq!([1e7, 2.5e7].map(|v| number(v, 5e6)), ["1e7", "2.5e7"]);
        assert_eq!([0.000_02, 1e-16].map(|v| number(v, 1e-5)), ["0.00002", "0"]);
        assert_eq!(number(3e-7, 1e-7), "3e-7");
    }

    #[test]
    fn a_scale_reaches_as_far_as_the_values_or_as_told() {
        let axis = Axis::new("mean", "counts");
        assert_eq!(axis.title(), "mean (counts)");
        assert_eq!(Axis::new("workers", "").title(), "workers");
        let values = || [-3.0, f64::NAN, 14.0].into_iter();
        assert_eq!(axis.scale(values(), 5, 0.0), Scale { low: -5.0, high: 15.0, step: 5.0 });
        let told = axis.clone().from(0.0).to(100.0).scale(values(), 5, 0.4);
        assert_eq!((told.low, told.high, told.step), (0.0, 100.0, 20.0));
        // One value, no value, and a highest value below all.
        assert_eq!(axis.scale([7.0].into_iter(), 5, 0.0), Scale { low: 7.0, high: 8.0, step: 0.2 });
        assert_eq!(axis.scale([].into_iter(), 5, 0.0).ticks().len(), 6);
        let below = axis.to(3.0).scale([9.0].into_iter(), 5, 0.0);
        assert!(below.low < below.high && below.share(3.0) == 1.0);
    }

    #[test]
    fn ticks_are_multiples_of_the_step_inside() {
        let texts = |scale: Scale| scale.ticks().into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts(Scale::exact(0.3, 2.2, 4)), ["0.5", "1", "1.5", "2"]);
        assert_eq!(texts(Scale::exact(-1.0, 1.0, 2)), ["-1", "0", "1"]);
        assert_eq!(texts(Scale::exact(5.0, 5.0, 2)), ["4.5", "5", "5.5"]);
    }
}
