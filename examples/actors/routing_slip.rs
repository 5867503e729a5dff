//! A message that carries its way: each station works on it and sends it to the next address on its slip.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::VecDeque;
use std::time::Duration;

use livetime_actors::{Address, Agent, AgentError, Chain, Context, Placement, System};

struct Letter {
    text: String,
    slip: VecDeque<Address<Letter>>,
    end: Chain<String>,
}

struct Station {
    work: fn(&mut String),
    tell_address: Chain<Address<Letter>>,
}

impl Agent for Station {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        let own = ctx.inbox(Self::letter);
        self.tell_address.send(own);
        Ok(())
    }
}

impl Station {
    fn letter(&mut self, mut letter: Letter, ctx: &mut Context<Self>) {
        (self.work)(&mut letter.text);
        match letter.slip.pop_front() {
            Some(next) => _ = ctx.send(&next, letter),
            None => _ = letter.end.send(letter.text),
        }
    }
}

fn station(system: &System, name: &str, work: fn(&mut String)) -> Result<Address<Letter>, AgentError> {
    let address = Chain::new(1);
    let station = Station { work, tell_address: address.clone() };
    system.group(name).placement(Placement::pool("stations", 2)).add(name, station).start()?;
    address.receive(Duration::from_secs(5)).ok_or_else(|| AgentError::new(format!("{name} did not start")))
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let upper = station(&system, "upper", |text| *text = text.to_uppercase())?;
    let reverse = station(&system, "reverse", |text| *text = text.chars().rev().collect())?;
    let end = Chain::new(4);
    let post = |ways: &[&Address<Letter>]| {
        let mut slip: VecDeque<_> = ways.iter().map(|way| (*way).clone()).collect();
        let first = slip.pop_front();
        let letter = Letter { text: "frame".into(), slip, end: end.clone() };
        first.map(|first| first.send(letter));
        end.receive(Duration::from_secs(5))
    };
    assert_eq!(post(&[&upper]).as_deref(), Some("FRAME"));
    let both = post(&[&upper, &reverse, &upper]);
    println!("{both:?}");
    assert_eq!(both.as_deref(), Some("EMARF"));
    Ok(())
}
