//! The client's state machine with recorded servers of other implementations.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking and says so when it skips"
)]

use crate::machine;

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use livetime_pva::data::{TypeCache, Value};
use livetime_pva::proto::client::{Job, Put};
use livetime_pva::proto::{ClientMessage, Command, Request};
use livetime_pva::request::parse;
use livetime_pva::wire::{Assembler, Header, Order, Reader};
use livetime_pva::{Result, nt};
use machine::{Told, feed, machine, split};

/// Recorded messages between other implementations.
fn folder() -> Option<PathBuf> {
    livetime_testkit::data("pva")
}

/// One recorded connection: whether the server sent it, and what.
type Recorded = Vec<(bool, Vec<u8>)>;

fn sessions(text: &str) -> Vec<Recorded> {
    let (mut all, mut server, mut tcp): (Vec<Recorded>, _, _) = (Vec::new(), false, true);
    for line in text.lines() {
        if line.starts_with('#') {
            if line.contains(">S ") || line.contains(">C ") {
                (server, tcp) = (line.contains("S>C"), !line.contains("UDP"));
            }
            continue;
        }
        let hex = line.trim();
        if hex.is_empty() || !tcp || hex.contains('.') || hex.contains(' ') {
            continue;
        }
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
        if bytes[2] & 1 == 1 && bytes[3] == 2 {
            all.push(Vec::new());
        }
        all.last_mut().into_iter().for_each(|session| session.push((server, bytes.clone())));
    }
    all
}

/// Does what the recorded client did, and feeds what the server answered to it.
fn replay(session: &[(bool, Vec<u8>)]) -> Result<(Told, Vec<u8>)> {
    let (mut machine, mut told) = (machine(), Told::default());
    let mut assembler = Assembler::new(1 << 22);
    let (mut cids, mut ioids, mut sids) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut cache = TypeCache::new();
    let mut sent = Vec::new();
    for (server, bytes) in session {
        let (header, payload) = (Header::decode(bytes.first_chunk().unwrap())?, &bytes[8..]);
        if *server {
            let mut bytes = bytes.clone();
            rename(&header, &mut bytes, &cids, &ioids, &mut sids);
            feed(&mut machine, &mut assembler, &bytes, &mut told)?;
        } else if !header.control {
            let reader = Reader::new(payload, header.order);
            match ClientMessage::decode(header.command, reader, &mut cache)? {
                ClientMessage::CreateChannel(create) => {
                    let (cid, name) = &create.channels[0];
                    cids.insert(*cid, machine.create_channel(*cid, name).unwrap());
                }
                ClientMessage::Request(request) if request.head.is_init() => {
                    let (head, mine) = (request.head, sids.get(&request.head.sid));
                    if let (Some(cid), Some((job, value))) = (mine, job(request, &mut cache)?) {
                        ioids.insert(head.ioid, machine.begin(*cid, job, &value, false, head.ioid).unwrap());
                    }
                }
                ClientMessage::GetField(field) => {
                    if let Some(cid) = sids.get(&field.sid) {
                        let request = parse("").unwrap();
                        let ioid = machine.begin(*cid, Job::Describe, &request, true, field.ioid).unwrap();
                        ioids.insert(field.ioid, ioid);
                    }
                }
                _ => {}
            }
        }
        sent.extend(machine.output().to_vec());
        machine.output().clear();
    }
    Ok((told, sent))
}

fn job(request: Request<'_>, cache: &mut TypeCache) -> Result<Option<(Job, Value)>> {
    let command = request.head.command;
    let init = request.init(cache)?;
    let job = match command {
        Command::Get => Job::Get,
        Command::Put => Job::Put(Put::field("value", 1)),
        Command::PutGet => Job::PutGet(Put::field("value", 1)),
        Command::Process => Job::Process,
        Command::Rpc => Job::Call(Value::new(&nt::time()).into()),
        Command::Monitor => Job::Monitor(init.window),
        _ => return Ok(None),
    };
    Ok(Some((job, init.request)))
}

