//! The channels that a client has opened.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::{Channel, Refusal, Rights, Version};
use super::answer::Answer;
use crate::Status;

/// A channel of one client.
pub(super) struct Opened {
    pub(super) channel: Arc<dyn Channel>,
    /// Counts the changes of the channel. It is kept here, since the channel itself lies outside of the cache.
    pub(super) version: Option<Version>,
    /// The name of its record, for bounds and reports.
    pub(super) record: Arc<str>,
    /// The client's number of it.
    pub(super) cid: u32,
    /// The most values, as the client was told: clients ask for no more.
    pub(super) told: usize,
    /// The client's rights, as it was told.
    pub(super) rights: Rights,
    /// Numbers of its monitors.
    pub(super) monitors: Vec<u32>,
    /// The answer to the last get, if it was short.
    pub(super) answer: Option<Answer>,
}

/// The most channels of a client. The lower 24 bits of a number are its place, the upper eight its round.
pub(super) const MOST: usize = (1 << PLACE_BITS) - 1;
const PLACE_BITS: u32 = 24;

/// Channels by the numbers that the server gave them, in the order of these. A client that gets all of its channels one after the other,
/// as most do, then walks through memory in one direction, which the processor sees and reads ahead.
#[derive(Default)]
pub(super) struct Channels {
    places: Vec<Place>,
    /// Free places, the one that is free for longest first.
    free: VecDeque<u32>,
    /// The round of new places.
    round: u8,
}

struct Place {
    /// How often the place was taken before. It is a part of the number, so that a late request meets no other channel.
    round: u8,
    opened: Option<Opened>,
}

impl Channels {
    /// Returns the number of the channel. Numbers are not used again soon. Call it while there are less than [`MOST`] channels.
    pub(super) fn add(&mut self, opened: Opened) -> u32 {
        let place = self.free.pop_front().unwrap_or_else(|| {
            self.places.push(Place { round: self.round, opened: None });
            self.places.len() as u32 - 1
        });
        let found = &mut self.places[place as usize];
        found.opened = Some(opened);
        u32::from(found.round) << PLACE_BITS | (place + 1)
    }

    /// The channel of this number.
    ///
    /// # Errors
    /// When the client has none such.
    pub(super) fn opened(&self, sid: u32) -> Result<&Opened, Refusal> {
        let unknown = || Refusal::new(Status::BadChannel, format!("this client has no channel {sid}"));
        self.get(sid).ok_or_else(unknown)
    }

    #[inline]
    pub(super) fn get(&self, sid: u32) -> Option<&Opened> {
        let place = self.places.get(place(sid)?)?;
        place.opened.as_ref().filter(|_| place.round == round(sid))
    }

    pub(super) fn get_mut(&mut self, sid: u32) -> Option<&mut Opened> {
        let place = self.places.get_mut(place(sid)?)?;
        place.opened.as_mut().filter(|_| place.round == round(sid))
    }

    pub(super) fn remove(&mut self, sid: u32) -> Option<Opened> {
        let number = place(sid)?;
        let place = self.places.get_mut(number).filter(|place| place.round == round(sid))?;
        let opened = place.opened.take()?;
        place.round = place.round.wrapping_add(1);
        self.free.push_back(number as u32);
        if self.len() == 0 {
            // The memory of a client's many channels goes with the last of them. No place has had this round yet.
            let round = self.places.iter().map(|place| place.round).max().unwrap_or_default();
            *self = Channels { round, ..Channels::default() };
        }
        Some(opened)
    }

    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Opened> {
        self.places.iter_mut().filter_map(|place| place.opened.as_mut())
    }
}

/// The place of a number; 0 is the number of no channel.
#[inline]
fn place(sid: u32) -> Option<usize> {
    (sid & MOST as u32).checked_sub(1).map(|place| place as usize)
}

#[inline]
fn round(sid: u32) -> u8 {
    (sid >> PLACE_BITS) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dbr::{About, Values};
    use crate::server::Pv;

    fn opened(cid: u32) -> Opened {
        let channel = Arc::new(Pv::new(Values::Double(vec![0.0]), About::default()));
        let rights = Rights { read: true, write: false };
        Opened {
            version: channel.version(),
            channel,
            record: "a".into(),
            cid,
            told: 1,
            rights,
            monitors: Vec::new(),
            answer: None,
        }
    }

    #[test]
    fn a_number_is_of_one_channel_only() {
        let mut channels = Channels::default();
        let cids = |channels: &mut Channels| channels.iter_mut().map(|opened| opened.cid).collect::<Vec<_>>();
        let [one, two] = [10, 20].map(|cid| channels.add(opened(cid)));
        assert_eq!((one, two, channels.len()), (1, 2, 2));
        assert_eq!(channels.remove(one).map(|opened| opened.cid), Some(10));
        assert!(channels.remove(one).is_none() && channels.get(one).is_none() && channels.get(0).is_none());
        // The place is taken again, under another number.
        let three = channels.add(opened(30));
        assert!(![one, two].contains(&three) && channels.get_mut(one).is_none());
        assert_eq!((channels.get(three).map(|opened| opened.cid), channels.len()), (Some(30), 2));
        assert_eq!(cids(&mut channels), [30, 20]);
        [two, three].into_iter().for_each(|sid| assert!(channels.remove(sid).is_some()));
        assert_eq!((channels.len(), channels.places.capacity(), channels.free.capacity()), (0, 0, 0));
        let four = channels.add(opened(40));
        assert!(![one, two, three].contains(&four));
        assert_eq!(channels.opened(one).err().map(|refusal| refusal.status), Some(Status::BadChannel));
    }
}
