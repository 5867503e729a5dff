//! An operation of a client on a channel, from its initialisation to its end.

use std::sync::Arc;

use super::channel::Target;
use crate::data::Structure;
use crate::proto::Command;
use crate::request::Options;
use crate::server::SharedPv;
use crate::server::account::{MONITOR, OPERATION};
use crate::server::pv::{Subscription, View};

/// The refusal that clients know.
pub(super) const NOT_PERMITTED: &str = "Put not permitted";

pub(super) struct Operation {
    pub(super) sid: u32,
    pub(super) command: Command,
    /// Distinguishes executions; an answer to another one is late.
    pub(super) serial: u32,
    /// The sub-command that is being executed.
    pub(super) running: Option<u8>,
    pub(super) kind: OperationKind,
}

pub(super) enum OperationKind {
    Get(View),
    Put { view: View, structure: Arc<Structure>, options: Arc<Options> },
    PutGet { put: View, get: View, structure: Arc<Structure>, options: Arc<Options> },
    Process { pv: SharedPv, options: Arc<Options> },
    Call { target: Target, options: Arc<Options> },
    Monitor { subscription: Arc<Subscription>, running: bool },
}

impl Operation {
    /// The memory that an operation is counted with.
    pub(super) fn memory(command: Command) -> usize {
        OPERATION + if command == Command::Monitor { MONITOR } else { 0 }
    }
}
