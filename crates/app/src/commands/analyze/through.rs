//! A pipeline between the run and the results: which one, and the fate of the events in it.

use std::sync::PoisonError;

use livetime_control::recorded::Outcome;
use livetime_engine::NodeType;
use serde_json::{Value as Json, json};

use super::args::AnalyzeArgs;
use super::pipeline::{damaged_text, of_pipeline};
use super::reducers::reducers;
use crate::analyze::{
    Detector, Found, Layout, PipelineAccount, PipelineReducer, Plan, Recording, ReducedOptions, Reducers,
};
use crate::output::{Exit, Failure, Output};
use crate::report::numbers::utc;

/// Lost events that the text names; JSON names more.
const NAMED: usize = 10;

/// The results that are wanted, and the pipeline through which pictures go.
pub(super) struct Wanted {
    pub(super) reducers: Reducers,
    pub(super) through: Option<Through>,
}

/// A pipeline that the pictures go through before they are reduced.
pub(super) struct Through {
    file: String,
    hash: String,
    source: String,
    output: String,
    left_out: Vec<String>,
    /// The layout of the pictures that come out.
    layout: Layout,
    outcome: Outcome,
}

impl Wanted {
    /// The results that the options ask for.
    ///
    /// # Errors
    /// If an option is of no use without another, or the pipeline cannot be used.
    pub(super) fn of(
        args: &AnalyzeArgs,
        (recording, detector): (&Recording, &Detector),
        nodes: &[NodeType],
        output: &mut Output,
    ) -> Result<Wanted, Failure> {
        // The pipeline gets the pictures as they are recorded, so corrections have their place in it.
        if let (Some(_), Some(option)) = (&args.pipeline, args.correct.first_correction()) {
            let why =
                format!("`{option}` cannot be used with `--pipeline`: put a node `corrections` into it");
            return Err(Failure::new(Exit::Usage, why));
        }
        let reducers = reducers(args)?;
        match &args.pipeline {
            None => Ok(Wanted { reducers, through: None }),
            Some(file) => {
                let options = ReducedOptions {
                    events: args.events.clone(),
                    source: args.source.clone(),
                    of: args.of.clone(),
                    settings: args.settings.clone(),
                };
                let make = |pipeline: (&str, &str)| {
                    PipelineReducer::new(recording, detector, pipeline, nodes, &options, reducers)
                };
                let reducer = of_pipeline(args, file, (recording, detector), output, make)?;
                Ok(Wanted::through(reducer))
            }
        }
    }

    /// The results that a plan asks for.
    ///
    /// # Errors
    /// If the program does not know the reducers, or cannot make the pipeline.
    pub(super) fn planned(plan: &Plan, nodes: &[NodeType]) -> Result<Wanted, Failure> {
        match plan.described() {
            // A pipeline is the only reducer of its plan, because it holds the others.
            [line] if PipelineReducer::is_described(line) => {
                let through = PipelineReducer::described(line, nodes).map(Wanted::through);
                through.map_err(|error| Failure::new(Exit::Failed, error))
            }
            _ => {
                let reducers = plan.reducers().map_err(|error| Failure::new(Exit::Failed, error))?;
                Ok(Wanted { reducers, through: None })
            }
        }
    }

    /// The results, with the layout of the pictures in which they were found.
    pub(super) fn shown(&self, found: Found) -> Found {
        let layout = self.through.as_ref().map(|through| through.layout.clone());
        Found { layout: layout.unwrap_or(found.layout), ..found }
    }

    fn through(reducer: PipelineReducer) -> Wanted {
        let through = Through {
            file: reducer.file().to_owned(),
            hash: reducer.hash(),
            source: reducer.source().to_owned(),
            output: reducer.output().to_owned(),
            left_out: reducer.left_out().to_vec(),
            layout: reducer.layout().clone(),
            outcome: reducer.outcome(),
        };
        Wanted { reducers: Reducers::default().with(reducer), through: Some(through) }
    }
}

impl Through {
    /// The account of the events; of none before there are results.
    fn account(&self) -> PipelineAccount {
        // The account is replaced as a whole, so a panic leaves no half of it.
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }

    /// How many events were lost.
    pub(super) fn lost(&self) -> u64 {
        self.account().lost
    }

    /// Which pipeline it is.
    pub(super) fn heading(&self) -> String {
        let mut text = format!(
            "`{}` of {} ({}), with the run in the place of `{}`\n",
            self.output, self.file, self.hash, self.source
        );
        if !self.left_out.is_empty() {
            text += &format!("left out, not on the way to it: {}\n", self.left_out.join(", "));
        }
        text
    }

    /// The account of the events as text.
    pub(super) fn text(&self) -> String {
        let account = self.account();
        let PipelineAccount { used, left_out, lost, damaged, .. } = account;
        let mut text = format!(
            "through {}{used} of {} pictures came out, {left_out} left out, {lost} lost\n",
            self.heading(),
            account.given()
        );
        text += &damaged_text(damaged);
        for lost in account.named.iter().take(NAMED) {
            let node = lost.node.as_ref().map_or_else(String::new, |node| format!("{node}: "));
            text += &format!("  event {} at {}: {node}{}\n", lost.event, utc(lost.time_ns), lost.why);
        }
        if account.named.len() > NAMED {
            text += "  ... (--json names more)\n";
        }
        text
    }

    /// Which pipeline it is, as data.
    pub(super) fn heading_json(&self) -> Json {
        json!({
            "file": self.file, "hash": self.hash, "source": self.source, "of": self.output,
            "left_out_nodes": self.left_out,
        })
    }

    /// With the fate of the events.
    pub(super) fn json(&self) -> Json {
        let mut json = self.heading_json();
        livetime_measure::merge(&mut json, self.account().json());
        json
    }
}
