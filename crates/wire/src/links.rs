//! Which links?

use livetime_engine::NodeError;

/// A set of links, as texts like `0-4,7` say it; an empty text is all.
///
/// ```
/// use livetime_wire::LinkSet;
/// let links = LinkSet::parse("0-4, 7")?;
/// assert!(links.contains(3) && links.contains(7) && !links.contains(5));
/// assert!(LinkSet::parse("")?.contains(65535));
/// assert!(LinkSet::parse("4-x").is_err());
/// # Ok::<(), livetime_engine::NodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkSet(Vec<(u16, u16)>);

impl LinkSet {
    /// Reads a text.
    ///
    /// # Errors
    /// [`NodeError`] naming the part that is neither a number nor two with `-` between.
    pub fn parse(text: &str) -> Result<LinkSet, NodeError> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let ranges = parts.map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            match (first.trim().parse(), last.trim().parse()) {
                (Ok(first), Ok(last)) if first <= last => Ok((first, last)),
                _ => {
                    Err(NodeError::new(format_args!("wanted numbers of links like `0-4,7`, found `{part}`")))
                }
            }
        });
        Ok(LinkSet(ranges.collect::<Result<_, _>>()?))
    }

    /// The numbers, one by one; none when the set is all.
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// Whether `link` is one of them.
    pub fn contains(&self, link: u16) -> bool {
        self.0.is_empty() || self.0.iter().any(|(first, last)| (*first..=*last).contains(&link))
    }
}
