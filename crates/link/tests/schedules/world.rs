//! Two ends, what lies between them, and everything that can go wrong.

use std::collections::VecDeque;

use livetime_link::{
    Account, Message, NotTaken, Receiver, ReceiverEvent, Retain, Sender, SenderEvent, Settings, Settlement,
    Standing, Step, Token,
};
use livetime_runtime::{LossReason, Random};

use super::truth::{Number, Truth};

const MS: u64 = 1_000_000;

/// Steps with faults of a schedule.
const STEPS: usize = 250;

/// Rounds without faults in which every schedule must have ended.
const ROUNDS: usize = 5_000;

/// What the schedules met.
#[derive(Default, Debug)]
pub(super) struct Seen {
    pub(super) delivered: u64,
    pub(super) lost: u64,
    pub(super) in_doubt: u64,
    pub(super) sent_again: u64,
    pub(super) kills: u64,
    pub(super) aborted: u64,
    pub(super) finished: u64,
    pub(super) given_up: u64,
    pub(super) retaken: u64,
}

impl Seen {
    pub(super) fn add(&mut self, other: &Seen) {
        self.delivered += other.delivered;
        self.lost += other.lost;
        self.in_doubt += other.in_doubt;
        self.sent_again += other.sent_again;
        self.kills += other.kills;
        self.aborted += other.aborted;
        self.finished += other.finished;
        self.given_up += other.given_up;
        self.retaken += other.retaken;
    }

    pub(super) fn has_all(&self) -> bool {
        let Seen { delivered, lost, in_doubt, sent_again, kills, aborted, finished, given_up, retaken } =
            *self;
        [delivered, lost, in_doubt, sent_again, kills, aborted, finished, given_up, retaken]
            .iter()
            .all(|n| *n > 20)
    }
}

pub(super) struct World {
    random: Random,
    settings: Settings,
    now: u64,
    sender: Sender<Number>,
    sender_epoch: u64,
    receiver: Receiver<Number>,
    epochs: u64,
    ids: u64,
    up: bool,
    to_receiver: VecDeque<Message<Number>>,
    to_sender: VecDeque<Message<Number>>,
    /// Copies of messages that come at any time later: to the receiver, to the sender.
    strays: [Vec<Message<Number>>; 2],
    /// One in this many chances to carry a message is used.
    slowness: usize,
    under_way: VecDeque<Token>,
    /// What survives the receiver's death.
    disk: Option<(u64, Standing)>,
    has_faults: bool,
    has_given_up: bool,
    truth: Truth,
    seen: Seen,
}

impl World {
    pub(super) fn new(seed: u64, retain: Retain, retakes: bool) -> World {
        let mut random = Random::new(seed);
        let settings = Settings {
            retain,
            retakes,
            window_frames: 2 + random.below(8) as u64,
            window_bytes: 20 + random.below(60) as u64,
            max_frame_bytes: 100,
            batch_frames: 1 + random.below(4),
            batch_bytes: 30,
            ack_frames: 1 + random.below(4) as u64,
            ..Settings::default()
        };
        World {
            slowness: 1 + random.below(3),
            random,
            sender: Sender::new(settings.clone(), 1),
            receiver: Receiver::new(settings.clone(), 2),
            settings,
            now: MS,
            sender_epoch: 1,
            epochs: 2,
            ids: 0,
            up: false,
            to_receiver: VecDeque::new(),
            to_sender: VecDeque::new(),
            strays: [Vec::new(), Vec::new()],
            under_way: VecDeque::new(),
            disk: None,
            has_faults: true,
            has_given_up: false,
            truth: Truth::default(),
            seen: Seen::default(),
        }
    }

    /// Runs the whole schedule, and returns what it met.
    pub(super) fn run(mut self) -> Seen {
        for _ in 0..STEPS {
            self.act();
            self.check();
        }
        self.has_faults = false;
        match self.random.below(8) {
            0 => self.sender.abort("test"),
            1 => self.receiver.abort("test"),
            2 => {
                self.has_given_up = true;
                self.sender.give_up();
            }
            _ => self.sender.finish(),
        }
        let mut rounds = 0;
        while !self.sender.has_ended() {
            rounds += 1;
            assert!(rounds < ROUNDS, "no end: {} {:?}", self.sender.account(), self.receiver.account());
            self.round();
        }
        self.check();
        self.end()
    }

