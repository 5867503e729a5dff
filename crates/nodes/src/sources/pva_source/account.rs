//! The account of an acquisition: the images of a server that came, and the knowledge of the others.

use livetime_pva::proto::Guid;

use super::breaks::{Breaks, Missing};
use super::numbers::{Numbered, Numbers};

/// Follows the numbers of a server's images, also through breaks of the connection.
#[derive(Default)]
pub(super) struct Account {
    numbers: Numbers,
    breaks: Breaks,
    /// The server's last number in this acquisition.
    last: Option<u64>,
}

/// The meaning of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Heard {
    /// The break that it ended: the missing images, and since when.
    pub(super) after: Option<(Missing, i64)>,
    /// Images that were missed before it and are counted; `None` if it is not a new one of this acquisition.
    pub(super) missed: Option<u64>,
    /// Whether the server counts from another number on.
    pub(super) is_restarted: bool,
}

impl Account {
    /// An acquisition begins. Images between two acquisitions are no loss.
    pub(super) fn begin(&mut self) {
        self.last = None;
        self.breaks.begin();
    }

    /// An acquisition goes on that was interrupted, with the program, at `since_ns` or later.
    pub(super) fn begin_broken(&mut self, since_ns: i64) {
        self.breaks.begin_broken(since_ns);
    }

    /// The channel is opened: its server shows the last image again.
    pub(super) fn open(&mut self) {
        self.numbers.reconnect();
    }

    /// The subscription runs at `server`.
    pub(super) fn connect(&mut self, server: Option<Guid>) {
        if self.breaks.connect(server) {
            self.numbers.other_server();
        }
    }

    /// The subscription broke; `is_closed` if the server ended it.
    pub(super) fn disconnect(&mut self, is_closed: bool) {
        self.breaks.disconnect(is_closed);
    }

    /// An update of a server that has had no image yet. Returns the images missing after the break that it ended, and
    /// since when.
    pub(super) fn empty(&mut self) -> Option<(Missing, i64)> {
        let after = self.breaks.resume(None, self.last.is_some())?;
        if after.0 == Missing::Unknown {
            // The server may be another or the same: the images to come have numbers of their own.
            self.numbers.other_server();
        }
        Some(after)
    }

    /// An image with this `uniqueId`. `is_merged`: others were merged into it on their way. `is_shown`: the server shows
    /// it from before the acquisition.
    pub(super) fn image(&mut self, id: i32, is_merged: bool, is_shown: bool) -> Heard {
        let numbered = self.numbers.next(id);
        let after = self.breaks.resume(Some(numbered), self.last.is_some());
        self.breaks.hear();
        let (number, missed, is_restarted) = match numbered {
            _ if is_shown => return Heard { after, ..Heard::default() },
            Numbered::Again => return Heard { after, ..Heard::default() },
            // Numbers in which there is an unknown count nothing.
            Numbered::New(number) if after.is_some_and(|(missing, _)| missing == Missing::Unknown) => {
                (number, 0, false)
            }
            Numbered::New(number) => (number, number - self.last.map_or(number, |last| last + 1), false),
            Numbered::Restarted(number) => (number, u64::from(is_merged), true),
        };
        self.last = Some(number);
        Heard { after, missed: Some(missed), is_restarted }
    }

    /// No image will end an open break. Returns since when its losses stay unknown, if they do.
    pub(super) fn give_up(&mut self) -> Option<i64> {
        self.breaks.give_up()
    }

