//! Both nodes over a real connection, of each carrier that the tests are built with.

use std::io::Write;
use std::sync::mpsc;
use std::thread::JoinHandle;

use livetime_engine::testing::{Harness, assert_compliant, assert_compliant_fed};
use livetime_engine::{Cuts, Graph, Next, NodeType, Placement, Run, RunOptions, Value};
use livetime_frame::{
    AttributeValue, ColorMode, DType, Flags, Frame, FramePool, Layout, Payload, Schema, TableLayout,
};

use crate::sinks::link_out::LinkOut;
use crate::sinks::link_pool::LinkPool;
use crate::sources::link_in::LinkIn;

/// Where a receiver may wait for its sender, for each carrier.
const LISTEN: &[&str] = &[
    "127.0.0.1:0",
    #[cfg(feature = "zmq")]
    "zmq://127.0.0.1:0",
];

fn receiver(listen: &str) -> Harness {
    Harness::new::<LinkIn>(&[("listen", Value::from(listen))]).unwrap()
}

fn address(receiver: &mut Harness) -> String {
    let Some(Value::Text(address)) = receiver.get("listening") else { panic!("it listens") };
    address.to_string()
}

fn out_params(to: &str) -> [(&'static str, Value); 2] {
    [("to", Value::from(to)), ("peers_within", Value::from(0.05))]
}

/// Sends `frames` to their end, on a thread of its own.
fn send(to: String, frames: Vec<Frame>, peers_within: f64) -> JoinHandle<Harness> {
    std::thread::spawn(move || {
        let params = [("to", Value::from(&*to)), ("peers_within", peers_within.into())];
        let mut sender = Harness::new::<LinkOut>(&params).unwrap();
        frames.iter().for_each(|frame| _ = sender.feed(frame).unwrap());
        sender.drain().unwrap();
        sender.stop();
        sender
    })
}

/// One frame of each kind of payload, with attributes of each kind; gaps in the numbers.
fn frames() -> Vec<Frame> {
    let mut allocator = FramePool::new(16 << 20).allocator();
    let mut frames = Vec::new();
    for (number, dtype) in DType::ALL.into_iter().enumerate() {
        let layout = Layout::packed(dtype, ColorMode::Mono, &[3, 5, 2]).unwrap();
        let mut array = allocator.array(layout).unwrap();
        array.bytes_mut().iter_mut().enumerate().for_each(|(at, byte)| *byte = (at * 7 + number) as u8);
        frames.push(array);
    }
    let schema = Schema::new([("time", DType::U64), ("charge", DType::F32)]);
    let mut table = allocator.table(TableLayout::new(schema, 3).unwrap()).unwrap();
    table.column_mut::<u64>(0).unwrap().copy_from_slice(&[1, 2, u64::MAX]);
    table.column_mut::<f32>(1).unwrap().copy_from_slice(&[0.5, -0.0, f32::MAX]);
    frames.push(table);
    frames.push(allocator.bytes(0).unwrap());
    let mut bytes = allocator.bytes(3).unwrap();
    bytes.bytes_mut().copy_from_slice(b"\0\xffx");
    frames.push(bytes);
    let labelled = frames.into_iter().enumerate().map(|(at, mut frame)| {
        let header = frame.header_mut();
        (header.sequence, header.event_time_ns) = (at as u64 * 3 + 7, -(at as i64));
        header.flags = Flags::DAMAGED;
        header.attributes.set(&"Gain".into(), AttributeValue::Float(2.5));
        header.attributes.set(&"Shutter".into(), AttributeValue::Text("open".into()));
        header.attributes.set(&"Number".into(), AttributeValue::Uint(u64::MAX));
        frame.freeze()
    });
    let mut frames: Vec<Frame> = labelled.collect();
    let whole = Layout::packed(DType::U16, ColorMode::Mono, &[6, 8]).unwrap();
    let mut image = allocator.array(whole).unwrap();
    image.bytes_mut().iter_mut().enumerate().for_each(|(at, byte)| *byte = at as u8);
    let image = image.freeze();
    let (region, start) = whole.crop(1, 2, 3).unwrap();
    frames.push(allocator.view(&image, region, start).unwrap().freeze());
    frames
}

fn content(frame: &Frame) -> Vec<u8> {
    match (frame.payload(), frame.array()) {
        (Payload::Array(_), Ok(array)) => {
            let mut packed = Vec::new();
            array.gather(&mut packed);
            packed
        }
        _ => frame.bytes().to_vec(),
    }
}

/// All frames of a source, until it ends.
fn take_all(receiver: &mut Harness) -> Vec<Frame> {
    let mut frames = Vec::new();
    loop {
        let (more, next) = receiver.produce().unwrap();
        frames.extend(more);
        if next == Next::Finished {
            return frames;
        }
    }
}

/// The numbers of all frames to the end. Each is completed before the next one is asked for, as the window wants it.
fn take_numbers(receiver: &mut Harness) -> Vec<u64> {
    let mut numbers = Vec::new();
    loop {
        let (more, next) = receiver.produce().unwrap();
        numbers.extend(more.iter().map(|frame| frame.header().sequence));
        if next == Next::Finished {
            return numbers;
        }
    }
}

#[test]
fn frames_of_every_kind_arrive_as_they_were_sent() {
    LISTEN.iter().for_each(|listen| carry_frames_of_every_kind(listen));
}

fn carry_frames_of_every_kind(listen: &str) {
    let mut receiver = receiver(listen);
    let sent = frames();
    let sender = send(address(&mut receiver), sent.clone(), 60.0);
    let came = take_all(&mut receiver);
    assert_eq!(came.len(), sent.len());
    for (came, sent) in came.iter().zip(&sent) {
        let (a, b) = (came.header(), sent.header());
        assert_eq!((a.sequence, a.event_time_ns, a.flags), (b.sequence, b.event_time_ns, b.flags));
        assert!(a.attributes.iter().eq(b.attributes.iter()), "{a:?} {b:?}");
        assert_eq!(content(came), content(sent));
        match (came.payload(), sent.payload()) {
            (Payload::Array(a), Payload::Array(b)) => {
                assert_eq!((a.dtype(), a.color()), (b.dtype(), b.color()));
                assert!(a.shape().eq(b.shape()), "{a:?} {b:?}");
            }
            (a, b) => assert_eq!(format!("{a:?}"), format!("{b:?}")),
        }
    }
    // The sender learns that they are completed when the last holder has dropped them.
    receiver.drain().unwrap();
    drop(came);
    receiver.stop();
    let mut sender = sender.join().unwrap();
    let all = sent.len() as f64;
    assert_eq!((sender.number_of("offered"), sender.number_of("delivered")), (all, all));
    assert_eq!((receiver.number_of("delivered"), receiver.number_of("queued")), (all, 0.0));
    let ends = [sender.service::<Cuts>().accounts(), receiver.service::<Cuts>().accounts()].concat();
    assert!(ends.len() == 2 && ends.iter().all(|end| end.is_closed()), "{ends:?}");
    assert_eq!((ends[0].epoch, &ends[0].cut), (ends[1].epoch, &ends[1].cut));
}

#[test]
fn a_sender_of_another_link_is_refused_and_told_in_the_log() {
    LISTEN.iter().for_each(|listen| refuse_a_sender_of_another_link(listen));
}

fn refuse_a_sender_of_another_link(listen: &str) {
    let mut receiver = receiver(listen);
    let to = address(&mut receiver);
    let params =
        [("link", Value::from("other")), ("to", Value::from(&*to)), ("peers_within", Value::from(0.0))];
    let mut sender = Harness::new::<LinkOut>(&params).unwrap();
    let wanted = "wanted the cut `other`, found `link`";
    livetime_testkit::wait_until("the refusal", || {
        sender.events().iter().any(|event| event.message.contains(wanted))
    });
    let frame = sender.bytes(b"x").unwrap();
    sender.feed(&frame).unwrap();
    sender.drain().unwrap();
    sender.stop();
    assert_eq!((sender.number_of("offered"), sender.number_of("lost")), (1.0, 1.0));
    let (frames, _) = receiver.produce().unwrap();
    assert!(frames.is_empty() && receiver.number_of("offered") == 0.0);
}

#[test]
fn a_peer_that_speaks_something_else_is_named_and_keeps_no_other_away() {
    LISTEN.iter().for_each(|listen| survive_a_peer_that_speaks_something_else(listen));
}

fn survive_a_peer_that_speaks_something_else(listen: &str) {
    let mut receiver = receiver(listen);
    let to = address(&mut receiver);
    let mut stranger = std::net::TcpStream::connect(to.trim_start_matches("zmq://")).unwrap();
    stranger.write_all(&b"GET / HTTP/1.1\r\n".repeat(100)).unwrap();
    livetime_testkit::wait_until("the refusal", || {
        let is_named =
            |message: &str| message.contains("wanted LTLK") || message.contains("signature of ZMTP");
        receiver.events().iter().any(|event| is_named(&event.message))
    });
    let sender = send(to, frames(), 60.0);
    assert_eq!(take_all(&mut receiver).len(), frames().len());
    receiver.drain().unwrap();
    receiver.stop();
    sender.join().unwrap();
}

#[test]
fn without_a_receiver_frames_beyond_the_window_are_counted_as_lost() {
    let params = [("to", "127.0.0.1:9".into()), ("window_frames", 2.into()), ("peers_within", 0.0.into())];
    let mut sender = Harness::new::<LinkOut>(&params).unwrap();
    for _ in 0..5 {
        let frame = sender.bytes(b"x").unwrap();
        sender.feed(&frame).unwrap();
    }
    sender.drain().unwrap();
    sender.stop();
    let ends = sender.service::<Cuts>().accounts();
    let lost: Vec<_> = ends[0].lost.iter().map(|(reason, count)| (reason.name(), *count)).collect();
    assert_eq!(lost, [("peer_gone", 2), ("link_down", 3)]);
    assert!(ends[0].is_closed() && ends[0].offered == 5, "{ends:?}");
}

/// Shares frames over workers to their end, on a thread of its own.
fn share(to: &[String], frames: Vec<Frame>) -> JoinHandle<Harness> {
    let to = to.join(", ");
    std::thread::spawn(move || {
        let params =
            [("to", Value::from(&*to)), ("window_frames", 4.into()), ("retake_after", Value::from(0.02))];
        let mut pool = Harness::new::<LinkPool>(&params).unwrap();
        frames.iter().for_each(|frame| _ = pool.feed(frame).unwrap());
        pool.drain().unwrap();
        pool.stop();
        pool
    })
}

fn numbered(count: usize) -> Vec<Frame> {
    let mut maker = Harness::new::<LinkOut>(&out_params("127.0.0.1:9")).unwrap();
    (0..count).map(|_| maker.bytes(b"frame").unwrap()).collect()
}

fn sum(ends: &[livetime_engine::CutAccount], of: fn(&livetime_engine::CutAccount) -> u64) -> u64 {
    assert!(ends.iter().all(|end| end.is_closed()), "{ends:?}");
    ends.iter().map(of).sum()
}

#[test]
fn frames_of_a_worker_that_is_gone_go_to_another_one_and_are_no_second_offer() {
    let (mut gone, mut other) = (receiver(LISTEN[0]), receiver(LISTEN[0]));
    let sender = share(&[address(&mut gone), address(&mut other)], numbered(30));
    // It takes frames, and none of them to its end.
    let mut held = Vec::new();
    while held.len() < 3 {
        held.extend(gone.produce().unwrap().0);
    }
    drop(gone);
    let mut numbers = take_numbers(&mut other);
    other.drain().unwrap();
    other.stop();
    let mut pool = sender.join().unwrap();
    numbers.sort_unstable();
    assert_eq!(
        numbers,
        (0..30).collect::<Vec<u64>>(),
        "each once, because the worker that is gone completed none"
    );
    let ends = pool.service::<Cuts>().accounts();
    let retaken = sum(&ends, |end| end.retaken);
    assert!(retaken >= held.len() as u64, "{ends:?}");
    assert_eq!(sum(&ends, |end| end.offered), 30 + retaken);
    assert_eq!((sum(&ends, |end| end.delivered), sum(&ends, |end| end.lost())), (30, 0));
    assert_eq!(["offered", "delivered", "queued"].map(|name| pool.number_of(name)), [30.0, 30.0, 0.0]);
    assert!(pool.number_of("sent_again") >= held.len() as f64);
}

#[test]
fn a_worker_whose_run_is_aborted_gives_its_frames_back() {
    let (mut aborted, mut other) = (receiver(LISTEN[0]), receiver(LISTEN[0]));
    let sender = share(&[address(&mut aborted), address(&mut other)], numbered(30));
    let mut held = Vec::new();
    while held.is_empty() {
        held.extend(aborted.produce().unwrap().0);
    }
    drop(held);
    aborted.stop();
    let came = take_numbers(&mut other).len() as u64;
    other.drain().unwrap();
    other.stop();
    let mut pool = sender.join().unwrap();
    let ends = pool.service::<Cuts>().accounts();
    assert_eq!(sum(&ends, |end| end.delivered), 30, "{ends:?}");
    assert_eq!(sum(&ends, |end| end.offered) - sum(&ends, |end| end.retaken), 30, "{ends:?}");
    assert!(came < 30 + pool.number_of("sent_again") as u64 && pool.number_of("lost") == 0.0, "{ends:?}");
}

#[test]
fn of_150_links_into_one_thread_each_delivers_its_frames() {
    const LINKS: usize = 150;
    let mut graph = Graph::default();
    for link in 0..LINKS {
        let node = graph.add(&format!("link{link}"), NodeType::of::<LinkIn>()).unwrap();
        let listen = LISTEN[link % LISTEN.len()];
        let bounds = ["window_bytes", "max_frame_bytes"].map(|name| (name, (1 << 20).into()));
        for (name, value) in [("listen", listen.into())].into_iter().chain(bounds) {
            graph.set(node, name, &value).unwrap();
        }
        graph.options_mut(node).unwrap().placement = Placement::Group("links".into());
    }
    let run = Run::start(&graph, RunOptions::default()).unwrap();
    let cuts = run.service::<Cuts>();
    let address = |link| {
        let params = run.params(&format!("link{link}")).unwrap();
        let found = params.into_iter().find(|(spec, _)| spec.name == "listening");
        let Some((_, Value::Text(address))) = found else { panic!("it listens") };
        address.to_string()
    };
    let frames = numbered(20);
    std::thread::scope(|scope| {
        for link in 0..LINKS {
            let params = [("to", Value::from(&*address(link))), ("max_frame_bytes", (1 << 20).into())];
            let mut sender = Harness::new::<LinkOut>(&params).unwrap();
            let frames = &frames;
            scope.spawn(move || {
                frames.iter().for_each(|frame| _ = sender.feed(frame).unwrap());
                sender.drain().unwrap();
                let account = ["delivered", "lost", "queued"].map(|name| sender.number_of(name));
                assert_eq!(account, [20.0, 0.0, 0.0]);
                sender.stop();
            });
        }
    });
    run.finish(livetime_testkit::HANG);
    let ends = cuts.accounts();
    assert_eq!(ends.len(), LINKS);
    assert!(ends.iter().all(|end| (end.offered, end.delivered, end.queued) == (20, 20, 0)), "{ends:?}");
}

#[test]
fn a_frame_is_completed_when_all_that_was_made_of_it_is_gone() {
    let mut receiver = receiver(LISTEN[0]);
    let sender = send(address(&mut receiver), numbered(1), 60.0);
    let mut came = take_all(&mut receiver);
    let mut result = FramePool::new(1 << 20).allocator().bytes(1).unwrap();
    result.inherit(&came.remove(0));
    let result = result.freeze();
    receiver.drain().unwrap();
    assert_eq!((receiver.number_of("delivered"), receiver.number_of("queued")), (0.0, 1.0));
    drop(result);
    receiver.stop();
    assert_eq!(receiver.number_of("delivered"), 1.0);
    sender.join().unwrap();
}

#[test]
fn addresses_are_checked() {
    for (to, found) in [("", "found nothing"), ("daq2", "found `daq2`"), (":7440", "found `:7440`")] {
        let error = Harness::new::<LinkOut>(&out_params(to)).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("wanted host:port") && error.contains(found), "{error}");
    }
    let open = [("listen", Value::from("0.0.0.0:0"))];
    let error = Harness::new::<LinkIn>(&open).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("beyond_loopback: true"), "{error}");
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<LinkOut>(&out_params("127.0.0.1:9"));
    assert_compliant::<LinkPool>(&out_params("127.0.0.1:9"));
    let (put, take) = mpsc::channel();
    assert_compliant_fed::<LinkIn>(&[("listen", Value::from("127.0.0.1:0"))], |receiver| {
        let frames: Vec<Frame> = (0..6).map(|_| receiver.image::<u16>(&[1, 1], &[7]).unwrap()).collect();
        put.send(send(address(receiver), frames, 1.0)).unwrap();
    });
    drop(put);
    take.into_iter().for_each(|sender| _ = sender.join().unwrap());
}