    fn end(mut self) -> Seen {
        let account = self.sender.account();
        assert_eq!(account.queued, 0, "{account}");
        while !self.under_way.is_empty() {
            self.settle();
        }
        let received = self.receiver.account();
        assert!(received.closes(), "{received}");
        assert!(received.queued == 0 || self.has_given_up, "{received}");
        self.truth.check_end(self.settings.retain);
        self.count(account);
        self.seen
    }

    fn count(&mut self, account: Account) {
        self.seen.delivered += account.delivered;
        self.seen.lost += account.lost.total();
        self.seen.in_doubt += account.in_doubt;
        self.seen.sent_again += account.sent_again;
        self.seen.retaken += account.retaken;
    }

    /// One thing happens.
    fn act(&mut self) {
        match self.random.below(100) {
            0..20 => self.offer(),
            20..35 => self.step_sender(),
            35..50 => self.step_receiver(),
            50..62 => self.carry_to_receiver(),
            62..74 => self.carry_to_sender(),
            74..86 => self.settle(),
            86..88 => self.bring_stray(),
            88..93 => self.now += self.random.next_u64() % (300 * MS),
            93..96 if self.up => self.cut(),
            93..97 => self.connect(),
            97 => self.kill_receiver(),
            98 if self.settings.retakes => self.retake(),
            98 if self.random.below(2) == 0 => self.kill_sender(),
            _ => self.now += MS,
        }
    }

    /// All that an honest world does.
    fn round(&mut self) {
        if !self.up {
            self.connect();
        }
        for _ in 0..20 {
            self.step_sender();
            self.step_receiver();
            self.carry_to_receiver();
            self.carry_to_sender();
            self.settle();
            self.check();
        }
        self.now += 50 * MS;
    }

    fn offer(&mut self) {
        for _ in 0..1 + self.random.below(4) {
            // Some larger than the window.
            let bytes = if self.random.below(20) == 0 { 100 } else { self.random.below(20) as u64 };
            let frame = Number { id: self.ids, bytes };
            match self.sender.offer(frame) {
                Ok(position) => self.truth.offered(self.sender_epoch, position, self.ids),
                Err(NotTaken::Full) if self.random.below(2) == 0 => {
                    self.sender.lose(LossReason::LinkDown, 1);
                    self.truth.lost_unseen(self.sender_epoch);
                }
                Err(_) => continue,
            }
            self.ids += 1;
        }
    }

    fn step_sender(&mut self) {
        match self.sender.step(self.now) {
            Step::Send(message) => self.put(0, message),
            Step::Reconnect => self.cut(),
            Step::Wait(until) => assert!(until > self.now, "a wait is for later"),
        }
    }

    fn step_receiver(&mut self) {
        match self.receiver.step(self.now) {
            Step::Send(message) => self.put(1, message),
            Step::Reconnect => self.cut(),
            Step::Wait(until) => assert!(until > self.now, "a wait is for later"),
        }
    }

    fn carry_to_receiver(&mut self) {
        if self.is_slow() {
            return;
        }
        let Some(message) = self.to_receiver.pop_front().filter(|_| self.up) else { return };
        self.receiver.receive(message, self.now).unwrap();
        while let Some(event) = self.receiver.next_event() {
            match event {
                ReceiverEvent::Frame(token, frame) => {
                    self.truth.check_frame(token.epoch, token.position, frame);
                    self.under_way.push_back(token);
                }
                ReceiverEvent::Aborted(_) => self.seen.aborted += 1,
                ReceiverEvent::Met { .. } | ReceiverEvent::End => {}
            }
        }
    }

    fn is_slow(&mut self) -> bool {
        self.has_faults && self.random.below(self.slowness) > 0
    }

    /// A message of any time before comes once more.
    fn bring_stray(&mut self) {
        let side = self.random.below(2);
        let strays = &mut self.strays[side];
        if strays.is_empty() {
            return;
        }
        let stray = strays.swap_remove(self.random.below(strays.len()));
        let queue = if side == 0 { &mut self.to_receiver } else { &mut self.to_sender };
        queue.push_front(stray);
    }

    fn carry_to_sender(&mut self) {
        if self.is_slow() {
            return;
        }
        let Some(message) = self.to_sender.pop_front().filter(|_| self.up) else { return };
        self.sender.receive(message, self.now).unwrap();
    }

