//! Peers that lie about positions, credits and counts: they are refused, and nothing they say is believed.

use livetime_link::{
    Ack, Body, Credit, Cut, Data, Finish, Hello, Losses, Message, Notice, Parcel, Receiver, Retain, Sender,
    Settings, Standing, Step, Told, Violation, Welcome,
};
use livetime_runtime::LossReason;

#[derive(Clone, Debug, PartialEq)]
struct Bytes(u64);

impl Parcel for Bytes {
    fn bytes(&self) -> u64 {
        self.0
    }
}

fn settings() -> Settings {
    let cut = Cut { name: "hits-merger".into(), pipeline: [1; 32] };
    Settings { cut, window_frames: 4, window_bytes: 100, max_frame_bytes: 60, ..Settings::default() }
}

fn hello() -> Hello {
    let (cut, credit) = (settings().cut, Credit { frames: 4, bytes: 100 });
    Hello { epoch: 2, cut, max_frame_bytes: 60, credit, standing: None, stored: None }
}

fn send<F>(step: Step<F>) -> Message<F> {
    let Step::Send(message) = step else { panic!("nothing to send") };
    message
}

fn ack(standing: Standing, credit: Credit) -> Body<Bytes> {
    Body::Ack(Ack { standing, credit, gap: false, ending: false, clock_ns: 0, echo_ns: 0, held_ns: 0 })
}

/// A sender that has sent three of four frames, and the numbers of its connection.
fn sender() -> (Sender<Bytes>, u64) {
    let mut sender = Sender::new(settings(), 1);
    sender.connected(0);
    (0..4).for_each(|_| _ = sender.offer(Bytes(10)).unwrap());
    sender.receive(Message { from: 9, to: 0, body: Body::Hello(hello()) }, 0).unwrap();
    let session = send(sender.step(0)).from;
    let credit = Credit { frames: 3, bytes: 100 };
    let body = ack(Standing::default(), credit);
    let mut hello = hello();
    hello.credit = credit;
    sender.receive(Message { from: 9, to: 0, body: Body::Hello(hello) }, 0).unwrap();
    send(sender.step(0));
    sender.receive(Message { from: 9, to: session, body }, 0).unwrap();
    let Body::Data(data) = send(sender.step(0)).body else { panic!() };
    assert_eq!(data.frames.len(), 3);
    (sender, session)
}

fn refused(body: Body<Bytes>) -> Violation {
    let (mut sender, session) = sender();
    let before = sender.account();
    let refusal = sender.receive(Message { from: 9, to: session, body }, 0).unwrap_err();
    assert_eq!(sender.account(), before, "nothing is believed");
    refusal
}

fn number(name: &'static str, least: u64, most: u64, found: u64) -> Violation {
    Violation::Number { name, least, most, found }
}

#[test]
fn a_receiver_that_claims_frames_it_never_got_is_refused() {
    let standing = |received, completed| Standing { received, completed, ..Standing::default() };
    let wrong = refused(ack(standing(4, 0), Credit::default()));
    assert_eq!(wrong, number("received position", 0, 3, 4));
    assert_eq!(wrong.to_string(), "peer of a link: wanted received position from 0 to 3, found 4");
    let wrong = refused(ack(standing(2, 3), Credit::default()));
    assert_eq!(wrong, number("completed position", 0, 2, 3));
    let mut lost = Losses::default();
    lost.add(LossReason::NodeError, 3);
    let wrong = refused(ack(Standing { lost, ..standing(2, 2) }, Credit::default()));
    assert_eq!(wrong, number("frames lost by the receiver", 0, 2, 3));
    let wrong =
        refused(Body::Finished(Standing { received: u64::MAX, completed: u64::MAX, ..Standing::default() }));
    assert_eq!(wrong, number("received position", 0, 3, u64::MAX));
    let wrong = refused(Body::Finish(Finish { tail: 0, told: Told::default(), stopped: false }));
    assert_eq!(wrong.to_string(), "peer of a link: wanted acknowledgement, found finish");
}

#[test]
fn endless_credit_gets_no_more_than_one_window() {
    let (mut sender, session) = sender();
    let credit = Credit { frames: u64::MAX, bytes: u64::MAX };
    let standing = Standing { received: 3, ..Standing::default() };
    sender.receive(Message { from: 9, to: session, body: ack(standing, credit) }, 0).unwrap();
    let Body::Data(data) = send(sender.step(0)).body else { panic!() };
    assert_eq!((data.position, data.frames.len()), (3, 1));
    assert!(!sender.has_room(), "four frames are kept");
}

