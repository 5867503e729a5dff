//! Runs of neighbouring channels, kept while hits come and go.

/// When a channel still belongs to the run of the channels below it.
///
/// The step to the next channel with hits is at most `gap`; and a step of more than one is taken only while the sum of such steps in the run
/// is below `tolerance`. Runs are made from the lowest channel on; a channel that does not belong to one begins the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    /// Largest step, 1 to 64.
    pub(super) gap: u32,
    /// Bound for the sum of steps of more than one.
    pub(super) tolerance: u32,
}

/// A run: its first and last channel, and its channels with hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChannelRun {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) channels: u32,
}

/// The channels with hits, cut into runs.
///
/// Channels are bits in pages of 64, so that a run without gaps is measured 64 channels at once. A hit on a new channel
/// measures again the run before it, and the runs behind it up to the first whose beginning has not changed. This is
/// rarely more than one.
#[derive(Debug, Default)]
pub(super) struct Runs {
    rule: Rule,
    /// Numbers of the pages (channel / 64) in order, and where they are.
    order: Vec<(u32, u32)>,
    pages: Vec<Page>,
    /// Pages kept without a channel in them are abandoned when there are as many pages.
    most_pages: usize,
    /// How many runs have how many channels.
    lengths: Vec<u32>,
    /// Channels with hits.
    channels: u32,
    /// The longest run, where it was asked for since the runs have changed.
    found: Option<ChannelRun>,
}

#[derive(Clone, Debug)]
struct Page {
    /// Channels with hits.
    present: u64,
    /// Channels that begin a run.
    starts: u64,
    /// Hits of each channel.
    hits: [u32; 64],
    /// Channels of the run that begins here.
    lengths: [u32; 64],
}

impl Page {
    const EMPTY: Page = Page { present: 0, starts: 0, hits: [0; 64], lengths: [0; 64] };
}

/// Empty pages are given up only beyond this number of pages: an anode plane has 40, so that real detectors keep
/// theirs.
const FEW_PAGES: usize = 1024;

impl Runs {
    /// Sets the rule; where it is another one, all runs are measured again.
    pub(super) fn set_rule(&mut self, rule: Rule) {
        if rule != self.rule {
            self.rule = rule;
            self.measure_all();
        }
    }

    /// A hit on `channel` comes.
    pub(super) fn add(&mut self, channel: u32) {
        let (page, bit) = (self.make_page(channel / 64), channel % 64);
        let page = &mut self.pages[page];
        page.hits[bit as usize] += 1;
        if page.hits[bit as usize] == 1 {
            page.present |= 1 << bit;
            self.channels += 1;
            self.measure_around(channel);
        }
    }

    /// A hit on `channel` goes; without one nothing changes.
    pub(super) fn remove(&mut self, channel: u32) {
        let Ok(place) = self.place(channel / 64) else { return };
        let bit = channel % 64;
        let page = self.page_mut(place);
        let Some(left) = page.hits[bit as usize].checked_sub(1) else { return };
        page.hits[bit as usize] = left;
        if left == 0 {
            page.present &= !(1 << bit);
            self.channels -= 1;
            self.forget_starts(channel, channel);
            self.measure_around(channel);
        }
    }

    /// All hits go.
    pub(super) fn clear(&mut self) {
        self.pages.iter_mut().filter(|page| page.present != 0).for_each(|page| *page = Page::EMPTY);
        self.lengths.clear();
        self.channels = 0;
        self.found = None;
    }

    /// Channels with hits.
    pub(super) fn channels(&self) -> u32 {
        self.channels
    }

    /// Channels of the longest run.
    pub(super) fn longest(&mut self) -> u32 {
        while self.lengths.last() == Some(&0) {
            self.lengths.pop();
        }
        (self.lengths.len() as u32).saturating_sub(1)
    }

    /// The longest run; of several the one of the lowest channels.
    pub(super) fn longest_run(&mut self) -> Option<ChannelRun> {
        if self.found.is_none() {
            let longest = self.longest();
            let found = self.of_at_least(longest).next();
            self.found = found;
        }
        self.found
    }

    /// All runs of at least `channels`, lowest channels first.
    pub(super) fn of_at_least(&self, channels: u32) -> impl Iterator<Item = ChannelRun> {
        self.order.iter().flat_map(move |(number, page)| {
            let page = &self.pages[*page as usize];
            let long = Bits(page.starts).filter(move |bit| page.lengths[*bit as usize] >= channels);
            long.map(move |bit| self.measure(64 * number + bit))
        })
    }

    fn measure_all(&mut self) {
        self.found = None;
        self.lengths.clear();
        self.pages.iter_mut().for_each(|page| page.starts = 0);
        let mut next = self.present_from(0);
        while let Some(first) = next {
            next = self.enter(first);
        }
    }

    /// Measures the runs again that a change of `channel` may have changed.
    fn measure_around(&mut self, channel: u32) {
        self.found = None;
        let mut next = self.start_before(channel).or_else(|| self.present_from(channel));
        while let Some(first) = next {
            next = self.enter(first).filter(|next| *next <= channel || !self.is_start(*next));
        }
    }

