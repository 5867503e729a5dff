//! The wire form with real frames: what goes in comes out, and nothing else is accepted.

use livetime_frame::{
    Allocator, AttributeValue, Codec, ColorMode, DType, Flags, Frame, FramePool, Layout, Payload, Schema,
    SourceId, TableLayout,
};
use livetime_link::wire::{Decoder, PREFIX_BYTES, WireError, encode, payload};
use livetime_link::{
    Abort, Ack, Body, Credit, Cut, Data, Finish, Heartbeat, Hello, Losses, Message, Notice, Retain, Standing,
    Told, Welcome,
};
use livetime_runtime::{LossReason, Random};

fn allocator() -> Allocator {
    FramePool::new(16 << 20).allocator()
}

fn decoder() -> Decoder {
    Decoder::new(vec![Codec("lz4")], 1 << 20)
}

fn losses() -> Losses {
    let mut losses = Losses::default();
    losses.add(LossReason::Retention, 5);
    losses.add(LossReason::NodeError, 1);
    losses
}

fn told() -> Told {
    Told { offered: 1000, lost: losses() }
}

fn message(body: Body<Frame>) -> Message<Frame> {
    Message { from: 11, to: 12, body }
}

fn bodies() -> Vec<Body<Frame>> {
    let cut = Cut { name: "adjacency-trigger".into(), pipeline: [7; 32] };
    let standing = Standing { received: 9, completed: 7, stored: 6, lost: losses() };
    let credit = Credit { frames: 10, bytes: 1 << 40 };
    let hello = Hello {
        epoch: 4,
        cut: cut.clone(),
        max_frame_bytes: 1 << 30,
        credit,
        standing: Some((3, standing)),
        stored: Some((4, standing)),
    };
    let ack = Ack { standing, credit, gap: true, ending: true, clock_ns: 1, echo_ns: 2, held_ns: 3 };
    vec![
        Body::Hello(Hello { standing: None, ..hello.clone() }),
        Body::Hello(hello),
        Body::Welcome(Welcome {
            epoch: 5,
            cut,
            retain: Retain::Stored,
            start: 44,
            lost: losses(),
            told: told(),
            before: 4,
            window: Credit { frames: 6, bytes: 7 },
        }),
        Body::Ack(ack),
        Body::Heartbeat(Heartbeat { told: told(), clock_ns: 5 }),
        Body::Finish(Finish { tail: 994, told: told(), stopped: true }),
        Body::Finished(standing),
        Body::Abort(Abort { why: "no space left".into(), told: told() }),
        Body::Notice(Notice { position: 7, removed: 3, again: 2, told: told() }),
    ]
}

/// One frame of each kind, with attributes of each kind.
fn frames() -> Vec<Frame> {
    let mut allocator = allocator();
    let layout = Layout::packed(DType::U16, ColorMode::Mono, &[4, 6]).unwrap();
    let mut image = allocator.array(layout.with_origin([(8, 2, false), (16, 4, true)])).unwrap();
    image.elements_mut::<u16>().unwrap().iter_mut().enumerate().for_each(|(i, e)| *e = i as u16);
    let header = image.header_mut();
    (header.sequence, header.event_time_ns, header.entry_ns) = (77, -5, 99);
    (header.source, header.flags) = (SourceId(3), Flags::DAMAGED);
    header.attributes.set(&"Gain".into(), AttributeValue::Float(2.5));
    header.attributes.set(&"Shutter".into(), AttributeValue::Text("open".into()));
    header.attributes.set(&"Delta".into(), AttributeValue::Int(-3));
    header.attributes.set(&"Id".into(), AttributeValue::Uint(u64::MAX));
    let image = image.freeze();
    let (rows, skip) = layout.crop(0, 1, 2).unwrap();
    let (part, more) = rows.crop(1, 2, 3).unwrap();
    let region = allocator.view(&image, part, skip + more).unwrap().freeze();
    let mut compressed = allocator.compressed(layout, Codec("lz4"), 5).unwrap();
    compressed.bytes_mut().copy_from_slice(&[9, 8, 7, 6, 5]);
    let schema = Schema::new([("channel", DType::U16), ("peak", DType::F32)]);
    let mut table = allocator.table(TableLayout::new(schema, 3).unwrap()).unwrap();
    table.column_mut::<f32>(1).unwrap().copy_from_slice(&[1.0, 2.0, 3.0]);
    let mut bytes = allocator.bytes(3).unwrap();
    bytes.bytes_mut().copy_from_slice(b"wib");
    vec![
        image,
        region,
        compressed.freeze(),
        table.freeze(),
        bytes.freeze(),
        allocator.bytes(0).unwrap().freeze(),
    ]
}

fn data(frames: Vec<Frame>) -> Message<Frame> {
    message(Body::Data(Data { position: 100, told: told(), clock_ns: 6, frames }))
}

fn head(message: &Message<Frame>) -> Vec<u8> {
    let mut head = Vec::new();
    encode(message, &mut head).unwrap();
    head
}

#[test]
fn every_message_comes_back_as_it_was() {
    for body in bodies() {
        let sent = head(&message(body.clone()));
        let found = decoder().head(&sent).unwrap();
        assert_eq!((found.from, found.to), (11, 12));
        assert_eq!(format!("{:?}", found.body), format!("{body:?}"));
    }
}

