//! Reading a value in several steps: the state that one step leaves to the next.
//!
//! A message of some megabytes may hold millions of texts, which take longer to read than a server may keep its other
//! clients waiting. So the reading pauses when its turn is over, unwinds, and continues later at the same place: fields
//! that have been read stay in the value, and each level of nesting leaves a note of its place.

use std::any::Any;

use crate::Error;

/// Why reading ends before the value does.
pub(crate) enum Stop {
    /// The work of this step is done.
    Paused,
    Wrong(Error),
}

/// The result of a step.
pub(crate) type Step<T = ()> = Result<T, Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Wrong(error)
    }
}

impl Stop {
    /// Of reading without an end of its work, which does not pause.
    pub(crate) fn wrong(self) -> Error {
        match self {
            Stop::Wrong(error) => error,
            // A reader without a limit never pauses, so this names a fault of the caller.
            Stop::Paused => Error::new("the whole of a value", "a part of it"),
        }
    }
}

/// Where a level of nesting was when the reading paused.
#[derive(Debug)]
pub(crate) enum Part {
    /// In the field of this number.
    Field(usize),
    /// Of `count` elements: before the one at `at`, or in it.
    Element { at: usize, count: usize, is_inside: bool },
    /// Of `count` texts, behind these.
    Texts { texts: Vec<String>, count: usize },
    /// Of `count` numbers, behind these, which lie in a vector of their type.
    Numbers { elements: Box<dyn Any + Send>, count: usize },
    /// In the content of a union or an "any".
    Content,
}

/// How far the reading of a value has come, and how far it may go.
pub(crate) struct Progress<C> {
    /// The types that the peer gave numbers to.
    pub(crate) cache: C,
    /// Texts, elements of arrays and pieces of numbers that may still be read in this step. Numbers that stay where they are cost nothing.
    pub(crate) left: usize,
    /// The innermost level first.
    pub(crate) parts: Vec<Part>,
}

impl<C> Progress<C> {
    /// Reads all in one step.
    pub(crate) fn whole(cache: C) -> Progress<C> {
        Progress { cache, left: usize::MAX, parts: Vec::new() }
    }

    /// Where the level that asks has paused, if it has.
    #[inline]
    pub(crate) fn resume(&mut self) -> Option<Part> {
        self.parts.pop()
    }

    /// Whether there is work left for one more text or element.
    pub(crate) fn spend(&mut self) -> bool {
        self.take(1) == 1
    }

    /// Takes the work of as many texts as are left, at most `most`.
    pub(crate) fn take(&mut self, most: usize) -> usize {
        let taken = most.min(self.left);
        self.left -= taken;
        taken
    }

    /// Pauses at `part`.
    // Out of the way of fields that are read without a pause, as nearly all are.
    #[cold]
    pub(crate) fn pause<T>(&mut self, part: Part) -> Step<T> {
        self.parts.push(part);
        Err(Stop::Paused)
    }

    /// Hands on how the reading of the value at `part` ended.
    #[inline]
    pub(crate) fn inside(&mut self, read: Step, part: Part) -> Step {
        match read {
            Err(Stop::Paused) => self.pause(part),
            read => read,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::{Builder, Dynamic, Field, ScalarType, Type, TypeCache, Value};
    use crate::wire::{Order, Reader, Writer};

    /// A structure with texts at every kind of place.
    fn nested() -> Value {
        let texts = || vec!["one".to_owned(), String::new(), "three".to_owned()];
        let element =
            Builder::new("").array("t", ScalarType::Str).member("n", ScalarType::I32).structure().unwrap();
        let mut item = Value::new(&element);
        item.set("t", texts()).unwrap();
        item.set("n", 7).unwrap();
        let union =
            Builder::new("").member("s", Arc::clone(&element)).array("t", ScalarType::Str).union().unwrap();
        let inner = Builder::new("").member("u", union).member("n", ScalarType::F64).structure().unwrap();
        let all = Builder::new("")
            .array("t", ScalarType::Str)
            .structures("s", element)
            .member("i", inner)
            .member("a", Type::Any)
            .member("all", Type::AnyArray)
            .member("n", ScalarType::U8)
            .array("numbers", ScalarType::F64)
            .array("truths", ScalarType::Bool)
            .structure()
            .unwrap();
        let mut value = Value::new(&all);
        value.set("t", texts()).unwrap();
        value.set("s", Field::StructArray(vec![Some(item.clone()), None, Some(item.clone())])).unwrap();
        value.set("i.u", texts()).unwrap();
        value.set("i.n", 0.5).unwrap();
        value.set("a", Field::Any(Some(Box::new(item.clone().into())))).unwrap();
        value.set("all", Field::AnyArray(vec![None, Some(item.into())])).unwrap();
        value.set("n", 9).unwrap();
        value.set("numbers", (0..100).map(f64::from).collect::<Vec<f64>>()).unwrap();
        let truths = crate::data::Array::new(ScalarType::Bool, vec![1; 300].into()).unwrap();
        value.set("truths", Field::Array(truths)).unwrap();
        value
    }

    #[test]
    fn a_value_that_is_read_in_steps_is_the_same() {
        let value = nested();
        for order in [Order::Little, Order::Big] {
            let mut writer = Writer::new(order);
            value.encode_changed(&mut writer);
            let bytes = writer.to_vec();
            for step in [1, 2, 3, 5, 100] {
                let (mut cache, mut reader) = (TypeCache::new(), Reader::new(&bytes, order));
                let mut found = Value::new(value.structure());
                let bits = found.bits(&mut reader).unwrap();
                let (mut parts, mut steps) = (Vec::new(), 0);
                loop {
                    let mut progress = Progress { cache: &mut cache, left: step, parts };
                    steps += 1;
                    match found.read_bits(&mut reader, &mut progress, &bits) {
                        Ok(()) => break,
                        Err(Stop::Paused) => parts = progress.parts,
                        Err(Stop::Wrong(error)) => panic!("{error}"),
                    }
                }
                assert_eq!((&found, found.changed()), (&value, value.changed()));
                assert!(reader.is_empty() && progress_is_about(steps, step), "{steps} steps of {step}");
            }
        }
    }

    /// 18 texts, 5 elements, and 4 and 2 pieces of numbers.
    fn progress_is_about(steps: usize, step: usize) -> bool {
        (20 / step..=30 / step + 1).contains(&steps)
    }

    /// Cut short wherever it is, the reading ends with an error, not with a pause or a panic.
    #[test]
    fn what_is_cut_is_wrong_in_any_step() {
        let mut writer = Writer::new(Order::Little);
        Dynamic::from(nested()).encode(&mut writer);
        let bytes = writer.to_vec();
        for cut in 0..bytes.len() {
            let (mut cache, mut reader) = (TypeCache::new(), Reader::new(&bytes[..cut], Order::Little));
            let (mut slot, mut parts) = (None, Vec::new());
            let end = loop {
                let mut progress = Progress { cache: &mut cache, left: 1, parts };
                match Dynamic::read_into(&mut slot, &mut reader, &mut progress) {
                    Err(Stop::Paused) => parts = progress.parts,
                    end => break end,
                }
            };
            assert!(matches!(end, Err(Stop::Wrong(_))), "cut at {cut}");
        }
    }
}
