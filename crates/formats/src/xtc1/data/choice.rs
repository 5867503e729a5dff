//! Which leaf is the picture, and the meaning of damage: the one judgement that sources, analysis, conversion and
//! reports share.
//!
//! An event may hold several leaves with pictures of one sender: the same data raw and compressed, which recorders write for checks,
//! or a damaged contribution beside a good one. The rule:
//!
//! 1. A picture is damaged if its own leaf says so. Damage at the root of the event is about something in the event,
//!    and
//!    does not make a picture damaged that is there.
//! 2. Undamaged leaves come before damaged ones, then the order of the file decides. A compressed leaf with an undamaged raw
//!    twin of equal size is read from the twin.
//! 3. The first leaf that can be read is the picture. A damaged one is shown marked, or left out and counted: never shown as a good one.
//! 4. Where there is none, the event is damaged if its root says so or a contribution in it is incomplete; else the sender was not read.

use super::holds_panels;
use crate::Result;
use crate::xtc1::compressed::plain_len;
use crate::xtc1::{Damage, Datagram, Src, Step, Xtc};

/// A leaf that may be the picture of its sender in an event.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Position of its datagram among the pieces of the event.
    pub piece: usize,
    /// The leaf.
    pub leaf: Xtc<'a>,
}

impl Candidate<'_> {
    /// Whether the recorder says that something is wrong with it.
    pub fn is_damaged(&self) -> bool {
        !self.leaf.header.damage.is_none()
    }
}

/// Whether two leaves come from one detector: its place and device. Its process may differ from file to file.
pub fn is_same_sender(a: Src, b: Src) -> bool {
    a.phy == b.phy && a.level() == b.level()
}

/// Whether both may hold the same data, one of them compressed: they are from one sender, undamaged, and of equal size.
pub fn are_twins(a: &Xtc<'_>, b: &Xtc<'_>) -> bool {
    let (x, y) = (a.header, b.header);
    let (packed, plain) = if x.type_id.is_compressed() { (a, b) } else { (b, a) };
    is_same_sender(x.src, y.src)
        && x.type_id != y.type_id
        && x.type_id.plain() == y.type_id.plain()
        && x.damage.is_none()
        && y.damage.is_none()
        && plain_len(packed.payload).is_ok_and(|len| len == plain.payload.len() as u64)
}

/// The leaves with pictures of `src` in the pieces of an event, the one to take first. Twins count as one.
///
/// ```
/// use livetime_formats::xtc1::data::pictures_of;
/// use livetime_formats::xtc1::{Builder, Damage, Datagram, DatagramHeader, Src, TypeId, XtcHeader, id};
///
/// let opal = Src::detector(24, 0, 3, 1);
/// let header = XtcHeader::new(opal, TypeId::new(id::FRAME, 1));
/// let words = [3u32, 2, 12, 0].map(u32::to_le_bytes).concat();
/// let mut bytes = Vec::new();
/// let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
/// builder.leaf(XtcHeader { damage: Damage::DROPPED, ..header }, &[&words, &[0; 12]])?;
/// builder.leaf(header, &[&words, &[7; 12]])?;
/// builder.finish()?;
/// let found = pictures_of([Datagram::parse(&bytes)?], opal);
/// assert_eq!((found.len(), found[0].is_damaged(), found[0].leaf.payload[16]), (2, false, 7));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
pub fn pictures_of<'a>(pieces: impl IntoIterator<Item = Datagram<'a>>, src: Src) -> Vec<Candidate<'a>> {
    let leaves = pieces.into_iter().enumerate().flat_map(|(piece, datagram)| {
        let is_picture = |leaf: &Xtc<'_>| holds_panels(leaf.header.type_id.plain());
        datagram.leaves().filter(is_picture).map(move |leaf| Candidate { piece, leaf })
    });
    in_order(leaves.filter(|c| is_same_sender(c.leaf.header.src, src)).collect())
}

