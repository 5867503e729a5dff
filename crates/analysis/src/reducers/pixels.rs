//! Statistics of each pixel: mean, standard deviation, extremes, sum, and profiles of the mean.

use livetime_frame::{DType, with_dtype};

use super::extremes::whole;
use super::frames;
use super::moments::Moments;
use super::panel::{Finished, PanelPartial};
use super::statistics::PixelStatistics;
use super::sums::Sums;
use crate::{Block, EventPictures, Layout, Loader, Named, Panel, ReduceError, Reducer, Saver, Strip};

impl Reducer for PixelStatistics {
    type Partial = Vec<PanelPartial>;

    fn partial(&self, layout: &Layout) -> Vec<PanelPartial> {
        let new = |panel: &Panel| PanelPartial::new(panel, self);
        layout.panels.iter().map(new).collect()
    }

    fn map(&self, partial: &mut Vec<PanelPartial>, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        map(partial, &[*event]);
        Ok(())
    }

    fn map_block(&self, partial: &mut Vec<PanelPartial>, block: &Block<'_>) -> Result<(), ReduceError> {
        map(partial, block.all());
        Ok(())
    }

    fn takes_strips(&self) -> bool {
        true
    }

    fn map_strip(&self, partial: &mut Vec<PanelPartial>, strip: &Strip<'_>) -> Result<(), ReduceError> {
        let panel = partial.get_mut(strip.position).ok_or("wanted a panel of the layout, found another")?;
        panel.map_strip(strip.frames, strip.pixels.clone());
        Ok(())
    }

    fn merge(
        &self,
        partial: &mut Vec<PanelPartial>,
        next: &mut Vec<PanelPartial>,
    ) -> Result<(), ReduceError> {
        partial.iter_mut().zip(next).for_each(|(panel, next)| panel.merge(next));
        Ok(())
    }

    fn finish(&self, layout: &Layout, partial: Vec<PanelPartial>) -> Result<Vec<Named>, ReduceError> {
        // Results of other pixels than the account's would have a wrong shape.
        if !layout.panels.iter().zip(&partial).all(|(panel, partial)| partial.reaches(panel)) {
            return Err("wanted as many pixels as the account tells, found fewer".into());
        }
        let shape = |panel: &Panel| panel.shape.clone();
        let panels: Vec<Finished<'_>> = layout.panels.iter().zip(&partial).map(Finished::new).collect();
        let mut results = Vec::new();
        if self.mean {
            results.extend(Named::panels("mean", layout, shape, |i, out| panels[i].means(out)));
        }
        if self.std {
            results.extend(Named::panels("std", layout, shape, |i, out| panels[i].deviations(out)));
        }
        if self.min {
            results.extend(extremes("min", layout, &panels));
        }
        if self.max {
            results.extend(extremes("max", layout, &panels));
        }
        // Sums of integers are exact, so they are given as integers as long as each panel has integers.
        if self.sum && Reducer::takes_any_order(self, layout) {
            results.extend(Named::panels("sum", layout, shape, |i, out| panels[i].integer_sums(out)));
        } else if self.sum {
            results.extend(Named::panels("sum", layout, shape, |i, out| panels[i].sums(out)));
        }
        // Rows and columns need two dimensions.
        if self.projection && layout.panels.iter().all(|panel| panel.shape.len() >= 2) {
            results.extend(projection("projection-x", layout, &panels, true));
            results.extend(projection("projection-y", layout, &panels, false));
        }
        // Only arrays of any length have pixels with different numbers of events.
        if layout.panels.iter().all(Panel::has_any_length) {
            results.extend(Named::panels("n", layout, shape, |i, out| panels[i].counts(out)));
            results.extend(self.of_all(&panels));
        }
        Ok(results)
    }

    fn takes_any_order(&self, layout: &Layout) -> bool {
        layout.panels.iter().all(|panel| Sums::are_exact(panel.dtype))
    }

