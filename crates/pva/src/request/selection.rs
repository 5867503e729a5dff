//! Which fields a client wants.

use crate::data::{Structure, Value};
use crate::wire::BitSet;
use crate::{Error, Result};

/// The refusal that clients know.
const NOTHING: &str = "pvRequest must select at least one field";

/// Which fields of a structure a client wants.
///
/// The client always receives the full type; updates then carry only selected fields. Clients with the same
/// selection therefore share one encoded update, and all clients that select everything share one, however
/// they wrote it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Selection {
    mask: BitSet,
    whole: bool,
}

impl Selection {
    /// Everything.
    pub fn all(structure: &Structure) -> Selection {
        Selection { mask: BitSet::below(structure.len()), whole: true }
    }

    /// The selection in the `field` structure of `request`. Without it, or if it is empty, everything is
    /// selected; unknown names are ignored as long as one is known. If none is known, the error has the text
    /// that the peers send, as its [`found`](Error::found).
    pub fn of(structure: &Structure, request: &Value) -> Result<Selection> {
        Selection::of_part(structure, request, "field")
    }

    /// The fields that `request` asks for in `part`, which for PUT_GET is `putField` or `getField`.
    pub fn of_part(structure: &Structure, request: &Value, part: &str) -> Result<Selection> {
        let wanted = request.structure();
        let part = wanted.child(0, part).filter(|&bit| named(wanted, bit).next().is_some());
        let Some(part) = part else { return Ok(Selection::all(structure)) };
        let mut mask = BitSet::new();
        select(structure, 0, wanted, part, &mut mask);
        if mask.is_empty() {
            return Err(Error::new(format!("a field of `{}`", structure.id()), NOTHING));
        }
        let leaves = structure.expand(&mask);
        let whole = (1..structure.len()).all(|bit| structure.is_structure(bit) || leaves.contains(bit));
        // A request that names every field is the same as an empty one, which needs no mask.
        Ok(if whole { Selection::all(structure) } else { Selection { mask, whole } })
    }

    /// The field numbers; a structure is included only if all of it is selected.
    pub fn mask(&self) -> &BitSet {
        &self.mask
    }

    /// Whether everything is selected.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The part of `changed` that is selected.
    pub fn apply(&self, structure: &Structure, changed: &BitSet) -> BitSet {
        if self.whole {
            return changed.clone();
        }
        // A changed structure stands for all its fields.
        let mut bits = structure.expand(changed);
        bits.intersect_with(&self.mask);
        bits
    }

    /// The first update: all selected fields.
    pub fn first(&self, structure: &Structure) -> BitSet {
        if self.whole { BitSet::from_iter([0]) } else { structure.expand(&self.mask) }
    }

    /// Whether anything of `changed` is selected, without making a set of it.
    pub fn concerns(&self, structure: &Structure, changed: &BitSet) -> bool {
        if self.whole {
            return !changed.is_empty();
        }
        // The first test makes no set, and decides most updates.
        self.mask.intersects(changed) || !self.apply(structure, changed).is_empty()
    }
}

fn named(wanted: &Structure, bit: usize) -> impl Iterator<Item = usize> + '_ {
    // Options stand among the fields of a request, under this name.
    wanted.children(bit).filter(|&child| *wanted.nodes()[child].name != *"_options")
}

fn select(structure: &Structure, bit: usize, wanted: &Structure, part: usize, mask: &mut BitSet) {
    for child in named(wanted, part) {
        // Unknown fields are left out; only a request without any known field is refused.
        let Some(found) = structure.child(bit, &wanted.nodes()[child].name) else { continue };
        if structure.is_structure(found) && named(wanted, child).next().is_some() {
            select(structure, found, wanted, child, mask);
        } else {
            // A request that names no member of a structure asks for all of it.
            mask.insert_range(found, structure.end(found));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ScalarType;
    use crate::nt;
    use crate::request::parse;

    fn bits(text: &str) -> Result<Vec<usize>> {
        let structure = nt::scalar_with(ScalarType::I32, nt::Metadata::NONE);
        let selection = Selection::of(&structure, &parse(text)?)?;
        Ok(selection.mask().iter().collect())
    }

    #[test]
    fn names_choose_fields_with_all_their_members() {
        let all: Vec<_> = (0..10).collect();
        for text in ["", "field()", "value,alarm,timeStamp", "record[queueSize=4]"] {
            assert_eq!(bits(text).unwrap(), all, "{text}");
        }
        assert_eq!(bits("value").unwrap(), [1]);
        assert_eq!(bits("field(alarm,nosuch)").unwrap(), [2, 3, 4, 5]);
        assert_eq!(bits("alarm{severity,message}").unwrap(), [3, 5]);
        assert_eq!(bits("timeStamp.nanoseconds value[array=1:2]").unwrap(), [1, 8]);
    }

    #[test]
    fn nothing_that_exists_is_refused_as_the_peers_do() {
        let error = bits("field(nosuch,alarm.nosuch)").unwrap_err();
        assert_eq!(error.found(), "pvRequest must select at least one field");
    }

    #[test]
    fn only_selected_changes_are_sent() {
        let structure = nt::scalar_with(ScalarType::I32, nt::Metadata::NONE);
        let selection = Selection::of(&structure, &parse("value,alarm.status").unwrap()).unwrap();
        let changed = |bits: &[usize]| bits.iter().copied().collect::<BitSet>();
        assert_eq!(selection.apply(&structure, &changed(&[0])), changed(&[1, 4]));
        assert_eq!(selection.apply(&structure, &changed(&[2, 6])), changed(&[4]));
        assert!(selection.concerns(&structure, &changed(&[2])));
        assert!(!selection.concerns(&structure, &changed(&[6, 3])));
        assert_eq!(selection.first(&structure), changed(&[1, 4]));
        assert_eq!(Selection::all(&structure).first(&structure), changed(&[0]));
    }
}
