//! Pictures that clients write: `cam1:Image` and `cam1:ArrayIn` of an `array_source`.

use std::sync::mpsc::{Receiver, TryRecvError};

use livetime_engine::{Graph, Report, Run};
use livetime_nodes::sources::array_source::{ArraySource, Inbox, Written};
use livetime_pva::data::{Field, ScalarType, Value};
use livetime_pva::nt;
use livetime_pva::server::{Put, PvMap, SharedPv};

use super::picture_pvs::{ARRAY_IN, ARRAY_SOURCE, IMAGE_IN};

/// Puts that wait for one node. Answers come when the frames are sent, so a client that waits for its answers has only
/// one put here.
const WAITING: usize = 16;

/// A node that takes pictures from clients.
pub(super) struct Intake {
    number: usize,
    inbox: Inbox,
    given: Given,
}

impl Intake {
    /// The PVs of all such nodes. Of each, at most `bytes` wait.
    pub(super) fn all(
        graph: &Graph,
        instances: &[String],
        prefix: &str,
        map: &PvMap,
        bytes: usize,
    ) -> livetime_pva::Result<Vec<Intake>> {
        let mut all = Vec::new();
        let nodes = graph.nodes().iter().zip(instances).enumerate();
        for (number, (_, instance)) in nodes.filter(|(_, (decl, _))| decl.node_type.spec.name == ARRAY_SOURCE)
        {
            let inbox = Inbox::new(WAITING, bytes);
            let add = |name: &str, value: Value, written: fn(&Put) -> Option<Written>| {
                let inbox = inbox.clone();
                let handler = move |put: Put| take(&inbox, put, written);
                let pv = SharedPv::builder().value(value).on_put(handler).build();
                map.add(format!("{prefix}{instance}:{name}"), pv);
            };
            add(IMAGE_IN.name, Value::new(&nt::ndarray()), |put| Some(Written::Image(put.value.clone())));
            let mut elements = Value::new(&nt::scalar_array(ScalarType::F64));
            elements.set("display.description", ARRAY_IN.doc)?;
            add(ARRAY_IN.name, elements, |put| match put.value.get("value") {
                Some(Field::Array(elements)) => Some(Written::Elements(elements.clone())),
                _ => None,
            });
            all.push(Intake { number, inbox, given: Given::default() });
        }
        Ok(all)
    }

    /// Gives the inbox to the node, also when it was built anew.
    pub(super) fn attach(&mut self, run: &Run, report: &Report) {
        let (number, inbox) = (self.number, &self.inbox);
        self.given.renew(report.nodes.get(number).map_or(0, |node| node.restarts), || {
            let inbox = inbox.clone();
            run.visit_later(number, move |node: &mut ArraySource| node.attach(inbox)).ok()
        });
    }
}

fn take(inbox: &Inbox, put: Put, written: fn(&Put) -> Option<Written>) {
    if put.process_only {
        return put.accept();
    }
    match written(&put) {
        // A written picture is not shown back: the PV would keep its memory, and a client that first reads the PV would
        // take the picture's type for its own.
        Some(written) => inbox.leave(written, Box::new(move |answer| put.finish(answer))),
        None => put.refuse("wanted numbers, found none"),
    }
}

/// A service that a node needs: given once, and again after the node was built anew.
#[derive(Default)]
pub(super) struct Given {
    /// The node's count of restarts when the service was given, and the node's answer.
    restarts: Option<u64>,
    answer: Option<Receiver<Option<()>>>,
}

impl Given {
    /// Gives the service if the node lacks it. A node that hangs is asked once, and takes the service when it goes on.
    pub(super) fn renew(&mut self, restarts: u64, give: impl FnOnce() -> Option<Receiver<Option<()>>>) {
        match self.answer.as_ref().map(Receiver::try_recv) {
            Some(Err(TryRecvError::Empty)) => return,
            // The node ended before it took the service, and may be built anew.
            Some(Err(TryRecvError::Disconnected)) => (self.answer, self.restarts) = (None, None),
            Some(Ok(_)) | None => self.answer = None,
        }
        if self.restarts == Some(restarts) {
            return;
        }
        if let Some(answer) = give() {
            (self.answer, self.restarts) = (Some(answer), Some(restarts));
        }
    }
}
