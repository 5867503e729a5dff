//! What is done with the pictures.

use std::any::Any;

use super::{EventPictures, Layout, Named};

/// Makes results of pictures: `map` takes in events, `merge` puts partial results together, `finish` makes results
/// of the last one.
///
/// ```
/// use livetime::analyze::{EventPictures, Layout, Named, Reducer};
///
/// /// Sum of all pixels.
/// struct Total;
///
/// impl Reducer for Total {
///     type Partial = f64;
///
///     fn partial(&self, _: &Layout) -> f64 {
///         0.0
///     }
///
///     fn map(&self, total: &mut f64, event: &EventPictures<'_>) {
///         *total += event.pictures().flat_map(|p| p.values()).sum::<f64>();
///     }
///
///     fn merge(&self, total: &mut f64, next: &mut f64) {
///         *total += std::mem::take(next);
///     }
///
///     fn finish(&self, _: &Layout, total: f64) -> Vec<Named> {
///         vec![Named::number("total", total)]
///     }
/// }
/// ```
pub trait Reducer: Sync {
    /// A result of some events.
    type Partial: Send + 'static;

    /// The result of no event.
    fn partial(&self, layout: &Layout) -> Self::Partial;

    /// Takes an event in.
    fn map(&self, partial: &mut Self::Partial, event: &EventPictures<'_>);

    /// Takes the events of a block in; without this function, one after the other.
    fn map_block(&self, partial: &mut Self::Partial, events: &[EventPictures<'_>]) {
        events.iter().for_each(|event| self.map(partial, event));
    }

    /// Takes in `next`, the result of later events, and leaves it as the result of no event.
    fn merge(&self, partial: &mut Self::Partial, next: &mut Self::Partial);

    /// The results.
    fn finish(&self, layout: &Layout, partial: Self::Partial) -> Vec<Named>;

    /// Whether every order of events, and every way to merge, gives the same bits, as sums of integers do. Then a
    /// worker has one partial result for all its events, which is faster; without this function, one for each block.
    fn takes_any_order(&self, layout: &Layout) -> bool {
        let _ = layout;
        false
    }
}

/// The reducers of an analysis.
#[derive(Default)]
pub struct Reducers {
    pub(super) list: Vec<Box<dyn AnyReducer>>,
}

impl Reducers {
    /// With one more.
    #[must_use]
    pub fn with<R: Reducer + 'static>(mut self, reducer: R) -> Reducers {
        self.list.push(Box::new(reducer));
        self
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// A partial result of some reducer.
pub(super) type AnyPartial = Box<dyn Any + Send>;

/// A [`Reducer`] whose partial results are of some type.
pub(super) trait AnyReducer: Sync {
    fn partial(&self, layout: &Layout) -> AnyPartial;
    fn map_block(&self, partial: &mut AnyPartial, events: &[EventPictures<'_>]);
    fn merge(&self, partial: &mut AnyPartial, next: &mut AnyPartial);
    fn finish(&self, layout: &Layout, partial: AnyPartial) -> Vec<Named>;
    fn takes_any_order(&self, layout: &Layout) -> bool;
}

impl<R: Reducer> AnyReducer for R {
    fn partial(&self, layout: &Layout) -> AnyPartial {
        Box::new(Reducer::partial(self, layout))
    }

    fn map_block(&self, partial: &mut AnyPartial, events: &[EventPictures<'_>]) {
        if let Some(partial) = partial.downcast_mut() {
            Reducer::map_block(self, partial, events);
        }
    }

    fn merge(&self, partial: &mut AnyPartial, next: &mut AnyPartial) {
        if let (Some(partial), Some(next)) = (partial.downcast_mut(), next.downcast_mut()) {
            Reducer::merge(self, partial, next);
        }
    }

    fn finish(&self, layout: &Layout, partial: AnyPartial) -> Vec<Named> {
        partial.downcast().map_or_else(|_| Vec::new(), |partial| Reducer::finish(self, layout, *partial))
    }

    fn takes_any_order(&self, layout: &Layout) -> bool {
        Reducer::takes_any_order(self, layout)
    }
}
