//! `livetime pv monitor --ca`.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use livetime_ca::Changes;
use livetime_ca::client::{Ask, Channel, Event, Subscription};
use livetime_ca::dbr::{About, Form, Reading};

use super::client::{client, is_long_text};
use super::value::as_value;
use crate::commands::pv::args::MonitorArgs;
use crate::commands::pv::monitor::{Told, show};
use crate::output::{Exit, Failure, Output};

pub(in crate::commands::pv) fn monitor(args: &MonitorArgs, output: &mut Output) -> Result<Exit, Failure> {
    let changes = changes(&args.mask)?;
    let client = client()?;
    let (sender, events) = channel();
    let channels: Vec<_> = args.names.iter().map(|name| client.channel(name)).collect();
    let follow = |(index, channel): (usize, &Channel)| {
        let is_text = is_long_text(&args.names[index], args.asked.long_text);
        Follower { index, is_text, sender: sender.clone() }.follow(channel, changes)
    };
    let _monitors: Vec<_> = channels.iter().enumerate().map(follow).collect();
    show(args, &events, output)
}

fn changes(mask: &str) -> Result<Changes, Failure> {
    let wrong = || Failure::new(Exit::Usage, format!("the mask: wanted some of v, l, a, p, found `{mask}`"));
    let one = |letter| match letter {
        'v' => Ok(Changes::VALUE),
        'l' => Ok(Changes::LOG),
        'a' => Ok(Changes::ALARM),
        'p' => Ok(Changes::PROPERTY),
        _ => Err(wrong()),
    };
    let all: Vec<Changes> = mask.chars().map(one).collect::<Result<_, _>>()?;
    all.into_iter().reduce(Changes::and).ok_or_else(wrong)
}

/// The way of the updates of one channel to the screen.
struct Follower {
    index: usize,
    is_text: bool,
    sender: Sender<(usize, Told)>,
}

impl Follower {
    /// Units, limits and choices come by a monitor of their own, whose first update is sent before the other's.
    fn follow(self, channel: &Channel, changes: Changes) -> [Subscription; 2] {
        let about: Arc<Mutex<Arc<About>>> = Arc::default();
        let known = Arc::clone(&about);
        let learn = move |event| {
            if let Event::Update(reading) = event {
                *known.lock().unwrap_or_else(PoisonError::into_inner) = reading.about;
            }
        };
        let learning = channel.subscribe(Ask::from(Form::Control).count(1), Changes::PROPERTY, learn);
        let asked = channel.clone();
        let tell = move |event| {
            let count = asked.facts().map_or(1, |facts| facts.count);
            let about = Arc::clone(&about.lock().unwrap_or_else(PoisonError::into_inner));
            self.tell(event, &about, count);
        };
        [learning, channel.subscribe(Form::Time, changes, tell)]
    }

    fn tell(&self, event: Event, about: &About, count: u32) {
        let value = |reading: &Reading| as_value(reading, about, count, self.is_text);
        let told = match event {
            Event::Update(reading) => Told::Update(value(&reading)),
            Event::Connected => Told::Connected,
            Event::Disconnected => Told::Disconnected,
            Event::Refused(error) => Told::Ended(Err(Box::new(error))),
        };
        // The receiver is gone when the command ends.
        let _ = self.sender.send((self.index, told));
    }
}