#[test]
fn a_stranger_at_the_senders_door_is_refused() {
    let say = |hello: Hello| {
        let mut sender = Sender::<Bytes>::new(settings(), 1);
        sender.connected(0);
        sender.receive(Message { from: 9, to: 0, body: Body::Hello(hello) }, 0).unwrap_err().to_string()
    };
    let start = "peer of a link: wanted";
    let cut = |name: &str, pipeline| Cut { name: name.into(), pipeline };
    let other = say(Hello { cut: cut("images", [1; 32]), ..hello() });
    assert_eq!(other, format!("{start} the cut `hits-merger`, found `images`"));
    let other = say(Hello { cut: cut("hits-merger", [2; 32]), ..hello() });
    let wanted = "the pipeline file with hash 01010101…, found 02020202…; give every host the same file";
    assert_eq!(other, format!("{start} {wanted}"));
    let small = say(Hello { max_frame_bytes: 5, ..hello() });
    assert_eq!(small, format!("{start} bytes of the largest frame from 60 to {}, found 5", u64::MAX));
    let ahead = say(Hello { stored: Some((1, Standing::at(7, Losses::default()))), ..hello() });
    assert_eq!(ahead, format!("{start} received position 0, found 7"));
}

/// A receiver that was welcomed, and the number of its connection.
fn receiver(told: Told) -> (Receiver<Bytes>, u64) {
    let mut receiver = Receiver::new(settings(), 2);
    receiver.connected(1);
    let session = send(receiver.step(1)).from;
    let (cut, lost) = (settings().cut, Losses::default());
    let window = Credit::default();
    let welcome =
        Welcome { epoch: 1, cut, retain: Retain::Completed, start: 0, lost, told, before: 0, window };
    receiver.receive(Message { from: 8, to: session, body: Body::Welcome(welcome) }, 1).unwrap();
    (receiver, session)
}

fn data(position: u64, offered: u64, sizes: &[u64]) -> Body<Bytes> {
    let told = Told { offered, ..Told::default() };
    let frames = sizes.iter().map(|bytes| Bytes(*bytes)).collect();
    Body::Data(Data { position, told, clock_ns: 0, frames })
}

fn said(bodies: &[Body<Bytes>]) -> Result<(), Violation> {
    let (mut receiver, to) = receiver(Told { offered: 2, ..Told::default() });
    let result =
        bodies.iter().try_for_each(|body| receiver.receive(Message { from: 8, to, body: body.clone() }, 1));
    assert!(receiver.account().closes());
    result
}

#[test]
fn a_sender_that_takes_more_than_its_credit_is_refused() {
    let wrong = said(&[data(0, 9, &[1; 5])]).unwrap_err();
    assert_eq!(wrong, number("frames under way by our credit", 1, 4, 5));
    let wrong = said(&[data(0, 9, &[60, 60, 1])]).unwrap_err();
    assert_eq!(wrong, number("bytes under way by our credit", 0, 99, 120));
    let wrong = said(&[data(0, 9, &[61])]).unwrap_err();
    assert_eq!(wrong, number("bytes of a frame", 0, 60, 61));
}

#[test]
fn a_sender_whose_account_does_not_add_up_is_refused() {
    let wrong = said(&[data(1, 2, &[1, 1])]).unwrap_err();
    assert_eq!(wrong, number("position after the last frame", 0, 2, 3));
    let wrong = said(&[data(u64::MAX, 2, &[1, 1])]).unwrap_err();
    assert_eq!(wrong, number("position after the last frame", 0, 2, u64::MAX));
    let mut lost = Losses::default();
    lost.add(LossReason::LinkDown, 5);
    let finish =
        |tail, offered, lost| Body::Finish(Finish { tail, told: Told { offered, lost }, stopped: false });
    assert_eq!(said(&[finish(2, 6, lost)]).unwrap_err(), number("frames lost by the sender", 0, 4, 5));
    assert_eq!(said(&[finish(8, 7, lost)]).unwrap_err(), number("position of the end", 2, 2, 8));
    let shrunk = said(&[finish(2, 7, lost), finish(8, 8, Losses::default())]);
    assert_eq!(shrunk, Err(Violation::Shrunk));
}

fn notice(position: u64, removed: u64, offered: u64) -> Body<Bytes> {
    let told = Told { offered, ..Told::default() };
    Body::Notice(Notice { position, removed, again: 1, told })
}

#[test]
fn a_store_that_has_lost_more_than_there_was_or_than_its_credit_is_refused() {
    let wrong = said(&[notice(0, 3, 2)]).unwrap_err();
    assert_eq!(wrong, number("position after the removed frames", 0, 2, 3));
    let wrong = said(&[notice(0, u64::MAX, 9)]).unwrap_err();
    assert_eq!(wrong, number("position after the removed frames", 0, 9, u64::MAX));
    let wrong = said(&[data(0, 9, &[1]), notice(1, 4, 9)]).unwrap_err();
    assert_eq!(wrong, number("removed frames by our credit", 0, 3, 4));
    let (mut sender, to) = sender();
    let wrong = sender.receive(Message { from: 9, to, body: notice(0, 0, 0) }, 0);
    assert_eq!(wrong, Err(Violation::Unexpected { wanted: "acknowledgement", found: "notice" }));
}

