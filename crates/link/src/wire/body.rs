//! Bodies of messages, without the heads of frames.

use livetime_runtime::LossReason;

use super::bytes::{Input, WireError, put_text};
use crate::message::{Abort, Ack, Body, Credit, Cut, Data, Finish, Heartbeat, Hello, Notice, Told, Welcome};
use crate::{Losses, Retain, Standing};

/// Bytes of the name of a cut, and of the reason for an abort.
const MAX_NAME: usize = 255;
const MAX_REASON: usize = 1000;

pub(super) fn kind<F>(body: &Body<F>) -> u8 {
    match body {
        Body::Hello(_) => 0,
        Body::Welcome(_) => 1,
        Body::Data(_) => 2,
        Body::Ack(_) => 3,
        Body::Heartbeat(_) => 4,
        Body::Finish(_) => 5,
        Body::Finished(_) => 6,
        Body::Abort(_) => 7,
        Body::Notice(_) => 8,
    }
}

pub(super) fn put<F>(to: &mut Vec<u8>, body: &Body<F>) {
    match body {
        Body::Hello(hello) => put_hello(to, hello),
        Body::Welcome(welcome) => {
            put_numbers(to, &[welcome.epoch]);
            put_cut(to, &welcome.cut);
            to.push(welcome.retain as u8);
            put_numbers(to, &[welcome.start]);
            put_losses(to, &welcome.lost);
            put_told(to, &welcome.told);
            put_numbers(to, &[welcome.before, welcome.window.frames, welcome.window.bytes]);
        }
        Body::Data(data) => {
            put_numbers(to, &[data.position, data.clock_ns]);
            put_told(to, &data.told);
        }
        Body::Ack(ack) => put_ack(to, ack),
        Body::Heartbeat(beat) => {
            put_numbers(to, &[beat.clock_ns]);
            put_told(to, &beat.told);
        }
        Body::Finish(finish) => {
            put_numbers(to, &[finish.tail]);
            put_told(to, &finish.told);
            to.push(finish.stopped.into());
        }
        Body::Finished(standing) => put_standing(to, standing),
        Body::Abort(abort) => {
            put_text(to, &abort.why[..abort.why.floor_char_boundary(MAX_REASON)]);
            put_told(to, &abort.told);
        }
        Body::Notice(notice) => {
            put_numbers(to, &[notice.position, notice.removed, notice.again]);
            put_told(to, &notice.told);
        }
    }
}

pub(super) fn read<F>(input: &mut Input<'_>, kind: u8) -> Result<Body<F>, WireError> {
    Ok(match kind {
        0 => Body::Hello(read_hello(input)?),
        1 => Body::Welcome(Welcome {
            epoch: input.u64("epoch")?,
            cut: read_cut(input)?,
            retain: input.choice("retain", &Retain::ALL)?,
            start: input.u64("start")?,
            lost: read_losses(input)?,
            told: read_told(input)?,
            before: input.u64("epoch before")?,
            window: Credit { frames: input.u64("window in frames")?, bytes: input.u64("window in bytes")? },
        }),
        2 => {
            let (position, clock_ns) = (input.u64("position")?, input.u64("clock")?);
            Body::Data(Data { position, clock_ns, told: read_told(input)?, frames: Vec::new() })
        }
        3 => Body::Ack(read_ack(input)?),
        4 => Body::Heartbeat(Heartbeat { clock_ns: input.u64("clock")?, told: read_told(input)? }),
        5 => Body::Finish(Finish {
            tail: input.u64("tail")?,
            told: read_told(input)?,
            stopped: input.flag("stopped")?,
        }),
        6 => Body::Finished(read_standing(input)?),
        7 => {
            let why = input.text("reason")?;
            WireError::limit("bytes of the reason", why.len() as u64, MAX_REASON as u64)?;
            Body::Abort(Abort { why: why.to_owned(), told: read_told(input)? })
        }
        8 => Body::Notice(Notice {
            position: input.u64("position")?,
            removed: input.u64("frames removed")?,
            again: input.u64("frames handled before")?,
            told: read_told(input)?,
        }),
        other => return Err(WireError::new("kind", "0 to 8", other)),
    })
}

