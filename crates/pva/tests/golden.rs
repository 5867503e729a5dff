//! Recorded exchanges of other implementations: every message is read to its end and written again.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking and says so when it skips"
)]

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use livetime_pva::data::{Dynamic, Type, TypeCache, Value};
use livetime_pva::proto::{
    ClientMessage, Command, GetField, Reply, Request, ServerMessage, echo, origin_tag, sub, validated,
};
use livetime_pva::wire::{Assembler, BitSet, Header, Order, Reader, Writer};
use livetime_pva::{Result, nt};

/// Recorded messages between other implementations.
fn folder() -> Option<PathBuf> {
    livetime_testkit::data("pva")
}

#[derive(Default)]
struct Operation {
    put: Option<Value>,
    get: Option<Value>,
}

/// The memory of both ends of a connection.
struct Peers {
    from_client: TypeCache,
    from_server: TypeCache,
    operations: HashMap<u32, Operation>,
    assemblers: [Assembler; 2],
}

impl Peers {
    fn new() -> Peers {
        Peers {
            from_client: TypeCache::new(),
            from_server: TypeCache::new(),
            operations: HashMap::new(),
            assemblers: [Assembler::new(1 << 20), Assembler::new(1 << 20)],
        }
    }
}

#[derive(Default, Debug, PartialEq)]
pub(crate) struct Counts {
    lines: usize,
    pub(crate) messages: usize,
    controls: usize,
    pub(crate) same: usize,
    pub(crate) cached_types: usize,
    refused: usize,
}

#[test]
fn every_recorded_message_is_read_and_written_again() {
    let Some(folder) = folder() else { return };
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut counts = Counts::default();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if name.contains("-as-text") || name.starts_with("00-") {
            continue;
        }
        replay(&name, &fs::read_to_string(&file).unwrap(), &mut counts);
    }
    let expected =
        Counts { lines: 1409, messages: 1351, controls: 49, same: 1280, cached_types: 66, refused: 6 };
    assert_eq!(counts, expected);
}

/// Every message of a recording is read and written again.
pub(crate) fn replay(name: &str, text: &str, counts: &mut Counts) {
    let mut peers = Peers::new();
    let (mut server, mut broken) = (false, false);
    for (number, line) in text.lines().enumerate() {
        let place = format!("{name}:{}", number + 1);
        if let Some(comment) = line.strip_prefix('#') {
            if comment.starts_with("##") {
                peers = Peers::new();
                broken =
                    ["version 0", "bad magic", "truncated", "last without"].iter().any(|b| line.contains(b));
            }
            if comment.contains(">S ") || comment.contains(">C ") {
                server = comment.contains("S>C");
            }
            continue;
        }
        if line.is_empty() {
            continue;
        }
        counts.lines += 1;
        let bytes = unhex(line);
        if bytes[0] == 0xCA && bytes[2] & 1 == 1 && bytes[3] == 2 {
            peers = Peers::new();
        }
        match feed(&mut peers, server, &bytes, counts) {
            Ok(()) => {}
            Err(error) if broken => {
                println!("{place}: {error}");
                counts.refused += 1;
            }
            Err(error) => panic!("{place}: {error}"),
        }
    }
}

/// The bytes of a line. Two lines are cut short and say how they continue.
fn unhex(line: &str) -> Vec<u8> {
    let hex = line.split_whitespace().next().unwrap();
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let mut bytes: Vec<u8> = (0..hex.len()).step_by(2).map(digit).collect();
    if let Some(total) = line.split_once("...(").map(|(_, rest)| rest.split(' ').next().unwrap()) {
        let total: usize = total.parse().unwrap();
        let names = bytes.ends_with(b"xx");
        while bytes.len() < total {
            let counted = (bytes.len() - 8) as u8;
            bytes.push(if names { b'x' } else { counted });
        }
    }
    bytes
}

fn feed(peers: &mut Peers, server: bool, bytes: &[u8], counts: &mut Counts) -> Result<()> {
    let header = Header::decode(bytes.first_chunk().unwrap())?;
    assert_eq!(header.encode(), bytes[..8]);
    let mut assembler = std::mem::replace(&mut peers.assemblers[usize::from(server)], Assembler::new(0));
    let mut input = bytes;
    let mut count = 0;
    while let Some(message) = assembler.next(&mut input)? {
        count += 1;
        if message.header.control {
            counts.controls += 1;
            continue;
        }
        counts.messages += 1;
        one(peers, server, &message.header, message.reader(), counts)?;
    }
    assert!(count <= 1 && input.is_empty());
    peers.assemblers[usize::from(server)] = assembler;
    Ok(())
}

