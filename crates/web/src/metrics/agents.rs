//! Which metrics of agents there are, and their values in a report.

use livetime_actors::{AgentReport, InputAccount, SystemReport};

use super::families::{Histogram, Labelled, Number, build, histograms, numbers};
use super::text::{Exposition, Family, Format, counter, gauge, histogram};

/// One number for each agent.
const AGENTS: &[Number<AgentReport>] = &[
    (counter("livetime_agent_completed_total", "Messages whose handler came to a good end."), |a| {
        Some(a.completed as f64)
    }),
    (counter("livetime_agent_restarts_total", "How often the agent was built anew after a failure."), |a| {
        Some(a.restarts as f64)
    }),
    (gauge("livetime_agent_alive", "0 when the agent has ended."), |a| {
        Some(f64::from(u8::from(!a.has_ended)))
    }),
];

/// One histogram for each agent; of agents with fast handlers some messages are timed only.
const AGENT_TIMES: &[Histogram<AgentReport>] = &[
    (histogram("livetime_agent_wait_duration_seconds", "Time that messages waited."), |a| &a.waiting),
    (histogram("livetime_agent_process_duration_seconds", "Time in the handler."), |a| &a.service),
    (histogram("livetime_agent_latency_seconds", "Waiting and handling together."), |a| &a.latency),
];

/// One number for each input of an agent.
const INPUTS: &[Number<InputAccount>] = &[
    (counter("livetime_messages_offered_total", "Messages offered to the input."), |i| {
        Some(i.offered as f64)
    }),
    (counter("livetime_messages_delivered_total", "Messages handed to the agent."), |i| {
        Some(i.delivered as f64)
    }),
    (gauge("livetime_queue_messages", "Messages that wait in the input."), |i| Some(i.queued as f64)),
];

const DISCARDED: Family = counter(
    "livetime_messages_discarded_total",
    "Messages lost at an input or, without one, in the agent; intentional if the input asks for it.",
);

/// One number for the system.
const SYSTEM: &[Number<SystemReport>] = &[
    (gauge("livetime_system_duration_seconds", "Time since the system of agents was made."), |r| {
        Some(r.elapsed_ns as f64 / 1e9)
    }),
    (gauge("livetime_system_threads", "Threads that the system has started."), |r| Some(r.threads as f64)),
    (gauge("livetime_system_timers", "Delayed and periodic messages that wait."), |r| Some(r.timers as f64)),
    (gauge("livetime_system_ledger_closed", "1 if every message is accounted for."), |r| {
        Some(f64::from(u8::from(r.imbalances().is_empty())))
    }),
];

/// The report as text; without one, when the system has ended, only the numbers of the program.
pub(super) fn exposition(report: Option<&SystemReport>, format: Format, commit: &str) -> String {
    let mut text = Exposition::new(format);
    build(&mut text, commit);
    if let Some(report) = report {
        write(&mut text, report);
    }
    text.finish()
}

fn write(text: &mut Exposition, report: &SystemReport) {
    for (family, of) in SYSTEM {
        numbers(text, family, [of(report).map(|value| (vec![], value))]);
    }
    let agents = by_name(&report.agents);
    for (family, of) in AGENTS {
        let value = |a| of(a).map(|value| (vec![("agent", &*a.name)], value));
        numbers(text, family, agents.iter().map(value));
    }
    for (family, of) in AGENT_TIMES {
        histograms(text, family, agents.iter().map(|a| (vec![("agent", &*a.name)], of(a))));
    }
    for (family, of) in INPUTS {
        numbers(text, family, inputs(&agents).map(|(labels, i)| of(i).map(|value| (labels, value))));
    }
    numbers(text, &DISCARDED, discarded(&agents));
}

/// Agents of one name, and inputs of one agent from the same place, put together: names tell series apart.
fn by_name(agents: &[AgentReport]) -> Vec<AgentReport> {
    let mut found: Vec<AgentReport> = Vec::new();
    for agent in agents {
        let known = found.iter().position(|known| known.name == agent.name);
        let place = known.unwrap_or(found.len());
        if known.is_none() {
            found.push(AgentReport { inputs: Vec::new(), ..agent.clone() });
        } else {
            add(&mut found[place], agent);
        }
        agent.inputs.iter().for_each(|input| add_input(&mut found[place].inputs, input));
    }
    found
}

