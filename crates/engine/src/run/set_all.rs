//! Several parameters of one node, written as one.

use super::Run;
use crate::{ParamSpec, Refusal, RefusalKind, Value};

impl Run {
    /// Writes several parameters of a node at once: they act together from the node's next frame, as the four numbers
    /// of a region must. Returns when the node has taken them. Of a pool, each copy takes all of them between two of
    /// its own frames.
    ///
    /// When one of them is refused, by its declaration or by the node, none takes effect, and values that the
    /// node has accepted already are restored.
    ///
    /// ```no_run
    /// # fn change(run: &livetime_engine::Run) -> Result<(), livetime_engine::Refusal> {
    /// run.set_all("roi1", &[("min_x", 128.into()), ("min_y", 96.into()), ("size_x", 64.into()), ("size_y", 64.into())])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Refusal`] when the node or a parameter does not exist, one is named twice, a value is not acceptable, or the node
    /// does not answer within 5 s. In the last case it takes them, all together, when it comes back.
    pub fn set_all(&self, node: &str, values: &[(&str, Value)]) -> Result<(), Refusal> {
        let number = self.graph.node(node)?;
        let accepted = accept_all(self.graph.nodes[number].node_type.param_specs(), values)?;
        let workers = &self.nodes[number].workers;
        let mut before = Vec::with_capacity(workers.len());
        for worker in workers {
            match self.set_in(*worker, number, accepted.clone()) {
                Ok(values) => before.push((*worker, values)),
                Err(error) => {
                    // A copy that has ended meanwhile has nothing to take back.
                    before.into_iter().for_each(|(worker, values)| _ = self.set_in(worker, number, values));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Writes parameters of one copy of a node. Returns the values from before.
    fn set_in(&self, worker: usize, node: usize, values: Values) -> Result<Values, Refusal> {
        self.ask(worker, node, |runner, values: Values| runner.set_params(&values), values)?
    }
}

/// Parameters by number.
type Values = Vec<(usize, Value)>;

/// The numbers of the parameters, and the values in their own types.
fn accept_all(specs: &[ParamSpec], values: &[(&str, Value)]) -> Result<Values, Refusal> {
    let mut accepted = Values::with_capacity(values.len());
    for (name, value) in values {
        let index = crate::find(specs, name)?;
        if accepted.iter().any(|(other, _)| *other == index) {
            return Err(Refusal::new(RefusalKind::Twice).of(specs[index].name));
        }
        accepted.push((index, specs[index].accept_in_run(value)?));
    }
    Ok(accepted)
}
