use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::Frame;
use proptest::prelude::*;

use super::*;

#[test]
fn keeps_the_contract() {
    assert_compliant::<HitMerger>(&[]);
}

fn hit(time_start: u64, channel: u32, link: u16) -> HitRow {
    HitRow { time_start, channel, link, samples_over: 4, ..HitRow::default() }
}

struct Bench {
    node: Harness,
    hits: Vec<HitRow>,
    ledger: Vec<LedgerRow>,
    watermark: u64,
}

impl Bench {
    fn new(links: &str) -> Bench {
        let node = Harness::new::<HitMerger>(&[("links", links.into()), ("dead_after", 0.1.into())]).unwrap();
        Bench { node, hits: Vec::new(), ledger: Vec::new(), watermark: 0 }
    }

    fn feed(&mut self, rows: &[HitRow], link: u16, watermark: u64) {
        let table = RowTable::with(self.node.pool(), rows, Some(link), watermark).unwrap();
        let out = self.node.feed(&table).unwrap();
        self.take(&out);
    }

    fn advance(&mut self, to_ns: u64) {
        let out = self.node.advance(to_ns).unwrap();
        self.take(&out);
    }

    fn drain(&mut self) -> Vec<HitRow> {
        let out = self.node.drain().unwrap();
        self.take(&out);
        std::mem::take(&mut self.hits)
    }

    fn take(&mut self, tables: &[Frame]) {
        for table in tables {
            let (mut hits, mut ledger) = (Vec::new(), Vec::new());
            if RowTable::<HitRow>::default().read(table, &mut hits).is_ok() {
                let watermark = watermark_of(table).unwrap();
                assert!(watermark > self.watermark);
                assert!(hits.iter().all(|hit| (self.watermark..watermark).contains(&hit.time_start)));
                self.watermark = watermark;
                self.hits.append(&mut hits);
            } else {
                RowTable::<LedgerRow>::default().read(table, &mut ledger).unwrap();
                self.ledger.append(&mut ledger);
            }
        }
    }
}

proptest! {
    #[test]
    fn the_output_is_the_sorted_input_whoever_is_faster(
        times in prop::collection::vec(prop::collection::vec(0u64..1000, 0..60), 1..5),
        order in prop::collection::vec((0usize..5, 1u64..300), 1..60),
    ) {
        let links = times.len();
        let mut bench = Bench::new(&format!("0-{}", links - 1));
        let mut all: Vec<HitRow> = (0u16..).zip(&times)
            .flat_map(|(link, times)| times.iter().map(move |t| hit(*t, (t * 7 % 13) as u32, link)))
            .collect();
        let mut watermarks = vec![0; links];
        for (link, step) in order.iter().map(|(link, step)| (link % links, step)) {
            let (from, to) = (watermarks[link], watermarks[link] + step);
            let mut rows: Vec<_> =
                all.iter().filter(|h| usize::from(h.link) == link && (from..to).contains(&h.time_start)).copied().collect();
            rows.reverse();
            bench.feed(&rows, link as u16, to);
            watermarks[link] = to;
            prop_assert_eq!(bench.watermark, *watermarks.iter().min().unwrap());
        }
        for (link, from) in (0u16..).zip(&watermarks) {
            let rows: Vec<_> = all.iter().filter(|h| h.link == link && h.time_start >= *from).copied().collect();
            bench.feed(&rows, link, u64::MAX);
        }
        all.sort_by_key(|hit| (hit.time_start, hit.channel, hit.link));
        prop_assert_eq!(bench.drain(), all);
        prop_assert_eq!(bench.node.number_of("hits_tardy"), 0.0);
        prop_assert!(bench.ledger.is_empty());
    }
}

#[test]
fn a_dead_link_is_declared_told_and_taken_back() {
    let mut bench = Bench::new("0-2");
    let ms = 1_000_000;
    bench.feed(&[hit(10, 1, 0)], 0, 100);
    bench.feed(&[hit(20, 1, 1)], 1, 100);
    // Link 2 has not come yet: nothing leaves before it is dead.
    for tick in 1..=20 {
        bench.advance(tick * 10 * ms);
        bench.feed(&[hit(100 + tick, 1, 0)], 0, 101 + tick);
        bench.feed(&[], 1, 101 + tick);
    }
    assert_eq!(bench.node.number_of("links_dead"), 1.0);
    assert_eq!(bench.watermark, 121);
    // Link 1 falls silent at 121.
    for tick in 21..=40 {
        bench.advance(tick * 10 * ms);
        bench.feed(&[hit(100 + tick, 1, 0)], 0, 101 + tick);
    }
    assert_eq!((bench.watermark, bench.node.number_of("deaths")), (141, 2.0));
    // The stream comes back too late for one hit, then in time.
    bench.feed(&[hit(125, 9, 1), hit(141, 9, 1)], 1, 130);
    assert!(bench.ledger.is_empty());
    bench.feed(&[hit(142, 9, 1)], 1, 150);
    bench.feed(&[], 0, 150);
    let dead = |link, begin, end| LedgerRow { link, begin, end, state: State::Dead as u8, bits: 0 };
    assert_eq!(bench.ledger, [dead(1, 121, 150)]);
    let hits = bench.drain();
    assert_eq!(bench.node.number_of("hits_tardy"), 1.0);
    assert_eq!(hits.len(), 2 + 40 + 2);
    assert!(hits.is_sorted_by_key(|hit| (hit.time_start, hit.channel)));
    assert_eq!(bench.ledger[1].link, 2);
    let told: Vec<String> = bench.node.events().into_iter().map(|e| e.message).collect();
    assert!(told[0].contains("link 2 is dead") && told[1].contains("link 1 is dead"), "{told:?}");
    assert!(told[2].contains("1 hits so far"), "{told:?}");
    assert_eq!(told[3], "link 1 is back");
}