#[test]
fn a_link_in_use_keeps_its_parameters() {
    let params = [("to", "127.0.0.1:9".into()), ("peers_within", 0.0.into())];
    let mut sender = Harness::new::<LinkOut>(&params).unwrap();
    sender.set("window_frames", 3).unwrap();
    let frame = sender.bytes(b"x").unwrap();
    sender.feed(&frame).unwrap();
    let refused = sender.set("window_frames", 4).unwrap_err().to_string();
    assert!(refused.contains("wanted a link that no peer has used yet"), "{refused}");
    assert_eq!(sender.get("window_frames"), Some(3.into()));
    sender.set("window_frames", 3).unwrap();
    sender.set("peers_within", 0.5).unwrap();
    sender.stop();
    // The link that was never used has an account of no frames.
    let offered: Vec<u64> = sender.service::<Cuts>().accounts().iter().map(|cut| cut.offered).collect();
    assert_eq!(offered.iter().sum::<u64>(), 1, "{offered:?}");
}

#[test]
#[cfg(feature = "zmq")]
fn frames_cross_with_keys_and_a_sender_with_other_keys_stays_out() {
    let folder = tempfile::tempdir().unwrap();
    let folders = ["in", "out", "third", "fourth"].map(|name| folder.path().join(name));
    livetime_link_zmq::create_keys([&folders[0], &folders[1]]).unwrap();
    livetime_link_zmq::create_keys([&folders[2], &folders[3]]).unwrap();
    let [own, right, other, _] = folders.each_ref().map(|folder| Value::from(folder.to_str().unwrap()));
    let params = [("listen", Value::from("zmq://127.0.0.1:0")), ("keys", own)];
    let mut receiver = Harness::new::<LinkIn>(&params).unwrap();
    let to = address(&mut receiver);
    let sender = |keys| Harness::new::<LinkOut>(&[("to", Value::from(&*to)), ("keys", keys)]).unwrap();
    let mut wrong = sender(other);
    for (end, word) in [(&mut receiver, "found another one"), (&mut wrong, "a refusal")] {
        livetime_testkit::wait_until("the refusal", || {
            end.events().iter().any(|event| event.message.contains(word))
        });
    }
    drop(wrong);
    let mut right = sender(right);
    let sending = std::thread::spawn(move || {
        frames().iter().for_each(|frame| _ = right.feed(frame).unwrap());
        right.drain().unwrap();
        right.stop();
    });
    let (came, sent) = (take_all(&mut receiver), frames());
    assert_eq!(came.len(), sent.len());
    assert!(came.iter().zip(&sent).all(|(came, sent)| content(came) == content(sent)));
    receiver.drain().unwrap();
    drop(came);
    receiver.stop();
    sending.join().unwrap();
}
