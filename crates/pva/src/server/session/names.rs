//! Working on requests that one turn does not finish.

use super::channel::ServedChannel;
use super::core::SessionCore;
use super::price::{CLOSED, CREATED, ENDED, SEARCHED};
use super::rest::{Listed, Rest, Searched, Wish};
use crate::proto::{ChannelId, CreateChannel, Names, Search, SearchResponse};
use crate::server::account::{Charge, SMALL};
use crate::server::statistics::add;
use crate::wire::Reader;
use crate::{Error, Result};

impl SessionCore {
    /// Whether something is done in part.
    pub(super) fn has_rest(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Continues work that is done in part, until it is finished or nothing is `left` of the turn.
    pub(super) fn go_on(&mut self, left: &mut usize) -> Result<()> {
        // Finished work is gone from the list; the rest is put back in front.
        while *left > 0
            && let Some(rest) = self.rest.pop_front()
        {
            match rest {
                Rest::Names(listed) => self.more_names(listed, left)?,
                Rest::Reading(reading) => self.more_of(reading, left)?,
                Rest::Closing(channel) => self.end_operations(channel, left)?,
                Rest::Expelled(sid) => {
                    *left = left.saturating_sub(CLOSED);
                    self.begin_closing(sid);
                }
            }
        }
        Ok(())
    }

    pub(super) fn create(&mut self, mut reader: Reader<'_>, left: &mut usize) -> Result<()> {
        let names = CreateChannel::names(&mut reader)?;
        self.first_names(Wish::Create, names, left)
    }

    pub(super) fn search(&mut self, mut reader: Reader<'_>, left: &mut usize) -> Result<()> {
        add(&self.shared.counters.searches, 1);
        let (search, names) = Search::decode_head(&mut reader)?;
        let must_reply = search.flags & Search::MUST_REPLY != 0;
        let speaks = search.speaks("tcp");
        // A client that cannot speak TCP is answered, if it insists, that nothing was found.
        let searched = Searched { sequence: search.sequence, must_reply, speaks, ids: Vec::new() };
        self.first_names(Wish::Search(searched), names, left)
    }

    /// Handles the names of a message, and keeps the names that the turn is too short for.
    fn first_names(&mut self, mut wish: Wish, mut names: Names<'_, '_>, left: &mut usize) -> Result<()> {
        self.some_names(&mut wish, &mut names, left)?;
        let count = names.left();
        if count == 0 {
            return self.names_end(wish);
        }
        let (order, bytes) = (names.order(), names.take()?);
        let mut charge = Charge::new(&self.account);
        // Short lists are so frequent and so small that to count them would cost more than it saves.
        if bytes.len() > SMALL && !charge.set(bytes.len()) {
            let found = format!("{} bytes", bytes.len());
            return Err(Error::new("a list of names for which there is memory", found));
        }
        self.rest.push_front(Rest::Names(Listed { wish, bytes, at: 0, count, order, _charge: charge }));
        Ok(())
    }

    fn more_names(&mut self, mut listed: Listed, left: &mut usize) -> Result<()> {
        let mut reader = Reader::new(&listed.bytes[listed.at..], listed.order);
        let mut names = Names::resume(&mut reader, listed.count);
        self.some_names(&mut listed.wish, &mut names, left)?;
        listed.count = names.left();
        if listed.count == 0 {
            return self.names_end(listed.wish);
        }
        listed.at += reader.offset();
        self.rest.push_front(Rest::Names(listed));
        Ok(())
    }

    fn some_names(&mut self, wish: &mut Wish, names: &mut Names<'_, '_>, left: &mut usize) -> Result<()> {
        while *left > 0
            && let Some(name) = names.next()
        {
            let (id, name) = name?;
            match wish {
                Wish::Create => {
                    *left = left.saturating_sub(CREATED);
                    self.create_one(id, &name)?;
                }
                Wish::Search(searched) => {
                    *left = left.saturating_sub(SEARCHED);
                    let found = searched.speaks && self.shared.provider.has(&name);
                    searched.ids.extend(found.then_some(id));
                }
            }
        }
        Ok(())
    }

    /// All names are done: a search is answered as one.
    fn names_end(&mut self, wish: Wish) -> Result<()> {
        let Wish::Search(Searched { sequence, must_reply, ids, .. }) = wish else { return Ok(()) };
        let found = !ids.is_empty();
        if !found && !must_reply {
            return Ok(());
        }
        let (guid, port) = (self.shared.guid, self.shared.port());
        let address = std::net::Ipv4Addr::UNSPECIFIED.into();
        SearchResponse { guid, sequence, address, port, protocol: "tcp".into(), found, ids }
            .encode(self.output.writer())
    }

    /// Ends some operations of a closed channel; after the last one the client gets the answer.
    fn end_operations(&mut self, mut channel: ServedChannel, left: &mut usize) -> Result<()> {
        while let Some(ioid) = channel.ioids.pop() {
            self.end_of(channel.sid, ioid);
            *left = left.saturating_sub(ENDED);
            if *left == 0 && !channel.ioids.is_empty() {
                self.rest.push_front(Rest::Closing(channel));
                return Ok(());
            }
        }
        let id = ChannelId { sid: channel.sid, cid: channel.cid };
        self.closed(channel);
        // Last: the client may use the number of an operation again when it reads this.
        id.destroy(self.output.writer(), true)
    }
}