fn put_numbers(to: &mut Vec<u8>, numbers: &[u64]) {
    numbers.iter().for_each(|number| to.extend(number.to_le_bytes()));
}

fn put_hello(to: &mut Vec<u8>, hello: &Hello) {
    put_numbers(to, &[hello.epoch]);
    put_cut(to, &hello.cut);
    put_numbers(to, &[hello.max_frame_bytes, hello.credit.frames, hello.credit.bytes]);
    for standing in [&hello.standing, &hello.stored] {
        to.push(standing.is_some().into());
        if let Some((epoch, standing)) = standing {
            put_numbers(to, &[*epoch]);
            put_standing(to, standing);
        }
    }
}

fn read_hello(input: &mut Input<'_>) -> Result<Hello, WireError> {
    let epoch = input.u64("epoch")?;
    let (cut, max_frame_bytes) = (read_cut(input)?, input.u64("largest frame")?);
    let credit = Credit { frames: input.u64("credit in frames")?, bytes: input.u64("credit in bytes")? };
    let (standing, stored) = (read_known(input)?, read_known(input)?);
    Ok(Hello { epoch, cut, max_frame_bytes, credit, standing, stored })
}

fn read_known(input: &mut Input<'_>) -> Result<Option<(u64, Standing)>, WireError> {
    let is_known = input.flag("standing")?;
    is_known.then(|| Ok((input.u64("epoch")?, read_standing(input)?))).transpose()
}

fn put_cut(to: &mut Vec<u8>, cut: &Cut) {
    put_text(to, &cut.name[..cut.name.floor_char_boundary(MAX_NAME)]);
    to.extend(cut.pipeline);
}

fn read_cut(input: &mut Input<'_>) -> Result<Cut, WireError> {
    let name = input.text("name of the cut")?;
    WireError::limit("bytes of the name of the cut", name.len() as u64, MAX_NAME as u64)?;
    Ok(Cut { name: name.to_owned(), pipeline: input.hash("hash of the pipeline file")? })
}

fn put_ack(to: &mut Vec<u8>, ack: &Ack) {
    put_standing(to, &ack.standing);
    put_numbers(to, &[ack.credit.frames, ack.credit.bytes, ack.clock_ns, ack.echo_ns, ack.held_ns]);
    to.extend([u8::from(ack.gap), u8::from(ack.ending)]);
}

fn read_ack(input: &mut Input<'_>) -> Result<Ack, WireError> {
    Ok(Ack {
        standing: read_standing(input)?,
        credit: Credit { frames: input.u64("credit in frames")?, bytes: input.u64("credit in bytes")? },
        clock_ns: input.u64("clock")?,
        echo_ns: input.u64("echo")?,
        held_ns: input.u64("age of the echo")?,
        gap: input.flag("gap")?,
        ending: input.flag("ending")?,
    })
}

fn put_standing(to: &mut Vec<u8>, standing: &Standing) {
    put_numbers(to, &[standing.received, standing.completed, standing.stored]);
    put_losses(to, &standing.lost);
}

fn read_standing(input: &mut Input<'_>) -> Result<Standing, WireError> {
    Ok(Standing {
        received: input.u64("received")?,
        completed: input.u64("completed")?,
        stored: input.u64("stored")?,
        lost: read_losses(input)?,
    })
}

fn put_told(to: &mut Vec<u8>, told: &Told) {
    put_numbers(to, &[told.offered]);
    put_losses(to, &told.lost);
}

fn read_told(input: &mut Input<'_>) -> Result<Told, WireError> {
    Ok(Told { offered: input.u64("offered")?, lost: read_losses(input)? })
}

fn put_losses(to: &mut Vec<u8>, losses: &Losses) {
    to.push(losses.iter().count() as u8);
    for (reason, frames) in losses.iter() {
        to.push(reason as u8);
        put_numbers(to, &[frames]);
    }
}

fn read_losses(input: &mut Input<'_>) -> Result<Losses, WireError> {
    let mut losses = Losses::default();
    for _ in 0..input.u8("number of reasons")? {
        let reason = input.choice("reason of a loss", &LossReason::ALL)?;
        losses.add(reason, input.u64("frames lost")?);
    }
    Ok(losses)
}