    fn memory(&self, layout: &Layout) -> u64 {
        let of = |panel: &Panel| {
            let sums = if self.needs_sums() { Sums::bytes(panel.dtype, self.std) } else { 0 };
            let extremes = if self.needs_extremes() { 2 * panel.dtype.bytes() } else { 0 };
            // Both extremes are kept together: one pass over memory finds both.
            (panel.pixels() as u64).saturating_mul((sums + extremes) as u64)
        };
        layout.panels.iter().map(of).fold(0, u64::saturating_add)
    }

    fn describe(&self) -> String {
        let wanted = self.names().into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, name)| name);
        format!("pixels {}", wanted.collect::<Vec<_>>().join(","))
    }

    fn save(&self, partial: &Vec<PanelPartial>, out: &mut Saver) -> Result<(), ReduceError> {
        partial.iter().for_each(|panel| panel.save(out));
        Ok(())
    }

    fn load(&self, layout: &Layout, from: &mut Loader<'_>) -> Result<Vec<PanelPartial>, ReduceError> {
        let mut partial = self.partial(layout);
        for (position, (partial, panel)) in partial.iter_mut().zip(&layout.panels).enumerate() {
            partial.load(panel, position, from)?;
        }
        Ok(partial)
    }
}

fn map(partial: &mut [PanelPartial], events: &[EventPictures<'_>]) {
    for (position, panel) in partial.iter_mut().enumerate() {
        panel.map(&frames(events, position));
    }
}

impl PixelStatistics {
    /// Numbers of all pixels of all events together.
    fn of_all(&self, panels: &[Finished<'_>]) -> Vec<Named> {
        let count: u64 = panels.iter().map(Finished::values).sum();
        let mut results = vec![Named::number("all-count", count as f64)];
        let mut moments = Moments::default();
        panels.iter().for_each(|panel| moments.add(panel.moments()));
        let parts = panels.iter().filter_map(Finished::all_extremes);
        // Without a value there is no extreme.
        let (lowest, highest) = whole(&parts.collect::<Vec<_>>()).unwrap_or((f64::NAN, f64::NAN));
        let numbers = [
            (self.mean, "all-mean", moments.mean()),
            (self.std, "all-std", moments.deviation()),
            (self.min, "all-min", lowest),
            (self.max, "all-max", highest),
            (self.sum, "all-sum", moments.sum),
        ];
        results.extend(
            numbers.iter().filter(|(w, ..)| *w).map(|(_, name, number)| Named::number(name, *number)),
        );
        results
    }
}

/// `min` or `max`, in the type of the pixels if all panels have one, else as `f64`.
fn extremes(name: &str, layout: &Layout, panels: &[Finished<'_>]) -> Vec<Named> {
    let dtypes = || layout.panels.iter().map(|panel| panel.dtype);
    // One result has one type of elements, so panels of several types become doubles.
    let dtype = dtypes().next().filter(|first| dtypes().all(|dtype| dtype == *first)).unwrap_or(DType::F64);
    with_dtype!(dtype, T => Named::panels::<T>(name, layout, |panel| panel.shape.clone(), |i, out| {
        panels[i].extremes(name == "max", out);
    }))
}

/// Mean over the rows, a value for each column, or over the columns, a value for each row, of an array's last two
/// axes; the axes before them stay.
fn projection(name: &str, layout: &Layout, panels: &[Finished<'_>], over_rows: bool) -> Vec<Named> {
    let shape = |panel: &Panel| match &panel.shape[..] {
        [outer @ .., rows, columns] => [outer, &[if over_rows { *columns } else { *rows }]].concat(),
        other => other.to_vec(),
    };
    Named::panels(name, layout, shape, |i, out| {
        let [.., rows, columns] = layout.panels[i].shape[..] else { return };
        let mut means = Vec::new();
        panels[i].means(&mut means);
        // A picture without pixels would be a chunk of 0, which panics.
        for picture in means.chunks((rows * columns).max(1)) {
            if over_rows {
                let column = |x: usize| picture.iter().skip(x).step_by(columns).sum::<f64>() / rows as f64;
                out.extend((0..columns).map(column));
            } else {
                out.extend(picture.chunks(columns).map(|row| row.iter().sum::<f64>() / columns as f64));
            }
        }
    })
}