/// Reads a message with what the peers know, and writes it again.
fn one(
    peers: &mut Peers,
    server: bool,
    header: &Header,
    reader: Reader<'_>,
    counts: &mut Counts,
) -> Result<()> {
    let payload = reader.rest();
    let mut writer = Writer::new(header.order);
    let skipped = if server {
        server_message(peers, header.command, reader, &mut writer)?
    } else {
        client_message(peers, header.command, reader, &mut writer)?
    };
    let written = writer.to_vec();
    if skipped {
        return Ok(());
    }
    if written[8..] == *payload {
        counts.same += 1;
    } else if peers.uses_numbers(payload) {
        counts.cached_types += 1;
    } else {
        let (read, written) = (hex(payload), hex(&written[8..]));
        let tolerated = [
            // A request of null, which we read as one for everything.
            ("08ff", "08800000"),
            // A bit set with a zero byte at its end.
            ("00030200000000002a00", "0001020000002a00"),
        ];
        let known = tolerated.iter().any(|(a, b)| read.ends_with(a) && written.ends_with(b));
        assert!(known, "command 0x{:02X}\nread    {read}\nwritten {written}", header.command);
    }
    Ok(())
}

impl Peers {
    // 0xFD or 0xFE in front of a number; in these recordings nothing else contains both a peer with a type cache
    // and these bytes.
    fn uses_numbers(&self, payload: &[u8]) -> bool {
        let caches = !self.from_client.is_empty() || !self.from_server.is_empty();
        caches && payload.iter().any(|byte| [0xFD, 0xFE].contains(byte))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn client_message(peers: &mut Peers, command: u8, reader: Reader<'_>, w: &mut Writer) -> Result<bool> {
    match ClientMessage::decode(command, reader, &mut peers.from_client)? {
        ClientMessage::Validation(message) => message.encode(w)?,
        ClientMessage::Echo(payload) => echo(w, false, payload)?,
        ClientMessage::Search(message) => message.encode(w)?,
        ClientMessage::CreateChannel(message) => message.encode(w)?,
        ClientMessage::DestroyChannel(message) => message.destroy(w, false)?,
        ClientMessage::Request(request) => client_request(peers, request, w)?,
        ClientMessage::GetField(message) => message.encode(w)?,
        ClientMessage::DestroyRequest(message) => message.destroy(w)?,
        ClientMessage::CancelRequest(message) => message.cancel(w)?,
        ClientMessage::Log(message) => message.encode(w)?,
        ClientMessage::OriginTag(address) => origin_tag(w, Some(address))?,
        ClientMessage::Other(_) => return Ok(true),
    }
    Ok(false)
}

fn client_request(peers: &mut Peers, request: Request<'_>, w: &mut Writer) -> Result<()> {
    let head = request.head;
    if head.is_init() {
        let init = request.init(&mut peers.from_client)?;
        peers.operations.insert(head.ioid, Operation::default());
        return head.init(w, &init.request, init.window);
    }
    let mut body = request.body;
    let cache = &mut peers.from_client;
    let put = peers.operations.get_mut(&head.ioid).and_then(|operation| operation.put.as_mut());
    match (head.command, head.sub & !sub::DESTROY) {
        (Command::Put | Command::PutGet, sub::EXECUTE) => {
            let value = put.expect("a put after its initialisation");
            let bits = value.decode_changed(&mut body, cache)?;
            head.encode(w, |w| value.encode_bits(w, &bits))?;
        }
        (Command::Rpc, _) => {
            let argument = Dynamic::decode(&mut body, cache)?;
            head.encode(w, |w| argument.expect("an argument").encode(w))?;
        }
        (Command::Monitor, sub::PIPELINE) => {
            let more = body.u32()?;
            head.encode(w, |w| w.u32(more))?;
        }
        _ => head.encode(w, |_| ())?,
    }
    assert!(body.is_empty());
    Ok(())
}

fn server_message(peers: &mut Peers, command: u8, reader: Reader<'_>, w: &mut Writer) -> Result<bool> {
    match ServerMessage::decode(command, reader)? {
        ServerMessage::Validation(message) => message.encode(w)?,
        ServerMessage::Validated(status) => validated(w, &status)?,
        ServerMessage::Echo(payload) => echo(w, true, payload)?,
        ServerMessage::SearchResponse(message) => message.encode(w)?,
        ServerMessage::Beacon(message) => message.encode(w)?,
        ServerMessage::ChannelCreated(message) => message.encode(w)?,
        ServerMessage::DestroyChannel(message) => message.destroy(w, true)?,
        ServerMessage::Reply(reply) => server_reply(peers, reply, w)?,
        ServerMessage::Field { ioid, status, mut body } => {
            let ty =
                if status.is_success() { Type::decode(&mut body, &mut peers.from_server)? } else { None };
            assert!(body.is_empty());
            GetField::reply(w, ioid, &status, |w| ty.iter().for_each(|ty| ty.encode(w)))?;
        }
        ServerMessage::Log(message) => message.encode(w)?,
        ServerMessage::AclChange(message) => message.encode(w)?,
        ServerMessage::Other(_) => return Ok(true),
    }
    Ok(false)
}

fn server_reply(peers: &mut Peers, mut reply: Reply<'_>, w: &mut Writer) -> Result<()> {
    let (head, status) = (reply.head, reply.status.clone());
    let mut body = Writer::new(w.order());
    if reply.is_success() {
        let operation = peers.operations.entry(head.ioid).or_default();
        reply_body(operation, &mut peers.from_server, &mut reply, &mut body)?;
    }
    assert!(reply.body.is_empty());
    head.encode(w, status.as_ref(), |w| w.raw(&body.to_vec()))
}

fn reply_body(
    operation: &mut Operation,
    cache: &mut TypeCache,
    reply: &mut Reply<'_>,
    w: &mut Writer,
) -> Result<()> {
    let head = reply.head;
    if head.sub & sub::INIT != 0 {
        return types(operation, cache, reply, w);
    }
    let value = match (head.command, head.sub & !sub::DESTROY) {
        (Command::Monitor, _) if reply.body.is_empty() => return Ok(()),
        (Command::Monitor, _) => {
            let value = operation.get.as_mut().expect("an update after the type");
            let update = reply.update(value, cache)?;
            value.encode_bits(w, &update.changed);
            update.overrun.encode(w);
            return Ok(());
        }
        (Command::Rpc, _) => {
            match Dynamic::decode(&mut reply.body, cache)? {
                Some(result) => result.encode(w),
                None => w.null(),
            }
            return Ok(());
        }
        (Command::Get, _) | (Command::Put, sub::GET) => &mut operation.get,
        (Command::PutGet, sub::PIPELINE) => &mut operation.put,
        (Command::PutGet, _) => &mut operation.get,
        _ => return Ok(()),
    };
    let value = value.as_mut().expect("data after the type");
    let bits = value.decode_changed(&mut reply.body, cache)?;
    value.encode_bits(w, &bits);
    Ok(())
}

fn types(
    operation: &mut Operation,
    cache: &mut TypeCache,
    reply: &mut Reply<'_>,
    w: &mut Writer,
) -> Result<()> {
    let count = match reply.head.command {
        Command::Rpc | Command::Process => 0,
        Command::PutGet => 2,
        _ => 1,
    };
    for index in 0..count {
        let ty = reply.ty(cache)?;
        ty.encode(w);
        let value = ty.as_structure().map(Value::new);
        if index == 0 {
            operation.put = value.clone();
        }
        operation.get = value;
    }
    Ok(())
}

/// The name of an example, and its encodings.
type Example = (String, [(Order, Vec<u8>); 2]);

/// The lines `what | little endian | big endian` of the hand-worked examples, by what they are.
fn examples(prefix: &str) -> Vec<Example> {
    let Some(folder) = folder() else { return Vec::new() };
    let text = fs::read_to_string(folder.join("00-encodings.txt")).unwrap();
    let lines = text.lines().filter_map(|line| {
        let parts: Vec<_> = line.strip_prefix(prefix)?.split(" | ").collect();
        let [what, little, big] = parts[..] else { return None };
        Some((what.trim().to_string(), [(Order::Little, unhex(little)), (Order::Big, unhex(big))]))
    });
    lines.collect()
}

#[test]
fn bit_sets_are_those_worked_by_hand() {
    for (what, encodings) in examples("bitset ") {
        let numbers = what.trim_matches(['[', ']']).split(", ").filter(|text| !text.is_empty());
        let set: BitSet = numbers.map(|number| number.parse::<usize>().unwrap()).collect();
        for (order, bytes) in encodings {
            assert_eq!(BitSet::decode(&mut Reader::new(&bytes, order)).unwrap(), set, "{what}");
            let mut writer = Writer::new(order);
            set.encode(&mut writer);
            assert_eq!(writer.to_vec(), bytes, "{what} {order:?}");
        }
    }
}

#[test]
fn types_and_values_worked_by_hand_come_out_again() {
    let [types, values] = ["type ", "any "].map(examples);
    for (what, encodings) in types.into_iter().chain(values.clone()) {
        for (order, bytes) in encodings.iter().filter(|(_, bytes)| bytes[0] != 0xFE) {
            let mut reader = Reader::new(bytes, *order);
            let ty = Type::decode(&mut reader, &mut TypeCache::new()).unwrap();
            assert!(what.contains("null") == ty.is_none(), "{what}");
        }
    }
    for (what, encodings) in values {
        for (order, bytes) in encodings {
            let value = Dynamic::decode(&mut Reader::new(&bytes, order), &mut TypeCache::new()).unwrap();
            let mut writer = Writer::new(order);
            value.iter().for_each(|value| value.encode(&mut writer));
            assert!(value.is_none() || writer.to_vec() == bytes, "{what}");
        }
    }
}

#[test]
fn sizes_are_those_worked_by_hand() {
    for (what, encodings) in examples("size ") {
        for (order, bytes) in encodings {
            let size = Reader::new(&bytes, order).size().unwrap();
            assert_eq!(size.map(|size| size.to_string()).unwrap_or("null".into()), what);
        }
    }
}

/// The types that answer the initialisations in a recording, by the name of the channel.
fn recorded_types(file: &str) -> HashMap<String, Type> {
    let mut types = HashMap::new();
    let Some(folder) = folder() else { return types };
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let (mut cache, mut channel) = (TypeCache::new(), String::new());
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let bytes = unhex(line);
        let header = Header::decode(bytes.first_chunk().unwrap()).unwrap();
        let reader = Reader::new(&bytes[8..], header.order);
        if header.server && !header.control {
            if let Ok(ServerMessage::Reply(mut reply)) = ServerMessage::decode(header.command, reader)
                && reply.head.sub == sub::INIT
                && let Ok(ty) = reply.ty(&mut cache)
            {
                types.insert(channel.clone(), ty);
            }
        } else if let Ok(ClientMessage::CreateChannel(message)) =
            ClientMessage::decode(header.command, reader, &mut cache)
        {
            channel = message.channels[0].1.to_string();
        }
    }
    types
}

#[test]
fn normative_types_are_those_of_qsrv() {
    use livetime_pva::data::ScalarType;
    let types = recorded_types("50-qsrv2-gets.txt");
    let expected = [
        ("Q:ai", nt::scalar(ScalarType::F64)),
        ("Q:li", nt::scalar(ScalarType::I32)),
        ("Q:i64", nt::scalar(ScalarType::I64)),
        ("Q:so", nt::scalar(ScalarType::Str)),
        ("Q:bo", nt::enumerated()),
        ("Q:mbbo", nt::enumerated()),
        ("Q:wf", nt::scalar_array(ScalarType::F64)),
    ];
    for (channel, ours) in expected {
        if let Some(ty) = types.get(channel) {
            assert_eq!(*ty, Type::Structure(ours), "{channel}");
        }
    }
}

/// Blocks `=== channel` of values as an EPICS tool printed them.
fn printed(file: &str) -> HashMap<String, String> {
    let Some(folder) = folder() else { return HashMap::new() };
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let blocks = text.split("=== ").skip(1).filter_map(|block| block.split_once('\n'));
    blocks.map(|(name, text)| (name.trim().into(), text.trim_end().into())).collect()
}

#[test]
fn values_print_as_the_epics_tools_print_them() {
    let types = recorded_types("50-qsrv2-gets.txt");
    let mut compared = 0;
    for (channel, text) in printed("51-qsrv2-structures-as-text.txt") {
        let Some(Type::Structure(ty)) = types.get(&channel) else { continue };
        // The same lines up to the values, which are of another moment.
        let names = |text: &str| {
            let line = |line: &str| line.split(" = ").next().unwrap().trim_end().to_string();
            text.lines().map(line).collect::<Vec<_>>()
        };
        assert_eq!(names(&Value::new(ty).to_string()), names(&text), "{channel}");
        compared += 1;
    }
    assert!(compared > 10 || types.is_empty(), "{compared}");
}
