//! Parameters of a node, set between two of its frames: one, or several as one.

use super::{Failure, Runner};
use crate::node::Next;
use crate::{Refusal, RefusalKind, Value};

impl Runner {
    /// Sets a parameter whose value was accepted by its declaration.
    pub(crate) fn set_param(&mut self, index: usize, value: Value) -> Result<(), Refusal> {
        if self.finished {
            return Err(self.ended());
        }
        self.node.params().set(index, &value)?;
        // A source that waits produces now, in case the parameter ends its wait.
        if matches!(self.due, Next::Idle | Next::At(_)) {
            self.due = Next::Now;
        }
        let told = self.call(|node, ctx| node.changed(index, ctx));
        // A node that refuses may go back to its former value. A restart would fail with the value that it refused.
        let kept = if told.is_err() { self.node.params().get(index).unwrap_or(value) } else { value };
        self.values.retain(|(i, _)| *i != index);
        self.values.push((index, kept));
        told.map_err(|f| self.refusal(f, index))
    }

    pub(super) fn ended(&self) -> Refusal {
        Refusal::new(RefusalKind::Ended(self.ctx.name.to_string()))
    }

    /// The node's refusal of parameter `index`, unless the node names another one.
    fn refusal(&mut self, failure: Failure, index: usize) -> Refusal {
        let spec = self.node.params().specs().get(index);
        failure.into_error().refusal().or_of(spec.map(|spec| spec.name))
    }

    /// Sets parameters whose values their declarations accepted, and notifies the node of each when all are written.
    /// When one is refused, all keep their former values. Returns the former values.
    pub(crate) fn set_params(&mut self, new: &[(usize, Value)]) -> Result<Vec<(usize, Value)>, Refusal> {
        if self.finished {
            return Err(self.ended());
        }
        let params = self.node.params();
        let before: Vec<(usize, Value)> =
            new.iter().filter_map(|(index, _)| Some((*index, params.get(*index)?))).collect();
        if let Err(error) = self.write(new) {
            self.take_back(&before, 0);
            return Err(error);
        }
        // As in `set_param`.
        if matches!(self.due, Next::Idle | Next::At(_)) {
            self.due = Next::Now;
        }
        for (told, (index, _)) in new.iter().enumerate() {
            if let Err(failure) = self.tell_changed(*index) {
                self.take_back(&before, told);
                return Err(self.refusal(failure, *index));
            }
        }
        self.values.retain(|(index, _)| new.iter().all(|(other, _)| other != index));
        self.values.extend_from_slice(new);
        Ok(before)
    }

    fn write(&mut self, values: &[(usize, Value)]) -> Result<(), Refusal> {
        let params = self.node.params();
        let specs = params.specs();
        values.iter().try_for_each(|(index, value)| {
            params.set(*index, value).map_err(|e| specs.get(*index).map_or(e.clone(), |spec| e.of(spec.name)))
        })
    }

    /// Writes the former values, and notifies the node of each one whose new value it had been notified of.
    fn take_back(&mut self, before: &[(usize, Value)], told: usize) {
        let taken_back = self.write(before).map_err(|e| e.to_string());
        let told_again =
            before[..told.min(before.len())].iter().try_for_each(|(index, _)| self.tell_changed(*index));
        if let Err(error) = taken_back.and(told_again.map_err(|failure| failure.to_string())) {
            self.tell_error(format!("cannot go back to the parameters from before: {error}"), None);
        }
    }

    fn tell_changed(&mut self, index: usize) -> Result<(), Failure> {
        self.call(|node, ctx| node.changed(index, ctx))
    }
}