    /// Enters the run that begins at `first`; the channel with hits after it.
    fn enter(&mut self, first: u32) -> Option<u32> {
        let run = self.measure(first);
        self.forget_starts(first, run.last);
        let length = run.channels as usize;
        if self.lengths.len() <= length {
            self.lengths.resize(length + 1, 0);
        }
        self.lengths[length] += 1;
        if let Ok(place) = self.place(first / 64) {
            let page = self.page_mut(place);
            page.starts |= 1 << (first % 64);
            page.lengths[(first % 64) as usize] = run.channels;
        }
        run.last.checked_add(1).and_then(|after| self.present_from(after))
    }

    /// Forgets the runs that begin at `first` to `last`.
    fn forget_starts(&mut self, first: u32, last: u32) {
        let mut place = self.place_from(first / 64);
        while let Some((number, page)) = self.order.get(place).copied().filter(|(n, _)| *n <= last / 64) {
            let page = &mut self.pages[page as usize];
            let low = if number == first / 64 { first % 64 } else { 0 };
            let high = if number == last / 64 { last % 64 } else { 63 };
            let gone = page.starts & (u64::MAX << low) & (u64::MAX >> (63 - high));
            page.starts &= !gone;
            Bits(gone).for_each(|bit| self.lengths[page.lengths[bit as usize] as usize] -= 1);
            place += 1;
        }
    }

    /// Follows the run that begins at `first`.
    fn measure(&self, first: u32) -> ChannelRun {
        let mut run = ChannelRun { first, last: first, channels: 1 };
        let Ok(mut place) = self.place(first / 64) else { return run };
        let mut steps = 0;
        loop {
            let present = self.page(place).present;
            let bit = run.last % 64;
            // The channel itself counts as one of the neighbours.
            let others = (present >> bit).trailing_ones().saturating_sub(1);
            run.last += others;
            run.channels += others;
            let Some(next) = self.next_in_reach(&mut place, run.last) else { return run };
            let step = next - run.last;
            if step > 1 && steps >= self.rule.tolerance {
                return run;
            }
            steps += if step > 1 { step } else { 0 };
            run.last = next;
            run.channels += 1;
        }
    }

    /// The next channel with hits after `channel`, if the gap allows it. `place` is the place of the page of `channel`,
    /// and becomes the place of the next channel's page.
    fn next_in_reach(&self, place: &mut usize, channel: u32) -> Option<u32> {
        let rest = self.page(*place).present.checked_shr(channel % 64 + 1).unwrap_or(0);
        let next = if rest != 0 {
            channel + 1 + rest.trailing_zeros()
        } else {
            let (number, page) = *self.order.get(*place + 1)?;
            let present = self.pages[page as usize].present;
            if number != channel / 64 + 1 || present == 0 {
                return None;
            }
            *place += 1;
            64 * number + present.trailing_zeros()
        };
        (next - channel <= self.rule.gap).then_some(next)
    }

    /// The first channel with hits from `channel` on.
    fn present_from(&self, channel: u32) -> Option<u32> {
        let place = self.place_from(channel / 64);
        self.order.get(place..)?.iter().find_map(|(number, page)| {
            let low = if *number == channel / 64 { channel % 64 } else { 0 };
            let present = self.pages[*page as usize].present & (u64::MAX << low);
            (present != 0).then(|| 64 * number + present.trailing_zeros())
        })
    }

    /// The last start of a run up to `channel`, unless a whole page without a channel lies between: no gap is as wide.
    fn start_before(&self, channel: u32) -> Option<u32> {
        let place = self.place_from(channel / 64);
        let mut wanted = channel / 64;
        for (number, page) in self.order[..self.order.len().min(place + 1)].iter().rev() {
            if *number > wanted {
                continue;
            }
            let page = &self.pages[*page as usize];
            let is_own = *number == channel / 64;
            if *number != wanted || (page.present == 0 && !is_own) {
                return None;
            }
            let starts = page.starts & if is_own { u64::MAX >> (63 - channel % 64) } else { u64::MAX };
            if starts != 0 {
                return Some(64 * number + 63 - starts.leading_zeros());
            }
            wanted = wanted.checked_sub(1)?;
        }
        None
    }

    fn is_start(&self, channel: u32) -> bool {
        self.place(channel / 64).is_ok_and(|place| self.page(place).starts >> (channel % 64) & 1 == 1)
    }

    fn place(&self, number: u32) -> Result<usize, usize> {
        self.order.binary_search_by_key(&number, |(number, _)| *number)
    }

    /// Place of the first page from this number on.
    fn place_from(&self, number: u32) -> usize {
        self.place(number).unwrap_or_else(|place| place)
    }

    fn page(&self, place: usize) -> &Page {
        &self.pages[self.order[place].1 as usize]
    }

