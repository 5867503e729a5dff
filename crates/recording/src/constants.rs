//! Constants of the pixels of a detector in files: pedestals, gains, masks.

use std::path::Path;

use livetime_formats::npy::Npy;
use livetime_formats::{Error, Result};
use twox_hash::XxHash3_64;

/// Limit of a file of constants, far above real ones: a value in text for each pixel of a quarter of a gigapixel. The
/// limit keeps a wrong file name from filling the memory.
const MOST_BYTES: u64 = 1 << 32;

/// A value for each pixel, from a file.
///
/// Two kinds of files are read: arrays of NumPy (`.npy`), and psana's text files, which are numbers with white space
/// between them and lines that begin with `#`. The array must have the shape that these lines state (`# DIM:1 32`).
///
/// ```
/// use livetime_recording::Constants;
///
/// let constants = Constants::parse(b"# DTYPE float\n# NDIM 2\n# DIM:1 2\n# DIM:2 2\n1 2.5\n3 -4e2\n")?;
/// assert_eq!((constants.shape, constants.values), (vec![2, 2], vec![1.0, 2.5, 3.0, -400.0]));
/// # Ok::<(), livetime_recording::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Constants {
    /// Sizes, the slowest axis first; of a text without them, the number of lines and of values in each, or of values.
    pub shape: Vec<usize>,
    /// The values, row after row.
    pub values: Vec<f32>,
    /// Of the whole file.
    pub hash: u64,
}

impl Constants {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is none of these, or the system refuses.
    pub fn read(path: &Path) -> Result<Constants> {
        let refused = |e| Error::io("to read constants", e).in_file(path);
        let size = std::fs::metadata(path).map_err(refused)?.len();
        if size > MOST_BYTES {
            let wanted = format!("a file of constants of at most {MOST_BYTES} bytes");
            return Err(Error::new(wanted, size.to_string()).in_file(path));
        }
        Constants::parse(&std::fs::read(path).map_err(refused)?).map_err(|e| e.in_file(path))
    }

    /// Takes them from the bytes of a file.
    ///
    /// # Errors
    /// If it is none of these.
    pub fn parse(bytes: &[u8]) -> Result<Constants> {
        let hash = XxHash3_64::oneshot(bytes);
        if bytes.starts_with(b"\x93NUMPY") {
            let Npy { shape, values } = Npy::parse(bytes)?;
            return Ok(Constants { shape, values: values.into_iter().map(|v| v as f32).collect(), hash });
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Error::new("an array of NumPy (.npy) or a text of numbers", "neither"))?;
        let (shape, values) = numbers(text)?;
        Ok(Constants { shape, values, hash })
    }

    /// Checks that these are constants of `stages` gain stages: the first axis is theirs, and all values are finite.
    ///
    /// # Errors
    /// If they are not, with the place of the first value that is not finite.
    pub fn check_stages(&self, stages: usize) -> Result<()> {
        if self.shape.len() < 2 || self.shape[0] != stages {
            let wanted =
                format!("a first axis of {stages} gain stages, and others of the detector behind it");
            return Err(Error::new(wanted, format!("the shape {:?}", self.shape)));
        }
        match self.values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(at) => {
                let pixels = self.values.len() / stages;
                let found = format!("{} at pixel {} of stage {}", self.values[at], at % pixels, at / pixels);
                Err(Error::new("finite numbers for each gain stage", found))
            }
        }
    }
}

/// The shape and the numbers of a text.
fn numbers(text: &str) -> Result<(Vec<usize>, Vec<f32>)> {
    let (mut values, mut widths, mut shape) = (Vec::new(), Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        if let Some(comment) = line.trim_start().strip_prefix('#') {
            shape.extend(axis(comment));
            continue;
        }
        let before = values.len();
        for word in line.split_whitespace() {
            let value = word.parse::<f32>().map_err(|_| {
                let found: String = word.chars().take(30).collect();
                Error::new(format!("a number in line {}", number + 1), format!("`{found}`"))
            })?;
            values.push(value);
        }
        // An empty line is no row.
        widths.extend(Some(values.len() - before).filter(|width| *width > 0));
    }
    if values.is_empty() {
        return Err(Error::new("numbers", "none"));
    }
    // Without axes in comments, lines of one width are rows.
    if shape.is_empty() {
        let first = widths[0];
        let is_table = widths.len() > 1 && widths.iter().all(|width| *width == first);
        shape = if is_table { vec![widths.len(), first] } else { vec![values.len()] };
    }
    // The axes are claims of the file.
    let wanted = shape.iter().try_fold(1usize, |product, n| product.checked_mul(*n));
    if wanted != Some(values.len()) {
        return Err(Error::new(
            format!("as many numbers as the axes {shape:?} have"),
            values.len().to_string(),
        ));
    }
    Ok((shape, values))
}

/// `DIM:2  185`: the length of an axis.
fn axis(comment: &str) -> Option<usize> {
    let mut words = comment.trim().strip_prefix("DIM:")?.split_whitespace();
    words.next()?.parse::<u32>().ok()?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_psana_and_of_numpy_are_read() {
        let read = |text: &str| {
            Constants::parse(text.as_bytes()).map(|c| (c.shape, c.values)).map_err(|e| e.to_string())
        };
        assert_eq!(read("1 2\n3 4\n\n5 6\n"), Ok((vec![3, 2], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])));
        assert_eq!(read("1e0\n-2\n"), Ok((vec![2, 1], vec![1.0, -2.0])));
        assert_eq!(read("1 2\n3\n"), Ok((vec![3], vec![1.0, 2.0, 3.0])));
        let text = "# TITLE      File to load ndarray\n# NDIM       3\n# DIM:1      1\n# DIM:2  2\n# DIM:3 2\n1 2 3 4\n";
        assert_eq!(read(text), Ok((vec![1, 2, 2], vec![1.0, 2.0, 3.0, 4.0])));
    }

    #[test]
    fn stages_are_the_first_axis_and_finite() {
        let of = |text: &str| Constants::parse(text.as_bytes()).unwrap();
        let check = |text: &str, stages| of(text).check_stages(stages).map_err(|e| e.to_string());
        assert_eq!(check("1 2\n3 4\n5 6\n", 3), Ok(()));
        for (text, wanted) in [
            (
                "1 2\n3 4\n",
                "a first axis of 3 gain stages, and others of the detector behind it, found the shape [2, 2]",
            ),
            ("1 2 3", "found the shape [3]"),
            (
                "1 2\n3 4\n5 nan\n",
                "wanted finite numbers for each gain stage, found NaN at pixel 1 of stage 2",
            ),
            ("1 2\ninf 4\n5 6\n", "found inf at pixel 0 of stage 1"),
        ] {
            let error = check(text, 3).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        for (bytes, wanted) in [
            (&b""[..], "wanted numbers, found none"),
            (b"# DIM:1 3\n1 2\n", "wanted as many numbers as the axes [3] have, found 2"),
            (b"1 2\n3 x\n", "wanted a number in line 2, found `x`"),
            (b"\xff\xfe", "found neither"),
            (b"\x93NUMPY", ""),
            (b"# DIM:1 99999999999\n# DIM:2 99999999999\n1", "wanted as many numbers"),
        ] {
            let error = Constants::parse(bytes).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