#[test]
fn frames_come_back_with_headers_payloads_and_packed_regions() {
    let sent = frames();
    let head = head(&data(sent.clone()));
    let lengths = decoder().lengths(head[..PREFIX_BYTES].try_into().unwrap()).unwrap();
    assert_eq!(lengths.head, head.len());
    let mut message = decoder().head(&head).unwrap().allocate(&mut allocator()).unwrap();
    let Body::Data(found) = &mut message.body else { panic!("{message:?}") };
    let mut bytes = 0;
    for (found, sent) in found.frames.iter_mut().zip(&sent) {
        let payload = payload(sent);
        bytes += payload.len() as u64;
        found.bytes_mut().copy_from_slice(&payload);
    }
    assert_eq!(bytes, lengths.payloads);
    let Body::Data(found) = message.freeze().body else { panic!() };
    assert_eq!((found.position, found.told, found.frames.len()), (100, told(), sent.len()));
    for (found, sent) in found.frames.iter().zip(&sent).filter(|(_, sent)| !sent.is_same(&frames()[1])) {
        assert_eq!(format!("{:?}", found.header()), format!("{:?}", sent.header()));
        assert_eq!(found.payload().kind(), sent.payload().kind());
    }
    let region = found.frames[1].array().unwrap();
    assert_eq!(region.elements::<u16>().unwrap(), [8, 9, 10, 14, 15, 16]);
    assert_eq!(region.layout().dims()[1].offset, sent[1].array().unwrap().layout().dims()[1].offset);
    assert_eq!(found.frames[2].array().unwrap().layout().codec(), Some(Codec("lz4")));
    assert_eq!(found.frames[3].table().unwrap().column::<f32>(1).unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!((found.frames[4].bytes(), found.frames[5].bytes()), (&b"wib"[..], &b""[..]));
}

#[test]
fn a_payload_is_sent_from_where_it_lies() {
    let frames = frames();
    for frame in
        frames.iter().filter(|frame| frame.array().is_err() || frame.array().unwrap().layout().is_packed())
    {
        assert_eq!(payload(frame).as_ptr(), frame.bytes().as_ptr());
    }
    assert_eq!(payload(&frames[1]).len(), 12);
}

#[test]
fn values_of_a_programs_own_type_stay_on_their_host() {
    let value = allocator().value(std::sync::Arc::new(5)).unwrap().freeze();
    let error = encode(&data(vec![value]), &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("payload: wanted bytes, an array or a table"), "{error}");
}

fn refusal(bytes: &[u8]) -> String {
    decoder().head(bytes).err().map(|e: WireError| e.to_string()).unwrap_or_default()
}

#[test]
fn sizes_that_lie_are_refused_by_name() {
    let good = head(&data(frames()));
    let with = |place: usize, bytes: &[u8]| {
        let mut bad = good.clone();
        bad[place..place + bytes.len()].copy_from_slice(bytes);
        refusal(&bad)
    };
    let start = "message of a link, ";
    assert_eq!(with(0, b"HTTP"), format!("{start}first bytes: wanted LTLK, found HTTP"));
    assert_eq!(with(4, &[4]), format!("{start}version: wanted 3, found 4"));
    assert_eq!(with(5, &[9]), format!("{start}kind: wanted 0 to 8, found 9"));
    assert_eq!(with(6, &[255, 255]), format!("{start}frames: wanted at most 4096, found 65535"));
    assert_eq!(
        with(8, &[0, 0, 0, 1]),
        format!("{start}bytes of the head: wanted at most 1048576, found 16777216")
    );
    assert_eq!(with(8, &[1, 0, 0, 0]), format!("{start}bytes of the head: wanted at least 36, found 1"));
    assert!(with(12, &[1]).starts_with(&format!("{start}bytes of the payloads: wanted ")));
    assert_eq!(
        refusal(&good[..PREFIX_BYTES - 1]),
        format!("{start}number of the connection: wanted 8 bytes, found 7")
    );
    let mut prefix: [u8; PREFIX_BYTES] = good[..PREFIX_BYTES].try_into().unwrap();
    prefix[12..20].fill(255);
    let error = decoder().lengths(&prefix).unwrap_err().to_string();
    assert_eq!(error, format!("{start}bytes of the payloads: wanted at most 6291456, found {}", u64::MAX));
}

#[test]
fn a_large_frame_or_an_unknown_codec_is_refused_before_memory_is_taken() {
    let good = head(&data(frames()));
    let error = Decoder::new(vec![Codec("lz4")], 40).head(&good).unwrap_err().to_string();
    assert!(error.contains("wanted at most 40, found 48"), "{error}");
    let error = Decoder::new(Vec::new(), 1 << 20).head(&good).unwrap_err().to_string();
    assert!(error.ends_with("codec: wanted a known one, found lz4"), "{error}");
}

/// A broken message is refused or means something; it never panics, and its memory fits its sizes.
#[test]
fn broken_messages_are_refused_or_make_sense() {
    let mut random = Random::new(1);
    let mut good: Vec<Vec<u8>> = bodies().into_iter().map(|body| head(&message(body))).collect();
    good.push(head(&data(frames())));
    let mut accepted = 0;
    for _ in 0..20_000 {
        let mut bytes = good[random.below(good.len())].clone();
        for _ in 0..1 + random.below(3) {
            let place = random.below(bytes.len());
            bytes[place] = random.next_u64() as u8;
        }
        bytes.truncate(bytes.len() - random.below(2) * random.below(bytes.len()));
        let Ok(message) = decoder().head(&bytes) else { continue };
        accepted += 1;
        let Body::Data(data) = message.allocate(&mut allocator()).unwrap().body else { continue };
        for mut frame in data.frames {
            let is_empty = frame.bytes_mut().is_empty();
            assert!(is_empty || !matches!(frame.payload(), Payload::Any(_)));
        }
    }
    assert!(accepted > 100, "{accepted}");
}
