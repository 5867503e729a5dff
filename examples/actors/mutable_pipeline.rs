//! A message belongs to the agent that holds it: three steps change the same picture in place, without a copy.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use livetime_actors::{Address, Agent, AgentError, Chain, Context, Placement, System};

/// Not `Clone`: there is one of it.
struct Picture {
    pixels: Box<[u8]>,
}

type Step = fn(&mut [u8]);

struct Stage {
    step: Step,
    next: Target,
    tell_address: Chain<Address<Picture>>,
}

enum Target {
    Stage(Address<Picture>),
    End(Chain<Picture>),
}

impl Agent for Stage {
    type State = ();

    fn start(&mut self, ctx: &mut Context<Self>) -> Result<(), AgentError> {
        let own = ctx.inbox(Self::picture);
        self.tell_address.send(own);
        Ok(())
    }
}

impl Stage {
    fn picture(&mut self, mut picture: Picture, ctx: &mut Context<Self>) {
        (self.step)(&mut picture.pixels);
        match &self.next {
            Target::Stage(next) => _ = ctx.send(next, picture),
            Target::End(end) => _ = end.send(picture),
        }
    }
}

fn main() -> Result<(), AgentError> {
    let system = System::default();
    let steps: [Step; 3] = [
        |pixels| pixels.iter_mut().for_each(|p| *p = 255 - *p),
        |pixels| pixels.reverse(),
        |pixels| pixels.iter_mut().for_each(|p| *p &= 0xf0),
    ];
    let (end, addresses) = (Chain::new(4), Chain::new(1));
    let mut next = Target::End(end.clone());
    // From the last to the first, because each has to know the next.
    for (i, step) in steps.into_iter().enumerate().rev() {
        let stage = Stage { step, next, tell_address: addresses.clone() };
        system
            .group("pipeline")
            .placement(Placement::group("pipeline"))
            .add(&format!("stage {i}"), stage)
            .start()?;
        let address = addresses.receive(Duration::from_secs(5));
        next = Target::Stage(address.ok_or_else(|| AgentError::new("a stage did not start"))?);
    }
    let picture = Picture { pixels: (0..64).collect() };
    let place = picture.pixels.as_ptr();
    if let Target::Stage(first) = &next {
        first.send(picture);
    }
    let done = end.receive(Duration::from_secs(5)).ok_or_else(|| AgentError::new("no picture in 5 s"))?;
    println!("{:?}", &done.pixels[..8]);
    assert_eq!((done.pixels.as_ptr(), done.pixels[0]), (place, (255 - 63) & 0xf0));
    Ok(())
}