    /// The receiver's graph settles a frame; a store stores in order.
    fn settle(&mut self) {
        let is_store = self.settings.retain == Retain::Stored;
        let place = if is_store { 0 } else { self.random.below(self.under_way.len()) };
        let Some(token) = self.under_way.remove(place) else { return };
        let settlement = match (self.random.below(10), is_store) {
            (0, _) => Settlement::Lost(LossReason::NodeError),
            (_, true) => Settlement::Stored,
            (_, false) => Settlement::Completed,
        };
        if is_store && self.random.below(2) == 0 {
            self.receiver.settle(token, Settlement::Completed, self.now);
        }
        assert!(self.receiver.settle(token, settlement, self.now), "{token:?}");
        match settlement {
            Settlement::Lost(_) => self.truth.lost(token.epoch, token.position),
            _ => self.truth.handled(token.epoch, token.position),
        }
        if is_store {
            self.disk = self.receiver.store();
        }
    }

    /// Messages under way are lost, or come over the next connection, in any order.
    fn cut(&mut self) {
        self.up = false;
        self.sender.disconnected();
        self.receiver.disconnected();
        for queue in [&mut self.to_receiver, &mut self.to_sender] {
            if self.random.below(2) == 0 {
                queue.clear();
            }
            for place in 0..queue.len() {
                let other = self.random.below(queue.len());
                queue.swap(place, other);
            }
        }
    }

    fn connect(&mut self) {
        self.up = true;
        self.sender.connected(self.now);
        self.receiver.connected(self.now);
    }

    fn kill_receiver(&mut self) {
        self.cut();
        self.epochs += 1;
        self.seen.kills += 1;
        self.under_way.clear();
        // Some stores are lost with their host.
        let disk = self.disk.filter(|_| self.random.below(4) > 0);
        self.disk = disk;
        let settings = self.settings.clone();
        self.receiver = match disk {
            Some(disk) => Receiver::resumed(settings, self.epochs, disk),
            None => Receiver::new(settings, self.epochs),
        };
    }

    /// The receiver is given up for another one: it goes on with a new epoch, or its successor does.
    fn retake(&mut self) {
        self.sender.give_up();
        self.follow();
    }

    /// A sender that has ended is followed by another, which gets the frames that were taken back.
    fn follow(&mut self) {
        self.check();
        self.cut();
        self.count(self.sender.account());
        let (frames, before) = (self.sender.retaken(), self.sender_epoch);
        assert_eq!(self.sender.account().retaken, frames.len() as u64);
        self.epochs += 1;
        self.sender_epoch = self.epochs;
        self.sender = Sender::following(self.settings.clone(), self.epochs, before);
        for frame in frames {
            let position = self.sender.offer(frame).unwrap();
            self.truth.offered(self.sender_epoch, position, frame.id);
        }
    }

    fn kill_sender(&mut self) {
        self.check();
        self.cut();
        self.epochs += 1;
        self.seen.kills += 1;
        self.count(self.sender.account());
        self.sender_epoch = self.epochs;
        self.sender = Sender::new(self.settings.clone(), self.epochs);
    }

    /// Both accounts close, and agree with the truth.
    fn check(&mut self) {
        while let Some(event) = self.sender.next_event() {
            self.truth.take(self.sender_epoch, &event);
            match event {
                // Frames that are kept are sent again, as long as the receiver may come back.
                SenderEvent::InDoubt { .. } => {
                    assert!(self.settings.retain == Retain::Received || self.sender.has_ended());
                }
                SenderEvent::Aborted(_) => self.seen.aborted += 1,
                SenderEvent::Ended if self.sender.account().lost.of(LossReason::PeerGone) > 0 => {
                    self.seen.given_up += 1;
                }
                SenderEvent::Ended => self.seen.finished += 1,
                _ => {}
            }
        }
        let account = self.sender.account();
        self.truth.check_account(self.sender_epoch, &account);
        let account = self.receiver.account();
        assert!(account.closes(), "receiver: {account}");
    }

    /// A message goes onto its way: it comes, or is lost, comes twice, early, or once more at any time.
    fn put(&mut self, side: usize, message: Message<Number>) {
        let queue = if side == 0 { &mut self.to_receiver } else { &mut self.to_sender };
        match self.random.below(12) {
            0 if self.has_faults => {}
            1 if self.has_faults => queue.extend([message.clone(), message]),
            2 if self.has_faults => queue.insert(self.random.below(queue.len() + 1), message),
            3 if self.has_faults => {
                self.strays[side].push(message.clone());
                queue.push_back(message);
            }
            _ => queue.push_back(message),
        }
    }
}
