//! Reducers: the work on the pictures.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result, Step, panic_message};
use crate::{Block, EventPictures, Layout, Loader, Named, ReduceError, Saver, Strip};

/// Makes results of pictures: `map` takes in events, `merge` merges partial results, `finish` makes results of the last
/// one.
///
/// Each function can fail with any error. An error or a panic ends the analysis, which returns it. A reducer for an
/// analysis in parts, by several processes, has `save` and `load` too.
///
/// ```
/// use livetime_analysis::{EventPictures, Layout, Named, ReduceError, Reducer};
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
///     fn map(&self, total: &mut f64, event: &EventPictures<'_>) -> Result<(), ReduceError> {
///         *total += event.pictures().flat_map(|p| p.values()).sum::<f64>();
///         if total.is_nan() { Err("wanted numbers, found NaN".into()) } else { Ok(()) }
///     }
///
///     fn merge(&self, total: &mut f64, next: &mut f64) -> Result<(), ReduceError> {
///         *total += std::mem::take(next);
///         Ok(())
///     }
///
///     fn finish(&self, _: &Layout, total: f64) -> Result<Vec<Named>, ReduceError> {
///         Ok(vec![Named::number("total", total)])
///     }
/// }
/// ```
pub trait Reducer: Send + Sync {
    /// A result of some events.
    type Partial: Send + 'static;

    /// The result of no event.
    fn partial(&self, layout: &Layout) -> Self::Partial;

    /// Takes an event in.
    ///
    /// # Errors
    /// Any, which ends the analysis.
    fn map(&self, partial: &mut Self::Partial, event: &EventPictures<'_>) -> Result<(), ReduceError>;

    /// Takes the events of a block in; without this function, one after the other.
    ///
    /// # Errors
    /// Any, which ends the analysis.
    fn map_block(&self, partial: &mut Self::Partial, block: &Block<'_>) -> Result<(), ReduceError> {
        block.events().try_for_each(|event| self.map(partial, event))
    }

    /// Whether the reducer handles each pixel alone, and so takes [strips](Reducer::map_strip) of pictures. If all
    /// reducers of an analysis do, pictures may come in strips, which is faster.
    fn takes_strips(&self) -> bool {
        false
    }

    /// Takes in the same pixels of several events. All other pixels of these events follow in other strips: the result
    /// equals [`Reducer::map`] for each event.
    ///
    /// # Errors
    /// Any, which ends the analysis; by default, that the reducer takes no strips.
    fn map_strip(&self, partial: &mut Self::Partial, strip: &Strip<'_>) -> Result<(), ReduceError> {
        let _ = (partial, strip);
        Err("wanted a reducer that takes strips of pictures, found one without `map_strip`".into())
    }

    /// Whether it judges pictures itself: it then gets each event that has a picture, as it was recorded
    /// ([`EventPictures::recorded`]), also where the picture is damaged or unlike the first events' pictures, and so
    /// some panels or all have none that can be used. Where another reducer of the analysis does not, such events are
    /// left out.
    fn takes_recorded(&self) -> bool {
        false
    }

    /// Takes in `next`, the result of later events, and leaves it as the result of no event.
    ///
    /// # Errors
    /// Any, which ends the analysis.
    fn merge(&self, partial: &mut Self::Partial, next: &mut Self::Partial) -> Result<(), ReduceError>;

    /// The results.
    ///
    /// # Errors
    /// Any, which ends the analysis.
    fn finish(&self, layout: &Layout, partial: Self::Partial) -> Result<Vec<Named>, ReduceError>;

    /// Whether every order of events, and every way to merge, gives the same bits, as sums of integers do. Then a
    /// worker has one partial result for all its events; without this function, one for each leaf (see [`Work`](crate::Work)).
    fn takes_any_order(&self, layout: &Layout) -> bool {
        let _ = layout;
        false
    }

    /// About how many bytes a partial result takes. An analysis asks before it begins, and is refused where the sum is
    /// more than it may take. Without this function, as many as the pictures of an event.
    fn memory(&self, layout: &Layout) -> u64 {
        layout.bytes() as u64
    }

    /// The reducer and its parameters, as `hits threshold=3000`: partial results can be merged by a reducer that describes itself alike.
    /// Without this function, its type.
    fn describe(&self) -> String {
        std::any::type_name::<Self>().to_owned()
    }

    /// Name of the reducer in errors; by default its description.
    fn name(&self) -> String {
        self.describe()
    }

    /// Saves a partial result, so that another process can load it. The same partial result must give the same bytes.
    ///
    /// # Errors
    /// Any; by default, that the partial result cannot be saved.
    fn save(&self, partial: &Self::Partial, out: &mut Saver) -> Result<(), ReduceError> {
        let _ = (partial, out);
        Err("wanted a reducer that can be saved, found one without `save`".into())
    }

    /// Loads the bytes of `save`. The bytes may come from a hostile file.
    ///
    /// # Errors
    /// If the bytes are no partial result.
    fn load(&self, layout: &Layout, from: &mut Loader<'_>) -> Result<Self::Partial, ReduceError> {
        let _ = (layout, from);
        Err("wanted a reducer that can be loaded, found one without `load`".into())
    }
}

/// The reducers of an analysis.
#[derive(Default)]
pub struct Reducers {
    list: Vec<Box<dyn AnyReducer>>,
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

