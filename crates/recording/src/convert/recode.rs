//! One thread's work: datagrams are written again with their leaves changed, and the outcome is compared with the input.

use std::ops::Range;

use livetime_codecs::{BlockpackHeader, Reference};
use livetime_formats::file::Head;
use livetime_formats::xtc1::compressed::{Compressor, Decompressor, Engine, Part, parts};
use livetime_formats::xtc1::data::{are_twins, holds_panels, panels};
use livetime_formats::xtc1::reference::{ReferenceFrame, is_reference};
use livetime_formats::xtc1::{
    Builder, Configs, Damage, Datagram, DatagramHeader, Edit, Xtc, XtcHeader, copy_into,
};
use livetime_formats::{Error, Result};
use livetime_runtime::ordered::Worker;

use super::dark::takes_references;
use super::job::Job;
use super::options::Options;
use super::prove::Prover;
use super::report::{Kept, Reason, Report};

/// Changes leaves as the options say. Keeps its working memory.
pub(super) struct Recoder<'a> {
    options: &'a Options,
    /// The reference frames that are written into every Configure, and subtracted before compression.
    references: &'a [ReferenceFrame],
    compressor: Option<Compressor>,
    decompressor: Decompressor,
    prover: Prover,
    plain: Vec<u8>,
    pub(super) counts: Report,
}

/// The result for a leaf.
enum Change {
    /// The leaf stays, as the options want.
    No,
    /// The leaf stays for a reason that the report states.
    Kept(Reason),
    /// The leaf was written to the builder in another form.
    Written,
}

impl<'a> Recoder<'a> {
    pub(super) fn new(options: &'a Options, references: &'a [ReferenceFrame]) -> Result<Recoder<'a>> {
        let mut prover = Prover::default();
        references.iter().for_each(|frame| prover.add_reference(frame));
        Ok(Recoder {
            options,
            references,
            compressor: compressor(options)?,
            decompressor: Decompressor::default(),
            prover,
            plain: Vec::new(),
            counts: Report::default(),
        })
    }

    /// Appends the result for `pieces` of one event or transition to `out`.
    pub(super) fn recode(
        &mut self,
        pieces: &[Datagram<'_>],
        configs: &Configs,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        // Broken trees cannot be put together: a reader stops at the broken part, and would miss every leaf behind it.
        if pieces.len() > 1 && pieces.iter().any(|p| p.check().is_err() || !p.header.root.is_entered()) {
            return pieces.iter().try_for_each(|piece| self.recode(&[*piece], configs, out));
        }
        let Some(first) = pieces.first() else { return Ok(()) };
        let start = out.len();
        let mut header = first.header;
        // The joined datagram is as damaged as its pieces together.
        header.root.damage = Damage(pieces.iter().fold(0, |damage, p| damage | p.header.root.damage.0));
        let mut builder = Builder::new(out, &header);
        for (number, piece) in pieces.iter().enumerate() {
            copy_into(&mut builder, piece, |leaf, builder| {
                // Copies in later streams of the same configuration are left out.
                if is_left_out(self.options, &pieces[..number], leaf) {
                    return Ok(Edit::Replace);
                }
                let change = self.change(piece, leaf, configs, builder)?;
                Ok(self.note(change, leaf, &header))
            })?;
        }
        // References stand in Configure, from where readers take them.
        let added = if takes_references(first) { self.references } else { &[] };
        added.iter().try_for_each(|frame| frame.write(&mut builder))?;
        builder.finish()?;
        let left_out = |number: usize, leaf: &Xtc<'_>| is_left_out(self.options, &pieces[..number], leaf);
        // The proof reads the bytes just made, and nothing else of the builder.
        let output = Datagram::parse(&out[start..])?;
        self.prover.prove(pieces, &output, left_out, added, configs, &mut self.counts)
    }

    fn note(&mut self, change: Change, leaf: &Xtc<'_>, header: &DatagramHeader) -> Edit {
        match change {
            Change::Written => return Edit::Replace,
            Change::No => {}
            Change::Kept(reason) => {
                let kept = Kept { count: 1, first_ns: header.clock.ns() };
                let src = leaf.header.src.without_process();
                self.counts.keep(src, leaf.header.type_id.plain(), reason, kept);
            }
        }
        Edit::Keep
    }

    fn change(
        &mut self,
        datagram: &Datagram<'_>,
        leaf: &Xtc<'_>,
        configs: &Configs,
        builder: &mut Builder<'_>,
    ) -> Result<Change> {
        let Some(engine) = self.options.codec else { return Ok(Change::No) };
        let (type_id, is_packed) = (leaf.header.type_id, leaf.header.type_id.is_compressed());
        // A leaf that the wanted codec has packed already stays as it is.
        let is_wanted = if is_packed { !is_packed_by(leaf, engine) } else { engine != Engine::NONE };
        if !is_wanted || !is_packed && !holds_panels(type_id) {
            return Ok(Change::No);
        }
        if !leaf.header.damage.is_none() && !needs_reference(leaf) {
            return Ok(Change::Kept(Reason::Damaged));
        }
        if self.has_twin(datagram, leaf, configs) && !needs_reference(leaf) {
            return Ok(Change::Kept(Reason::Twin));
        }
        if !is_packed {
            return self.pack(leaf.header, leaf.payload, configs, builder);
        }
        // The buffer is taken out, because packing borrows the whole worker.
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        let change = match self.decompressor.decode_with(leaf.payload, configs, &mut plain) {
            Ok(()) => self.pack_again(leaf, &plain, configs, builder),
            Err(error) => Ok(Change::Kept(Reason::NotDecompressed(error.reason()))),
        };
        self.plain = plain;
        change
    }

    /// Whether the datagram has the same data raw and compressed, which some recorders write as a check: then both
    /// stay. The decompressed data are compared, because types and sizes do not suffice: of two pictures of one sender
    /// one may stay raw because it did not become smaller, and both must come back unchanged.
    fn has_twin(&mut self, datagram: &Datagram<'_>, leaf: &Xtc<'_>, configs: &Configs) -> bool {
        datagram.leaves().any(|other| {
            let (packed, plain) =
                if leaf.header.type_id.is_compressed() { (leaf, &other) } else { (&other, leaf) };
            are_twins(leaf, &other)
                && self.decompressor.is_packed_from(packed.payload, configs, plain.payload)
        })
    }

    /// Compresses a leaf again that was compressed in the input. The leaf becomes plain if the new codec does not make
    /// it smaller.
    fn pack_again(
        &mut self,
        leaf: &Xtc<'_>,
        plain: &[u8],
        configs: &Configs,
        builder: &mut Builder<'_>,
    ) -> Result<Change> {
        let header = XtcHeader { type_id: leaf.header.type_id.plain(), ..leaf.header };
        let is_plain_wanted = self.options.codec == Some(Engine::NONE);
        let change = if is_plain_wanted { Change::No } else { self.pack(header, plain, configs, builder)? };
        match change {
            Change::Written => Ok(Change::Written),
            Change::Kept(reason @ Reason::Unreadable(_)) if !needs_reference(leaf) => {
                Ok(Change::Kept(reason))
            }
            _ => {
                builder.leaf(header, &[plain])?;
                Ok(Change::Written)
            }
        }
    }

    /// Writes a plain leaf compressed.
    fn pack(
        &mut self,
        header: XtcHeader,
        payload: &[u8],
        configs: &Configs,
        builder: &mut Builder<'_>,
    ) -> Result<Change> {
        let Some(compressor) = &mut self.compressor else { return Ok(Change::No) };
        let panels = match panels(header.type_id, header.src, payload, configs) {
            Ok(panels) => panels,
            Err(error) => return Ok(Change::Kept(Reason::Unreadable(error.reason()))),
        };
        let find = |panel| find_reference(self.references, &header, panel);
        let mut is_smaller = true;
        let packed = XtcHeader { type_id: header.type_id.compressed(), ..header };
        let written = builder.leaf_with(packed, |out| {
            let start = out.len();
            compressor.encode_with(&panels, find, out)?;
            // The error is only the way out of the builder, which then takes the leaf back.
            is_smaller = out.len() - start < payload.len();
            if is_smaller { Ok(()) } else { Err(Error::new("a smaller leaf", "a larger one")) }
        });
        match written {
            Ok(()) => Ok(Change::Written),
            Err(_) if !is_smaller => Ok(Change::Kept(Reason::NotSmaller)),
            Err(error) => Err(error),
        }
    }
}

