//! The common shift of all pixels of a group in one picture.

use std::fmt;
use std::str::FromStr;

/// Which pixels of a picture have one common mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    /// All of them.
    Panel,
    /// Each row.
    Row,
    /// Each column.
    Column,
    /// Each of this number of banks side by side, at least 1: the columns are divided evenly, and the last bank has the rest.
    Bank(usize),
    /// Each row of each bank.
    BankRow(usize),
}

/// A step that subtracts the common mode of each group.
///
/// As text `row`, `column`, `panel`, `bank=8` or `bank-row=8`, with limits behind it: `row,most=50,least=10`.
///
/// ```
/// use livetime_kernels::calibrate::{CommonMode, Group};
///
/// let mode: CommonMode = "bank=8,most=50".parse()?;
/// assert_eq!((mode.group, mode.most), (Group::Bank(8), 50.0));
/// assert_eq!(mode.to_string(), "bank=8,most=50");
/// assert!("bank=0".parse::<CommonMode>().is_err());
/// # Ok::<(), livetime_kernels::calibrate::CommonModeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CommonMode {
    /// The groups.
    pub group: Group,
    /// A common mode that is further from 0 is not subtracted (psana's `cormax`).
    pub most: f32,
    /// A group with fewer good pixels is left as it is (psana's `npix_min`).
    pub least_pixels: usize,
}

/// Psana's value for groups with bad pixels.
const LEAST_PIXELS: usize = 10;
/// More banks than any detector has.
const MOST_BANKS: usize = 4096;

/// A text that is no common mode. It holds the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommonModeError(pub String);

impl fmt::Display for CommonModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CommonModeError(text) = self;
        write!(
            f,
            "wanted a common mode as row, column, panel, bank=8 or bank-row=8, with limits as \
                 row,most=50,least=10, found `{text}`"
        )
    }
}

impl std::error::Error for CommonModeError {}

impl FromStr for CommonMode {
    type Err = CommonModeError;

    fn from_str(text: &str) -> Result<CommonMode, CommonModeError> {
        let refuse = || CommonModeError(text.into());
        let mut parts = text.split(',').map(str::trim);
        let banks = |count: &str| count.parse().ok().filter(|n| (1..=MOST_BANKS).contains(n));
        let group = parts.next().and_then(|group| match group.split_once('=') {
            None if group == "row" => Some(Group::Row),
            None if group == "column" => Some(Group::Column),
            None if group == "panel" => Some(Group::Panel),
            Some(("bank", count)) => banks(count).map(Group::Bank),
            Some(("bank-row", count)) => banks(count).map(Group::BankRow),
            _ => None,
        });
        let group = group.ok_or_else(refuse)?;
        let mut mode = CommonMode { group, most: f32::INFINITY, least_pixels: LEAST_PIXELS };
        for part in parts {
            match part.split_once('=').ok_or_else(refuse)? {
                ("most", most) => {
                    // NaN is not above 0, and is refused.
                    mode.most = most.parse().ok().filter(|most| *most > 0.0).ok_or_else(refuse)?;
                }
                ("least", least) => mode.least_pixels = least.parse().map_err(|_| refuse())?,
                _ => return Err(refuse()),
            }
        }
        Ok(mode)
    }
}

/// As it is parsed.
impl fmt::Display for CommonMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.group {
            Group::Panel => f.write_str("panel")?,
            Group::Row => f.write_str("row")?,
            Group::Column => f.write_str("column")?,
            Group::Bank(count) => write!(f, "bank={count}")?,
            Group::BankRow(count) => write!(f, "bank-row={count}")?,
        }
        if self.most.is_finite() {
            write!(f, ",most={}", self.most)?;
        }
        if self.least_pixels != LEAST_PIXELS {
            write!(f, ",least={}", self.least_pixels)?;
        }
        Ok(())
    }
}

/// Memory for the values of a group. Keep it for the next picture.
#[derive(Default, Debug)]
pub struct Scratch {
    values: Vec<f32>,
    /// 1 for pixels of a picture with gain stages that have a common mode.
    pub(super) usable: Vec<f32>,
}

impl CommonMode {
    /// Subtracts the common mode of one picture; `good` is empty if all pixels are good. Bad pixels stay as they are.
    pub(super) fn subtract(&self, plane: &mut [f32], good: &[f32], columns: usize, scratch: &mut Scratch) {
        let rows = plane.len() / columns;
        let banks = match self.group {
            // No bank is without a column.
            Group::Bank(count) | Group::BankRow(count) => count.clamp(1, columns),
            Group::Panel | Group::Row => 1,
            Group::Column => columns,
        };
        let (of_row, of_all) = match self.group {
            Group::Row | Group::BankRow(_) => (rows, 1),
            Group::Panel | Group::Column | Group::Bank(_) => (1, rows),
        };
        for first in 0..of_row {
            for bank in 0..banks {
                let last = if bank + 1 == banks { columns } else { (bank + 1) * (columns / banks) };
                let part = Part {
                    rows: first..first + of_all,
                    columns: bank * (columns / banks)..last,
                    width: columns,
                };
                self.subtract_part(plane, good, &part, scratch);
            }
        }
    }

    fn subtract_part(&self, plane: &mut [f32], good: &[f32], part: &Part, scratch: &mut Scratch) {
        scratch.values.clear();
        for range in part.ranges() {
            let Some(values) = plane.get(range.clone()) else { return };
            match good.get(range) {
                // In the total order NaN would be an extreme value, and would shift the median.
                None => scratch.values.extend(values.iter().filter(|v| !v.is_nan())),
                Some(good) => {
                    let both = values.iter().zip(good).filter(|(v, good)| **good != 0.0 && !v.is_nan());
                    scratch.values.extend(both.map(|(v, _)| *v));
                }
            }
        }
        // Without bad pixels psana has no least number.
        let least = if good.is_empty() { 1 } else { self.least_pixels.max(1) };
        if scratch.values.len() < least {
            return;
        }
        let mode = median(&mut scratch.values);
        // The mean of the middle two is NaN if they are infinities of both signs.
        if mode.abs() > self.most || mode.is_nan() {
            return;
        }
        for range in part.ranges() {
            let Some(values) = plane.get_mut(range.clone()) else { return };
            match good.get(range) {
                None => values.iter_mut().for_each(|v| *v -= mode),
                Some(good) => {
                    values
                        .iter_mut()
                        .zip(good)
                        .for_each(|(v, good)| *v -= if *good == 0.0 { 0.0 } else { mode });
                }
            }
        }
    }
}

/// A rectangle of a picture.
struct Part {
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
    width: usize,
}

impl Part {
    fn ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> + use<'_> {
        self.rows
            .clone()
            .map(|row| row * self.width + self.columns.start..row * self.width + self.columns.end)
    }
}

/// The median of at least one value, as numpy computes it: for an even number of values the mean of the middle two.
fn median(values: &mut [f32]) -> f32 {
    let half = values.len() / 2;
    let is_odd = values.len() % 2 == 1;
    let (below, middle, _) = values.select_nth_unstable_by(half, f32::total_cmp);
    let middle = *middle;
    // The other middle value is the largest one below.
    match below.iter().copied().reduce(f32::max) {
        Some(other) if !is_odd => (other + middle) / 2.0,
        _ => middle,
    }
}