#[test]
fn frames_that_a_store_has_lost_are_counted_and_others_go_on_behind_them() {
    let (mut receiver, to) = receiver(Told { offered: 9, ..Told::default() });
    for body in [notice(0, 3, 9), notice(7, 1, 9), data(3, 9, &[1])] {
        receiver.receive(Message { from: 8, to, body }, 1).unwrap();
    }
    let account = receiver.account();
    assert_eq!((account.lost.of(LossReason::Retention), account.queued, account.sent_again), (3, 6, 1));
    assert!(account.closes());
    let Body::Ack(ack) = send(receiver.step(1)).body else { panic!() };
    assert_eq!((ack.standing.received, ack.standing.completed), (4, 3));
}

#[test]
fn frames_behind_a_gap_and_messages_of_other_connections_change_nothing() {
    let (mut receiver, to) = receiver(Told { offered: 9, ..Told::default() });
    receiver.receive(Message { from: 8, to, body: data(1, 9, &[1]) }, 1).unwrap();
    receiver.receive(Message { from: 7, to, body: data(0, 9, &[1]) }, 1).unwrap();
    receiver.receive(Message { from: 8, to: to + 1, body: data(0, 9, &[1]) }, 1).unwrap();
    assert_eq!(receiver.account().queued, 9);
    let Body::Ack(ack) = send(receiver.step(1)).body else { panic!() };
    assert_eq!((ack.gap, ack.standing.received), (true, 0));
}

#[test]
fn a_sender_that_restarts_again_and_again_gets_one_window_in_all() {
    let (mut receiver, mut to) = receiver(Told { offered: 9, ..Told::default() });
    for epoch in 1..4 {
        receiver.receive(Message { from: 8, to, body: data(0, 9, &[1]) }, 1).unwrap();
        let (cut, told) = (settings().cut, Told { offered: 9, ..Told::default() });
        let welcome = Welcome {
            epoch: epoch + 1,
            cut,
            retain: Retain::Completed,
            start: 0,
            lost: Losses::default(),
            told,
            before: 0,
            window: Credit::default(),
        };
        let welcome = Message { from: 8, to, body: Body::Welcome(welcome) };
        let refused = receiver.receive(welcome.clone(), 1).unwrap_err();
        assert_eq!(refused, number("epoch", epoch, epoch, epoch + 1));
        receiver.connected(1);
        let Message { from, body: Body::Hello(hello), .. } = send(receiver.step(1)) else { panic!() };
        assert_eq!((hello.credit.frames, hello.credit.bytes), (4 - epoch, 100 - epoch));
        to = from;
        receiver.receive(Message { to, ..welcome }, 1).unwrap();
    }
    let wrong = receiver.receive(Message { from: 8, to, body: data(0, 9, &[1, 1]) }, 1).unwrap_err();
    assert_eq!(wrong, number("frames under way by our credit", 1, 4, 5));
    assert!(receiver.account().closes());
}

/// Found by random schedules: the credit of a hello counts from where the receiver was then.
#[test]
fn a_late_hello_gives_no_credit() {
    let mut sender = Sender::new(Settings { retain: Retain::Received, ..settings() }, 1);
    sender.connected(0);
    (0..4).for_each(|_| _ = sender.offer(Bytes(10)).unwrap());
    let say =
        |sender: &mut Sender<Bytes>, to, body| sender.receive(Message { from: 9, to, body }, 0).unwrap();
    let standing = |received| Standing { received, ..Standing::default() };
    let first = Hello { credit: Credit { frames: 3, bytes: 100 }, ..hello() };
    say(&mut sender, 0, Body::Hello(first.clone()));
    let session = send(sender.step(0)).from;
    say(&mut sender, session, ack(standing(0), first.credit));
    let Body::Data(data) = send(sender.step(0)).body else { panic!() };
    assert_eq!(data.frames.len(), 3);
    say(&mut sender, session, ack(standing(3), Credit::default()));
    say(&mut sender, 0, Body::Hello(Hello { standing: Some((1, standing(0))), ..first }));
    assert_eq!(send(sender.step(0)).body.name(), "welcome");
    say(&mut sender, session, ack(standing(3), Credit::default()));
    assert!(matches!(sender.step(0), Step::Wait(_)), "there is no room for the fourth");
}
