//! The discrete Fourier transform of rows, or of a picture, with its memory and tables kept.

use std::fmt;
use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{FftError, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftPlanner};

/// Most samples with the zeros behind them: 1 GiB of f64.
const MOST: usize = 1 << 27;
/// Columns that are transformed one after the other from one block: as many as lie in a cache line twice.
const BLOCK: usize = 8;

/// Why samples are not transformed.
#[derive(Debug)]
pub(super) enum TransformError {
    TooMany { rows: usize, columns: usize },
    NoSamples,
    Library(FftError),
}

impl fmt::Display for TransformError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TransformError::TooMany { rows, columns } => {
                write!(f, "wanted at most {MOST} samples, found {rows} x {columns}")
            }
            TransformError::NoSamples => f.write_str("wanted samples, found none"),
            TransformError::Library(error) => write!(f, "wanted a Fourier transform, found: {error}"),
        }
    }
}

/// Sizes of a transform, with the zeros behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether rows are signals of their own.
    is_each: bool,
}

impl Sizes {
    /// # Errors
    /// When there would be too many samples.
    pub(super) fn new(
        rows: usize,
        columns: usize,
        power_of_two: bool,
        is_each: bool,
    ) -> Result<Sizes, TransformError> {
        // Next powers of two may overflow for sizes near the largest.
        let filled = |size: usize| if power_of_two { size.checked_next_power_of_two() } else { Some(size) };
        let sizes = filled(columns).zip(if is_each { Some(rows) } else { filled(rows) });
        let sizes = sizes.filter(|(c, r)| c.checked_mul(*r).is_some_and(|count| count <= MOST));
        let (columns, rows) = sizes.ok_or(TransformError::TooMany { rows, columns })?;
        Ok(Sizes { rows, columns, is_each })
    }

    /// Rows and columns of the spectrum.
    pub(super) fn output(self) -> (usize, usize) {
        // Half of a real signal's spectrum is given out; one sample still has one frequency.
        let rows = if self.is_each { self.rows } else { (self.rows / 2).max(1) };
        (rows, (self.columns / 2).max(1))
    }
}

/// Tables for one size.
#[derive(Default)]
pub(super) struct Transform {
    planned: Option<Planned>,
    samples: Vec<f64>,
    /// The rows' lower halves, row after row.
    spectrum: Vec<Complex<f64>>,
    absolute: Vec<f64>,
    first: Vec<f64>,
    real: Vec<f64>,
    imaginary: Vec<f64>,
}

struct Planned {
    sizes: Sizes,
    along_rows: Arc<dyn RealToComplex<f64>>,
    along_columns: Arc<dyn Fft<f64>>,
    /// A row's whole spectrum, one frequency more than its half, and room for the libraries.
    row: Vec<Complex<f64>>,
    block: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
}

impl Planned {
    fn new(sizes: Sizes) -> Planned {
        let along_rows = RealFftPlanner::new().plan_fft_forward(sizes.columns);
        let along_columns = FftPlanner::new().plan_fft_forward(sizes.rows);
        // The two transforms run one after the other, so they share this memory.
        let longest = along_rows.get_scratch_len().max(along_columns.get_inplace_scratch_len());
        let zero = Complex::default();
        Planned {
            sizes,
            row: along_rows.make_output_vec(),
            block: vec![zero; BLOCK * sizes.rows],
            scratch: vec![zero; longest],
            along_rows,
            along_columns,
        }
    }
}

impl Transform {
    /// Room for samples of this size, all 0.
    pub(super) fn clear(&mut self, sizes: Sizes) {
        // Planning takes much longer than one transform, so the tables of the last size are kept.
        if self.planned.as_ref().is_none_or(|planned| planned.sizes != sizes) {
            self.planned = Some(Planned::new(sizes));
        }
        // The zeros behind the samples are part of the transform, so all are written again.
        self.samples.clear();
        self.samples.resize(sizes.rows * sizes.columns, 0.0);
    }

