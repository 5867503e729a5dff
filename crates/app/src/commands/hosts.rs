//! What a run and a check of a pipeline over hosts have beside those of one process.

use livetime_engine::{Graph, Node, Value};
use livetime_nodes::sinks::link_out::LinkOut;
use livetime_nodes::sinks::link_pool::LinkPool;
use livetime_nodes::sources::link_in::LinkIn;

use super::run_args::RunArgs;
use crate::config::Pipeline;
use crate::output::{Exit, Failure};

/// Refuses a run of all hosts that was not asked for, and gives links what the command line says of them.
pub(crate) fn choose(pipeline: &mut Pipeline, args: &RunArgs) -> Result<(), Failure> {
    if !pipeline.hosts.is_empty() && args.pipeline.host.is_none() {
        let hosts = pipeline.hosts.join(", ");
        let text = format!("wanted --host with one of {hosts}, or --host all for all nodes in this process");
        return Err(Failure::new(Exit::Usage, text));
    }
    if let Some(limit) = args.peers_within {
        give(&mut pipeline.graph, "peers_within", &limit.as_secs_f64().into());
    }
    if args.leave {
        give(&mut pipeline.graph, "when_stopped", &"leave".into());
    }
    Ok(())
}

/// Sets a parameter of all ends of links that have it. `--set` and the file have said it more closely.
fn give(graph: &mut Graph, param: &str, value: &Value) {
    for number in 0..graph.nodes().len() {
        let decl = &graph.nodes()[number];
        // The source of a pool's results ends with the pool: a worker that does not come back is replaced by others.
        let is_of_pool = matches!(decl.value("pool"), Some(Value::Text(pool)) if !pool.is_empty());
        if is_link(decl.node_type.spec.name)
            && !is_of_pool
            && livetime_engine::find(decl.node_type.param_specs(), param).is_ok()
        {
            // The parser of the arguments has checked the value.
            let _ = graph.set(number, param, value);
        }
    }
}

fn is_link(type_name: &str) -> bool {
    [LinkOut::SPEC.name, LinkPool::SPEC.name, LinkIn::SPEC.name].contains(&type_name)
}