impl Worker<Job> for Recoder<'_> {
    type Error = Error;

    fn work(&mut self, job: &mut Job) -> Result<()> {
        // Of the input before. Here it costs no thread its turn.
        job.check_written()?;
        let mut output = std::mem::take(&mut job.output);
        let mut pieces = Vec::new();
        for item in job.items() {
            pieces.clear();
            for piece in item {
                let Range { start, end } = *piece;
                pieces.push(Datagram::parse(&job.input[start..end])?);
            }
            self.recode(&pieces, &job.configs, &mut output)?;
        }
        job.output = output;
        Ok(())
    }
}

/// Whether a leaf goes: its sender is not wanted, a copy of it is in an earlier piece of the same transition, or it is part of a
/// compression that is undone.
fn is_left_out(options: &Options, earlier: &[Datagram<'_>], leaf: &Xtc<'_>) -> bool {
    let is_copy = |piece: &Datagram<'_>| {
        let mut leaves = piece.leaves();
        !piece.header.is_event()
            && leaves.any(|l| l.header.src.phy == leaf.header.src.phy && is_same(&l, leaf))
    };
    !options.selection.keeps(leaf.header.src)
        || options.codec.is_some() && is_reference(leaf)
        || earlier.iter().any(is_copy)
}

fn is_same(a: &Xtc<'_>, b: &Xtc<'_>) -> bool {
    a.header.type_id == b.header.type_id && a.header.damage == b.header.damage && a.payload == b.payload
}

fn compressor(options: &Options) -> Result<Option<Compressor>> {
    let found = options.codec.map(Compressor::new).transpose()?;
    Ok(found.map(|compressor| compressor.with_tier(options.tier)))
}

/// Whether all its parts are compressed in that way already. With blockpack the reference may be another one.
fn is_packed_by(leaf: &Xtc<'_>, engine: Engine) -> bool {
    let is_other = |engine| move |part: Result<Part<'_>>| !part.is_ok_and(|p| p.engine == engine);
    engine != Engine::BLOCKPACK && engine != Engine::NONE && !parts(leaf.payload).any(is_other(engine))
}

/// Whether a leaf cannot stay unchanged because its reference frame is not in the output.
fn needs_reference(leaf: &Xtc<'_>) -> bool {
    let needs = |part: Result<Part<'_>>| {
        part.is_ok_and(|p| {
            p.engine == Engine::BLOCKPACK
                && BlockpackHeader::read(p.stream).is_ok_and(|h| h.reference().is_some())
        })
    };
    leaf.header.type_id.is_compressed() && parts(leaf.payload).any(needs)
}

fn find_reference<'r>(
    references: &'r [ReferenceFrame],
    header: &XtcHeader,
    panel: u32,
) -> Option<Reference<'r>> {
    let is_it = |frame: &&ReferenceFrame| {
        frame.panel == panel && frame.src.phy == header.src.phy && frame.type_id == header.type_id.plain()
    };
    references.iter().find(is_it).map(ReferenceFrame::reference)
}