    /// Since when images may be missing whose number is not known, for now or for good.
    pub(super) fn unknown_since(&self) -> Option<i64> {
        self.breaks.unknown_since()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Something that happens to a server with a subscriber.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// It sends an image; the subscriber gets it if it can.
        Send,
        /// It sends an image, which waits for the next one and becomes one with that.
        Merge,
        /// The connection is cut, with the last images still on their way.
        Cut,
        /// The server is killed, and another one counts from this number on.
        Kill(i32),
        /// The server ends and says so; another one counts from this number on.
        End(i32),
        /// The subscriber is connected again, if it was not.
        Reach,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            6 => Just(Step::Send),
            1 => Just(Step::Merge),
            1 => Just(Step::Cut),
            1 => (0..40).prop_map(Step::Kill),
            1 => (0..40).prop_map(Step::End),
            3 => Just(Step::Reach),
        ];
        prop::collection::vec(step, 1..80)
    }

    /// Servers, one after the other, as they are in truth.
    struct Truth {
        guid: u8,
        has_identity: bool,
        /// The last image of this server, and which of all it is.
        shown: Option<(i32, usize)>,
        next: i32,
        sent: usize,
        is_connected: bool,
        /// Images that wait for the subscriber.
        waiting: usize,
    }

    /// The subscriber's account.
    #[derive(Default)]
    struct Said {
        account: Account,
        /// The first image that came, and the last, among all that were sent.
        came: Option<(usize, usize)>,
        frames: usize,
        missed: u64,
        unknown: u64,
    }

    impl Said {
        fn image(&mut self, (id, place): (i32, usize), is_merged: bool) {
            let heard = self.account.image(id, is_merged, false);
            self.after(heard.after);
            let Some(missed) = heard.missed else { return };
            self.missed += missed;
            self.frames += 1;
            self.came = Some((self.came.map_or(place, |(first, _)| first), place));
        }

        fn after(&mut self, after: Option<(Missing, i64)>) {
            self.unknown += u64::from(after.is_some_and(|(missing, _)| missing == Missing::Unknown));
        }
    }

    impl Truth {
        fn send(&mut self) {
            (self.shown, self.next) = (Some((self.next, self.sent)), self.next + 1);
            self.sent += 1;
            self.waiting += usize::from(self.is_connected);
        }

        /// The subscriber gets what waits for it, merged into one.
        fn deliver(&mut self, said: &mut Said) {
            if let (waiting @ 1.., Some(shown)) = (std::mem::take(&mut self.waiting), self.shown) {
                said.image(shown, waiting > 1);
            }
        }

        fn leave(&mut self, said: &mut Said, is_closed: bool) {
            self.waiting = 0;
            if std::mem::take(&mut self.is_connected) {
                said.account.disconnect(is_closed);
                said.account.open();
            }
        }

        fn begin(&mut self, next: i32) {
            (self.guid, self.next, self.shown) = (self.guid + 1, next, None);
        }

        fn reach(&mut self, said: &mut Said) {
            if std::mem::replace(&mut self.is_connected, true) {
                return;
            }
            said.account.connect(self.has_identity.then_some([self.guid; 12]));
            match self.shown {
                Some(shown) => said.image(shown, false),
                None => {
                    let after = said.account.empty();
                    said.after(after);
                }
            }
        }
    }

    proptest! {
        /// A count that is not called unknown is right: each image from the first to the last one came or is counted.
        #[test]
        fn a_count_that_is_not_called_unknown_is_right(steps in steps(), has_identity in any::<bool>()) {
            let mut said = Said::default();
            let mut truth =
                Truth { guid: 0, has_identity, shown: None, next: 1, sent: 0, is_connected: false, waiting: 0 };
            for step in steps {
                match step {
                    Step::Send => {
                        truth.send();
                        truth.deliver(&mut said);
                    }
                    Step::Merge => truth.send(),
                    Step::Cut => truth.leave(&mut said, false),
                    Step::Kill(next) => {
                        truth.leave(&mut said, false);
                        truth.begin(next);
                    }
                    Step::End(next) => {
                        truth.deliver(&mut said);
                        truth.leave(&mut said, true);
                        truth.begin(next);
                    }
                    Step::Reach => truth.reach(&mut said),
                }
                let all = said.came.map_or(0, |(first, last)| last + 1 - first);
                let known = said.frames + said.missed as usize;
                prop_assert!(known == all || said.unknown > 0, "{known} of {all}");
                prop_assert!(known <= all, "{known} of {all}");
            }
        }
    }
}
