//! Circles of files that stay.
//!
//! The list may only shrink: a circle that is not here is a problem, and so is an entry that is larger than its circle.
//! An entry says why a cut would make the code worse to read, or what ties a circle that is not untied yet.

/// Files that import each other.
pub(super) struct Known {
    /// In the order of their names.
    pub(super) files: &'static [&'static str],
    /// What ties them.
    pub(super) reason: &'static str,
}

pub(super) const CIRCLES: &[Known] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_circle_has_its_files_in_order_and_a_reason() {
        for Known { files, reason } in CIRCLES {
            assert!(files.is_sorted() && files.len() > 1, "{files:?}");
            assert!(reason.ends_with('.') && reason.len() > 20, "{files:?}: {reason}");
        }
    }
}