#[test]
fn when_all_are_silent_nobody_is_dead() {
    let mut bench = Bench::new("");
    bench.feed(&[hit(10, 1, 0)], 0, 100);
    bench.feed(&[hit(20, 1, 1)], 1, 50);
    bench.advance(10_000_000_000);
    assert_eq!(bench.node.number_of("links_dead"), 0.0);
    assert_eq!(bench.drain().len(), 2);
}

#[test]
fn much_that_waits_is_not_looked_through_each_time() {
    let mut bench = Bench::new("0-1");
    let rows: Vec<_> = (0..100_000).map(|i| hit(i, 0, 0)).collect();
    bench.feed(&rows, 0, 100_000);
    for watermark in 1..12_000 {
        bench.feed(&[], 1, watermark);
    }
    assert_eq!(bench.watermark, 0);
    bench.feed(&[], 1, 12_500);
    assert_eq!(bench.watermark, 12_500);
    assert_eq!(bench.drain().len(), 100_000);
}

#[test]
fn what_is_no_table_of_hits_is_refused() {
    let mut bench = Bench::new("");
    let plain = bench.node.bytes(b"x").unwrap();
    assert!(bench.node.feed(&plain).is_err());
    assert!(Harness::new::<HitMerger>(&[("links", "x".into())]).is_err());
}

impl Bench {
    fn feed_from(&mut self, finder: &str, planes: u64, rows: &[HitRow], link: u16, watermark: u64) {
        let labels = RowTable::<HitRow>::default();
        let mut memory = self.node.pool().allocator();
        let layout = livetime_frame::TableLayout::new(<HitRow as crate::Row>::schema(), rows.len()).unwrap();
        let mut table = memory.table(layout).unwrap();
        <HitRow as crate::Row>::put(rows, &mut table).unwrap();
        labels.set_link(&mut table, link);
        labels.set_finder(&mut table, &Arc::from(finder), planes);
        labels.set_watermark(&mut table, watermark);
        let out = self.node.feed(&table.freeze()).unwrap();
        for table in &out {
            // A new epoch.
            if watermark_of(table).is_some_and(|watermark| watermark <= self.watermark) {
                self.watermark = 0;
            }
            self.take(std::slice::from_ref(table));
        }
    }
}

proptest! {
    #[test]
    fn finders_that_share_the_planes_of_a_link_wait_for_each_other(
        times in prop::collection::vec((0u64..1000, 0u32..20), 0..200),
        order in prop::collection::vec((any::<bool>(), 1u64..300), 1..40),
        links in prop_oneof![Just(""), Just("5")],
    ) {
        let mut bench = Bench::new(links);
        let mut all: Vec<HitRow> = times.iter().map(|(time, channel)| hit(*time, *channel, 5)).collect();
        // Even channels are found by one finder, odd ones by the other.
        let mut watermarks = [0; 2];
        for (finder, step) in order.iter().map(|(finder, step)| (usize::from(*finder), *step)).chain([(0, 1001), (1, 1001)]) {
            let (from, to) = (watermarks[finder], watermarks[finder] + step);
            let is_own = |hit: &&HitRow| hit.channel as usize % 2 == finder && (from..to).contains(&hit.time_start);
            let rows: Vec<HitRow> = all.iter().filter(is_own).copied().collect();
            let (name, planes) = [("hits0", 0b100), ("hits1", 0b011)][finder];
            bench.feed_from(name, planes, &rows, 5, to);
            watermarks[finder] = to;
        }
        all.sort_by_key(|hit| (hit.time_start, hit.channel));
        prop_assert_eq!(bench.drain(), all);
        prop_assert_eq!(bench.node.number_of("hits_tardy"), 0.0);
        prop_assert_eq!(bench.node.number_of("links_seen"), 1.0);
    }
}

