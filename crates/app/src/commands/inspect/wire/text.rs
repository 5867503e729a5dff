//! The findings, as text and as JSON.

use std::path::Path;

use livetime_formats::channel_map::Plane;
use livetime_formats::wib::{Faults, RawFormat, Wib1Frame, Wib2Frame, WibEthFrame};
use livetime_wire::{Interval, State};
use serde_json::{Value, json};

use super::found::{Found, Layout};
use super::link::Link;
use super::samples::PlaneNoise;
use crate::report::numbers::{bytes, rate, time, utc};
use crate::report::table::{Style, Table, cell};

/// Pieces of time that are printed one by one.
const MOST_SHOWN: usize = 10;

pub(super) fn text(path: &Path, size: u64, found: &Found) -> String {
    let mut text = format!("{}: {}, {}", path.display(), found.layout.name(), bytes(size));
    if found.skipped > 0 {
        text += &format!(", {} bytes belong to no frame", found.skipped);
    }
    text += "\n";
    if let Some(broken) = &found.broken {
        text += &format!("NOT WHOLE: {broken}; what follows is of the part before\n");
    }
    if let Layout::Blocks { counts, unknown_chunks, .. } = &found.layout {
        text += &format!(
            "blocks: {}, missing {}, unreadable {}; chunks: {}, lost {}, with faults {}, of unknown content {}\n",
            counts.blocks,
            counts.missing_blocks,
            counts.bad_blocks,
            counts.chunks,
            counts.lost_chunks,
            counts.faulty_chunks,
            unknown_chunks
        );
    }
    found.links.iter().for_each(|link| text += &link_text(link));
    text
}

fn link_text(link: &Link) -> String {
    let (counts, format) = (link.counts(), link.format());
    let mut text = format!("\n{}: {} frames, ", place(link), counts.frames);
    text +=
        &format!("dropped {}, missing {}, with faults {}\n", counts.dropped, counts.missing, counts.corrupt);
    if let Some((begin, end)) = link.ledger.span() {
        let ns = |ticks: u64| ticks.saturating_mul(format.tick_ns());
        let [frames_hz, bytes_hz] = rates(link);
        text += &format!(
            "time: {} to {}, {} ({begin} to {end}), epochs {}\n",
            utc(ns(begin)),
            utc(ns(end)),
            time(ns(end - begin)),
            counts.epochs
        );
        text += &format!("rate: {} frames/s, {} B/s\n", rate(frames_hz), rate(bytes_hz));
    }
    text += &states_text(link);
    text += &faults_text(link);
    text += &intervals_text(link);
    text + &noise_text(link)
}

/// The place of a link, as its header gives it.
fn place(link: &Link) -> String {
    let elink = link.elink.map_or(String::new(), |elink| format!("e-link {elink}, "));
    let numbers = identity(link).into_iter().map(|(name, number)| format!("{name} {number}"));
    elink + &numbers.collect::<Vec<_>>().join(" ")
}

fn identity(link: &Link) -> Vec<(&'static str, u64)> {
    // The header repeats in every frame, so one frame stands for the link.
    let frame = &link.sample[..];
    match link.format() {
        RawFormat::Wib1 => Wib1Frame::parse(frame).map(|f| {
            vec![("crate", f.crate_number().into()), ("slot", f.slot().into()), ("fiber", f.fiber().into())]
        }),
        RawFormat::Wib2 => Wib2Frame::parse(frame).map(|f| {
            let place =
                [("crate", f.crate_number().into()), ("slot", f.slot().into()), ("link", f.link().into())];
            [vec![("detector", f.detector().into())], place.to_vec()].concat()
        }),
        RawFormat::WibEth => WibEthFrame::parse(frame).map(|f| {
            let place = [
                ("crate", f.crate_number().into()),
                ("slot", f.slot().into()),
                ("stream", f.stream().into()),
            ];
            [vec![("detector", f.detector().into())], place.to_vec()].concat()
        }),
    }
    // A frame that cannot be parsed has no place.
    .unwrap_or_default()
}

/// Frames and bytes per second of the link's time.
fn rates(link: &Link) -> [Option<f64>; 2] {
    let seconds = link.ledger.ticks() as f64 * link.format().tick_ns() as f64 * 1e-9;
    let frames = link.counts().frames as f64;
    // A single frame has no time, and so no rate.
    [1.0, link.format().bytes() as f64].map(|each| (seconds > 0.0).then(|| frames * each / seconds))
}

fn states(link: &Link) -> impl Iterator<Item = (State, u64, f64)> {
    // At least 1, because a link without time would divide by zero.
    let share = |ticks: u64| 100.0 * ticks as f64 / link.ledger.ticks().max(1) as f64;
    State::ALL.into_iter().map(move |state| {
        let ticks = link.ledger.ticks_in(state);
        (state, ticks, share(ticks))
    })
}

fn states_text(link: &Link) -> String {
    // States that never occurred would only lengthen the line.
    let parts = states(link).filter(|(_, ticks, _)| *ticks > 0);
    let parts: Vec<String> =
        parts.map(|(state, _, percent)| format!("{} {percent:.4} %", state.name())).collect();
    format!("ledger: {}\n", parts.join(", "))
}

/// Faults that were seen: their bit, frames, and the first frame with its time.
fn faults(link: &Link) -> impl Iterator<Item = (Faults, u64, u64, u64)> {
    (0..Faults::COUNT).filter_map(|bit| {
        let fault = Faults::of_bits(1 << bit);
        let (frame, stamp) = link.first[bit]?;
        // A gap is counted by the ledger and not by the frames: several frames may be missing in one.
        let count = if fault == Faults::GAP { link.counts().gaps } else { link.counts().with(fault) };
        Some((fault, count, frame, stamp))
    })
}

