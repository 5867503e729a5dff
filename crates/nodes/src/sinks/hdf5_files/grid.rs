//! Where in the axes of a scan frames go.

use livetime_frame::{AttributeValue, Attributes};

use super::grid_params::GridParams;
use crate::error::Mismatch;

/// Most places of a grid: the state of each place is kept in memory.
const MOST_PLACES: u64 = 1 << 22;

/// The axes of a file before a frame's own axes, slowest first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Axes {
    pub(super) sizes: Vec<u64>,
    /// Places of a chunk.
    pub(super) chunk: Vec<u64>,
    /// Attributes that say the place along each axis; empty if frames come in order.
    names: Vec<String>,
    /// Attributes that have one axis alone.
    indices: Vec<String>,
    /// Whether attributes have these axes.
    pub(super) for_attributes: bool,
}

impl Axes {
    /// The axes of the parameters; `None` if the axis of the frames is the only one.
    ///
    /// # Errors
    /// For axes that cannot be written.
    pub(super) fn of(p: &GridParams, frames_per_chunk: u32) -> Result<Option<Axes>, Mismatch> {
        if p.extra_dims == 0 && !p.position_mode {
            return Ok(None);
        }
        // The axis of the frames counts as one more.
        let count = p.extra_dims as usize + 1;
        if p.places() > MOST_PLACES {
            let wanted = format!("at most {MOST_PLACES} places in all axes");
            return Err(Mismatch::new(wanted, p.places().to_string()));
        }
        // A size of 0 would leave no place for any frame.
        let slowest_first =
            |values: &[u32]| values[..count].iter().rev().map(|v| u64::from((*v).max(1))).collect();
        let texts = |names: &[&str]| names[..count].iter().rev().map(|name| (*name).to_owned()).collect();
        let sizes: Vec<u64> = slowest_first(&p.sizes());
        let mut chunk: Vec<u64> = slowest_first(&p.chunks(frames_per_chunk));
        // HDF5 refuses chunks larger than a data set whose size is fixed.
        chunk.iter_mut().zip(&sizes).for_each(|(chunk, size)| *chunk = (*chunk).min(*size));
        // Without names the frames fill the grid in order.
        let names: Vec<String> = if p.position_mode { texts(&p.position_names()) } else { vec![] };
        // An axis of one place needs no attribute: its place is always 0.
        if let Some(axis) =
            names.iter().zip(&sizes).rev().position(|(name, size)| name.is_empty() && *size > 1)
        {
            // The names are areaDetector's, so that the error says which parameter lacks its value.
            let axis = ["N", "X", "Y", "3", "4", "5", "6", "7", "8", "9"][axis];
            let wanted = format!("the attribute with the place along axis {axis} (PosNameDim{axis})");
            return Err(Mismatch::new(wanted, "none"));
        }
        Ok(Some(Axes {
            sizes,
            chunk,
            names,
            indices: texts(&p.index_names()),
            for_attributes: p.dim_attributes,
        }))
    }

    /// Whether attributes say where frames go.
    pub(super) fn is_by_position(&self) -> bool {
        !self.names.is_empty()
    }

    /// The axis that the attribute has alone, if it has one.
    pub(super) fn index_of(&self, attribute: &str) -> Option<usize> {
        let is_it = |name: &String| !name.is_empty() && name == attribute;
        self.indices.iter().position(is_it).filter(|_| self.is_by_position())
    }

    /// The place of frame number `number`, for frames that fill the grid in order.
    ///
    /// # Errors
    /// If all places are taken.
    pub(super) fn in_order(&self, number: u64) -> Result<Vec<u64>, Mismatch> {
        let mut rest = number;
        let mut place = vec![0; self.sizes.len()];
        // The last axis is the fastest, as in memory.
        for (at, size) in place.iter_mut().zip(&self.sizes).rev() {
            (*at, rest) = (rest % size, rest / size);
        }
        match rest {
            0 => Ok(place),
            _ => Err(Mismatch::new(format!("a place in axes of {:?}", self.sizes), "all of them taken")),
        }
    }

    /// The place that the attributes of a frame name.
    ///
    /// # Errors
    /// If they name none that there is.
    pub(super) fn by_position(&self, attributes: &Attributes) -> Result<Vec<u64>, Mismatch> {
        let along = |(name, size): (&String, &u64)| {
            if name.is_empty() {
                return Ok(0);
            }
            let value = attributes.get(name);
            let at = value.and_then(whole).filter(|at| at < size);
            at.ok_or_else(|| {
                let found = value.map_or("none".into(), ToString::to_string);
                Mismatch::new(format!("a place from 0 to {} in the attribute `{name}`", size - 1), found)
            })
        };
        self.names.iter().zip(&self.sizes).map(along).collect()
    }
}

fn whole(value: &AttributeValue) -> Option<u64> {
    match value {
        AttributeValue::Int(v) => u64::try_from(*v).ok(),
        AttributeValue::Uint(v) => Some(*v),
        // Motors give floats; a fraction is refused, because no rounding could be right for all scans.
        AttributeValue::Float(v) if *v >= 0.0 && v.fract() == 0.0 => Some(*v as u64),
        _ => None,
    }
}