#[test]
fn a_clock_that_is_set_back_begins_an_epoch_and_costs_no_hit() {
    let mut bench = Bench::new("0-1");
    bench.feed_from("a", 7, &[hit(1000, 1, 0), hit(1200, 1, 0)], 0, 1300);
    bench.feed_from("a", 7, &[hit(1100, 1, 1), hit(1150, 1, 1)], 1, 1200);
    // Link 0 goes on at 100; link 1 still has hits of the epoch before.
    bench.feed_from("a", 7, &[hit(100, 2, 0)], 0, 150);
    bench.feed_from("a", 7, &[hit(1250, 1, 1)], 1, 1280);
    bench.feed_from("a", 7, &[hit(120, 2, 1)], 1, 140);
    bench.feed_from("a", 7, &[], 0, 200);
    let times: Vec<u64> = bench.drain().iter().map(|hit| hit.time_start).collect();
    assert_eq!(times, [1000, 1100, 1150, 1200, 1250, 100, 120]);
    assert_eq!((bench.node.number_of("hits_tardy"), bench.node.number_of("epochs")), (0.0, 1.0));
}

#[test]
fn a_clock_that_is_set_back_alone_costs_its_own_hits_only_and_they_are_counted() {
    let mut bench = Bench::new("0-1");
    let ms = 1_000_000;
    bench.feed_from("a", 7, &[hit(1000, 1, 0)], 0, 1010);
    bench.feed_from("a", 7, &[hit(1000, 2, 1)], 1, 1010);
    // Link 1 is 500 behind from here on.
    for step in 1..=80u64 {
        bench.advance(step * 10 * ms);
        bench.feed_from("a", 7, &[hit(1010 + 10 * step, 1, 0)], 0, 1020 + 10 * step);
        bench.feed_from("a", 7, &[hit(510 + 10 * step, 2, 1)], 1, 520 + 10 * step);
    }
    let told: Vec<String> = bench.node.events().into_iter().map(|e| e.message).collect();
    assert!(told.iter().any(|text| text.contains("link 1 is dead: its clock was set back")), "{told:?}");
    let hits = bench.drain();
    assert_eq!(hits.iter().filter(|hit| hit.link == 0).count(), 81, "the others lose nothing");
    let tardy = bench.node.number_of("hits_tardy") as usize;
    assert_eq!(hits.iter().filter(|hit| hit.link == 1).count() + tardy, 81);
    assert!(tardy > 0, "told as lost");
}

#[test]
fn a_link_that_is_far_ahead_takes_no_more_memory_than_it_may() {
    let mut bench = Bench::new("0-1");
    bench.node.set("most_waiting", 1000).unwrap();
    bench.feed(&[], 1, 10);
    for step in 0..30 {
        let rows: Vec<_> = (0..100).map(|i| hit(1_000_000 + 100 * step + i, 0, 0)).collect();
        bench.feed(&rows, 0, 1_000_000 + 100 * step);
        bench.feed(&[hit(10 + step, 7, 1)], 1, 10 + step);
    }
    let hits = bench.drain();
    assert_eq!(hits.iter().filter(|hit| hit.link == 1).count(), 30, "the link that is in time loses nothing");
    let left_out = bench.node.number_of("hits_left_out") as usize;
    assert!(left_out > 1000 && hits.len() + left_out == 30 + 3000, "{left_out}");
}

#[test]
fn of_150_links_a_dead_one_holds_nobody_up_and_catches_up() {
    let (links, ms) = (150u16, 1_000_000);
    let mut bench = Bench::new("0-149");
    let round = |bench: &mut Bench, time: u64, but: Option<u16>| {
        for link in (0..links).filter(|link| Some(*link) != but) {
            bench.feed(&[hit(time + u64::from(link), 1, link)], link, time + 1000);
        }
    };
    for tick in 0..10 {
        bench.advance(tick * 10 * ms);
        round(&mut bench, tick * 1000, None);
    }
    assert_eq!(bench.watermark, 10_000);
    // Link 77 falls silent: nothing leaves until it is dead.
    for tick in 10..40 {
        bench.advance(tick * 10 * ms);
        round(&mut bench, tick * 1000, Some(77));
    }
    assert_eq!((bench.node.number_of("links_dead"), bench.node.number_of("deaths")), (1.0, 1.0));
    assert_eq!(bench.watermark, 40_000);
    // It comes with what it had, too late, and then catches up.
    bench.feed(&[hit(10_100, 1, 77), hit(39_000, 1, 77)], 77, 39_500);
    assert_eq!(bench.node.number_of("links_dead"), 1.0);
    bench.feed(&[hit(40_500, 1, 77)], 77, 41_000);
    round(&mut bench, 40_000, Some(77));
    // The readback follows with the next timer.
    bench.advance(44 * 10 * ms);
    assert_eq!((bench.node.number_of("links_dead"), bench.watermark), (0.0, 41_000));
    let dead = LedgerRow { link: 77, begin: 10_000, end: 41_000, state: State::Dead as u8, bits: 0 };
    assert_eq!(bench.ledger, [dead]);
    let hits = bench.drain();
    assert!(hits.is_sorted_by_key(|hit| (hit.time_start, hit.channel, hit.link)));
    assert_eq!((hits.len(), bench.node.number_of("hits_tardy")), (150 * 10 + 149 * 31 + 1, 2.0));
}
