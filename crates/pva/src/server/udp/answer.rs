//! The meaning of a datagram for a server. No sockets here.

use std::net::{IpAddr, SocketAddr};

use crate::Result;
use crate::data::TypeCache;
use crate::proto::{ClientMessage, Search, SearchResponse, origin_tag};
use crate::server::Service;
use crate::server::service::ServiceParts;
use crate::server::statistics::add;
use crate::wire::{HEADER_LEN, Header, Order, Reader, Segment, Writer};

/// The most searches that are answered per datagram. Known clients put one search into a datagram, with an
/// origin tag in front. The limit keeps one datagram from causing a thousand.
const MOST: usize = 16;

/// How a datagram came.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// From where.
    pub source: SocketAddr,
    /// Where it was sent to, if that is known.
    pub destination: Option<IpAddr>,
    /// Whether only this socket got it. `None`: the client has to say.
    pub unicast: Option<bool>,
    /// Whether another server on this machine passed it on.
    pub forwarded: bool,
}

/// The answers to a datagram.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// An answer.
    Reply {
        /// To whom.
        to: SocketAddr,
        /// The datagram.
        datagram: Vec<u8>,
        /// The address that the client asked, if another server got the question. The address must be one of this
        /// machine, or nothing may be sent.
        asked: Option<IpAddr>,
    },
    /// To be passed on to all servers on this machine, the one that got it included.
    Forward(Vec<u8>),
}

impl Service {
    /// The answers to a datagram with searches, for callers with another source of datagrams than
    /// [`Server`](crate::server::Server). Clients are told that the server is at `listening`; with the unspecified
    /// address they take the address that the answer comes from.
    ///
    /// # Errors
    /// If the datagram makes no sense.
    pub fn search(&self, datagram: &[u8], arrival: Arrival, listening: IpAddr) -> Result<Vec<Answer>> {
        answer(&self.0, datagram, arrival, listening)
    }
}

pub(super) fn answer(
    shared: &ServiceParts,
    datagram: &[u8],
    arrival: Arrival,
    listening: IpAddr,
) -> Result<Vec<Answer>> {
    let (mut rest, mut answers, mut asked, mut left) = (datagram, Vec::new(), None, MOST);
    while let Some((header, after)) = rest.split_first_chunk::<HEADER_LEN>() {
        let header = Header::decode(header)?;
        // A datagram is one piece; a message in segments is not for UDP.
        if header.control || header.segment != Segment::Whole {
            break;
        }
        let Some((payload, next)) = after.split_at_checked(header.size as usize) else { break };
        rest = next;
        if header.server {
            // Beacons and answers to other programs need no answer.
            continue;
        }
        let reader = Reader::new(payload, header.order);
        match ClientMessage::decode(header.command, reader, &mut TypeCache::new())? {
            ClientMessage::Search(_) if left == 0 => break,
            ClientMessage::Search(search) => {
                left -= 1;
                add(&shared.counters.searches, 1);
                answers.extend(on_search(shared, search, arrival, listening, asked));
            }
            // Accepted only from processes on this machine.
            ClientMessage::OriginTag(address) if arrival.forwarded => {
                asked = Some(address.to_canonical()).filter(|address| !address.is_unspecified());
            }
            _ => {}
        }
    }
    Ok(answers)
}

fn on_search(
    shared: &ServiceParts,
    search: Search<'_>,
    arrival: Arrival,
    listening: IpAddr,
    asked: Option<IpAddr>,
) -> Option<Answer> {
    if !search.speaks("tcp") {
        return None;
    }
    let source = arrival.source.ip().to_canonical();
    let wanted = search.address.to_canonical();
    // An answer goes to the sender of the search. Only a server on this machine may name another address.
    let to = match (wanted.is_unspecified(), arrival.forwarded) {
        (true, true) => return None,
        (true, false) => source,
        (false, true) => wanted,
        (false, false) if wanted == source => wanted,
        (false, false) => return None,
    };
    let unicast = arrival.unicast.unwrap_or(search.flags & Search::UNICAST != 0);
    // Servers pass nothing on that came by IPv6.
    if unicast && !arrival.forwarded && source.is_ipv4() {
        return forward(search, to, arrival.destination).ok().map(Answer::Forward);
    }
    let datagram = respond(shared, &search, listening)?;
    let to = match to == source {
        // With the interface, which a link-local address needs.
        true => at_port(arrival.source, search.port),
        false => SocketAddr::new(to, search.port),
    };
    Some(Answer::Reply { to, datagram, asked })
}

