//! The corrections of a frame before it is filtered.

/// The corrections of a frame before it is filtered, in the order of the fields.
///
/// Every step is optional; `Corrections::default()` does nothing. Images among them are packed,
/// one value for each input pixel, row after row.
#[derive(Clone, Copy, Debug)]
pub struct Corrections<'a, S> {
    /// Subtracted from the input.
    pub background: Option<&'a [S]>,
    /// Evens out the response of the pixels.
    pub flat_field: Option<FlatField<'a, S>>,
    /// Shifts and scales.
    pub offset_scale: Option<OffsetScale<S>>,
    /// Replaces values above `threshold`.
    pub high_clip: Option<Clip<S>>,
    /// Replaces values below `threshold`.
    pub low_clip: Option<Clip<S>>,
}

impl<S> Default for Corrections<'_, S> {
    fn default() -> Self {
        Corrections {
            background: None,
            flat_field: None,
            offset_scale: None,
            high_clip: None,
            low_clip: None,
        }
    }
}

/// `v * scale / flat`; pixels where `flat` is 0 stay as they are.
#[derive(Clone, Copy, Debug)]
pub struct FlatField<'a, S> {
    /// The image of an even illumination, packed.
    pub flat: &'a [S],
    /// The result for a pixel as bright as its flat field.
    pub scale: S,
}

/// `(v + offset) * scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffsetScale<S> {
    /// Added first.
    pub offset: S,
    /// Multiplied last.
    pub scale: S,
}

/// Values beyond `threshold` become `value`; NaN stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip<S> {
    /// The last value that is left alone.
    pub threshold: S,
    /// The value that replaces values beyond it.
    pub value: S,
}

impl<S> Corrections<'_, S> {
    /// Whether there is anything to do.
    pub(super) fn any(&self) -> bool {
        self.background.is_some()
            || self.flat_field.is_some()
            || self.offset_scale.is_some()
            || self.high_clip.is_some()
            || self.low_clip.is_some()
    }
}