    /// A row of samples, to be filled.
    pub(super) fn row(&mut self, row: usize, sizes: Sizes) -> &mut [f64] {
        self.samples.chunks_exact_mut(sizes.columns).nth(row).unwrap_or(&mut [])
    }

    /// The absolute values of the spectrum, divided by the number of samples.
    pub(super) fn absolute(&self) -> &[f64] {
        &self.absolute
    }

    /// The samples of the first row.
    pub(super) fn first_row(&self) -> &[f64] {
        &self.first
    }

    /// The real part of the first row of the spectrum.
    pub(super) fn real(&self) -> &[f64] {
        &self.real
    }

    /// The imaginary part of it.
    pub(super) fn imaginary(&self) -> &[f64] {
        &self.imaginary
    }

    /// Transforms the samples, which are used up.
    ///
    /// # Errors
    /// When the library refuses.
    pub(super) fn run(&mut self, sizes: Sizes, suppress_dc: bool) -> Result<(), TransformError> {
        let Some(planned) = &mut self.planned else { return Err(TransformError::NoSamples) };
        let (rows, columns) = sizes.output();
        self.first.clear();
        self.first.extend_from_slice(&self.samples[..sizes.columns]);
        self.spectrum.clear();
        for samples in self.samples.chunks_exact_mut(sizes.columns) {
            let scratch = &mut planned.scratch[..planned.along_rows.get_scratch_len()];
            let done = planned.along_rows.process_with_scratch(samples, &mut planned.row, scratch);
            done.map_err(TransformError::Library)?;
            // The upper half of a real signal's spectrum mirrors the lower half and is not given out.
            self.spectrum.extend_from_slice(&planned.row[..columns]);
        }
        if !sizes.is_each && sizes.rows > 1 {
            // Columns come second: half of them are gone by then.
            planned.columns(&mut self.spectrum, columns);
        }
        self.spectrum.truncate(rows * columns);
        if suppress_dc {
            let each = if sizes.is_each { columns } else { self.spectrum.len() };
            // The constant part is the first value, of each row where rows are transformed alone.
            self.spectrum.iter_mut().step_by(each).for_each(|value| *value = Complex::default());
        }
        self.publish(sizes, columns);
        Ok(())
    }

    fn publish(&mut self, sizes: Sizes, columns: usize) {
        // Rows of their own have their own count of samples.
        let count = if sizes.is_each { sizes.columns } else { sizes.columns * sizes.rows };
        let scale = 1.0 / count as f64;
        self.absolute.clear();
        self.absolute.extend(self.spectrum.iter().map(|value| value.norm_sqr().sqrt() * scale));
        let first = &self.spectrum[..columns];
        self.real.clear();
        self.real.extend(first.iter().map(|value| value.re));
        self.imaginary.clear();
        self.imaginary.extend(first.iter().map(|value| value.im));
    }
}

impl Planned {
    /// Transforms every column of rows of `columns` values, some columns at a time so that each cache line is used whole.
    fn columns(&mut self, values: &mut [Complex<f64>], columns: usize) {
        let rows = self.sizes.rows;
        let scratch = &mut self.scratch[..self.along_columns.get_inplace_scratch_len()];
        // Columns are transformed in blocks, so that each cache line of the rows is read once for eight columns.
        for first in (0..columns).step_by(BLOCK) {
            let count = BLOCK.min(columns - first);
            let block = &mut self.block[..count * rows];
            for (y, row) in values.chunks_exact(columns).enumerate() {
                row[first..first + count]
                    .iter()
                    .enumerate()
                    .for_each(|(x, value)| block[x * rows + y] = *value);
            }
            self.along_columns.process_with_scratch(block, scratch);
            for (y, row) in values.chunks_exact_mut(columns).enumerate() {
                row[first..first + count]
                    .iter_mut()
                    .enumerate()
                    .for_each(|(x, to)| *to = block[x * rows + y]);
            }
        }
    }
}
