//! How the rate of a source is set: by a period, or by a rate.

use livetime_engine::{Graph, GraphError, NodeKind, ParamKind, Value};

/// Rate of a source whose period or rate is 0, which means as fast as possible.
const WITHOUT_HZ: f64 = 100.0;

/// A source with a period or a rate.
pub struct Pace {
    /// Number of the source in the graph.
    pub node: usize,
    /// The parameter: `period` or `…_period` in s, or `rate…` in Hz.
    pub param: &'static str,
    is_rate: bool,
    /// The rate of the pipeline file.
    pub hz: f64,
    /// An exposure, in s, that limits the rate by itself; it is cut where the period is shorter.
    exposure: Option<(&'static str, f64)>,
}

/// The sources of a graph that can be paced, and the others.
pub fn paces(graph: &Graph) -> (Vec<Pace>, Vec<usize>) {
    let sources =
        (0..graph.nodes().len()).filter(|n| graph.nodes()[*n].node_type.spec.kind == NodeKind::Source);
    let (mut paced, mut others) = (Vec::new(), Vec::new());
    for node in sources {
        match pace(graph, node) {
            Some(pace) => paced.push(pace),
            None => others.push(node),
        }
    }
    (paced, others)
}

fn pace(graph: &Graph, node: usize) -> Option<Pace> {
    let decl = &graph.nodes()[node];
    let specs = decl.node_type.param_specs();
    let numbers = || specs.iter().filter(|s| !s.readback && matches!(s.kind, ParamKind::Float));
    let is_period = |name: &str| name == "period" || name.ends_with("_period");
    let is_rate = |name: &str| name.split('_').any(|word| word == "rate");
    let spec = numbers().find(|s| match s.unit {
        Some("s") => is_period(s.name),
        Some("Hz") => is_rate(s.name),
        _ => false,
    })?;
    let value = |name: &str| match decl.value(name) {
        Some(Value::Float(value)) => value,
        _ => 0.0,
    };
    let exposure = numbers()
        .find(|s| s.unit == Some("s") && matches!(s.name, "acquire_time" | "exposure_time" | "exposure"))
        .map(|s| (s.name, value(s.name)));
    let is_rate = spec.unit == Some("Hz");
    let hz = if is_rate { value(spec.name) } else { 1.0 / value(spec.name) };
    let hz = if hz > 0.0 && hz.is_finite() { hz } else { WITHOUT_HZ };
    Some(Pace { node, param: spec.name, is_rate, hz, exposure })
}

impl Pace {
    /// Sets the source to this rate.
    ///
    /// # Errors
    /// When the source refuses it.
    pub fn set(&self, graph: &mut Graph, hz: f64) -> Result<(), GraphError> {
        let mut set = |name: &str, value: f64| graph.set(self.node, name, &value.into());
        if let Some((name, seconds)) = self.exposure {
            set(name, seconds.min(1.0 / hz))?;
        }
        set(self.param, if self.is_rate { hz } else { 1.0 / hz })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use livetime_control::config;

    #[test]
    fn periods_and_rates_are_found_and_set() {
        let text = "\
nodes:
  cam: {type: sim_detector, params: {acquire_period: 20 ms, acquire_time: 10 ms}}
  count: {type: counter, params: {period: 1 ms}}
  files: {type: image_files, params: {path: /tmp, rate_hz: 25}}
  far: {type: pva_source, params: {channel: a}}
  end: {type: 'null', from: [cam, count, files, far]}
";
        let mut graph = config::parse("f", text, &crate::test_nodes::all(), &[]).unwrap().graph;
        let (paces, others) = paces(&graph);
        let found: Vec<_> = paces.iter().map(|p| (p.node, p.param, p.hz)).collect();
        assert_eq!(found, [(0, "acquire_period", 50.0), (1, "period", 1000.0), (2, "rate_hz", 25.0)]);
        assert_eq!(others, [3]);
        paces.iter().for_each(|p| p.set(&mut graph, 200.0).unwrap());
        let value = |node: usize, name: &str| graph.nodes()[node].value(name).unwrap();
        assert_eq!((value(0, "acquire_period"), value(0, "acquire_time")), (0.005.into(), 0.005.into()));
        assert_eq!((value(1, "period"), value(2, "rate_hz")), (0.005.into(), 200.0.into()));
        paces[0].set(&mut graph, 10.0).unwrap();
        assert_eq!(graph.nodes()[0].value("acquire_time"), Some(0.01.into()));
    }
}
