//! Fields of a PV that some client chose.

use std::net::IpAddr;
use std::sync::Arc;

use super::{NextUpdate, PvState, SharedPv, Subscription};
use crate::data::{Structure, Value};
use crate::request::Selection;
use crate::server::Denial;
use crate::wire::{Encoded, Status, Writer};

/// Fields of a PV that some client chose. Has to be [closed](View::close).
///
/// Nothing is found any more when the PV was given another type.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) pv: SharedPv,
    index: usize,
    epoch: u32,
}

impl View {
    /// The fields that `part` of `request` asks for, and the type of the PV.
    pub(crate) fn open(pv: &SharedPv, request: &Value, part: &str) -> Result<(View, Arc<Structure>), Status> {
        let mut state = pv.state();
        let index = state.open_view(request, part)?;
        let structure = state.structure().cloned();
        let structure = structure.ok_or(Denial::NoValue)?;
        Ok((View { pv: pv.clone(), index, epoch: state.epoch }, structure))
    }

    pub(crate) fn close(&self) {
        self.with(|state| state.close_view(self.index));
    }

    /// Counts a monitor; an error if `host` has `limit` already.
    pub(crate) fn watch(&self, host: IpAddr, limit: usize) -> Result<(), Denial> {
        self.with(|state| state.watch(host, limit)).unwrap_or(Ok(()))
    }

    pub(crate) fn unwatch(&self, host: IpAddr) {
        self.with(|state| state.unwatch(host));
    }

    pub(crate) fn selection(&self) -> Option<Selection> {
        self.with(|state| state.selection(self.index).cloned()).flatten()
    }

    /// Hands the current value, as a bit set and the fields, to `write`.
    #[inline]
    pub(crate) fn answer<R>(&self, write: impl FnOnce(&Encoded) -> R) -> Option<R> {
        self.with(|state| state.answer(self.index).map(write)).flatten()
    }

    /// Returns whether there is something to send.
    pub(crate) fn start(&self, subscription: &Arc<Subscription>) -> bool {
        self.with(|state| state.start(self.index, subscription)).unwrap_or(false)
    }

    pub(crate) fn stop(&self, subscription: &Arc<Subscription>) {
        self.with(|state| state.stop(self.index, subscription));
        self.pv.made_room();
    }

    /// Writes the newest update of `subscription`, or returns the next step instead.
    pub(crate) fn write_latest(&self, subscription: &Subscription, writer: &mut Writer) -> NextUpdate {
        let next = self.with(|state| state.write_latest(self.index, subscription, writer));
        next.unwrap_or(NextUpdate::Nothing)
    }

    #[inline]
    fn with<R>(&self, act: impl FnOnce(&mut PvState) -> R) -> Option<R> {
        let mut state = self.pv.state();
        (state.epoch == self.epoch).then(|| act(&mut state))
    }
}
