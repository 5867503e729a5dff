//! The picture of an event before it is a frame.

use std::sync::Arc;

use livetime_frame::{AttributeValue, ColorMode, DType, Flags, FrameMut, Layout};

/// A detector's picture in the pieces in which it was recorded.
pub(crate) struct Picture<'a> {
    pub(crate) layout: Layout,
    /// Together the elements in order.
    pub(crate) parts: &'a [&'a [u8]],
    pub(crate) event_time_ns: u64,
    pub(crate) flags: Flags,
    pub(crate) attributes: &'a [(Arc<str>, AttributeValue)],
}

impl Picture<'_> {
    /// Writes the picture into a frame of its layout.
    pub(super) fn fill(&self, frame: &mut FrameMut) {
        let mut rest = frame.bytes_mut();
        for part in self.parts {
            let (place, behind) = rest.split_at_mut(part.len().min(rest.len()));
            place.copy_from_slice(&part[..place.len()]);
            rest = behind;
        }
        let header = frame.header_mut();
        header.event_time_ns = i64::try_from(self.event_time_ns).unwrap_or(i64::MAX);
        header.flags = self.flags;
        self.attributes.iter().for_each(|(name, value)| header.attributes.set(name, value.clone()));
    }
}

/// How pieces of these shapes lie as one array: one alone as it is, those of one shape with an axis before their own, others behind each
/// other along their first axis.
///
/// # Errors
/// Text, if they do not fit together.
pub(crate) fn stack(dtype: DType, color: ColorMode, shapes: &[&[usize]]) -> Result<Layout, String> {
    let refuse = || format!("wanted pieces of a detector that fit together, found the shapes {shapes:?}");
    let first = *shapes.first().ok_or_else(refuse)?;
    let mut shape = Vec::with_capacity(first.len() + 1);
    if shapes.iter().all(|s| *s == first) {
        shape.extend((shapes.len() > 1).then_some(shapes.len()));
        shape.extend_from_slice(first);
    } else if shapes.iter().all(|s| !s.is_empty() && s[1..] == first[1..]) {
        shape.extend_from_slice(first);
        shape[0] = shapes.iter().map(|s| s[0]).sum();
    } else {
        return Err(refuse());
    }
    if shape.is_empty() {
        shape.push(1);
    }
    let color = if shapes.len() > 1 { ColorMode::Mono } else { color };
    Layout::packed(dtype, color, &shape).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_put_together() {
        let stack = |shapes: &[&[usize]]| stack(DType::U16, ColorMode::Mono, shapes).map(|l| l.to_string());
        assert_eq!(stack(&[&[3, 4]]).unwrap(), "3x4 u16 mono");
        assert_eq!(stack(&[&[3, 4], &[3, 4]]).unwrap(), "2x3x4 u16 mono");
        assert_eq!(stack(&[&[8, 3, 4], &[7, 3, 4]]).unwrap(), "15x3x4 u16 mono");
        assert_eq!(stack(&[&[]]).unwrap(), "1 u16 mono");
        assert!(stack(&[&[3, 4], &[4, 3]]).unwrap_err().contains("[[3, 4], [4, 3]]"));
        assert!(stack(&[&[3, 4], &[]]).is_err() && stack(&[]).is_err());
    }
}
