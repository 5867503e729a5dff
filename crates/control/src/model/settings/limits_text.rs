//! The limits of a node as one text of a settings file: `gain HIGH=3 MAJOR HYST=0.5; run.queued HIHI=90 MINOR`.

use livetime_engine::{ParamKind, ParamSpec, Refusal};

use crate::model::alarms::Limited;
use crate::model::counter::Counter;
use crate::model::limits::{Bound, Limit, Limits, Quantity, Severity};

/// Quantities that are no parameters. No name of a parameter has a point.
const OF_THE_RUN: [(Quantity, &str); 5] = [
    (Quantity::Count(Counter::Frames), "run.frames"),
    (Quantity::Count(Counter::LostBefore), "run.lost_before"),
    (Quantity::Count(Counter::LostInside), "run.lost_inside"),
    (Quantity::Rate, "run.rate_hz"),
    (Quantity::Queued, "run.queued"),
];
const HYSTERESIS: &str = "HYST";

/// The limits that differ from none; empty if there are none.
pub(super) fn text(all: &[Limited]) -> String {
    let set = all.iter().filter(|limited| limited.limits != Limits::default());
    let one = |limited: &Limited| format!("{}{}", name(limited.quantity), parts(&limited.limits));
    set.map(one).collect::<Vec<_>>().join("; ")
}

fn name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Param(name) => name,
        other => OF_THE_RUN.iter().find(|(known, _)| *known == other).map_or("", |(_, name)| name),
    }
}

fn parts(limits: &Limits) -> String {
    let mut text = String::new();
    for bound in Bound::ALL {
        let (at, severity) = (limits.at(bound), limits.severity(bound));
        if at != 0.0 || severity != Severity::None {
            text += &format!(" {}={at} {}", bound.name(), severity.name());
        }
    }
    if limits.hysteresis() != 0.0 {
        text += &format!(" {HYSTERESIS}={}", limits.hysteresis());
    }
    text
}

/// The limits that a text has, for a node with these parameters.
///
/// # Errors
/// [`Refusal`] with the part that is no quantity of the node, no limit or no severity.
pub(super) fn parse(text: &str, specs: &[ParamSpec]) -> Result<Vec<(Quantity, Limits)>, Refusal> {
    text.split(';').map(str::trim).filter(|one| !one.is_empty()).map(|one| quantity(one, specs)).collect()
}

fn quantity(text: &str, specs: &[ParamSpec]) -> Result<(Quantity, Limits), Refusal> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let is_it =
        |spec: &&ParamSpec| spec.name == name && matches!(spec.kind, ParamKind::Int | ParamKind::Float);
    let of_run = || OF_THE_RUN.iter().find(|(_, known)| *known == name).map(|(quantity, _)| *quantity);
    let param = specs.iter().find(is_it).map(|spec| Quantity::Param(spec.name));
    let quantity = param.or_else(of_run).ok_or_else(|| wrong("a number of the node", name))?;
    let (mut limits, mut last) = (Limits::default(), None);
    for word in words {
        match (word.split_once('='), last) {
            (Some((name, number)), _) => {
                let number = number.parse().map_err(|_| wrong("a number", word))?;
                last = Bound::ALL.into_iter().find(|bound| bound.name() == name);
                limits.set(match last {
                    Some(bound) => Limit::At(bound, number),
                    None if name == HYSTERESIS => Limit::Hysteresis(number),
                    None => return Err(wrong("HIHI, HIGH, LOW, LOLO or HYST", name)),
                });
            }
            (None, Some(bound)) => {
                let severity = Severity::ALL.into_iter().find(|severity| severity.name() == word);
                let severity = severity.ok_or_else(|| wrong("a severity", word))?;
                limits.set(Limit::Severity(bound, severity));
            }
            (None, None) => return Err(wrong("a limit, as HIGH=3", word)),
        }
    }
    Ok((quantity, limits))
}

fn wrong(wanted: &'static str, found: &str) -> Refusal {
    let found: String = found.chars().take(50).collect();
    Refusal::value(wanted, format_args!("`{found}`"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn specs() -> &'static [ParamSpec] {
        let nodes = [livetime_nodes::ALL, livetime_sim::ALL].concat();
        nodes.iter().find(|node| node.spec.name == "sim_detector").unwrap().param_specs()
    }

    proptest! {
        #[test]
        fn limits_are_read_as_they_were_written(at: [f64; 4], severity in proptest::array::uniform4(0usize..4), hysteresis: f64) {
            let mut limits = Limits::default();
            for (bound, (at, severity)) in Bound::ALL.into_iter().zip(at.into_iter().zip(severity)) {
                limits.set(Limit::At(bound, at));
                limits.set(Limit::Severity(bound, Severity::ALL[severity]));
            }
            limits.set(Limit::Hysteresis(hysteresis));
            let limited = [Quantity::Param("gain"), Quantity::Queued].map(|quantity| Limited { quantity, limits, beyond: None });
            let read = parse(&text(&limited), specs()).unwrap();
            let wanted = limited.iter().filter(|it| it.limits != Limits::default()).map(|it| (it.quantity, it.limits));
            prop_assert_eq!(read, wanted.collect::<Vec<_>>());
        }

        #[test]
        fn no_text_panics(text: String) {
            let _ = parse(&text, specs());
        }
    }

    #[test]
    fn a_text_that_is_no_limit_is_refused_with_its_part() {
        for (text, wanted) in [
            ("gian HIGH=3", "wanted a number of the node, found `gian`"),
            ("gain HIGH=x", "wanted a number, found `HIGH=x`"),
            ("gain HIGHER=3", "wanted HIHI, HIGH, LOW, LOLO or HYST, found `HIGHER`"),
            ("gain HIGH=3 BAD", "wanted a severity, found `BAD`"),
            ("gain MAJOR", "wanted a limit, as HIGH=3, found `MAJOR`"),
        ] {
            assert_eq!(parse(text, specs()).unwrap_err().to_string(), wanted);
        }
        assert_eq!(parse("", specs()), Ok(vec![]));
    }
}