fn faults_text(link: &Link) -> String {
    let mut table = Table::new(&["fault", "frames", "first in frame", "at"]).right([1, 2, 3]);
    for (fault, count, frame, stamp) in faults(link) {
        let numbers = [count, frame, stamp].map(|number| cell(number.to_string(), false));
        table.row([cell(fault.to_string(), true)].into_iter().chain(numbers));
    }
    if table.is_empty() { String::new() } else { format!("\n{}", table.render(Style::default())) }
}

fn intervals(link: &Link) -> impl Iterator<Item = &Interval> {
    link.ledger.intervals().filter(|interval| interval.state != State::Good)
}

fn intervals_text(link: &Link) -> String {
    let mut table = Table::new(&["from", "to", "frames", "is", "because"]).right([0, 1, 2]);
    for interval in intervals(link).take(MOST_SHOWN) {
        let frames = (interval.end - interval.begin) as f64 / link.format().step() as f64;
        table.row([
            interval.begin.to_string(),
            interval.end.to_string(),
            frames.to_string(),
            interval.state.name().into(),
            Faults::of_bits(interval.bits).to_string(),
        ]);
    }
    let more = intervals(link).count().saturating_sub(MOST_SHOWN);
    let more = if more > 0 { format!("and {more} more\n") } else { String::new() };
    if table.is_empty() { String::new() } else { format!("\n{}{more}", table.render(Style::default())) }
}

fn noise_text(link: &Link) -> String {
    let headings =
        ["plane", "channels", "pedestal", "lowest", "highest", "noise", "lowest", "highest", "constant"];
    let mut table = Table::new(&headings).right(1..9);
    for p in link.noise() {
        let number = |number: f64| cell(format!("{number:.1}"), false);
        let [low, pedestal, high] = p.pedestal;
        let [quiet, noise, loud] = p.noise;
        let numbers = [pedestal, low, high, noise, quiet, loud].map(number);
        let begin = [cell(plane_name(&p).into(), false), cell(p.channels.to_string(), false)];
        let end = cell(p.constant.to_string(), p.constant > 0);
        table.row(begin.into_iter().chain(numbers).chain([end]));
    }
    if table.is_empty() {
        return String::new();
    }
    format!("\nsamples of {} ticks, counts:\n{}", link.ticks(), table.render(Style::default()))
}

fn plane_name(noise: &PlaneNoise) -> &'static str {
    match noise.plane {
        Some(Plane::U) => "U",
        Some(Plane::V) => "V",
        Some(Plane::Collection) => "collection",
        None => "unknown",
    }
}

pub(super) fn json(path: &Path, size: u64, found: &Found) -> Value {
    let mut all = json!({
        "file": path.display().to_string(),
        "format": found.layout.name(),
        "bytes": size,
        "skipped_bytes": found.skipped,
        "whole": !found.has_losses(),
        "broken": found.broken,
        "links": found.links.iter().map(link_json).collect::<Vec<_>>(),
    });
    if let Layout::Blocks { bytes, counts, unknown_chunks } = &found.layout {
        all["blocks"] = json!({
            "bytes": bytes,
            "blocks": counts.blocks,
            "missing": counts.missing_blocks,
            "unreadable": counts.bad_blocks,
            "chunks": counts.chunks,
            "lost_chunks": counts.lost_chunks,
            "faulty_chunks": counts.faulty_chunks,
            "unknown_chunks": unknown_chunks,
        });
    }
    all
}

fn link_json(link: &Link) -> Value {
    let (counts, span) = (link.counts(), link.ledger.span());
    let [frames_hz, bytes_hz] = rates(link);
    let fault = |(fault, count, frame, stamp): (Faults, u64, u64, u64)| json!({ "fault": fault.to_string(), "bits": fault.bits(), "frames": count, "first_frame": frame, "first_timestamp": stamp });
    let interval = |i: &Interval| {
        let faults = Faults::of_bits(i.bits).to_string();
        json!({ "begin": i.begin, "end": i.end, "state": i.state.name(), "bits": i.bits, "faults": faults })
    };
    let state = |(state, ticks, percent): (State, u64, f64)| {
        (state.name().to_owned(), json!({ "ticks": ticks, "percent": percent }))
    };
    let noise = |p: PlaneNoise| {
        json!({
            "plane": plane_name(&p), "channels": p.channels, "pedestal": p.pedestal[1], "pedestal_lowest": p.pedestal[0],
            "pedestal_highest": p.pedestal[2], "noise": p.noise[1], "noise_lowest": p.noise[0], "noise_highest": p.noise[2],
            "constant": p.constant,
        })
    };
    json!({
        "format": link.format().name(),
        "elink": link.elink,
        "identity": identity(link).into_iter().map(|(name, number)| (name.to_owned(), number.into())).collect::<serde_json::Map<String, Value>>(),
        "frames": counts.frames,
        "dropped": counts.dropped,
        "missing": counts.missing,
        "corrupt": counts.corrupt,
        "epochs": counts.epochs,
        "tick_ns": link.format().tick_ns(),
        "begin": span.map(|s| s.0),
        "end": span.map(|s| s.1),
        "frame_rate_hz": frames_hz,
        "byte_rate_hz": bytes_hz,
        "states": states(link).map(state).collect::<serde_json::Map<String, Value>>(),
        "faults": faults(link).map(fault).collect::<Vec<_>>(),
        "intervals": intervals(link).map(interval).collect::<Vec<_>>(),
        "planes": link.noise().into_iter().map(noise).collect::<Vec<_>>(),
        "sampled_ticks": link.ticks(),
    })
}
