//! Arrays of more than two axes as one picture: their panels beside each other.

use livetime_frame::{Allocator, ColorMode, Frame, FrameMut, Layout, PoolExhausted};

use super::array_error::ArrayError;

/// How many panels lie beside each other, so that the whole is about as wide as high.
pub(crate) fn columns(panels: usize, width: usize, height: usize) -> usize {
    let wanted = (panels as f64 * height.max(1) as f64 / width.max(1) as f64).sqrt().round() as usize;
    wanted.clamp(1, panels.max(1))
}

/// Memory for an array. Runs have pictures of many sizes: memory of another size is released before there is
/// none.
///
/// # Errors
/// When there is no memory all the same.
pub(crate) fn memory(allocator: &mut Allocator, layout: &Layout) -> Result<FrameMut, PoolExhausted> {
    if let Ok(frame) = allocator.array(*layout) {
        return Ok(frame);
    }
    allocator.release_free();
    allocator.array(*layout)
}

/// A picture of the frame, in which the last two axes of a packed array without colours are a panel, and all others
/// count panels. The panels lie in rows; the places behind the last one are 0. Other frames come back as they are.
///
/// # Errors
/// When there is no memory for it.
pub(crate) fn mosaic(frame: Frame, allocator: &mut Allocator) -> Result<Frame, ArrayError> {
    let Ok(array) = frame.array() else { return Ok(frame) };
    let layout = array.layout();
    let shape: Vec<usize> = layout.shape().collect();
    let [before @ .., height, width] = &shape[..] else { return Ok(frame) };
    let is_plain = layout.color() == ColorMode::Mono && layout.is_packed() && layout.codec().is_none();
    if before.is_empty() || !is_plain || layout.is_empty() {
        return Ok(frame);
    }
    let (panels, row) = (before.iter().product::<usize>(), width * layout.dtype().bytes());
    let across = columns(panels, *width, *height);
    let size = [panels.div_ceil(across) * height, across * width];
    let whole = Layout::packed(layout.dtype(), ColorMode::Mono, &size)?;
    let mut picture = memory(allocator, &whole)?;
    let header = frame.header();
    let to = picture.header_mut();
    (to.sequence, to.event_time_ns, to.flags) = (header.sequence, header.event_time_ns, header.flags);
    let (from, to) = (array.bytes(), picture.bytes_mut());
    to.fill(0);
    for (number, panel) in from.chunks_exact(row * height).enumerate() {
        let (y, x) = (number / across * height, number % across * width);
        for (line, bytes) in panel.chunks_exact(row).enumerate() {
            let start = ((y + line) * size[1] + x) * layout.dtype().bytes();
            to[start..start + row].copy_from_slice(bytes);
        }
    }
    Ok(picture.freeze())
}

#[cfg(test)]
mod tests {
    use livetime_frame::{DType, FramePool};

    use super::*;

    #[test]
    fn panels_lie_beside_each_other() {
        let mut allocator = FramePool::new(1 << 20).allocator();
        let layout = Layout::packed(DType::U16, ColorMode::Mono, &[3, 2, 2]).unwrap();
        let mut frame = allocator.array(layout).unwrap();
        frame.header_mut().sequence = 7;
        for (value, element) in frame.elements_mut::<u16>().unwrap().iter_mut().enumerate() {
            *element = value as u16;
        }
        let picture = mosaic(frame.freeze(), &mut allocator).unwrap();
        assert_eq!(picture.header().sequence, 7);
        let array = picture.array().unwrap();
        assert_eq!(array.layout().shape().collect::<Vec<_>>(), [4, 4]);
        assert_eq!(array.elements::<u16>().unwrap(), [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 0, 0, 10, 11, 0, 0]);
    }

    #[test]
    fn pictures_stay_as_they_are() {
        let mut allocator = FramePool::new(1 << 20).allocator();
        for shape in [&[5][..], &[2, 3]] {
            let layout = Layout::packed(DType::U8, ColorMode::Mono, shape).unwrap();
            let frame = allocator.array(layout).unwrap().freeze();
            assert_eq!(mosaic(frame, &mut allocator).unwrap().array().unwrap().layout(), &layout);
        }
        assert_eq!(
            [columns(32, 388, 185), columns(1, 10, 10), columns(4, 1, 1000), columns(0, 0, 0)],
            [4, 1, 4, 1]
        );
    }
}
