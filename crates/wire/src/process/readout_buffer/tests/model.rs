//! The node against a plain model that has the fate of every tick of every link.

use std::collections::BTreeMap;

use livetime_formats::trigger::MissingReason;
use livetime_frame::FramePool;
use proptest::prelude::*;

use super::feed::{Feed, missing_of, times_of};
use crate::TriggerRecord;

const STEP: u64 = 25;
const DEADLINE_NS: u64 = 1_000_000_000;
const DEAD_NS: u64 = 500_000_000;
/// Time of the first frames, and ticks that are followed.
const FIRST: u64 = 1000;
const TICKS: usize = 40_000;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Link, frames missing before it, frames, numbers of the source missing before it.
    Raw(u16, u64, usize, u64),
    /// Link, how many frames before its newest, frames: comes late, or again.
    Late(u16, u64, usize),
    /// Begin before (after) the newest time of any link, length.
    Ask(i64, u64),
    Advance(u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Tick {
    Held,
    Missing(MissingReason),
    NotYet,
}

struct Link {
    ticks: Vec<Tick>,
    /// Oldest first.
    batches: Vec<(u64, u64)>,
    gone_until: u64,
    reached: u64,
    seen_ns: u64,
    lost: u64,
    longest: u64,
}

impl Link {
    fn fill(&mut self, begin: u64, end: u64, tick: Tick) {
        self.ticks[begin as usize..end as usize].fill(tick);
    }

    fn held(&self) -> u64 {
        self.batches.iter().map(|(first, end)| end - first).sum()
    }

    fn let_go(&mut self, reason: MissingReason) {
        let (first, end) = self.batches.remove(0);
        self.fill(first, end, Tick::Missing(reason));
        self.gone_until = end;
    }
}

struct Request {
    number: u64,
    begin: u64,
    end: u64,
    deadline_ns: u64,
}

struct Model {
    links: BTreeMap<u16, Link>,
    waiting: Vec<Request>,
    now_ns: u64,
    lost: u64,
    hold: u64,
    bytes: usize,
    pinned: usize,
}

/// The expected answer: number, and for each link the times of frames and the missing ticks.
type Expected = (u64, BTreeMap<u16, (Vec<u64>, Vec<(u64, u64, MissingReason)>)>);

impl Model {
    fn cost(&self) -> usize {
        let all = self.links.values().flat_map(|link| &link.batches);
        all.map(|(first, end)| FramePool::cost_bytes(((end - first) / STEP) as usize * 464)).sum()
    }

    fn is_free(&self, link: &Link) -> bool {
        let pinned_from = self.waiting.iter().map(|request| request.begin).min();
        link.batches.first().is_some_and(|(_, end)| pinned_from.is_none_or(|from| *end <= from))
    }

    /// Whether the batch is taken.
    fn raw(&mut self, number: u16, first: u64, end: u64) -> bool {
        let lost = self.lost;
        let link = self.links.entry(number).or_insert_with(|| {
            let mut ticks = vec![Tick::NotYet; TICKS];
            ticks[..first as usize].fill(Tick::Missing(MissingReason::NeverReceived));
            Link { ticks, batches: Vec::new(), gone_until: 0, reached: first, seen_ns: 0, lost, longest: 1 }
        });
        if first >= link.reached {
            let (gap, longest) = (first - link.reached, link.longest);
            let fit = gap.div_ceil(longest);
            let is_dropped = lost > link.lost && lost - link.lost >= fit;
            let reason = if is_dropped { MissingReason::Dropped } else { MissingReason::NeverReceived };
            link.fill(link.reached, first, Tick::Missing(reason));
            link.reached = end;
            link.batches.push((first, end));
        } else {
            let is_free = (first..end).all(|t| matches!(link.ticks[t as usize], Tick::Missing(_)));
            if end > link.batches.last().map_or(0, |b| b.0) || first < link.gone_until || !is_free {
                return false;
            }
            link.batches.push((first, end));
            link.batches.sort();
        }
        link.fill(first, end, Tick::Held);
        (link.seen_ns, link.lost) = (self.now_ns, lost);
        link.longest = link.longest.max(end - first);
        while self.links[&number].held() > self.hold && self.is_free(&self.links[&number]) {
            self.link(number).let_go(MissingReason::TooOld);
        }
        self.shrink();
        true
    }

    fn link(&mut self, number: u16) -> &mut Link {
        self.links.get_mut(&number).unwrap()
    }

    fn longest(&self, only_free: bool) -> Option<u16> {
        let mut best: Option<(u64, u64, u16)> = None;
        for (number, link) in &self.links {
            let fits = if only_free { self.is_free(link) } else { !link.batches.is_empty() };
            let began = self.gone_until(link);
            if fits
                && best.is_none_or(|(held, before, _)| {
                    link.held() > held || link.held() == held && began <= before
                })
            {
                best = Some((link.held(), began, *number));
            }
        }
        best.map(|best| best.2)
    }

    /// Up to where nothing is held: for a link that has let go of nothing, where it began.
    fn gone_until(&self, link: &Link) -> u64 {
        let began =
            link.ticks.iter().position(|t| *t != Tick::Missing(MissingReason::NeverReceived)).unwrap();
        link.gone_until.max(began as u64)
    }

    fn shrink(&mut self) {
        while self.cost() > self.bytes {
            match self.longest(true) {
                Some(link) => self.link(link).let_go(MissingReason::TooOld),
                None if self.cost() <= self.bytes + self.pinned => return,
                None => {
                    let link = self.longest(false).unwrap();
                    self.link(link).let_go(MissingReason::Overrun);
                }
            }
        }
    }

    fn is_dead(&self, link: &Link) -> bool {
        self.now_ns - link.seen_ns > DEAD_NS
    }

    fn watermark(&self) -> u64 {
        if self.links.is_empty() {
            return 0;
        }
        self.links
            .values()
            .filter(|link| !self.is_dead(link))
            .map(|link| link.reached)
            .min()
            .unwrap_or(u64::MAX)
    }

    fn answer(&self, request: &Request) -> Expected {
        let mut expected = BTreeMap::new();
        for (number, link) in self.links.iter().filter(|_| request.begin < request.end) {
            let (mut times, mut missing) = (Vec::new(), Vec::<(u64, u64, MissingReason)>::new());
            for t in request.begin..request.end {
                let tail = if self.is_dead(link) { MissingReason::Dead } else { MissingReason::NotYet };
                let tick = link.ticks.get(t as usize).copied().unwrap_or(Tick::NotYet);
                let reason = match tick {
                    Tick::Held => {
                        let (first, _) =
                            link.batches.iter().find(|(first, end)| (*first..*end).contains(&t)).unwrap();
                        let frame = t - (t - first) % STEP;
                        if times.last() != Some(&frame) {
                            times.push(frame);
                        }
                        continue;
                    }
                    Tick::Missing(reason) => reason,
                    Tick::NotYet => tail,
                };
                match missing.last_mut() {
                    Some(last) if (last.1, last.2) == (t, reason) => last.1 = t + 1,
                    _ => missing.push((t, t + 1, reason)),
                }
            }
            expected.insert(*number, (times, missing));
        }
        (request.number, expected)
    }

    /// Answers requests whose windows have ended, the earliest end first.
    fn answer_ended(&mut self) -> Vec<Expected> {
        let watermark = self.watermark();
        let mut ended: Vec<Request> =
            self.waiting.extract_if(.., |request| request.end <= watermark).collect();
        ended.sort_by_key(|request| request.end);
        let answers = ended.iter().map(|request| self.answer(request)).collect();
        self.shrink();
        answers
    }

    fn answer_due(&mut self) -> Vec<Expected> {
        let now_ns = self.now_ns;
        let due: Vec<Request> =
            self.waiting.extract_if(.., |request| request.deadline_ns <= now_ns).collect();
        due.iter().map(|request| self.answer(request)).collect()
    }
}

fn seen(record: &TriggerRecord) -> Expected {
    let of = |f: &crate::Fragment| (f.link, (times_of(record, f.link), missing_of(record, f.link)));
    (record.decision.number, record.fragments.iter().map(of).collect())
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0u16..3, prop_oneof![3 => Just(0u64), 1 => 0u64..5], 1usize..7, prop_oneof![4 => Just(0u64), 1 => 1u64..3])
            .prop_map(|(link, gap, count, lost)| Step::Raw(link, gap, count, lost)),
        1 => (0u16..3, 0u64..40, 1usize..4).prop_map(|(link, back, count)| Step::Late(link, back, count)),
        3 => (-900i64..400, prop_oneof![3 => 0u64..700, 1 => Just(u64::MAX)]).prop_map(|(from, len)| Step::Ask(from, len)),
        1 => (20_000_000u64..400_000_000).prop_map(Step::Advance),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_as_the_model_says(
        steps in prop::collection::vec(step(), 1..120),
        hold in 1u64..60,
        bytes in 1usize..200,
        pinned in 0usize..60,
    ) {
        // Odd amounts, so that rounding does not matter.
        let (bytes, pinned) = (1000 * bytes + 1, 1000 * pinned + 1);
        let params = [
            ("seconds", ((hold * STEP * 20 + 10) as f64 / 1e9).into()),
            ("max_bytes", (bytes as i64).into()),
            ("pinned_share", (pinned as f64 / f64::from(1 << 30)).into()),
            ("deadline", 1.0.into()),
        ];
        let mut feed = Feed::new(&params);
        let mut model = Model {
            links: BTreeMap::new(), waiting: Vec::new(), now_ns: 0, lost: 0, hold: hold * STEP, bytes, pinned,
        };
        let mut asked = 0;
        let newest = |model: &Model| model.links.values().map(|link| link.reached).max().unwrap_or(FIRST);
        for step in steps {
            let (found, expected) = match step {
                Step::Raw(link, gap, count, lost) => {
                    feed.sequence += lost;
                    model.lost += lost;
                    let first = model.links.get(&link).map_or(FIRST, |link| link.reached) + gap * STEP;
                    prop_assert!(model.raw(link, first, first + count as u64 * STEP));
                    (feed.raw(link, first, count), model.answer_ended())
                }
                Step::Late(link, back, count) => {
                    let reached = model.links.get(&link).map_or(FIRST, |link| link.reached);
                    let first = reached.saturating_sub(back * STEP).max(FIRST);
                    // So far back it would be a clock that was set back.
                    if first + (count as u64 + hold) * STEP < reached {
                        continue;
                    }
                    let is_taken = model.raw(link, first, first + count as u64 * STEP);
                    let found = feed.try_raw(link, first, count);
                    prop_assert_eq!(found.is_some(), is_taken);
                    (found.unwrap_or_default(), model.answer_ended())
                }
                Step::Ask(from, len) => {
                    asked += 1;
                    let begin = newest(&model).saturating_add_signed(from);
                    let end = begin.saturating_add(len).min(TICKS as u64 - 1);
                    let request =
                        Request { number: asked, begin, end, deadline_ns: model.now_ns + DEADLINE_NS };
                    let is_ready = begin >= end || end <= model.watermark();
                    let expected = if is_ready {
                        vec![model.answer(&request)]
                    } else {
                        model.waiting.push(request);
                        Vec::new()
                    };
                    (feed.ask(asked, begin, end), expected)
                }
                Step::Advance(ns) => {
                    model.now_ns += ns;
                    let mut expected = model.answer_due();
                    expected.extend(model.answer_ended());
                    model.shrink();
                    (feed.advance(model.now_ns), expected)
                }
            };
            let found: Vec<Expected> = found.iter().map(seen).collect();
            prop_assert_eq!(found, expected);
        }
        let left: Vec<u64> = model.waiting.iter().map(|request| request.number).collect();
        let last = feed.node.drain().unwrap();
        let mut drained: Vec<u64> =
            last.iter().filter_map(|f| f.value::<TriggerRecord>().ok()).map(|r| r.decision.number).collect();
        drained.sort_unstable();
        prop_assert_eq!(drained, left);
        prop_assert_eq!(feed.node.number_of("requests"), asked as f64);
        let sum: f64 = ["whole", "partial", "empty", "invalid"].iter().map(|name| feed.node.number_of(name)).sum();
        prop_assert_eq!(sum, asked as f64);
        prop_assert_eq!(feed.node.number_of("bytes"), model.cost() as f64);
    }
}
