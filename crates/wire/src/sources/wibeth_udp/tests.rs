use std::net::UdpSocket;

use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant_fed};
use livetime_frame::Frame;

use super::*;
use crate::{Interval, LedgerRow, LinkLedger, RawBatch, RowTable, State};

fn golden() -> Option<Vec<Vec<u8>>> {
    let packed = std::fs::read(livetime_testkit::data("wib/wibeth_frames.bin.zst")?).unwrap();
    Some(zstd::decode_all(&packed[..]).unwrap().chunks(7200).map(<[u8]>::to_vec).collect())
}

fn listening(params: &[(&str, Value)]) -> (Harness, UdpSocket) {
    let params: Vec<_> =
        [("address", "127.0.0.1:0".into())].into_iter().chain(params.iter().cloned()).collect();
    let mut source = Harness::new::<WibethUdp>(&params).unwrap();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    sender.connect(("127.0.0.1", source.number_of("port") as u16)).unwrap();
    (source, sender)
}

/// Takes the frames until no more come, and the rest of the ledger.
fn take(source: &mut Harness) -> (Vec<Frame>, Vec<LedgerRow>) {
    let mut frames = Vec::new();
    loop {
        let (some, next) = source.produce().unwrap();
        frames.extend(some);
        if next != Next::Now {
            break;
        }
    }
    frames.extend(source.drain().unwrap());
    let (mut batches, mut rows, mut some) = (Vec::new(), Vec::new(), Vec::new());
    for frame in frames {
        if RawBatch::of(&frame).is_ok() {
            batches.push(frame);
            continue;
        }
        RowTable::<LedgerRow>::default().read(&frame, &mut some).unwrap();
        rows.append(&mut some);
    }
    (batches, rows)
}

fn bytes_of(batches: &[Frame], link: u16) -> Vec<u8> {
    let own = batches.iter().map(|frame| RawBatch::of(frame).unwrap()).filter(|batch| batch.link == link);
    own.flat_map(|batch| batch.bytes.to_vec()).collect()
}

#[test]
fn golden_frames_come_over_the_wire_unchanged() {
    let Some(frames) = golden() else { return };
    for datagrams in [1, 3, 64] {
        for extra in [0, 43] {
            let (mut source, sender) =
                listening(&[("datagrams", datagrams.into()), ("first_link", 7.into())]);
            let mut sent = Vec::new();
            // In portions that any socket's buffer holds.
            for portion in frames.chunks(10) {
                for frame in portion {
                    sender.send(&[vec![0x11; extra], frame.clone()].concat()).unwrap();
                }
                let (some, _) = take(&mut source);
                sent.extend(some);
            }
            assert!(bytes_of(&sent, 7) == frames.concat(), "{datagrams} at once, {extra} bytes in front");
            assert_eq!((source.number_of("received"), source.number_of("missing")), (120.0, 0.0));
            assert_eq!(source.get("streams"), Some("1/2/65".into()));
            let calls = source.number_of("calls");
            assert!(if datagrams == 1 { calls == 120.0 } else { calls < 120.0 }, "{calls} calls");
        }
    }
}

#[test]
fn streams_are_links_and_what_is_lost_is_told() {
    let Some(frames) = golden() else { return };
    let (mut source, sender) = listening(&[]);
    let of_stream = |frame: &[u8], stream: u64| {
        let mut frame = frame.to_vec();
        let first = u64::from_le_bytes(frame[..8].try_into().unwrap()) & !(0xFF << 26) | stream << 26;
        frame[..8].copy_from_slice(&first.to_le_bytes());
        frame
    };
    let (mut batches, mut rows) = (Vec::new(), Vec::new());
    for (i, frame) in frames[..40].iter().enumerate() {
        // Of one stream two frames are lost on the way, of the other one is cut off.
        if !(10..12).contains(&i) {
            sender.send(&of_stream(frame, 0)).unwrap();
        }
        sender.send(&of_stream(frame, 64)[..if i == 20 { 3000 } else { 7200 }]).unwrap();
        if i % 8 == 7 {
            let (more, told) = take(&mut source);
            batches.extend(more);
            rows.extend(told);
        }
    }
    sender.send(b"short").unwrap();
    rows.extend(take(&mut source).1);
    let first = WibEthFrame::parse(&frames[0]).unwrap().timestamp();
    let odd = |link: u16| {
        let mut ledger = LinkLedger::default();
        rows.iter().filter(|row| row.link == link).for_each(|row| ledger.tell(Interval::from(row)));
        assert_eq!(ledger.ticks(), 40 * 2048);
        let frame = |stamp: u64| (stamp - first) / 2048;
        let odd = ledger.intervals().filter(|i| i.state != State::Good);
        odd.map(|i| (frame(i.begin), frame(i.end), i.state, i.bits)).collect::<Vec<_>>()
    };
    assert_eq!(odd(0), [(10, 12, State::Absent, 0)]);
    assert_eq!(odd(1), [(20, 21, State::Absent, Faults::CUT.bits())]);
    assert_eq!((bytes_of(&batches, 0).len(), bytes_of(&batches, 1).len()), (38 * 7200, 39 * 7200));
    assert_eq!((source.number_of("refused"), source.number_of("missing")), (1.0, 3.0));
    assert_eq!(source.get("streams"), Some("1/2/0, 1/2/64".into()));
}

#[test]
fn one_stream_too_many_is_refused() {
    let Some(frames) = golden() else { return };
    let (mut source, sender) = listening(&[("most_streams", 1.into())]);
    sender.send(&frames[0]).unwrap();
    let mut other = frames[0].clone();
    other[2] ^= 0x40;
    sender.send(&other).unwrap();
    let (batches, _) = take(&mut source);
    assert_eq!((batches.len(), source.number_of("refused")), (1, 1.0));
}

#[test]
fn an_address_that_cannot_be_is_an_error() {
    let error = Harness::new::<WibethUdp>(&[("address", "192.0.2.1:9".into())]).err().unwrap().to_string();
    assert!(error.contains("192.0.2.1:9"), "{error}");
    assert!(Harness::new::<WibethUdp>(&[("address", "no address".into())]).is_err());
}

#[test]
fn keeps_the_contract() {
    let Some(frames) = golden() else { return };
    let params = [("address", "127.0.0.1:0".into()), ("batch", 1.into())];
    assert_compliant_fed::<WibethUdp>(&params, |harness| {
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = harness.number_of("port") as u16;
        frames[..8].iter().for_each(|frame| _ = sender.send_to(frame, ("127.0.0.1", port)).unwrap());
    });
}
