//! Searches for channels, over UDP or a connection.

use std::net::Ipv4Addr;

use super::Provider;
use crate::wire::{Command, Header, MINOR, padded};

/// The server's address in an answer: the one from which the answer comes.
const SAME_ADDRESS: u32 = u32::MAX;
/// The client wants to hear of channels that are not here, too.
const REPLY: u16 = 10;
/// Bytes of an answer's payload.
const ANSWER: usize = 8;
/// The longest answer in one datagram: no network cuts it into pieces.
const DATAGRAM: usize = 1024;
/// The longest name that is looked up.
const LONGEST_NAME: usize = 500;

/// The server's address and port, as clients are told; no address: the one from which the answer comes.
pub(super) type Told = (Option<Ipv4Addr>, u16);

/// Appends the answer to one search to `out`; nothing if the channel is not here and the client does not want to know that. Returns
/// whether the channel is here.
pub(super) fn answer_search(
    provider: &dyn Provider,
    header: &Header,
    payload: &[u8],
    (address, tcp_port): Told,
    out: &mut Vec<u8>,
) -> bool {
    let end = payload.iter().position(|&byte| byte == 0).unwrap_or(payload.len());
    let name = payload.get(..end.min(LONGEST_NAME)).and_then(|name| std::str::from_utf8(name).ok());
    let is_here = name.is_some_and(|name| provider.has(name));
    if is_here {
        let (command, second) = (Command::Search as u16, header.second);
        let answer = Header {
            command,
            size: ANSWER as u32,
            data_type: tcp_port,
            count: 0,
            first: address.map_or(SAME_ADDRESS, Ipv4Addr::to_bits),
            second,
        };
        answer.encode(out);
        out.extend(MINOR.to_be_bytes());
        out.resize(out.len() + ANSWER - 2, 0);
    } else if header.data_type == REPLY {
        let (command, count) = (Command::NotFound as u16, MINOR.into());
        Header { command, size: 0, data_type: REPLY, count, first: header.first, second: header.second }
            .encode(out);
    }
    is_here
}

/// Answers to the searches in one datagram, in datagrams.
///
/// The version in front of the searches may have a number by which the client knows its datagram again.
pub(super) fn answers(provider: &dyn Provider, datagram: &[u8], told: Told) -> Vec<Vec<u8>> {
    let (mut done, mut answers, mut at) = (Vec::new(), Vec::new(), 0);
    let mut version = Header { command: Command::Version as u16, count: MINOR.into(), ..Header::default() };
    while let Some((header, len)) = datagram.get(at..).and_then(Header::decode) {
        let end = (at + len).saturating_add(padded(header.size as usize));
        let Some(payload) = datagram.get(at + len..end) else { break };
        at = end;
        match Command::from_number(header.command) {
            Some(Command::Version) => (version.data_type, version.first) = (header.data_type, header.first),
            Some(Command::Search) => {
                // Nothing is said about missing channels where all servers of a network hear.
                let header = Header { data_type: 0, ..header };
                if answers.is_empty() {
                    version.encode(&mut answers);
                }
                answer_search(provider, &header, payload, told, &mut answers);
            }
            _ => {}
        }
        if answers.len() + ANSWER + 16 > DATAGRAM {
            done.push(std::mem::take(&mut answers));
        }
    }
    done.push(answers);
    // A version alone answers nothing.
    done.retain(|answer| answer.len() > crate::wire::HEADER_LEN);
    done
}