fn at_port(mut address: SocketAddr, port: u16) -> SocketAddr {
    address.set_port(port);
    address
}

fn forward(search: Search<'_>, to: IpAddr, destination: Option<IpAddr>) -> Result<Vec<u8>> {
    // In the order that all peers read, and that the original implementations write.
    let mut writer = Writer::new(Order::Big);
    origin_tag(&mut writer, destination)?;
    Search { flags: search.flags & !Search::UNICAST, address: to, ..search }.encode(&mut writer)?;
    Ok(writer.to_vec())
}

fn respond(shared: &ServiceParts, search: &Search<'_>, address: IpAddr) -> Option<Vec<u8>> {
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
    use crate::server::{PvMap, ServerConfig, SharedPv};

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

    fn reply(answer: &Answer) -> (SocketAddr, bool, Vec<u32>) {
        let Answer::Reply { to, datagram, .. } = answer else { panic!("{answer:?}") };
        let header = Header::decode(datagram.first_chunk().unwrap()).unwrap();
        let reader = Reader::new(&datagram[HEADER_LEN..], header.order);
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
        // No client may have answers sent to another host.
        assert_eq!(ask(&search("here", 0, [10, 0, 0, 9].into())), []);
        let two = [search("here", 0, ANY), search("here", 0, ANY)].concat();
        assert_eq!(ask(&two).len(), 2);
    }

    #[test]
    fn what_one_server_got_all_are_told() {
        let service = service();
        let alone = answer(&service.0, &search("here", 0x80, ANY), arrival(None, false), ANY).unwrap();
        let [Answer::Forward(bytes)] = &alone[..] else { panic!("{alone:?}") };
        let again = answer(&service.0, bytes, arrival(None, true), ANY).unwrap();
        assert_eq!(reply(&again[0]).0, "10.0.0.5:999".parse().unwrap());
        // Not forwarded twice, and useless without an address.
        let lost = answer(&service.0, &search("here", 0x80, ANY), arrival(None, true), ANY).unwrap();
        assert_eq!(lost, []);
    }

    #[test]
    fn who_is_told_of_a_search_answers_from_the_address_that_was_asked() {
        let service = service();
        let asked: IpAddr = [10, 0, 0, 1].into();
        let here = Arrival { destination: Some(asked), ..arrival(Some(true), false) };
        let alone = service.search(&search("here", 0, ANY), here, ANY).unwrap();
        let [Answer::Forward(bytes)] = &alone[..] else { panic!("{alone:?}") };
        let tags = |forwarded| {
            let answers = service.search(bytes, arrival(Some(false), forwarded), ANY).unwrap();
            let tag = |answer| if let Answer::Reply { asked, .. } = answer { asked } else { panic!() };
            answers.into_iter().map(tag).collect::<Vec<_>>()
        };
        assert_eq!((tags(true), tags(false)), (vec![Some(asked)], vec![None]));
    }

    #[test]
    fn ipv6_is_answered_at_once_and_with_its_interface() {
        let source = "[fe80::5%7]:4000".parse().unwrap();
        for unicast in [Some(true), Some(false), None] {
            let arrival = Arrival { source, destination: None, unicast, forwarded: false };
            for address in [ANY, source.ip()] {
                let answers = service().search(&search("here", 0x80, address), arrival, ANY).unwrap();
                assert_eq!(reply(&answers[0]).0, "[fe80::5%7]:999".parse().unwrap());
            }
        }
    }

    #[test]
    fn one_datagram_becomes_a_few_at_most() {
        let bytes = search("here", 0, ANY).repeat(1000);
        assert_eq!(service().search(&bytes, arrival(Some(false), false), ANY).unwrap().len(), MOST);
    }

    #[test]
    fn nonsense_is_an_error_or_nothing() {
        let service = service();
        let bytes = search("here", 0, ANY);
        for end in 0..bytes.len() {
            let result = answer(&service.0, &bytes[..end], arrival(Some(false), false), ANY);
            assert!(result.is_err() || result.is_ok_and(|answers| answers.is_empty()), "{end}");
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0xFF;
            let _ = answer(&service.0, &bytes, arrival(Some(false), false), ANY);
        }
    }
}
