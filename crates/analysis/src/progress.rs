//! How far an analysis is, and whether it goes on.

/// How far an analysis is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Events that are done, whether they could be used or not.
    pub done: usize,
    /// Events in all.
    pub events: usize,
    /// Bytes of the pictures of finished events, uncompressed.
    pub raw_bytes: u64,
}

/// How an analysis that is going on shall continue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GoOn {
    /// As it does.
    Yes,
    /// No further event. A pipeline handles frames under way to their end, or loses it after 30 s; an analysis by reducers has no results, as
    /// after `Abort`.
    Drain,
    /// Not at all. Frames under way in a pipeline are lost, with an entry in the ledger.
    Abort,
}
