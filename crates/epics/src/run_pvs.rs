//! PVs of the run as a whole.

use livetime_control::model::{Account, Action, Moment};
use livetime_engine::{Graph, Report};
use livetime_pva::nt::{Severity, Time};
use livetime_pva::server::{Put, PvMap, SharedPv};

use super::base::NO_YES;
use super::plugins::{COLUMNS, Plugins};
use super::point::{About, Content, Point, Shape};

/// One PV of the run.
pub(super) struct Whole {
    pub(super) name: &'static str,
    shape: Shape,
    units: &'static str,
    doc: &'static str,
    show: fn(&Report, &Facts) -> (Content, Severity),
    is_constant: bool,
    /// The effect of a write of anything but 0.
    pub(super) act: Option<Action>,
}

/// Values that do not change during a run.
pub(super) struct Facts {
    nodes: Vec<String>,
    instances: Vec<String>,
    types: Vec<String>,
    cpu_percent: f64,
    settings: Account,
    plugins: Plugins,
}

impl Whole {
    pub(super) fn about(&self) -> About {
        About { units: self.units, ..About::plain(self.shape.clone(), self.doc) }
    }
}

const fn whole(
    name: &'static str,
    shape: Shape,
    units: &'static str,
    doc: &'static str,
    show: fn(&Report, &Facts) -> (Content, Severity),
) -> Whole {
    Whole { name, shape, units, doc, show, is_constant: false, act: None }
}

/// Names of all nodes, which stay the same as long as the run lasts: they are shown once.
const fn list(
    name: &'static str,
    doc: &'static str,
    show: fn(&Report, &Facts) -> (Content, Severity),
) -> Whole {
    Whole { name, shape: Shape::Texts, units: "", doc, show, is_constant: true, act: None }
}

/// Writing 1 acts on the run; a put that waits ends when that is done.
const fn action(
    name: &'static str,
    choices: &'static [&'static str],
    doc: &'static str,
    act: Action,
) -> Whole {
    let shape = Shape::choices(choices);
    Whole {
        name,
        shape,
        units: "",
        doc,
        // An action has no state of its own: it reads as done.
        show: |_, _| (Content::Index(0), Severity::None),
        is_constant: true,
        act: Some(act),
    }
}

fn well(content: Content) -> (Content, Severity) {
    (content, Severity::None)
}

fn alarm_if(is_alarm: bool, severity: Severity, content: Content) -> (Content, Severity) {
    (content, if is_alarm { severity } else { Severity::None })
}

