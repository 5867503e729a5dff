//! The capture of a node: its frames, and the losses since it began.

use livetime_engine::{Report, Value};

use super::refused::ShortCapture;

/// The capture that a node is in, or was in last.
#[derive(Default)]
pub(super) struct Capture {
    /// Frames of it, as the node said last; `None` outside of a capture.
    captured: Option<i64>,
    /// The losses on the way to the node up to the begin of the capture.
    lost_before: Vec<Lost>,
    /// The frames that the nodes on the way had handled when they were seen idle.
    pub(super) seen: Option<u64>,
    /// The missing frames for which the capture was ended.
    pub(super) missing: Option<ShortCapture>,
}

/// A place on the way of frames, and the frames that were lost there unintentionally.
pub(super) type Lost = (String, u64);

impl Capture {
    /// The outcome of the capture.
    ///
    /// # Errors
    /// The missing frames.
    pub(super) fn result(&self) -> Result<(), ShortCapture> {
        self.missing.clone().map_or(Ok(()), Err)
    }

    /// Enters what the node says now. A count that fell belongs to a capture that began between two looks.
    pub(super) fn follow(&mut self, captured: Option<i64>, lost: impl FnOnce() -> Vec<Lost>) {
        let is_new = captured.is_some_and(|now| self.captured.is_none_or(|before| now < before));
        if is_new {
            *self = Capture { lost_before: lost(), ..Capture::default() };
        }
        self.captured = captured;
    }

    /// Places with the frames that were lost there since the capture began.
    pub(super) fn lost_since(&self, now: Vec<Lost>) -> Vec<Lost> {
        let before =
            |place: &str| self.lost_before.iter().find(|(known, _)| known == place).map_or(0, |(_, n)| *n);
        let since = now.into_iter().map(|(place, count)| {
            let count = count.saturating_sub(before(&place));
            (place, count)
        });
        since.filter(|(_, count)| *count > 0).collect()
    }
}

/// A whole number, if the value is one.
pub(super) fn whole(value: &Value) -> Option<i64> {
    if let Value::Int(value) = value { Some(*value) } else { None }
}

/// The unintended losses in the nodes `ahead` of node `number`, in the node itself, and on the edges between them.
pub(super) fn lost_on_the_way(report: &Report, ahead: &[usize], number: usize) -> Vec<Lost> {
    let is_on_the_way = |node: usize| node == number || ahead.contains(&node);
    let edges = report.edges.iter().filter(|edge| edge.nodes.1.is_some_and(is_on_the_way));
    let edges = edges.map(|edge| (format!("{} -> {}", edge.from, edge.to), edge.unintended()));
    let nodes = report.nodes.iter().enumerate().filter(|(node, _)| is_on_the_way(*node));
    let nodes = nodes.map(|(_, node)| (node.name.clone(), node.lost_inside()));
    edges.chain(nodes).filter(|(_, count)| *count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(places: &[(&str, u64)]) -> Vec<Lost> {
        places.iter().map(|(place, count)| ((*place).to_owned(), *count)).collect()
    }

    #[test]
    fn losses_count_from_the_beginning_of_a_capture() {
        let mut capture = Capture::default();
        capture.follow(None, || panic!("nothing begins"));
        capture.follow(Some(0), || lost(&[("a", 3)]));
        capture.follow(Some(7), || panic!("it goes on"));
        assert_eq!(capture.lost_since(lost(&[("a", 3), ("b", 2)])), lost(&[("b", 2)]));
        let missing = ShortCapture { wanted: 9, found: 7, lost: lost(&[("b", 2)]) };
        assert_eq!(missing.to_string(), "wanted 9 frames, found 7: 2 lost at b");
        capture.missing = Some(missing.clone());
        assert_eq!(capture.result(), Err(missing));
        // Another one began between two looks.
        capture.follow(Some(1), || lost(&[("a", 3), ("b", 2)]));
        assert_eq!(capture.lost_since(lost(&[("a", 4), ("b", 2)])), lost(&[("a", 1)]));
        assert_eq!(capture.result(), Ok(()));
    }
}
