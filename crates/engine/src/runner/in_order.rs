//! The frames of several inputs in the order of the data; see `order.rs`.

use super::{Runner, Taken};

impl Runner {
    /// Whether it must choose the input whose frame comes first.
    pub(super) fn merges(&self) -> bool {
        self.ctx.order.is_on && self.inputs.len() > 1
    }

    /// The input whose oldest frame is the next one; `None` while an input has none and may still bring an earlier one.
    pub(super) fn next_in_order(&self) -> Option<usize> {
        self.choose().map(|(lane, _)| lane)
    }

    /// The same, and whether an earlier frame may still come to another input.
    ///
    /// A sender fills the queue with frames of one place if it sends more of them for one frame than the queue holds.
    /// It promises nothing before there is room, and neither can the nodes before it that wait for it. The other inputs
    /// may depend on these very nodes, so that waiting for an input could be waiting for ever: such a frame is taken at
    /// once, and an event asks the user to make the queue longer.
    fn choose(&self) -> Option<(usize, bool)> {
        let mut first: Option<(u64, usize)> = None;
        let mut to_come = (u64::MAX, usize::MAX);
        for (lane, input) in self.inputs.iter().enumerate() {
            match input.edge.front() {
                Ok(place) => first = Some(first.map_or((place, lane), |first| first.min((place, lane)))),
                Err(promised) => to_come = to_come.min((promised.saturating_add(1), lane)),
            }
        }
        let first = first?;
        // Equal places are ordered by the number of the input, also for frames that are still to come.
        let is_early = first > to_come;
        (!is_early || self.inputs[first.1].edge.is_jammed()).then_some((first.1, is_early))
    }

    #[inline(never)]
    pub(super) fn handle_in_order(&mut self, burst: usize) -> usize {
        self.handle_burst(burst, Runner::take_in_order)
    }

    /// The next frame, whose place the node has come to.
    fn take_in_order(&mut self) -> Option<(usize, Taken)> {
        let (lane, is_early) = if self.inputs.len() > 1 { self.choose()? } else { (0, false) };
        if is_early {
            self.tell_early(lane);
        }
        let input = self.inputs.get_mut(lane)?;
        let (taken, place) = input.edge.take_with_place(&mut input.known_tail)?;
        self.come_to(place);
        Some((lane, taken))
    }

    #[cold]
    fn tell_early(&self, lane: usize) {
        let capacity = self.inputs[lane].edge.capacity();
        self.ctx.tell(format!(
            "wanted frames in the order of the data, found a queue of {capacity} full of frames that were made of one: \
             it is emptied at once, and the order may differ from run to run; make it longer than a node sends at once"
        ));
    }

    /// The last place that the node has promised to be past.
    fn frontier(&self) -> u64 {
        let place = self.ctx.order.place;
        if self.is_source() {
            return place;
        }
        if let (Some(reorder), Some(input)) = (&self.reorder, self.inputs.first()) {
            // Other copies of the pool take frames too and may have some in hand: the places in hand are known only
            // when there are none.
            return match input.edge.front() {
                Err(promised) if reorder.done() == input.edge.taken() => {
                    self.before(promised.saturating_add(1))
                }
                _ => 0,
            };
        }
        let fronts = self.inputs.iter().map(|input| match input.edge.front() {
            Ok(place) => place,
            Err(promised) => promised.saturating_add(1),
        });
        self.before(fronts.min().unwrap_or(0))
    }

    /// The place before `front`; once all inputs are closed and empty, the place before the node's last work.
    fn before(&self, front: u64) -> u64 {
        if front == u64::MAX { self.end_place() } else { front }.saturating_sub(1)
    }

    /// The place of the work that the node does after its last frame.
    pub(super) fn end_place(&self) -> u64 {
        let inputs = self.inputs.iter().filter(|input| input.edge.is_closed());
        inputs.map(|input| input.edge.end_place()).fold(self.ctx.order.place, u64::max)
    }

    /// Whether it has a promise to make.
    pub(super) fn may_promise(&self) -> bool {
        self.ctx.order.is_joined && self.frontier() > self.ctx.order.promised
    }

    /// Promises the nodes behind that no frame of a place before this node's own will come. Returns whether that is news.
    #[inline(always)]
    pub(super) fn make_promise(&mut self) -> bool {
        self.ctx.order.is_joined && self.promise_frontier()
    }

    #[cold]
    fn promise_frontier(&mut self) -> bool {
        let frontier = self.frontier();
        let is_news = frontier > self.ctx.order.promised;
        if let (true, Some(reorder)) = (is_news, self.reorder.clone()) {
            self.ctx.order.promised = frontier;
            reorder.with_outputs(|outputs| outputs.iter_mut().for_each(|output| output.promise(frontier)));
        }
        self.ctx.promise(frontier);
        is_news
    }

    /// The frame at `place` is next: timers that are due before it by the time of the data run now.
    pub(super) fn come_to(&mut self, place: u64) {
        if !self.ctx.order.is_on {
            return;
        }
        let mut order = self.ctx.order;
        let (from_ns, until_ns) = (order.time_ns, order.time_at(place));
        order.go_to(place);
        self.ctx.order = order;
        while let Some(at_ns) = self.ctx.order.take_due(until_ns) {
            self.ctx.order.time_ns = at_ns.clamp(from_ns, until_ns);
            if let Err(failure) = self.call(|node, ctx| node.timer(ctx)) {
                self.deal_with(failure, None);
            }
            // A timer that is set for a time that has passed already would come for ever.
            let earliest = at_ns.saturating_add(1);
            self.ctx.order.timer = self.ctx.order.timer.map(|next_ns| next_ns.max(earliest));
        }
        self.ctx.order.time_ns = until_ns;
    }
}
