//! What a datagram means to a server. No sockets here.

use std::net::{IpAddr, SocketAddr};

use crate::Result;
use crate::data::TypeCache;
use crate::proto::{ClientMessage, Search, SearchResponse, origin_tag};
use crate::server::session::Shared;
use crate::server::statistics::add;
use crate::wire::{HEADER_LEN, Header, Order, Reader, Segment, Writer};

/// How a datagram came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) source: SocketAddr,
    /// Where it was sent to, if that is known.
    pub(super) destination: Option<IpAddr>,
    /// Whether only this socket got it. `None`: the client has to say.
    pub(super) unicast: Option<bool>,
    /// Whether another server on this machine passed it on.
    pub(super) forwarded: bool,
}

/// What is to be sent because of a datagram.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    Reply(SocketAddr, Vec<u8>),
    /// To all servers on this machine, ourselves included.
    Forward(Vec<u8>),
}

/// Goes through the messages of a datagram. `listening` is the address that clients are told; unspecified: the
/// one that the answer comes from.
pub(super) fn answer(
    shared: &Shared,
    datagram: &[u8],
    arrival: Arrival,
    listening: IpAddr,
) -> Result<Vec<Action>> {
    let (mut rest, mut actions) = (datagram, Vec::new());
    while let Some((header, after)) = rest.split_first_chunk::<HEADER_LEN>() {
        let header = Header::decode(header)?;
        if header.control || header.segment != Segment::Whole {
            break;
        }
        let Some((payload, next)) = after.split_at_checked(header.size as usize) else { break };
        rest = next;
        if header.server {
            // Beacons and answers to others.
            continue;
        }
        let reader = Reader::new(payload, header.order);
        if let ClientMessage::Search(search) =
            ClientMessage::decode(header.command, reader, &mut TypeCache::new())?
        {
            add(&shared.counters.searches, 1);
            actions.extend(on_search(shared, search, arrival, listening));
        }
    }
    Ok(actions)
}

fn on_search(shared: &Shared, search: Search<'_>, arrival: Arrival, listening: IpAddr) -> Option<Action> {
    if !search.speaks("tcp") {
        return None;
    }
    let source = arrival.source.ip().to_canonical();
    let wanted = search.address.to_canonical();
    // An answer goes to who asked. Only a server on this machine may name somebody else.
    let to = match (wanted.is_unspecified(), arrival.forwarded) {
        (true, true) => return None,
        (true, false) => source,
        (false, true) => wanted,
        (false, false) if wanted == source => wanted,
        (false, false) => return None,
    };
    let unicast = arrival.unicast.unwrap_or(search.flags & Search::UNICAST != 0);
    if unicast && !arrival.forwarded {
        return forward(search, to, arrival.destination).ok().map(Action::Forward);
    }
    let bytes = respond(shared, &search, listening)?;
    Some(Action::Reply(SocketAddr::new(to, search.port), bytes))
}

fn forward(search: Search<'_>, to: IpAddr, destination: Option<IpAddr>) -> Result<Vec<u8>> {
    let mut writer = Writer::new(Order::Big);
    origin_tag(&mut writer, destination)?;
    Search { flags: search.flags & !Search::UNICAST, address: to, ..search }.encode(&mut writer)?;
    Ok(writer.to_vec())
}

fn respond(shared: &Shared, search: &Search<'_>, address: IpAddr) -> Option<Vec<u8>> {
    let known = search.channels.iter().filter(|(_, name)| shared.provider.has(name));
    let ids: Vec<u32> = known.map(|(id, _)| *id).collect();
    let found = !ids.is_empty();
    if !found && search.flags & Search::MUST_REPLY == 0 {
        return None;
    }
    let mut writer = Writer::new(Order::Big);
    let (guid, port, sequence) = (shared.guid, shared.port(), search.sequence);
    let response = SearchResponse { guid, sequence, address, port, protocol: "tcp".into(), found, ids };
    response.encode(&mut writer).ok()?;
    Some(writer.to_vec())
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;
    use crate::proto::ServerMessage;
    use crate::server::{PvMap, ServerConfig, Service, SharedPv};

    const ANY: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

    fn service() -> Service {
        let pvs = PvMap::new();
        pvs.add("here", SharedPv::builder().build());
        Service::new(&ServerConfig::default(), pvs)
    }

    fn search(name: &str, flags: u8, address: IpAddr) -> Vec<u8> {
        let mut writer = Writer::new(Order::Little);
        let channels = vec![(7, name.into())];
        let protocols = vec!["tcp".into()];
        Search { sequence: 3, flags, address, port: 999, protocols, channels }.encode(&mut writer).unwrap();
        writer.to_vec()
    }

    fn arrival(unicast: Option<bool>, forwarded: bool) -> Arrival {
        Arrival { source: "10.0.0.5:4000".parse().unwrap(), destination: None, unicast, forwarded }
    }

    fn reply(action: &Action) -> (SocketAddr, bool, Vec<u32>) {
        let Action::Reply(to, bytes) = action else { panic!("{action:?}") };
        let header = Header::decode(bytes.first_chunk().unwrap()).unwrap();
        let reader = Reader::new(&bytes[HEADER_LEN..], header.order);
        match ServerMessage::decode(header.command, reader).unwrap() {
            ServerMessage::SearchResponse(response) => (*to, response.found, response.ids),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_broadcast_is_answered_to_who_asked() {
        let service = service();
        let ask = |bytes: &[u8]| answer(&service.0, bytes, arrival(Some(false), false), ANY).unwrap();
        let found = ask(&search("here", 0, ANY));
        assert_eq!(reply(&found[0]), ("10.0.0.5:999".parse().unwrap(), true, vec![7]));
        assert_eq!(ask(&search("there", 0, ANY)), []);
        assert!(!reply(&ask(&search("there", Search::MUST_REPLY, ANY))[0]).1);
        // Nobody has answers sent to somebody else.
        assert_eq!(ask(&search("here", 0, [10, 0, 0, 9].into())), []);
        let two = [search("here", 0, ANY), search("here", 0, ANY)].concat();
        assert_eq!(ask(&two).len(), 2);
    }

    #[test]
    fn what_one_server_got_all_are_told() {
        let service = service();
        let alone = answer(&service.0, &search("here", 0x80, ANY), arrival(None, false), ANY).unwrap();
        let [Action::Forward(bytes)] = &alone[..] else { panic!("{alone:?}") };
        let again = answer(&service.0, bytes, arrival(None, true), ANY).unwrap();
        assert_eq!(reply(&again[0]).0, "10.0.0.5:999".parse().unwrap());
        // Not forwarded twice, and useless without an address.
        let lost = answer(&service.0, &search("here", 0x80, ANY), arrival(None, true), ANY).unwrap();
        assert_eq!(lost, []);
    }

    #[test]
    fn nonsense_is_an_error_or_nothing() {
        let service = service();
        let bytes = search("here", 0, ANY);
        for end in 0..bytes.len() {
            let result = answer(&service.0, &bytes[..end], arrival(Some(false), false), ANY);
            assert!(result.is_err() || result.is_ok_and(|actions| actions.is_empty()), "{end}");
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0xFF;
            let _ = answer(&service.0, &bytes, arrival(Some(false), false), ANY);
        }
    }
}