fn add(sum: &mut AgentReport, agent: &AgentReport) {
    sum.has_ended &= agent.has_ended;
    sum.completed += agent.completed;
    sum.restarts += agent.restarts;
    agent.lost.iter().for_each(|(reason, count)| *sum.lost.entry(*reason).or_default() += count);
    sum.waiting.merge(&agent.waiting);
    sum.service.merge(&agent.service);
    sum.latency.merge(&agent.latency);
}

fn add_input(sums: &mut Vec<InputAccount>, input: &InputAccount) {
    let Some(sum) = sums.iter_mut().find(|sum| sum.from == input.from) else {
        sums.push(input.clone());
        return;
    };
    sum.offered += input.offered;
    sum.delivered += input.delivered;
    sum.queued += input.queued;
    input.lost.iter().for_each(|(reason, count)| *sum.lost.entry(*reason).or_default() += count);
}

fn inputs(agents: &[AgentReport]) -> impl Iterator<Item = Labelled<'_, &InputAccount>> {
    agents.iter().flat_map(|agent| {
        agent.inputs.iter().map(|input| (vec![("agent", &*agent.name), ("from", &*input.from)], input))
    })
}

/// Losses at inputs and in agents; only reasons with a count.
fn discarded(agents: &[AgentReport]) -> Vec<Option<Labelled<'_, f64>>> {
    let intentional = |is: bool| ("intentional", if is { "true" } else { "false" });
    let mut found = Vec::new();
    for (labels, input) in inputs(agents) {
        found.extend(input.lost.iter().map(|(reason, count)| {
            let more = [("reason", reason.name()), intentional(input.is_intended(*reason))];
            Some(([&labels[..], &more[..]].concat(), *count as f64))
        }));
    }
    for agent in agents {
        found.extend(agent.lost.iter().map(|(reason, count)| {
            let labels = vec![("agent", &*agent.name), ("reason", reason.name()), intentional(false)];
            Some((labels, *count as f64))
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use livetime_actors::{AgentError, Context, OnFailure, Placement, System};
    use livetime_engine::{EdgeOptions, WhenFull};

    use super::*;

    /// Takes words, and fails at some.
    struct Reader(livetime_actors::Channel<&'static str>);

    impl livetime_actors::Agent for Reader {
        type State = ();

        fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
            let half = EdgeOptions { when_full: WhenFull::Block, every: 2, ..EdgeOptions::default() };
            ctx.on(&self.0, Self::word).options(half);
            Ok(())
        }
    }

    impl Reader {
        fn word(&mut self, word: &'static str, _: &mut Context<Self>) -> Result<(), AgentError> {
            if word == "bad" { Err(AgentError::new("wanted a good word")) } else { Ok(()) }
        }
    }

    #[test]
    fn agents_of_one_name_are_one_series() {
        let system = System::default();
        let words = system.channel("words").unwrap();
        for _ in 0..2 {
            let group = system.group("readers").placement(Placement::group("readers"));
            let reader = Reader(words.clone());
            group.on_failure(OnFailure::Ignore).add("reader", reader).start().unwrap();
        }
        for word in ["good", "left out", "bad", "left out", "good"] {
            words.publish(word);
        }
        let report = system.stop(livetime_testkit::HANG);
        let text = exposition(Some(&report), Format::Prometheus, "abc");
        let has = |line: &str| assert_eq!(text.lines().filter(|l| *l == line).count(), 1, "{line}\n{text}");
        has("livetime_messages_offered_total{agent=\"reader\",from=\"words\"} 10");
        has("livetime_messages_delivered_total{agent=\"reader\",from=\"words\"} 6");
        has("livetime_agent_completed_total{agent=\"reader\"} 4");
        has("livetime_messages_discarded_total{agent=\"reader\",from=\"words\",reason=\"decimated\",\
             intentional=\"true\"} 4");
        has(
            "livetime_messages_discarded_total{agent=\"reader\",reason=\"node_error\",intentional=\"false\"} 2",
        );
        has("livetime_agent_alive{agent=\"reader\"} 0");
        has("livetime_system_ledger_closed 1");
    }

    #[test]
    fn a_system_that_has_ended_leaves_the_program() {
        let text = exposition(None, Format::OpenMetrics, "abc");
        assert!(text.contains("livetime_build_info{") && text.ends_with("# EOF\n"), "{text}");
    }
}
