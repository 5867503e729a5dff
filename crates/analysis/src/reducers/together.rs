//! A list of reducers as one reducer.

use crate::reducer::{AnyPartial, AnyReducer};
use crate::{Block, EventPictures, Layout, Loader, Named, Panel, ReduceError, Reducer, Reducers, Saver};

/// A list of reducers is a reducer: for a reducer that shows changed pictures to reducers of unknown types.
///
/// It takes any order if all of the list do, and describes itself by all of them.
impl Reducer for Reducers {
    type Partial = Vec<AnyPartial>;

    fn partial(&self, layout: &Layout) -> Vec<AnyPartial> {
        self.iter().map(|reducer| reducer.partial(layout)).collect()
    }

    fn map(&self, partial: &mut Vec<AnyPartial>, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        Reducer::map_block(self, partial, &Block::of(&[*event]))
    }

    fn map_block(&self, partial: &mut Vec<AnyPartial>, block: &Block<'_>) -> Result<(), ReduceError> {
        let mut all = self.iter().zip(partial);
        Ok(all.try_for_each(|(reducer, partial)| reducer.map_block(partial, block))?)
    }

    fn merge(&self, partial: &mut Vec<AnyPartial>, next: &mut Vec<AnyPartial>) -> Result<(), ReduceError> {
        let mut all = self.iter().zip(partial.iter_mut().zip(next));
        Ok(all.try_for_each(|(reducer, (partial, next))| reducer.merge(partial, next))?)
    }

    fn finish(&self, layout: &Layout, partial: Vec<AnyPartial>) -> Result<Vec<Named>, ReduceError> {
        let mut results = Vec::new();
        for (reducer, partial) in self.iter().zip(partial) {
            results.extend(reducer.finish(layout, partial)?);
        }
        Ok(results)
    }

    fn takes_any_order(&self, layout: &Layout) -> bool {
        self.iter().all(|reducer| reducer.takes_any_order(layout))
    }

    fn memory(&self, layout: &Layout) -> u64 {
        self.iter().map(|reducer| reducer.memory(layout)).fold(0, u64::saturating_add)
    }

    fn describe(&self) -> String {
        Reducers::describe(self).join("; ")
    }

    fn save(&self, partial: &Vec<AnyPartial>, out: &mut Saver) -> Result<(), ReduceError> {
        let mut all = self.iter().zip(partial);
        Ok(all.try_for_each(|(reducer, partial)| out.sized(|out| reducer.save(partial, out)))?)
    }

    /// The layout bounds the size of pictures, whatever the saved bytes claim.
    fn load(&self, layout: &Layout, from: &mut Loader<'_>) -> Result<Vec<AnyPartial>, ReduceError> {
        let longest: Vec<usize> = layout.panels.iter().map(Panel::pixels).collect();
        let load = |reducer: &dyn AnyReducer| {
            let events = from.events();
            let mut own = from.sized(events, &longest)?;
            let partial = reducer.load(layout, &mut own)?;
            own.end()?;
            Ok(partial)
        };
        self.iter().map(load).collect()
    }
}
