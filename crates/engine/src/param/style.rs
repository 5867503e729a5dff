//! How PVs show a parameter.

/// How PVs show a parameter, where that differs from the usual: a parameter is `X`, which can be written, and `X_RBV`; a
/// readback is `X_RBV`; false and true are `No` and `Yes`. `#[param(form = Plain, words = ["Done", "Read"])]` declares it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PvStyle {
    /// Under which names it is served.
    pub form: PvForm,
    /// The words for false and true; `None`: `No` and `Yes`.
    pub words: Option<&'static [&'static str; 2]>,
    /// The words for false and true in a PV that shows the parameter and cannot be written; `None`: as `words`.
    pub shown: Option<&'static [&'static str; 2]>,
    /// The drvInfo of areaDetector's parameter, where it does not follow from the suffix of the PV.
    pub drv_info: Option<&'static str>,
    /// Whether it may follow a PV, whose name is written to `XLink.DOL`.
    pub link: bool,
    /// The suffix of the PV that can be written, where it differs from the readback's.
    pub setpoint: Option<&'static str>,
}

/// Under which names a parameter is served.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PvForm {
    /// `X`, which can be written, and `X_RBV`; of a readback `X_RBV`.
    #[default]
    Usual,
    /// A readback as `X`.
    Plain,
    /// A readback as `X` and `X_RBV`, as areaDetector has it where the value can be chosen.
    Fixed,
    /// A parameter as `X` alone.
    Setpoint,
    /// A result: a readback that can be written, too, and shows that until the next frame has its own.
    Result,
}

impl PvStyle {
    /// As most parameters are shown.
    pub const USUAL: PvStyle = PvStyle {
        form: PvForm::Usual,
        words: None,
        shown: None,
        drv_info: None,
        link: false,
        setpoint: None,
    };

    /// The words for false and true in a PV that can be written, or that only shows the parameter.
    pub fn words(&self, is_writable: bool) -> &'static [&'static str; 2] {
        let shown = self.shown.filter(|_| !is_writable);
        shown.or(self.words).unwrap_or(&["No", "Yes"])
    }
}
