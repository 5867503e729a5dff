//! Names and lists that live as long as the program, for node types that are declared at run time.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Mutex;

use livetime_runtime::lock;

static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
/// Lists by the type of their items and by how they are written. Each value is a `&'static [T]`.
static LISTS: Mutex<BTreeMap<(TypeId, String), Box<dyn Any + Send>>> = Mutex::new(BTreeMap::new());

/// `text` for as long as the program lives. Equal texts are kept once.
///
/// For declarations ([`NodeSpec`](crate::NodeSpec), [`ParamSpec`](crate::ParamSpec)) that are not known before the
/// program runs. Memory is never given back, so this is for names and help texts and not for data.
///
/// ```
/// use livetime_engine::intern;
/// let (first, again) = (intern(&["thres", "hold"].concat()), intern("threshold"));
/// assert!(std::ptr::eq(first, again));
/// ```
pub fn intern(text: &str) -> &'static str {
    let mut known = lock(&TEXTS);
    if let Some(found) = known.get(text) {
        return found;
    }
    let kept: &'static str = Box::leak(text.into());
    known.insert(kept);
    kept
}

/// `list` for as long as the program lives, such as the ports of a node type. A list of the same type whose items are
/// written the same way by [`Debug`] is kept once.
///
/// ```
/// use livetime_engine::{PortSpec, intern_list};
/// let ports = || intern_list(&[PortSpec::any("in")]);
/// assert!(std::ptr::eq(ports(), ports()));
/// ```
pub fn intern_list<T: Clone + Debug + Send + Sync + 'static>(list: &[T]) -> &'static [T] {
    let mut known = lock(&LISTS);
    let key = (TypeId::of::<T>(), format!("{list:?}"));
    let found = known.get(&key).and_then(|kept| kept.downcast_ref::<&'static [T]>());
    if let Some(found) = found {
        return found;
    }
    let kept: &'static [T] = Box::leak(list.into());
    known.insert(key, Box::new(kept));
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParamKind, ParamSpec, PvStyle};

    fn declaration() -> &'static [ParamSpec] {
        let spec = |name: &str, min| ParamSpec {
            name: intern(name),
            doc: intern("A level."),
            kind: ParamKind::Float,
            unit: None,
            min,
            max: None,
            pv: None,
            style: PvStyle::USUAL,
            role: None,
            readback: false,
            count: false,
        };
        intern_list(&[spec("level", Some(0.0)), spec("other", Some(f64::NAN))])
    }

    #[test]
    fn the_same_declaration_made_again_takes_no_memory() {
        let first = declaration();
        assert!((0..1000).all(|_| std::ptr::eq(declaration(), first)));
        let longer: Vec<ParamSpec> = [first, &first[..1]].concat();
        assert!(!std::ptr::eq(intern_list(&longer), first));
        assert_eq!(intern_list(&longer).len(), 3);
    }

    #[test]
    fn lists_of_different_types_that_look_the_same_are_two() {
        assert_eq!((intern_list(&[1u8]), intern_list(&[1u16])), (&[1u8][..], &[1u16][..]));
    }
}
