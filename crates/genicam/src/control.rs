//! The thread that controls a camera: it looks for it, sets it, reads it back, and notices when it is gone.
//!
//! Everything that may take long happens here: a search in the network takes a second, and a camera that does not
//! answer some seconds. The node only takes images, sends orders, and reads the news.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::time::{Duration, Instant};

use livetime_engine::Value;

use crate::aravis::{Camera, Stream};
use crate::error::CameraError;
use crate::features::Feature;
use crate::settings::{self, SETTINGS, TRIGGER_MODE, Wanted};

/// Time between two searches for an absent camera. A search takes a second, and sends broadcasts into the network.
const RETRY: Duration = Duration::from_secs(2);
/// How often some features are read back, and how many: all features of a camera with 200 within 3 s, without taking
/// more than a few ms of its control channel at once.
const READ_EVERY: Duration = Duration::from_millis(100);
const FEATURES_AT_ONCE: usize = 8;
/// One in this many rounds reads back the settings that every camera has: once a second.
const SETTINGS_EVERY: u64 = 10;

/// Whether a parameter was written, by name.
pub(crate) type Answer = Result<(), CameraError>;

/// The orders of the node.
pub(crate) enum Order {
    /// The setting or feature `name` is to have this value, now or when the camera is there.
    Write { name: &'static str, value: Value, answer: SyncSender<Answer> },
    /// Whether images are to be sent.
    Acquire(bool),
    /// A stream that is used no more: to end one may take long.
    Return(Stream),
}

/// The news for the node.
pub(crate) enum News {
    /// The camera is there.
    Connected(About),
    /// The camera is absent, with the reason. Sent once for each reason.
    Absent(CameraError),
    /// The camera has vanished while it was used.
    Lost,
    /// Images come out of this stream from now on, after the remaining ones of the stream before.
    Stream(Stream),
    /// A parameter that was given could not be set, or images could not be begun.
    Refused(String),
    /// A setting or feature has this value.
    Value(&'static str, Value),
}

/// Which camera it is.
pub(crate) struct About {
    pub(crate) manufacturer: String,
    pub(crate) model: String,
    pub(crate) serial_number: String,
}

/// The start values of the thread.
pub(crate) struct Setup {
    /// Name of the camera.
    pub(crate) name: String,
    pub(crate) buffers: u32,
    pub(crate) packet_socket: bool,
    pub(crate) acquire: bool,
    /// Values that the camera is to have, by name of parameter.
    pub(crate) given: BTreeMap<&'static str, Value>,
    pub(crate) features: Vec<Feature>,
}

/// Whether a parameter with this name is set in the camera, and not in the node.
pub(crate) fn is_of_the_camera(name: &str) -> bool {
    SETTINGS.contains(&name) || name == TRIGGER_MODE || name.starts_with("gc_")
}

impl Wanted for BTreeMap<&'static str, Value> {
    fn wanted(&self, name: &str) -> Option<&Value> {
        self.get(name)
    }
}

/// Runs until `orders` has no sender any more, or the news have no reader.
pub(crate) fn run(setup: Setup, orders: &Receiver<Order>, news: SyncSender<News>) {
    let mut control = Control {
        setup,
        news,
        camera: None,
        due: Instant::now(),
        absent: None,
        shown: BTreeMap::new(),
        round: 0,
        next: 0,
    };
    loop {
        let wait = control.due.saturating_duration_since(Instant::now());
        match orders.recv_timeout(wait) {
            Ok(order) => control.obey(order),
            Err(RecvTimeoutError::Timeout) => control.work(),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    if let Some(camera) = control.camera.filter(|camera| !camera.is_lost()) {
        // A camera that does not get this command stops by itself when our heartbeat ends.
        let _ = camera.halt();
    }
}

/// The two ends that a node holds.
pub(crate) struct Ends {
    pub(crate) orders: Sender<Order>,
    pub(crate) news: Receiver<News>,
}

struct Control {
    setup: Setup,
    news: SyncSender<News>,
    camera: Option<Camera>,
    /// When there is something to do without an order.
    due: Instant,
    /// Why the camera was absent when that was last reported.
    absent: Option<CameraError>,
    /// Values that the node knows.
    shown: BTreeMap<&'static str, Value>,
    round: u64,
    /// The feature that is read next.
    next: usize,
}

impl Control {
    fn obey(&mut self, order: Order) {
        match order {
            Order::Write { name, value, answer } => {
                let result = self.write(name, value);
                // The caller waits no longer if it took too long.
                let _ = answer.try_send(result);
            }
            Order::Acquire(acquire) => {
                self.setup.acquire = acquire;
                match (&self.camera, acquire) {
                    (Some(_), true) => self.begin(),
                    (Some(camera), false) => {
                        let halted = camera.halt();
                        self.complain("the acquisition could not be stopped", halted);
                    }
                    (None, _) => {}
                }
            }
            Order::Return(stream) => drop(stream),
        }
    }

    fn work(&mut self) {
        match &self.camera {
            None => self.connect(),
            Some(camera) if camera.is_lost() => {
                self.camera = None;
                self.shown.clear();
                self.tell(News::Lost);
                self.due = Instant::now() + RETRY;
            }
            Some(_) => {
                self.read_back();
                self.due = Instant::now() + READ_EVERY;
            }
        }
    }

    fn connect(&mut self) {
        match Camera::open(&self.setup.name) {
            Ok(camera) => {
                let about = About {
                    manufacturer: camera.vendor().unwrap_or_default(),
                    model: camera.model().unwrap_or_default(),
                    serial_number: camera.serial_number().unwrap_or_default(),
                };
                self.camera = Some(camera);
                self.absent = None;
                self.tell(News::Connected(about));
                self.write_given();
                self.read_settings();
                self.due = Instant::now();
                if self.setup.acquire {
                    self.begin();
                }
            }
            Err(why) => {
                if !why.is_same(self.absent.as_ref()) {
                    self.absent = Some(why.clone());
                    self.tell(News::Absent(why));
                }
                self.due = Instant::now() + RETRY;
            }
        }
    }

    /// Everything that was asked for so far, so that a camera that comes back is as it was.
    fn write_given(&mut self) {
        let features: Vec<&'static str> = self.setup.features.iter().map(|f| f.spec.name).collect();
        let names = SETTINGS.into_iter().chain([TRIGGER_MODE]).chain(features);
        for name in names.collect::<Vec<_>>() {
            let Some(value) = self.setup.given.get(name).cloned() else { continue };
            let written = self.put(name, &value);
            self.complain(&format!("`{name}` could not be set to `{value}`"), written);
        }
    }

    fn write(&mut self, name: &'static str, value: Value) -> Answer {
        let before = self.setup.given.insert(name, value.clone());
        // The node has the written value: it gets the camera's value, also if that did not change.
        self.shown.remove(name);
        if self.camera.is_none() {
            return Ok(());
        }
        let pauses = self.setup.acquire && settings::changes_size(name);
        if pauses && let Some(camera) = &self.camera {
            camera.halt()?;
        }
        let written = self.put(name, &value);
        if written.is_err() || value == Value::Bool(true) {
            // A refused value is not tried again, and a command is not given again.
            match before.filter(|_| written.is_err()) {
                Some(before) => self.setup.given.insert(name, before),
                None if written.is_err() || self.is_command(name) => self.setup.given.remove(name),
                None => None,
            };
        }
        if pauses {
            self.begin();
        }
        self.read_settings();
        self.read_feature(self.setup.features.iter().position(|feature| feature.spec.name == name));
        written
    }

    fn is_command(&self, name: &str) -> bool {
        name == "trigger_software" || self.feature(name).is_some_and(Feature::is_command)
    }

    fn feature(&self, name: &str) -> Option<&Feature> {
        self.setup.features.iter().find(|feature| feature.spec.name == name)
    }

    fn put(&self, name: &str, value: &Value) -> Answer {
        let Some(camera) = &self.camera else { return Ok(()) };
        match self.feature(name) {
            Some(feature) => feature.write(camera, value),
            None => settings::write(camera, name, value, &self.setup.given),
        }
    }

    fn begin(&mut self) {
        let Some(camera) = &self.camera else { return };
        match camera.acquire(self.setup.buffers, self.setup.packet_socket) {
            Ok(stream) => self.tell(News::Stream(stream)),
            Err(why) => self.tell(News::Refused(format!("the acquisition did not begin: {why}"))),
        }
    }

    fn read_back(&mut self) {
        self.round += 1;
        if self.round.is_multiple_of(SETTINGS_EVERY) {
            self.read_settings();
        }
        for _ in 0..FEATURES_AT_ONCE.min(self.setup.features.len()) {
            self.next = (self.next + 1) % self.setup.features.len();
            self.read_feature(Some(self.next));
        }
    }

    fn read_settings(&mut self) {
        let values = self.camera.as_ref().map(settings::read).unwrap_or_default();
        values.into_iter().for_each(|(name, value)| self.show(name, value));
    }

    fn read_feature(&mut self, place: Option<usize>) {
        let feature = place.and_then(|place| self.setup.features.get(place));
        let (Some(feature), Some(camera)) = (feature, &self.camera) else { return };
        // A value that cannot be read now stays as it was.
        if let Ok(Some(value)) = feature.read(camera) {
            self.show(feature.spec.name, value);
        }
    }

    /// A value that finds no room is shown in the next round.
    fn show(&mut self, name: &'static str, value: Value) {
        if self.shown.get(name) == Some(&value) {
            return;
        }
        match self.news.try_send(News::Value(name, value.clone())) {
            Ok(()) => self.shown.insert(name, value),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => self.shown.remove(name),
        };
    }

    fn complain(&self, what: &str, result: Answer) {
        if let Err(why) = result {
            self.tell(News::Refused(format!("{what}: {why}")));
        }
    }

    /// Waits for room; without a reader the orders end, too.
    fn tell(&self, news: News) {
        // The error means that the node is gone, and then the channel of orders ends the thread.
        let _ = self.news.send(news);
    }
}
