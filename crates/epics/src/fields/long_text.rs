//! Texts that areaDetector has in waveforms of characters, because they may be longer than a string of EPICS.

/// Names after the last colon and without `_RBV`, each with the characters of its waveform in the templates of ADCore R3-14. Of texts
/// that may hold XML itself, the number is the one that ADCore gives to the largest of them.
const LONG: &[(&str, usize)] = &[
    ("AttrName", 256),
    ("CodecError", 256),
    ("DisplayText", 256),
    ("FileName", 256),
    ("FilePath", 256),
    ("FileTemplate", 256),
    ("Filename", 2048),
    ("FullFileName", 512),
    ("NDAttributesFile", 2048),
    ("NDAttributesMacros", 256),
    ("PluginsJSON", 256),
    ("PvName", 256),
    ("StatusMessage", 256),
    ("StringFromServer", 256),
    ("StringToServer", 256),
    ("TemplateFileName", 256),
    ("TemplateFilePath", 256),
    ("TriggerCalc", 256),
    ("WriteMessage", 256),
    ("XMLErrorMsg", 256),
    ("XMLFileName", 2048),
];

/// How many characters the text of this PV has over Channel Access; `None` for a text that is a string there.
pub(crate) fn characters(name: &str) -> Option<usize> {
    let leaf = name.rsplit(':').next().unwrap_or(name);
    let leaf = leaf.strip_suffix("_RBV").unwrap_or(leaf);
    LONG.iter().find(|(long, _)| *long == leaf).map(|(_, characters)| *characters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_long_and_names_of_ports_are_not() {
        assert_eq!(characters("13SIM1:TIFF1:FilePath"), Some(256));
        assert_eq!(characters("13SIM1:TIFF1:FullFileName_RBV"), Some(512));
        assert_eq!(characters("13SIM1:Over1:1:DisplayText"), Some(256));
        assert_eq!(characters("13SIM1:cam1:PortName_RBV"), None);
    }
}