/// Puts our numbers where the recorded client's are.
fn rename(
    header: &Header,
    bytes: &mut [u8],
    cids: &HashMap<u32, u32>,
    ioids: &HashMap<u32, u32>,
    sids: &mut HashMap<u32, u32>,
) {
    let number = |bytes: &[u8]| match header.order {
        Order::Big => u32::from_be_bytes(*bytes.first_chunk().unwrap()),
        Order::Little => u32::from_le_bytes(*bytes.first_chunk().unwrap()),
    };
    let put = |bytes: &mut [u8], number: u32| {
        let number = if header.order == Order::Big { number.to_be_bytes() } else { number.to_le_bytes() };
        bytes[..4].copy_from_slice(&number);
    };
    if header.control || bytes.len() < 12 {
        return;
    }
    match Command::from_code(header.command) {
        Some(Command::CreateChannel) => {
            let cid = cids[&number(&bytes[8..])];
            sids.insert(number(&bytes[12..]), cid);
            put(&mut bytes[8..], cid);
        }
        Some(Command::DestroyChannel) => {
            let cid = cids.get(&number(&bytes[12..])).copied().unwrap_or(0);
            put(&mut bytes[12..], cid);
        }
        Some(command) if command.is_operation() || command == Command::GetField => {
            if let (Some(ioid), true) = (ioids.get(&number(&bytes[8..])), (bytes[2] & 0x30) < 0x20) {
                put(&mut bytes[8..], *ioid);
            }
        }
        _ => {}
    }
}

#[test]
fn recorded_servers_are_understood() {
    let Some(folder) = folder() else { return };
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut opened, mut answers, mut updates, mut refused, mut played) = (0, 0, 0, 0, 0);
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        // No sessions, deliberately broken ones, one that is cut, and one that puts and gets twice by one request.
        if ["-as-text", "00-", "60-", "62-", "63-", "38-", "35-"].iter().any(|skip| name.contains(skip)) {
            continue;
        }
        for session in sessions(&fs::read_to_string(&file).unwrap()) {
            let (told, _) = replay(&session).unwrap_or_else(|error| panic!("{name}: {error}"));
            played += 1;
            opened += told.opened;
            answers += told.answers.len();
            updates += told.updates.len();
            refused += told.answers.iter().filter(|answer| answer.starts_with("refused")).count();
        }
    }
    assert_eq!((played, opened, answers, refused, updates), (42, 79, 88, 2, 32));
}

fn session_of(file: &str) -> Option<Recorded> {
    let path = folder()?.join(file);
    sessions(&fs::read_to_string(path).unwrap()).into_iter().next()
}

#[test]
fn we_say_what_pvxs_says() {
    // Numbers and requests included; only the size of the receive buffer is ours.
    for file in
        ["01-pvxs-get-ntscalar-int.txt", "07-pvxs-get-nttable.txt", "72-typecache-server-pvxs-client-get.txt"]
    {
        let Some(session) = session_of(file) else { return };
        let (_, sent) = replay(&session).unwrap();
        let theirs: Vec<u8> =
            session.iter().filter(|(server, _)| !server).flat_map(|(_, b)| b.clone()).collect();
        let (mut mine, mut recorded) = (split(&sent), split(&theirs));
        mine.remove(0);
        recorded.remove(0);
        recorded.retain(|message| message[3] != Command::DestroyRequest as u8);
        assert_eq!(mine, recorded, "{file}");
    }
}

#[test]
fn big_endian_servers_and_numbered_types_give_the_same_values() {
    for file in ["70-bigendian-server-pvxs-client-get.txt", "72-typecache-server-pvxs-client-get.txt"] {
        let Some(session) = session_of(file) else { return };
        let (told, sent) = replay(&session).unwrap();
        assert!(
            !told.answers.is_empty() && told.answers.iter().all(|a| a.contains("value = 42")),
            "{told:?}"
        );
        let big = file.starts_with("70");
        assert!(split(&sent).iter().all(|message| (message[2] & 0x80 != 0) == big));
    }
    for file in ["71-bigendian-server-cpp-client-monitor.txt", "73-typecache-bigendian-server-cpp-client.txt"]
    {
        let Some(session) = session_of(file) else { return };
        let (told, _) = replay(&session).unwrap();
        let got =
            told.answers.iter().any(|answer| answer.starts_with("value") && answer.contains("value = 42"));
        assert!(got || told.updates.iter().any(|value| value.i64("value") == Some(42)), "{file} {told:?}");
    }
}
