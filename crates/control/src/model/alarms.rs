//! The alarms of one node: which of its quantities are beyond their limits.

use std::sync::Arc;

use livetime_engine::Event;

use super::limits::{Bound, Limit, Limits, Quantity, Severity};

/// Time between two lines of the log about one quantity: a value that goes to and fro would fill the log.
const TOLD_EVERY_NS: u64 = 1_000_000_000;

/// A quantity with its limits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limited {
    /// Which one.
    pub quantity: Quantity,
    /// Its limits.
    pub limits: Limits,
    /// The limit that its value is beyond.
    pub beyond: Option<Bound>,
}

impl Limited {
    /// How bad its alarm is.
    pub fn severity(&self) -> Severity {
        self.beyond.map_or(Severity::None, |bound| self.limits.severity(bound))
    }
}

/// The limits of a node, followed from look to look.
#[derive(Default)]
pub(super) struct Alarms {
    kept: Vec<Kept>,
}

struct Kept {
    limited: Limited,
    /// The limit that its value was beyond at the last look, or the value.
    last: f64,
    /// The limit and the severity that the log has, and the time of its line.
    told: (Option<Bound>, Severity),
    told_ns: Option<u64>,
}

impl Alarms {
    /// Gives these quantities these limits; all others lose theirs, and with them their alarms.
    pub(super) fn replace(&mut self, all: &[(Quantity, Limits)]) {
        self.kept.iter_mut().for_each(|kept| kept.limited.limits = Limits::default());
        all.iter().for_each(|(quantity, limits)| self.kept(*quantity).limited.limits = *limits);
    }

    /// Changes a limit of a quantity.
    pub(super) fn set(&mut self, quantity: Quantity, limit: Limit) {
        self.kept(quantity).limited.limits.set(limit);
    }

    /// The limits of a quantity, which has none yet if they are new.
    fn kept(&mut self, quantity: Quantity) -> &mut Kept {
        let known = self.kept.iter().position(|kept| kept.limited.quantity == quantity);
        let number = known.unwrap_or_else(|| {
            let limited = Limited { quantity, limits: Limits::default(), beyond: None };
            self.kept.push(Kept { limited, last: f64::NAN, told: (None, Severity::None), told_ns: None });
            self.kept.len() - 1
        });
        &mut self.kept[number]
    }

    /// Judges all quantities by `value`. Returns the lines for the log of node `name`.
    pub(super) fn judge(
        &mut self,
        name: &str,
        now_ns: u64,
        value: impl Fn(Quantity) -> Option<f64>,
    ) -> Vec<Event> {
        self.kept
            .iter_mut()
            .filter_map(|kept| kept.judge(name, now_ns, value(kept.limited.quantity)?))
            .collect()
    }

    /// All quantities with limits; the same as `before` if nothing has changed.
    pub(super) fn shown(&self, before: &Arc<[Limited]>) -> Arc<[Limited]> {
        let is_same = before.iter().eq(self.kept.iter().map(|kept| &kept.limited));
        if is_same { before.clone() } else { self.kept.iter().map(|kept| kept.limited).collect() }
    }
}

impl Kept {
    fn judge(&mut self, name: &str, now_ns: u64, value: f64) -> Option<Event> {
        let limited = &mut self.limited;
        limited.beyond = limited.limits.judge(value, self.last);
        self.last = limited.beyond.map_or(value, |bound| limited.limits.at(bound));
        let now = (limited.beyond, limited.severity());
        let is_early = self.told_ns.is_some_and(|told| now_ns.saturating_sub(told) < TOLD_EVERY_NS);
        if now == self.told || is_early {
            return None;
        }
        (self.told, self.told_ns) = (now, Some(now_ns));
        let quantity = limited.quantity;
        let message = match limited.beyond {
            Some(bound) => {
                let (name, at, severity) =
                    (bound.name(), limited.limits.at(bound), limited.severity().name());
                format!("alarm: {quantity} is {value}, beyond {name} at {at}: {severity}")
            }
            None => format!("end of the alarm: {quantity} is {value}"),
        };
        let is_error = limited.severity() >= Severity::Major;
        Some(Event { at_ns: now_ns, node: name.to_owned(), is_error, message, cause: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_is_told_once_and_its_end_too() {
        let mut alarms = Alarms::default();
        alarms.set(Quantity::Rate, Limit::At(Bound::Low, 5.0));
        alarms.set(Quantity::Rate, Limit::Severity(Bound::Low, Severity::Major));
        let mut at = |seconds: u64, hz: f64| {
            let told = alarms.judge("cam", seconds * TOLD_EVERY_NS / 2, |_| Some(hz));
            (
                told.into_iter().map(|event| event.message).collect::<String>(),
                alarms.shown(&Arc::default())[0].beyond,
            )
        };
        let alarm = "alarm: frames per second is 4, beyond LOW at 5: MAJOR".to_owned();
        assert_eq!(at(0, 9.0), (String::new(), None));
        assert_eq!(at(1, 4.0), (alarm, Some(Bound::Low)));
        // The state is known at once, the line waits.
        assert_eq!(at(2, 8.0), (String::new(), None));
        assert_eq!(at(3, 8.0), ("end of the alarm: frames per second is 8".to_owned(), None));
        assert_eq!(at(9, 8.0), (String::new(), None));
    }
}
