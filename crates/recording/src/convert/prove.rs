//! The proof that a datagram was changed without loss: input and output are walked through side by side, and bytes that
//! differ must be the same when they are decompressed.

use livetime_formats::file::Head;
use livetime_formats::xtc1::compressed::{Decompressor, plain_len};
use livetime_formats::xtc1::reference::ReferenceFrame;
use livetime_formats::xtc1::{Configs, Datagram, Src, Step, TypeId, Walk, Xtc, XtcHeader};
use livetime_formats::{Error, Result};

use super::report::{Kept, Reason, Report};

/// Compares and counts. Shares no code with the rewriting but the decoder, so that a mistake there cannot hide itself.
/// Keeps its working memory.
#[derive(Default)]
pub(super) struct Prover {
    decompressor: Decompressor,
    plain: Vec<u8>,
}

impl Prover {
    /// Output may be compressed against `frame`.
    pub(super) fn add_reference(&mut self, frame: &ReferenceFrame) {
        self.decompressor.add_reference(frame.data.clone());
    }

    /// Whether `output` holds everything that `pieces` hold, in the same order and the same containers, but for leaves that
    /// `is_left_out` (of the piece with that number); behind that, `added`, and nothing else.
    pub(super) fn prove(
        &mut self,
        pieces: &[Datagram<'_>],
        output: &Datagram<'_>,
        is_left_out: impl Fn(usize, &Xtc<'_>) -> bool,
        added: &[ReferenceFrame],
        configs: &Configs,
        counts: &mut Report,
    ) -> Result<()> {
        let (mut found, time_ns) = (output.walk(), output.header.time_ns());
        let mut raw_bytes = output.bytes.len() as u64;
        let root = found.next();
        check(matches!(root, Some(Step::Xtc(_))), "a root", output)?;
        for (number, piece) in pieces.iter().enumerate() {
            // Of several pieces the first gives the header.
            check(is_same_head(piece, output) || number > 0, "the same header", output)?;
            // A root that is not entered is a leaf by itself.
            let is_whole = !piece.header.root.is_entered();
            check(!is_whole || piece.bytes == output.bytes, "the same datagram", output)?;
            // The root was compared with the header.
            for step in piece.walk().skip(1) {
                if let Step::Xtc(xtc) = &step
                    && !xtc.is_container()
                    && is_left_out(number, xtc)
                {
                    counts.leaves.entry(key(xtc)).or_default().left_out += 1;
                    continue;
                }
                let same = found.next();
                let is_kept = self.compare(&step, same.as_ref(), configs, time_ns, &mut raw_bytes, counts);
                // `compare` sees the output's next step: nothing may be missing, added or moved.
                check(is_kept, "what was in the input", output)?;
            }
        }
        // Behind the content only frames of reference may follow.
        check(are_references(found, added), "nothing more", output)?;
        counts.raw_bytes += raw_bytes;
        counts.datagrams += 1;
        counts.events += u64::from(output.header.is_event());
        Ok(())
    }

    fn compare(
        &mut self,
        old: &Step<'_>,
        new: Option<&Step<'_>>,
        configs: &Configs,
        time_ns: u64,
        raw_bytes: &mut u64,
        counts: &mut Report,
    ) -> bool {
        let keep = |counts: &mut Report, xtc: &Xtc<'_>, reason| {
            counts.keep(key(xtc).0, key(xtc).1, reason, Kept { count: 1, first_ns: time_ns });
        };
        match (old, new) {
            (Step::Xtc(a), Some(Step::Xtc(b))) if a.is_container() => {
                // A container that was not written whole is kept byte by byte.
                let is_opaque = !a.header.is_entered();
                if is_opaque {
                    keep(counts, a, Reason::Incomplete);
                }
                is_same_place(a, b)
                    && a.header.type_id == b.header.type_id
                    && (!is_opaque || a.payload == b.payload)
            }
            (Step::Xtc(a), Some(Step::Xtc(b))) => {
                let is_same = is_same_place(a, b) && self.is_same_leaf(a, b, configs);
                // The header of the leaf counts in both forms, so its plain size replaces the packed one.
                *raw_bytes += count_leaf(a, b, counts).saturating_sub(u64::from(b.header.extent));
                is_same
            }
            (Step::Broken { bytes, depth, .. }, Some(Step::Broken { bytes: b, depth: d, .. })) => {
                counts.keep(
                    Src::NONE,
                    TypeId::CONTAINER,
                    Reason::Broken,
                    Kept { count: 1, first_ns: time_ns },
                );
                bytes == b && depth == d
            }
            _ => false,
        }
    }

    fn is_same_leaf(&mut self, a: &Xtc<'_>, b: &Xtc<'_>, configs: &Configs) -> bool {
        let (was_packed, is_packed) = (a.header.type_id.is_compressed(), b.header.type_id.is_compressed());
        // Equal bytes need no decoding.
        if was_packed == is_packed && a.payload == b.payload {
            return true;
        }
        let decoder = &mut self.decompressor;
        match (was_packed, is_packed) {
            // Two plain leaves with other bytes differ.
            (false, false) => false,
            (false, true) => decoder.is_packed_from(b.payload, configs, a.payload),
            (true, false) => decoder.is_packed_from(a.payload, configs, b.payload),
            // Two packed leaves may differ in their codec, so their content is compared.
            (true, true) => {
                self.plain.clear();
                decoder.decode_with(a.payload, configs, &mut self.plain).is_ok()
                    && decoder.is_packed_from(b.payload, configs, &self.plain)
            }
        }
    }
}

/// Counts a leaf of the output; returns how many bytes it would have if it were not compressed.
fn count_leaf(a: &Xtc<'_>, b: &Xtc<'_>, counts: &mut Report) -> u64 {
    let packed = u64::from(b.header.extent);
    let plain = if b.header.type_id.is_compressed() { plain_len(b.payload).ok() } else { None };
    let raw = plain.map_or(packed, |plain| plain + XtcHeader::LEN as u64);
    let leaves = counts.leaves.entry(key(a)).or_default();
    leaves.count += 1;
    leaves.raw_bytes += raw;
    leaves.input_bytes += u64::from(a.header.extent);
    leaves.output_bytes += packed;
    leaves.changed += u64::from(a.header.type_id != b.header.type_id || a.payload.len() != b.payload.len());
    raw
}

fn key(xtc: &Xtc<'_>) -> (Src, TypeId) {
    // Processes of one detector count as one sender, and packed leaves as their plain type.
    (xtc.header.src.without_process(), xtc.header.type_id.plain())
}

fn is_same_head(a: &Datagram<'_>, b: &Datagram<'_>) -> bool {
    let (a, b) = (a.header, b.header);
    (a.clock, a.stamp, a.env, a.root.src, a.root.type_id)
        == (b.clock, b.stamp, b.env, b.root.src, b.root.type_id)
        // The output may have more damage: it names the pieces that are missing.
        && b.root.damage.contains(a.root.damage)
}

fn is_same_place(a: &Xtc<'_>, b: &Xtc<'_>) -> bool {
    a.depth == b.depth
        && a.header.src == b.header.src
        && a.header.damage == b.header.damage
        && a.header.type_id.plain() == b.header.type_id.plain()
}

fn are_references(mut rest: Walk<'_>, added: &[ReferenceFrame]) -> bool {
    let is_next = |frame: &ReferenceFrame| match rest.next() {
        Some(Step::Xtc(leaf)) => {
            ReferenceFrame::parse(leaf.header.src, leaf.payload).is_ok_and(|f| f == *frame)
        }
        _ => false,
    };
    // A leaf behind the last reference would be data that the input did not have.
    added.iter().all(is_next) && rest.next().is_none()
}

fn check(is_true: bool, wanted: &'static str, output: &Datagram<'_>) -> Result<()> {
    if is_true {
        return Ok(());
    }
    let at =
        format!("another one in the datagram of {}: this is a fault of the program", output.header.clock);
    Err(Error::new(wanted, at))
}