/// The leaves of `datagram` that hold pictures: of each sender the one to take first.
pub fn picture_leaves<'a>(datagram: &Datagram<'a>) -> impl Iterator<Item = Xtc<'a>> + use<'a> {
    let is_picture = |leaf: &Xtc<'_>| holds_panels(leaf.header.type_id.plain());
    let mut senders: Vec<Vec<Candidate<'a>>> = Vec::new();
    for leaf in datagram.leaves().filter(is_picture) {
        let is_its = |known: &&mut Vec<Candidate<'a>>| {
            known.first().is_some_and(|first| is_same_sender(first.leaf.header.src, leaf.header.src))
        };
        let candidate = Candidate { piece: 0, leaf };
        match senders.iter_mut().find(is_its) {
            Some(known) => known.push(candidate),
            None => senders.push(vec![candidate]),
        }
    }
    senders.into_iter().filter_map(|candidates| in_order(candidates).first().map(|c| c.leaf))
}

/// The first of `candidates` that `read` can read.
///
/// # Errors
/// If there are some and none can be read: the fault of the first.
pub fn first_readable<'c, 'a, T>(
    candidates: &'c [Candidate<'a>],
    mut read: impl FnMut(&'c Candidate<'a>) -> Result<T>,
) -> Result<Option<T>> {
    let mut first = None;
    for candidate in candidates {
        match read(candidate) {
            Ok(found) => return Ok(Some(found)),
            // The first error is about the best candidate.
            Err(error) => first = first.or(Some(error)),
        }
    }
    first.map_or(Ok(None), Err)
}

/// Damage that may have cost an event the data of an absent sender: damage of the roots, and incomplete contributions.
pub fn damage_of_event<'a>(pieces: impl IntoIterator<Item = Datagram<'a>>) -> Damage {
    let of_piece = |piece: Datagram<'_>| {
        let steps = piece.walk().map(|step| match step {
            Step::Xtc(xtc) if xtc.is_container() && !xtc.header.is_entered() => xtc.header.damage.0,
            _ => 0,
        });
        steps.fold(piece.header.root.damage.0, |all, damage| all | damage)
    };
    Damage(pieces.into_iter().fold(0, |all, piece| all | of_piece(piece)))
}

