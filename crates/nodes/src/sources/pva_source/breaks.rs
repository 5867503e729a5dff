//! Breaks of the subscription: the images that the server sent meanwhile, as far as pvAccess lets a client know it.

use jiff::Timestamp;
use livetime_engine::time_of_day_ns;
use livetime_pva::proto::Guid;

use super::numbers::Numbered;

/// Follows a subscription through its breaks.
#[derive(Default)]
pub(super) struct Breaks {
    /// The server of the subscription, if it has an identity.
    server: Option<Guid>,
    /// When the last image came, or the subscription began: images sent later may be missing after a break.
    heard_ns: i64,
    open: Option<Break>,
    /// When the first break with unknown losses began.
    unknown_ns: Option<i64>,
}

/// A break that no image has ended yet.
#[derive(Clone, Copy)]
struct Break {
    since_ns: i64,
    /// The server before it.
    server: Option<Guid>,
    /// The server ended each subscription itself: it had sent everything that it had.
    is_closed: bool,
}

/// Knowledge about the images of a break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Missing {
    /// The gap in the numbers has them all.
    Counted,
    /// There are none.
    Nothing,
    /// Not even whether there are any.
    Unknown,
}

impl Breaks {
    /// An acquisition begins: images from before it are not missed.
    pub(super) fn begin(&mut self) {
        self.open = None;
    }

    /// An acquisition goes on that was interrupted, with the program, at `since_ns` or later.
    pub(super) fn begin_broken(&mut self, since_ns: i64) {
        self.open = Some(Break { since_ns, server: None, is_closed: false });
    }

    /// The subscription runs at `server`. Returns whether that is known to be another server than before.
    pub(super) fn connect(&mut self, server: Option<Guid>) -> bool {
        let before = self.open.map_or(self.server, |open| open.server);
        self.server = server;
        if self.open.is_none() {
            self.heard_ns = time_of_day_ns();
        }
        before.is_some() && server.is_some() && before != server
    }

    /// An image has come.
    pub(super) fn hear(&mut self) {
        self.heard_ns = time_of_day_ns();
    }

    /// The subscription broke; `is_closed` if the server ended it.
    pub(super) fn disconnect(&mut self, is_closed: bool) {
        let (since_ns, server) = (self.heard_ns, self.server);
        let open = self.open.get_or_insert(Break { since_ns, server, is_closed });
        open.is_closed &= is_closed;
    }

    /// The first update after a break, if there was one, has ended it. `numbered` is the meaning of its number, or `None`
    /// if the server has had no image yet; `has_last` says whether an image came before the break.
    ///
    /// A server that closed a channel and has it again may be a gateway whose own server is another one now. Between a
    /// server that closed the channel and the next that is seen there may have been others.
    pub(super) fn resume(&mut self, numbered: Option<Numbered>, has_last: bool) -> Option<(Missing, i64)> {
        let open = self.open.take()?;
        let is_same = open.server.is_some() && open.server == self.server && !open.is_closed;
        let missing = match numbered {
            Some(Numbered::New(_) | Numbered::Again) if is_same && has_last => Missing::Counted,
            None if is_same && !has_last => Missing::Nothing,
            _ => Missing::Unknown,
        };
        if missing == Missing::Unknown {
            self.unknown_ns.get_or_insert(open.since_ns);
        }
        Some((missing, open.since_ns))
    }

    /// No image will end an open break. Returns when it began, unless the server had closed the channel: nothing is
    /// missing then.
    pub(super) fn give_up(&mut self) -> Option<i64> {
        let open = self.open.take().filter(|open| !open.is_closed)?;
        self.unknown_ns.get_or_insert(open.since_ns);
        Some(open.since_ns)
    }

    /// Since when images may be missing whose number is not known, for now or for good.
    pub(super) fn unknown_since(&self) -> Option<i64> {
        let open = self.open.filter(|open| !open.is_closed).map(|open| open.since_ns);
        self.unknown_ns.or(open)
    }
}

/// A time of day in UTC, as `2026-11-28T11:00:01.250Z`.
pub(super) fn utc(ns: i64) -> String {
    Timestamp::from_nanosecond(ns.into()).map(|time| format!("{time:.3}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Option<Guid> = Some([1; 12]);
    const B: Option<Guid> = Some([2; 12]);
    const NEXT: Option<Numbered> = Some(Numbered::New(9));

    /// The images that are missing after a break between two servers.
    fn missing(
        servers: (Option<Guid>, Option<Guid>),
        is_closed: bool,
        numbered: Option<Numbered>,
        has_last: bool,
    ) -> Missing {
        let mut breaks = Breaks::default();
        breaks.connect(servers.0);
        breaks.disconnect(is_closed);
        breaks.connect(servers.1);
        breaks.resume(numbered, has_last).unwrap().0
    }

    #[test]
    fn only_the_numbers_of_one_server_count_what_is_missing() {
        let cases = [
            (missing((A, A), false, NEXT, true), Missing::Counted),
            (missing((A, A), false, Some(Numbered::Again), true), Missing::Counted),
            (missing((A, A), false, Some(Numbered::Restarted(9)), true), Missing::Unknown),
            (missing((A, B), false, NEXT, true), Missing::Unknown),
            (missing((None, None), false, NEXT, true), Missing::Unknown),
            (missing((A, A), false, NEXT, false), Missing::Unknown),
            (missing((A, A), true, NEXT, true), Missing::Unknown),
            // A server without an image has sent none.
            (missing((A, A), false, None, false), Missing::Nothing),
            (missing((A, B), true, None, true), Missing::Unknown),
            (missing((A, B), false, None, true), Missing::Unknown),
            (missing((A, B), true, NEXT, true), Missing::Unknown),
        ];
        for (number, (found, wanted)) in cases.into_iter().enumerate() {
            assert_eq!(found, wanted, "{number}");
        }
    }

    #[test]
    fn a_break_without_an_end_is_unknown_unless_the_server_closed_the_channel() {
        let mut breaks = Breaks::default();
        breaks.connect(A);
        assert_eq!((breaks.give_up(), breaks.unknown_since()), (None, None));
        breaks.disconnect(true);
        assert_eq!((breaks.unknown_since(), breaks.give_up()), (None, None));
        breaks.disconnect(true);
        breaks.disconnect(false);
        let since = breaks.unknown_since();
        assert!(since.is_some());
        assert_eq!((breaks.give_up(), breaks.unknown_since()), (since, since));
        assert_eq!(breaks.give_up(), None, "it is told once");
    }

    #[test]
    fn another_server_is_recognised_through_several_breaks() {
        let mut breaks = Breaks::default();
        assert!(!breaks.connect(A));
        breaks.disconnect(false);
        assert!(breaks.connect(B));
        breaks.disconnect(false);
        assert!(!breaks.connect(A));
        assert_eq!(breaks.resume(NEXT, true).map(|(missing, _)| missing), Some(Missing::Counted));
        assert_eq!(utc(0), "1970-01-01T00:00:00.000Z");
    }
}
