//! From the numbers that a server gives its images to numbers without an end.

/// Follows `uniqueId`, which has 32 bits and may begin again.
#[derive(Default)]
pub(super) struct Numbers {
    last: Option<(i32, u64)>,
    since: Since,
}

/// The fate of the connection since the last image.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Since {
    /// Nothing.
    #[default]
    Connected,
    /// It was lost, and the server may be the same.
    Reconnected,
    /// It leads to another server.
    Other,
}

/// The meaning of an image's number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Numbered {
    /// An image with this number; numbers left out are frames that were missed.
    New(u64),
    /// The one that was seen already.
    Again,
    /// The server counts from another number on; the number of missed frames is unknown.
    Restarted(u64),
}

/// A step back by less than this is a reordered or repeated frame; a larger one means that the server counts
/// again from its beginning.
const FAR: i32 = 1 << 30;

impl Numbers {
    /// The connection was lost and is there again: the server repeats the last image.
    pub(super) fn reconnect(&mut self) {
        // Another server without an image yet stays another one.
        if self.since != Since::Other {
            self.since = Since::Reconnected;
        }
    }

    /// The connection leads to another server, whose numbers say nothing about those before.
    pub(super) fn other_server(&mut self) {
        self.since = Since::Other;
    }

    pub(super) fn next(&mut self, id: i32) -> Numbered {
        let since = std::mem::take(&mut self.since);
        let Some((last, number)) = self.last else {
            let number = u64::from(id as u32);
            self.last = Some((id, number));
            return Numbered::New(number);
        };
        let step = id.wrapping_sub(last);
        let numbered = match step {
            _ if since == Since::Other => Numbered::Restarted(number + 1),
            0 if since == Since::Reconnected => return Numbered::Again,
            1..FAR => Numbered::New(number + step as u64),
            _ => Numbered::Restarted(number + 1),
        };
        let (Numbered::New(number) | Numbered::Restarted(number)) = numbered else { return numbered };
        self.last = Some((id, number));
        numbered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_wraps_and_restarts() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.next(i32::MAX - 1), Numbered::New(2_147_483_646));
        assert_eq!(numbers.next(i32::MAX), Numbered::New(2_147_483_647));
        assert_eq!(numbers.next(i32::MIN), Numbered::New(2_147_483_648));
        assert_eq!(numbers.next(i32::MIN + 5), Numbered::New(2_147_483_653));
        assert_eq!(numbers.next(1), Numbered::Restarted(2_147_483_654));
        assert_eq!(numbers.next(2), Numbered::New(2_147_483_655));
        numbers.reconnect();
        assert_eq!(numbers.next(2), Numbered::Again);
        assert_eq!(numbers.next(4), Numbered::New(2_147_483_657));
        numbers.other_server();
        assert_eq!(numbers.next(4), Numbered::Restarted(2_147_483_658));
        assert_eq!(numbers.next(5), Numbered::New(2_147_483_659));
        // A server that does not number its images.
        assert_eq!(numbers.next(5), Numbered::Restarted(2_147_483_660));
    }
}