    /// How they describe themselves.
    pub fn describe(&self) -> Vec<String> {
        self.list.iter().map(|reducer| reducer.describe()).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn AnyReducer> {
        self.list.iter().map(|reducer| &**reducer)
    }
}

/// A partial result of some reducer.
pub(crate) type AnyPartial = Box<dyn Any + Send>;

/// A [`Reducer`] with the type of its partial results erased. Errors and panics are returned with the action that
/// failed.
pub(crate) trait AnyReducer: Send + Sync {
    fn partial(&self, layout: &Layout) -> AnyPartial;
    fn map_block(&self, partial: &mut AnyPartial, block: &Block<'_>) -> Result<()>;
    fn takes_strips(&self) -> bool;
    fn takes_recorded(&self) -> bool;
    fn map_strip(&self, partial: &mut AnyPartial, strip: &Strip<'_>) -> Result<()>;
    fn merge(&self, partial: &mut AnyPartial, next: &mut AnyPartial) -> Result<()>;
    fn finish(&self, layout: &Layout, partial: AnyPartial) -> Result<Vec<Named>>;
    fn takes_any_order(&self, layout: &Layout) -> bool;
    fn memory(&self, layout: &Layout) -> u64;
    fn describe(&self) -> String;
    fn save(&self, partial: &AnyPartial, out: &mut Saver) -> Result<()>;
    fn load(&self, layout: &Layout, from: &mut Loader<'_>) -> Result<AnyPartial>;
}

impl<R: Reducer> AnyReducer for R {
    fn partial(&self, layout: &Layout) -> AnyPartial {
        Box::new(Reducer::partial(self, layout))
    }

    fn map_block(&self, partial: &mut AnyPartial, block: &Block<'_>) -> Result<()> {
        guarded(self, &|| block.step(), || match partial.downcast_mut() {
            Some(partial) => Reducer::map_block(self, partial, block),
            None => Err(foreign()),
        })
    }

    fn takes_strips(&self) -> bool {
        Reducer::takes_strips(self)
    }

    fn takes_recorded(&self) -> bool {
        Reducer::takes_recorded(self)
    }

    fn map_strip(&self, partial: &mut AnyPartial, strip: &Strip<'_>) -> Result<()> {
        let step = || Step::Block(strip.events.0, strip.events.1);
        guarded(self, &step, || match partial.downcast_mut() {
            Some(partial) => Reducer::map_strip(self, partial, strip),
            None => Err(foreign()),
        })
    }

    fn merge(&self, partial: &mut AnyPartial, next: &mut AnyPartial) -> Result<()> {
        guarded(self, &|| Step::Merge, || match (partial.downcast_mut(), next.downcast_mut()) {
            (Some(partial), Some(next)) => Reducer::merge(self, partial, next),
            _ => Err(foreign()),
        })
    }

    fn finish(&self, layout: &Layout, partial: AnyPartial) -> Result<Vec<Named>> {
        guarded(self, &|| Step::Finish, || match partial.downcast() {
            Ok(partial) => Reducer::finish(self, layout, *partial),
            Err(_) => Err(foreign()),
        })
    }

    fn takes_any_order(&self, layout: &Layout) -> bool {
        Reducer::takes_any_order(self, layout)
    }

    fn memory(&self, layout: &Layout) -> u64 {
        Reducer::memory(self, layout)
    }

    fn describe(&self) -> String {
        Reducer::describe(self)
    }

    fn save(&self, partial: &AnyPartial, out: &mut Saver) -> Result<()> {
        guarded(self, &|| Step::Save, || match partial.downcast_ref() {
            Some(partial) => Reducer::save(self, partial, out),
            None => Err(foreign()),
        })
    }

    fn load(&self, layout: &Layout, from: &mut Loader<'_>) -> Result<AnyPartial> {
        guarded(self, &|| Step::Load, || Ok(Box::new(Reducer::load(self, layout, from)?) as AnyPartial))
    }
}

/// Calls a reducer, and catches its panic. The reducer's state after a panic is never used, because the analysis ends.
fn guarded<T>(
    reducer: &impl Reducer,
    step: &dyn Fn() -> Step,
    call: impl FnOnce() -> Result<T, ReduceError>,
) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(source)) => Err(Error::Reducer { reducer: reducer.name(), step: step(), source }),
        Err(panic) => {
            let message = panic_message(&*panic);
            Err(Error::Panic { reducer: reducer.name(), step: step(), message })
        }
    }
}

/// A partial result of another reducer: only a fault of this crate.
fn foreign() -> ReduceError {
    "wanted a partial result of its own, found one of another reducer".into()
}