/// Undamaged ones first; of twins the one that costs nothing.
fn in_order(mut candidates: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    if candidates.len() > 1 {
        let all = candidates.clone();
        let has_twin = |c: &Candidate<'_>| all.iter().any(|other| are_twins(&c.leaf, &other.leaf));
        candidates.retain(|c| !(c.leaf.header.type_id.is_compressed() && has_twin(c)));
        // The sort is stable: candidates that are equally good keep their order.
        candidates.sort_by_key(Candidate::is_damaged);
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xtc1::compressed::{Compressor, Engine};
    use crate::xtc1::data::panels;
    use crate::xtc1::{Builder, Configs, DatagramHeader, TypeId, XtcHeader, id};

    const OPAL: Src = Src::detector(24, 0, 3, 1);
    const FRAME: TypeId = TypeId::new(id::FRAME, 1);

    fn payload(value: u8, pixels: u32) -> Vec<u8> {
        [&[pixels, 1, 8, 0].map(u32::to_le_bytes).concat()[..], &vec![value; pixels as usize]].concat()
    }

    /// Value, damage, and whether it is compressed.
    fn event(leaves: &[(u8, u32, bool)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(0, 0));
        for (value, damage, is_packed) in leaves {
            let plain = payload(*value, 400);
            let header = XtcHeader { damage: Damage(*damage), ..XtcHeader::new(OPAL, FRAME) };
            if *is_packed {
                let found = panels(FRAME, OPAL, &plain, &Configs::default()).unwrap();
                let mut packed = Vec::new();
                Compressor::new(Engine::HISTN).unwrap().encode(&found, &mut packed).unwrap();
                builder.leaf(XtcHeader { type_id: FRAME.compressed(), ..header }, &[&packed]).unwrap();
            } else {
                builder.leaf(header, &[&plain]).unwrap();
            }
        }
        builder.finish().unwrap();
        bytes
    }

    /// Damage of the candidates, whether they are compressed, and their places in the file.
    fn found(leaves: &[(u8, u32, bool)]) -> Vec<(u32, bool, usize)> {
        let bytes = event(leaves);
        let datagram = Datagram::parse(&bytes).unwrap();
        let places: Vec<usize> = datagram.leaves().map(|leaf| leaf.offset).collect();
        let first = picture_leaves(&datagram).next().map(|leaf| leaf.offset);
        let found = pictures_of([datagram], OPAL);
        assert_eq!(found.first().map(|c| c.leaf.offset), first);
        let place = |offset| places.iter().position(|at| *at == offset).unwrap();
        let about = |c: &Candidate<'_>| {
            let header = c.leaf.header;
            (header.damage.0, header.type_id.is_compressed(), place(c.leaf.offset))
        };
        found.iter().map(about).collect()
    }

    #[test]
    fn what_is_undamaged_comes_first_compressed_or_not() {
        const BAD: u32 = 1 << 14;
        assert_eq!(found(&[(1, BAD, false), (2, 0, false)]), [(0, false, 1), (BAD, false, 0)]);
        assert_eq!(found(&[(1, 0, true), (2, BAD, false)]), [(0, true, 0), (BAD, false, 1)]);
        assert_eq!(found(&[(1, BAD, true), (2, 0, true)]), [(0, true, 1), (BAD, true, 0)]);
        assert_eq!(found(&[(1, BAD, true), (2, BAD, false)]), [(BAD, true, 0), (BAD, false, 1)]);
    }

    #[test]
    fn twins_are_one_and_only_if_they_are_undamaged() {
        assert_eq!(found(&[(1, 0, true), (1, 0, false)]), [(0, false, 1)]);
        assert_eq!(found(&[(1, 0, false), (1, 0, true)]), [(0, false, 0)]);
        assert_eq!(found(&[(1, 2, true), (1, 2, false)]).len(), 2);
        let (a, b) = (event(&[(1, 0, true)]), payload(1, 404));
        let packed = Datagram::parse(&a).unwrap().leaves().next().unwrap();
        let header = XtcHeader::new(OPAL, FRAME);
        let other = Xtc { header, payload: &b, ..packed };
        assert!(!are_twins(&packed, &other), "sizes differ");
        assert!(are_twins(&packed, &Xtc { payload: &b[..416], ..other }));
        assert!(!are_twins(&packed, &packed));
    }

    #[test]
    fn the_first_that_can_be_read_is_the_picture() {
        let bytes = event(&[(1, 0, false), (2, 0, false)]);
        let all = pictures_of([Datagram::parse(&bytes).unwrap()], OPAL);
        let no = |what| crate::Error::new(what, "none");
        let second = first_readable(&all, |c| if c.leaf.offset == 40 { Err(no("a")) } else { Ok(2) });
        assert_eq!(second.unwrap(), Some(2));
        let none = first_readable::<()>(&all, |c| Err(no(if c.leaf.offset == 40 { "a" } else { "b" })));
        assert!(none.unwrap_err().to_string().contains("wanted a"));
        assert!(first_readable::<()>(&[], |_| Ok(())).unwrap().is_none());
    }

    #[test]
    fn an_incomplete_contribution_is_damage_of_its_event() {
        let mut bytes = Vec::new();
        let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(0, 0));
        let header = XtcHeader::new(Src::segment(1), TypeId::CONTAINER);
        builder.leaf(XtcHeader { damage: Damage::INCOMPLETE, ..header }, &[&[0; 40]]).unwrap();
        builder.finish().unwrap();
        assert_eq!(damage_of_event([Datagram::parse(&bytes).unwrap()]), Damage::INCOMPLETE);
        let whole = event(&[(1, Damage::DROPPED.0, false)]);
        assert_eq!(damage_of_event([Datagram::parse(&whole).unwrap()]), Damage(0));
    }
}
