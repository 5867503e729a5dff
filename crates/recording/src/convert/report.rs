//! The report of a conversion: every leaf, and every part that was lost.

use std::collections::BTreeMap;
use std::path::PathBuf;

use livetime_formats::xtc1::{Src, TypeId};

use crate::{Findings, Judgement};

/// The report of a conversion.
#[derive(Clone, Default, Debug)]
pub struct Report {
    /// The new files with their bytes.
    pub files: Vec<(PathBuf, u64)>,
    /// Bytes of the input files.
    pub input_bytes: u64,
    /// Bytes of the new files.
    pub output_bytes: u64,
    /// Bytes that the new files would have if nothing in them were compressed.
    pub raw_bytes: u64,
    /// Datagrams written.
    pub datagrams: u64,
    /// Events among them.
    pub events: u64,
    /// Events that were not wanted.
    pub events_left_out: u64,
    /// The leaves, by sender (its process left out) and type.
    pub leaves: BTreeMap<(Src, TypeId), Leaves>,
    /// Leaves that were copied unchanged although a change was requested.
    pub kept: BTreeMap<(Src, TypeId, Reason), Kept>,
    /// How streams of a run were put together.
    pub joined: Joined,
    /// Parts that could not be read.
    pub lost: Vec<Lost>,
}

/// The leaves of one type from one sender.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Leaves {
    /// How many were written.
    pub count: u64,
    /// Their bytes with their headers: not compressed, as they were, and as they are.
    pub raw_bytes: u64,
    /// As they were.
    pub input_bytes: u64,
    /// As they are.
    pub output_bytes: u64,
    /// How many were changed: compressed, decompressed, or both.
    pub changed: u64,
    /// How many were left out because their sender is not wanted.
    pub left_out: u64,
}

impl Leaves {
    /// Bytes as they are over bytes not compressed; 1 for none.
    pub fn ratio(&self) -> f64 {
        if self.raw_bytes == 0 { 1.0 } else { self.output_bytes as f64 / self.raw_bytes as f64 }
    }
}

/// Why a leaf was copied unchanged.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// The recorder noted damage: the size of the leaf may contradict its header.
    Damaged,
    /// A container that is incomplete, with all that is in it.
    Incomplete,
    /// The rest of a container that means nothing.
    Broken,
    /// The datagram has the same data raw and compressed.
    Twin,
    /// The compressed leaf would not be smaller.
    NotSmaller,
    /// The leaf's configuration is missing, or its size contradicts its header.
    Unreadable(String),
    /// The leaf is compressed, and cannot be decompressed.
    NotDecompressed(String),
}

/// Leaves that were copied unchanged for one reason.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Kept {
    /// How many.
    pub count: u64,
    /// When the first one was taken, ns since 1970.
    pub first_ns: u64,
}

/// How streams of a run were put together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Joined {
    /// Pieces of events that were put to the first one.
    pub pieces: u64,
    /// Copies of transitions; of their leaves those were kept that the first one does not have.
    pub copies: u64,
    /// Pieces of slow cameras that belong to no event; the output lacks them.
    pub cameras_left_out: u64,
}

/// Bytes of the input that are no datagrams.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The file.
    pub path: PathBuf,
    /// Where they begin.
    pub offset: u64,
    /// How many.
    pub length: u64,
    /// The broken part: wanted and found.
    pub reason: String,
}

impl Report {
    /// Whether everything that was wanted is in the output, and nothing in it is broken.
    pub fn is_complete(&self) -> bool {
        self.findings().judgement() == Judgement::Whole
    }

    /// Usable and lost data of the input. Lost are bytes that are no datagrams, pieces without an event, and broken
    /// parts of datagrams, which are copied unchanged. Datagrams are usable without any event, as `recover` saves them:
    /// there is an output.
    pub fn findings(&self) -> Findings {
        let problems = self.lost.len() as u64 + self.broken_inside();
        Findings { usable: self.datagrams, failures: self.joined.cameras_left_out, problems }
    }

    /// Parts of datagrams that mean nothing, and leaves that cannot be decompressed.
    pub fn broken_inside(&self) -> u64 {
        let is_broken = |reason: &Reason| matches!(reason, Reason::Broken | Reason::NotDecompressed(_));
        let broken = self.kept.iter().filter(|((_, _, reason), _)| is_broken(reason));
        broken.map(|(_, kept)| kept.count).sum()
    }

    /// Leaves that were changed.
    pub fn changed(&self) -> u64 {
        self.leaves.values().map(|l| l.changed).sum()
    }

    /// Adds the counts of another thread.
    pub(super) fn add(&mut self, other: &Report) {
        self.raw_bytes += other.raw_bytes;
        self.datagrams += other.datagrams;
        self.events += other.events;
        for (key, from) in &other.leaves {
            let leaves = self.leaves.entry(*key).or_default();
            leaves.count += from.count;
            leaves.raw_bytes += from.raw_bytes;
            leaves.input_bytes += from.input_bytes;
            leaves.output_bytes += from.output_bytes;
            leaves.changed += from.changed;
            leaves.left_out += from.left_out;
        }
        for ((src, type_id, reason), kept) in &other.kept {
            self.keep(*src, *type_id, reason.clone(), *kept);
        }
    }

    /// Counts a leaf that was copied unchanged.
    pub(super) fn keep(&mut self, src: Src, type_id: TypeId, reason: Reason, kept: Kept) {
        /// Most different reasons that are kept, because a hostile file may be wrong in any number of ways.
        const MOST: usize = 1000;
        let is_new = self.kept.len() >= MOST && !self.kept.contains_key(&(src, type_id, reason.clone()));
        let reason = if is_new { Reason::Unreadable("other reasons".into()) } else { reason };
        let all = self.kept.entry((src, type_id, reason)).or_insert(Kept { count: 0, first_ns: u64::MAX });
        all.count += kept.count;
        all.first_ns = all.first_ns.min(kept.first_ns);
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::Damaged => "damaged",
            Reason::Incomplete => "in an incomplete container",
            Reason::Broken => "behind something broken in its container",
            Reason::Twin => "raw and compressed in the same event",
            Reason::NotSmaller => "would not become smaller",
            Reason::Unreadable(reason) | Reason::NotDecompressed(reason) => reason,
        })
    }
}
