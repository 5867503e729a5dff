//! The client of a reading end, and the place where its group is.

use rdkafka::consumer::BaseConsumer;

use super::group::Group;
use super::place::Place;

/// The client of a reading end.
pub(super) type Client = BaseConsumer<Group>;

/// Where a group is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) offset: i64,
    /// `None` for an offset that another program has committed, or the first one of all.
    pub(super) place: Option<Place>,
    /// True when the group has read before.
    pub(super) is_known: bool,
    /// Records from `offset` on were removed, and it is the first one that is left.
    pub(super) has_gap: bool,
}
