//! `livetime pv --ca`: channels of Channel Access.

mod client;
mod get;
mod info;
mod list;
mod monitor;
mod put;
mod value;

pub(super) use get::get;
pub(super) use info::info;
pub(super) use list::list;
pub(super) use monitor::monitor;
pub(super) use put::put;