    fn page_mut(&mut self, place: usize) -> &mut Page {
        &mut self.pages[self.order[place].1 as usize]
    }

    /// Index of the page with this number, which is made if there is none.
    fn make_page(&mut self, number: u32) -> usize {
        let place = match self.place(number) {
            Ok(place) => return self.order[place].1 as usize,
            Err(_) if self.pages.len() >= self.most_pages.max(FEW_PAGES) => {
                self.give_up_empty_pages();
                self.place_from(number)
            }
            Err(place) => place,
        };
        self.order.insert(place, (number, self.pages.len() as u32));
        self.pages.push(Page::EMPTY);
        self.pages.len() - 1
    }

    fn give_up_empty_pages(&mut self) {
        self.order.retain(|(_, page)| self.pages[*page as usize].present != 0);
        let kept = self.order.iter().map(|(_, page)| self.pages[*page as usize].clone()).collect();
        self.pages = kept;
        self.order.iter_mut().zip(0..).for_each(|((_, page), index)| *page = index);
        // So that giving up is rare even when all pages are in use.
        self.most_pages = 2 * self.pages.len();
    }
}

/// The bits that are set, lowest first.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let bit = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit)
    }
}

/// The runs of `channels` by the words of [`Rule`], for comparison: sorts them, and walks up.
#[cfg(test)]
pub(super) fn runs_of(mut channels: Vec<u32>, rule: Rule) -> Vec<ChannelRun> {
    channels.sort_unstable();
    channels.dedup();
    let mut runs: Vec<ChannelRun> = Vec::new();
    let mut steps = 0;
    for channel in channels {
        if let Some(run) = runs.last_mut() {
            let step = channel - run.last;
            if step == 1 || (step <= rule.gap && steps < rule.tolerance) {
                steps += if step > 1 { step } else { 0 };
                (run.last, run.channels) = (channel, run.channels + 1);
                continue;
            }
        }
        steps = 0;
        runs.push(ChannelRun { first: channel, last: channel, channels: 1 });
    }
    runs
}

/// The longest of them; of several the one with the lowest channels.
#[cfg(test)]
pub(super) fn longest_of(channels: Vec<u32>, rule: Rule) -> Option<ChannelRun> {
    runs_of(channels, rule)
        .into_iter()
        .reduce(|longest, run| if run.channels > longest.channels { run } else { longest })
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    const RULE: Rule = Rule { gap: 5, tolerance: 3 };

    #[test]
    fn steps_by_hand() {
        let runs = |channels: &[u32]| -> Vec<(u32, u32, u32)> {
            let runs = runs_of(channels.to_vec(), RULE);
            runs.iter().map(|run| (run.first, run.last, run.channels)).collect()
        };
        assert_eq!(runs(&[1, 2, 3]), [(1, 3, 3)]);
        assert_eq!(runs(&[1, 6, 12]), [(1, 6, 2), (12, 12, 1)]);
        // A step of 2 leaves room for one more, a step of 5 leaves none.
        assert_eq!(runs(&[1, 3, 8, 9, 11]), [(1, 9, 4), (11, 11, 1)]);
    }

    fn check(runs: &mut Runs, held: &VecDeque<u32>, rule: Rule) {
        let expected = runs_of(held.iter().copied().collect(), rule);
        assert_eq!(runs.of_at_least(0).collect::<Vec<_>>(), expected);
        assert_eq!(runs.channels(), expected.iter().map(|run| run.channels).sum::<u32>());
        let longest = longest_of(held.iter().copied().collect(), rule);
        assert_eq!((runs.longest(), runs.longest_run()), (longest.map_or(0, |run| run.channels), longest));
    }

    proptest! {
        #[test]
        fn runs_are_those_of_the_sorted_channels(
            channels in prop::collection::vec(
                prop_oneof![0u32..40, 0u32..400, 4_294_967_200..=u32::MAX], 1..200),
            depth in 1usize..60,
            gap in 1u32..=64,
            tolerance in 0u32..80,
        ) {
            let rule = Rule { gap, tolerance };
            let (mut runs, mut held) = (Runs::default(), VecDeque::new());
            runs.set_rule(rule);
            for channel in channels {
                runs.add(channel);
                held.push_back(channel);
                if held.len() > depth {
                    runs.remove(held.pop_front().unwrap());
                }
                check(&mut runs, &held, rule);
            }
            runs.set_rule(RULE);
            check(&mut runs, &held, RULE);
            runs.clear();
            check(&mut runs, &VecDeque::new(), RULE);
        }
    }

    #[test]
    fn pages_stay_few_whatever_channels_come() {
        let mut runs = Runs::default();
        runs.set_rule(RULE);
        for i in 0..200_000u32 {
            let channel = |i: u32| i.wrapping_mul(2_654_435_761);
            runs.add(channel(i));
            if i >= 3000 {
                runs.remove(channel(i - 3000));
            }
        }
        assert!(runs.pages.len() <= 2 * 3001, "{}", runs.pages.len());
        assert_eq!(runs.channels(), 3000);
    }
}