/// All of them; they are served as `PREFIX` + name.
#[rustfmt::skip]
pub(super) static WHOLE: &[Whole] = &[
    whole("Run:State_RBV", Shape::choices(&["Running", "Ended", "Failed"]), "", "Whether the run goes on.", |r, _| {
        // A failure is also an end, so it is looked at first.
        let state = if r.failure.is_some() { 2 } else { i32::from(r.finished) };
        alarm_if(state == 2, Severity::Major, Content::Index(state))
    }),
    whole("Run:Failure_RBV", Shape::Text, "", "Why it failed, if it did.", |r, _| {
        alarm_if(r.failure.is_some(), Severity::Major, Content::Text(r.failure.clone().unwrap_or_default()))
    }),
    whole("Run:Elapsed_RBV", Shape::F64, "s", "Time since its start.", |r, _| well(Content::F64(r.elapsed_ns as f64 / 1e9))),
    whole("Run:CPU_RBV", Shape::F64, "%", "Of one processor, since its start, all threads of the run together.", |_, f| well(Content::F64(f.cpu_percent))),
    whole("Run:UnintendedLosses_RBV", Shape::I64, "", "Frames lost anywhere that nobody asked to lose.", |r, _| {
        let lost = r.unintended_losses();
        alarm_if(lost > 0, Severity::Minor, Content::I64(lost as i64))
    }),
    whole("Run:LedgerClosed_RBV", Shape::choices(NO_YES), "", "Whether every frame is accounted for.", |r, _| {
        let closed = r.imbalances().is_empty();
        alarm_if(!closed, Severity::Major, Content::flag(closed))
    }),
    whole("Run:Events_RBV", Shape::I64, "", "Things worth telling that happened.", |r, _| {
        // Events that were not kept still happened, so the number never falls.
        well(Content::I64((r.events.len() + r.events_dropped + r.events_repeated) as i64))
    }),
    whole("Run:LastEvent_RBV", Shape::Text, "", "The last of them that was kept.", |r, _| {
        let text = r.events.last().map(|e| format!("{}: {}", e.node, e.message)).unwrap_or_default();
        alarm_if(r.events.last().is_some_and(|e| e.is_error), Severity::Minor, Content::Text(text))
    }),
    whole("Run:SettingsFile_RBV", Shape::Text, "", "The file that keeps changed parameters; empty for none.", |_, f| {
        well(Content::Text(f.settings.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default()))
    }),
    whole("Run:SettingsMessage_RBV", Shape::Text, "", "Why the newest values are not in the settings file; empty if they are.", |_, f| {
        let is_kept = f.settings.file.is_some();
        // A run without a file has no message that could be an alarm.
        let problem = f.settings.problem.clone().unwrap_or_default();
        alarm_if(is_kept && !problem.is_empty(), Severity::Minor, Content::Text(problem))
    }),
    whole("Run:SettingsSources_RBV", Shape::Texts, "", "Values that somebody has written or settings have restored, each with its source.", |_, f| {
        well(Content::Texts(f.settings.lines().collect()))
    }),
    action("Run:SaveNow", &["Done", "Save"], "Writes the settings file now. RestoreNow goes back to these values.", Action::SaveSettings),
    action("Run:RestoreNow", &["Done", "Restore"], "Gives all parameters the values of the start of the run, of the last SaveNow, or of a settings file that another program has written since.", Action::RestoreSettings),
    list("Run:Nodes_RBV", "Names of the nodes.", |_, f| well(Content::Texts(f.nodes.clone()))),
    list("Run:Instances_RBV", "The names of their PVs begin with these.", |_, f| well(Content::Texts(f.instances.clone()))),
    list("Run:Types_RBV", "Their types.", |_, f| well(Content::Texts(f.types.clone()))),
    whole("Run:Plugins_RBV", Shape::Table(COLUMNS), "", "All nodes: port, areaDetector's name for the plugin, type, begin of the names of PVs, sources of frames.", |_, f| {
        well(Content::Table(f.plugins.columns()))
    }),
    whole("Run:PluginsJSON_RBV", Shape::Text, "", "The rows of Plugins_RBV as a list in JSON, for Channel Access.", |_, f| {
        well(Content::Text(f.plugins.json()))
    }),
];

/// The PVs of the run.
pub(super) struct RunPvs {
    facts: Facts,
    points: Vec<(&'static Whole, Point)>,
}

impl RunPvs {
    pub(super) fn new<H>(
        graph: &Graph,
        instances: &[String],
        prefix: &str,
        map: &PvMap,
        on_put: impl Fn(Action) -> H,
    ) -> livetime_pva::Result<RunPvs>
    where
        H: Fn(Put) + Send + Sync + 'static,
    {
        let mut points = Vec::new();
        for whole in WHOLE {
            let about = whole.about();
            let point = Point::new(&about, &about.value()?, |builder| match &whole.act {
                Some(act) => builder.on_put(on_put(act.clone())),
                None => builder,
            })?;
            map.add(format!("{prefix}{}", whole.name), SharedPv::clone(&point.pv));
            points.push((whole, point));
        }
        let facts = Facts {
            nodes: graph.nodes().iter().map(|n| n.name.clone()).collect(),
            instances: instances.to_vec(),
            types: graph.nodes().iter().map(|n| n.node_type.spec.name.into()).collect(),
            cpu_percent: 0.0,
            settings: Account::default(),
            plugins: Plugins::of(graph, instances, prefix),
        };
        Ok(RunPvs { facts, points })
    }

    pub(super) fn show(&mut self, moment: &Moment, settings: Option<Account>, now: Time) {
        let report = &moment.report;
        self.facts.plugins.follow(moment.nodes.iter().map(|node| &node.state));
        self.facts.settings = settings.unwrap_or_default();
        // At least 1, because the first moment may come with the start.
        let elapsed_ns = report.elapsed_ns.max(1) as f64;
        self.facts.cpu_percent = 100.0 * report.cpu_ns.unwrap_or(0) as f64 / elapsed_ns;
        for (whole, point) in &mut self.points {
            let (content, severity) = (whole.show)(report, &self.facts);
            point.show(content, severity, now);
        }
        // Constants are shown by the first call, and need no later comparison.
        self.points.retain(|(whole, _)| !whole.is_constant);
    }
}
