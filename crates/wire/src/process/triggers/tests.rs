use std::collections::VecDeque;

use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};
use livetime_frame::{Frame, FramePool, TableLayout};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::adc_window::TriggerAdcWindow;
use super::adjacency::TriggerAdjacency;
use super::bundle::TriggerBundle;
use super::chain_2019::Trigger2019;
use super::channel_distance::TriggerChannelDistance;
use super::dbscan::TriggerDbscan;
use super::horizontal_muon::TriggerHorizontalMuon;
use super::michel::{Michel, MichelParams, TriggerMichel};
use super::plane_coincidence::TriggerPlaneCoincidence;
use super::prescale::TriggerPrescale;
use super::runs::{ChannelRun, Rule, longest_of};
use super::supernova::TriggerSupernova;
use super::window::Condition;
use super::*;
use crate::{Row, link_of};

const STEP: u64 = 25;

fn table(hits: &[HitRow], watermark: u64) -> Frame {
    RowTable::with(&FramePool::new(1 << 24), hits, None, watermark).unwrap()
}

/// The rows of `frames`. No row may be earlier than a watermark before it, and watermarks may not go back.
fn rows_of(frames: &[Frame]) -> Vec<ActivityRow> {
    let (mut all, mut rows, mut promised) = (Vec::new(), Vec::new(), 0);
    for frame in frames {
        RowTable::default().read(frame, &mut rows).unwrap();
        assert!(rows.iter().all(|row: &ActivityRow| row.time_start >= promised), "{promised} {rows:?}");
        let watermark = watermark_of(frame).unwrap();
        assert!(watermark >= promised);
        promised = watermark;
        all.append(&mut rows);
    }
    all
}

/// How hits are cut into tables: the rows of each, and whether its watermark is the one of the table before, its last
/// hit or the next one.
type Cuts = Vec<(usize, u8)>;

fn cuts() -> impl Strategy<Value = Cuts> {
    prop::collection::vec((0usize..40, 0u8..3), 1..20)
}

fn run<N: Node>(params: &[(&str, Value)], hits: &[HitRow], cuts: &Cuts) -> Vec<ActivityRow> {
    let mut node = Harness::new::<N>(params).unwrap();
    let (mut out, mut rest, mut watermark) = (Vec::new(), hits, 0);
    for (rows, choice) in cuts.iter().cycle() {
        let (now, later) = rest.split_at((*rows).min(rest.len()));
        rest = later;
        watermark = match choice {
            0 => watermark,
            1 => now.last().map_or(watermark, |hit| hit.time_start),
            _ => later.first().map_or(watermark, |hit| hit.time_start),
        };
        out.extend(node.feed(&table(now, watermark)).unwrap());
        if rest.is_empty() || cuts.iter().all(|(rows, _)| *rows == 0) {
            break;
        }
    }
    out.extend(node.feed(&table(rest, watermark)).unwrap());
    out.extend(node.drain().unwrap());
    assert_eq!((node.number_of("late_hits"), node.number_of("left_out")), (0.0, 0.0));
    let rows = rows_of(&out);
    assert_eq!(node.number_of("activities"), rows.len() as f64);
    rows
}

/// Hits in order: bursts of near channels, and single ones.
fn hits() -> impl Strategy<Value = Vec<HitRow>> {
    let hit = (0u64..60, prop_oneof![0u32..30, 0u32..300], 0u32..200, 0u16..50, 0u8..3, 1u16..9);
    prop::collection::vec(hit, 0..250).prop_map(|raw| {
        let mut time_start = 1000;
        let mut hits: Vec<HitRow> = Vec::new();
        for (step, channel, adc_integral, adc_peak, plane, samples_over) in raw {
            time_start += step.saturating_sub(20);
            let samples_to_peak = samples_over / 2;
            let plane = plane.max(channel as u8 % 3);
            hits.push(HitRow {
                time_start,
                channel,
                adc_integral,
                adc_peak,
                plane,
                samples_over,
                samples_to_peak,
                ..HitRow::default()
            });
        }
        hits.sort_by_key(|hit| (hit.time_start, hit.channel));
        hits
    })
}

/// An activity of these hits, field by field.
fn row(hits: &[HitRow], time_activity: u64, algorithm: u16, kind: u16) -> ActivityRow {
    let most = hits.iter().map(|h| h.adc_peak).max().unwrap();
    let highest = hits.iter().filter(|h| h.adc_peak == most);
    let peak =
        highest.min_by_key(|h| (h.time_start + STEP * u64::from(h.samples_to_peak), h.channel)).unwrap();
    ActivityRow {
        time_start: hits.iter().map(|h| h.time_start).min().unwrap(),
        time_end: hits.iter().map(|h| h.time_start + STEP * u64::from(h.samples_over)).max().unwrap(),
        time_peak: peak.time_start + STEP * u64::from(peak.samples_to_peak),
        time_activity,
        adc_integral: hits.iter().map(|h| u64::from(h.adc_integral)).sum(),
        channel_start: hits.iter().map(|h| h.channel).min().unwrap(),
        channel_end: hits.iter().map(|h| h.channel).max().unwrap(),
        channel_peak: peak.channel,
        hits: hits.len() as u32,
        adc_peak: most,
        algorithm,
        kind,
    }
}

/// Tests the window of each hit in turn; one that is found empties it. `kept` gives the hits of the activity.
fn windows(
    hits: &[HitRow],
    window: u64,
    kept: impl Fn(&[HitRow]) -> Option<Vec<HitRow>>,
) -> Vec<(Vec<HitRow>, u64)> {
    let (mut found, mut rest) = (Vec::new(), hits);
    while let Some(first) = rest.first() {
        let end = rest.iter().filter(|hit| hit.time_start < first.time_start + window).count();
        if let Some(activity) = kept(&rest[..end]) {
            let fulfilled = (1..=end).find(|n| kept(&rest[..*n]).is_some()).unwrap();
            found.push((activity, rest[fulfilled - 1].time_start));
            rest = &rest[end..];
        } else {
            rest = &rest[1..];
        }
    }
    found
}

fn longest(hits: &[HitRow], rule: Rule) -> Option<ChannelRun> {
    longest_of(hits.iter().map(|hit| hit.channel).collect(), rule)
}

fn collection(hits: &[HitRow]) -> Vec<HitRow> {
    hits.iter().copied().filter(|hit| hit.plane == 2).collect()
}

const RULE: Rule = Rule { gap: 5, tolerance: 3 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn adjacency_as_defined(hits in hits(), cuts in cuts(), window in 1u64..600) {
        let params = [("window", (window as i64).into()), ("adjacency", 6.into()), ("planes", "collection".into())];
        let found = windows(&collection(&hits), window, |hits| {
            let run = longest(hits, RULE).filter(|run| run.channels > 6)?;
            Some(hits.iter().copied().filter(|h| h.channel >= run.first && h.channel <= run.last).collect())
        });
        let expected: Vec<_> = found.iter().map(|(hits, time)| row(hits, *time, 10, 24)).collect();
        prop_assert_eq!(run::<TriggerAdjacency>(&params, &hits, &cuts), expected);
    }

    #[test]
    fn adc_window_as_defined(hits in hits(), cuts in cuts(), window in 1u64..600) {
        let params = [("window", (window as i64).into()), ("threshold", 900.into())];
        let found = windows(&hits, window, |hits| {
            (hits.iter().map(|h| h.adc_integral).sum::<u32>() > 900).then(|| hits.to_vec())
        });
        let expected: Vec<_> = found.iter().map(|(hits, time)| row(hits, *time, 3, 6)).collect();
        prop_assert_eq!(run::<TriggerAdcWindow>(&params, &hits, &cuts), expected);
    }

    #[test]
    fn horizontal_muon_as_defined(hits in hits(), cuts in cuts(), window in 1u64..600, by in 0u8..16) {
        let by = [0, 1, 2, 3].map(|bit| by >> bit & 1 == 1);
        let params = [
            ("window", (window as i64).into()), ("by_adc", by[0].into()), ("adc", 1500.into()),
            ("by_channels", by[1].into()), ("channels", 12.into()), ("by_adjacency", by[2].into()),
            ("adjacency", 6.into()), ("by_samples_over", by[3].into()), ("samples_over", 90.into()),
        ];
        let found = windows(&hits, window, |hits| {
            let channels = hits.iter().map(|h| h.channel).collect::<std::collections::BTreeSet<_>>().len();
            let holds = by[0] && hits.iter().map(|h| h.adc_integral).sum::<u32>() > 1500
                || by[1] && channels > 12
                || by[2] && longest(hits, RULE).is_some_and(|run| run.channels > 6)
                || by[3] && hits.iter().map(|h| h.samples_over).sum::<u16>() > 90;
            holds.then(|| hits.to_vec())
        });
        let expected: Vec<_> = found.iter().map(|(hits, time)| row(hits, *time, 4, 7)).collect();
        prop_assert_eq!(run::<TriggerHorizontalMuon>(&params, &hits, &cuts), expected);
    }

    #[test]
    fn plane_coincidence_as_defined(hits in hits(), cuts in cuts(), window in 1u64..600, planes in 1usize..4) {
        let params = [
            ("window", (window as i64).into()), ("threshold", 700.into()), ("adjacency", 4.into()),
            ("coincident", (planes as i64).into()),
        ];
        let found = windows(&hits, window, |hits| {
            let with_hits = (0..3).filter(|plane| hits.iter().any(|h| h.plane == *plane)).count();
            let track = longest(&collection(hits), Rule { gap: 5, tolerance: 5 }).map_or(0, |run| run.channels);
            let charge = hits.iter().map(|h| h.adc_integral).sum::<u32>();
            (with_hits >= planes && track <= 4 && charge > 700).then(|| hits.to_vec())
        });
        let expected: Vec<_> = found.iter().map(|(hits, time)| row(hits, *time, 7, 9)).collect();
        prop_assert_eq!(run::<TriggerPlaneCoincidence>(&params, &hits, &cuts), expected);
    }

    #[test]
    fn michel_as_defined(hits in hits(), cuts in cuts(), window in 1u64..900) {
        let params = [
            ("window", (window as i64).into()), ("adjacency", 6.into()), ("bragg", 1.1.into()),
            ("kink", 3.0.into()), ("outer", 0.4.into()),
        ];
        let own = MichelParams {
            window, adjacency: 6, bragg: 1.1, kink: 3.0, outer: 0.4, ..MichelParams::default()
        };
        let found = windows(&hits, window, |hits| {
            let mut michel = Michel::default();
            hits.iter().for_each(|hit| michel.add(hit, &own));
            let holds = michel.holds(&VecDeque::from(hits.to_vec()), &own);
            holds.then(|| hits.iter().copied().filter(|hit| michel.keeps(hit)).collect())
        });
        let actual = run::<TriggerMichel>(&params, &hits, &cuts);
        let expected: Vec<_> = found.iter().zip(&actual).map(|((hits, _), found)| {
            assert!(hits.iter().any(|hit| hit.time_start == found.time_activity));
            row(hits, found.time_activity, 5, 8)
        }).collect();
        prop_assert_eq!((found.len(), &actual), (actual.len(), &expected));
    }

    #[test]
    fn channel_distance_as_defined(hits in hits(), cuts in cuts(), window in 1u64..600) {
        let params = [("window", (window as i64).into()), ("distance", 12.into()), ("least_hits", 5.into())];
        let (mut expected, mut rest) = (Vec::new(), &hits[..]);
        while let Some(first) = rest.first() {
            let (inside, later) = rest.split_at(rest.partition_point(|h| h.time_start < first.time_start + window));
            let mut kept = vec![*first];
            for hit in &inside[1..] {
                let (low, high) = (kept.iter().map(|h| h.channel).min(), kept.iter().map(|h| h.channel).max());
                if hit.channel + 12 >= low.unwrap() && hit.channel <= high.unwrap() + 12 {
                    kept.push(*hit);
                }
            }
            if kept.len() >= 5 {
                expected.push(row(&kept, first.time_start, 8, 11));
            }
            rest = later;
        }
        prop_assert_eq!(run::<TriggerChannelDistance>(&params, &hits, &cuts), expected);
    }

    #[test]
    fn prescale_and_bundle_as_defined(hits in hits(), cuts in cuts(), n in 1usize..20, longest in 1u64..300) {
        let every = [("every", (n as i64).into())];
        let expected: Vec<_> = hits.chunks_exact(n).map(|h| row(&h[n - 1..], h[n - 1].time_start, 2, 5)).collect();
        prop_assert_eq!(run::<TriggerPrescale>(&every, &hits, &cuts), expected);
        let (mut expected, mut rest) = (Vec::new(), &hits[..]);
        while let Some(first) = rest.first() {
            let count = rest.partition_point(|h| h.time_start < first.time_start + longest).min(n);
            expected.push(row(&rest[..count], first.time_start, 9, 12));
            rest = &rest[count..];
        }
        let bundle = [("bundle", (n as i64).into()), ("longest", (longest as i64).into())];
        prop_assert_eq!(run::<TriggerBundle>(&bundle, &hits, &cuts), expected);
    }

    #[test]
    fn supernova_as_defined(hits in hits(), cuts in cuts(), clusters in 0usize..4, window in 1u64..2000) {
        let params = [
            ("window", (window as i64).into()), ("clusters", (clusters as i64).into()), ("cluster_hits", 1.into()),
            ("near", 5.into()), ("distance", 3.into()), ("longest", 150.into()),
        ];
        // First all clusters, then clusters with enough hits, then the bursts.
        let mut all: Vec<Vec<HitRow>> = Vec::new();
        for hit in &hits {
            let joins = all.last().is_some_and(|cluster| {
                let open = row(cluster, 0, 0, 0);
                let is_near = hit.channel + 3 >= open.channel_start && hit.channel <= open.channel_end + 3;
                hit.time_start < open.time_start + 150 && (hit.time_start <= open.time_end + 5 || is_near)
            });
            if joins { all.last_mut().unwrap().push(*hit) } else { all.push(vec![*hit]) }
        }
        let counting: Vec<_> = all.iter().filter(|cluster| cluster.len() > 1).collect();
        let (mut expected, mut used) = (Vec::new(), 0);
        for (at, cluster) in counting.iter().enumerate() {
            let first = at.checked_sub(clusters).filter(|first| *first >= used);
            if first.is_some_and(|first| cluster[0].time_start - counting[first][0].time_start <= window) {
                expected.push(row(cluster, cluster[0].time_start, 1, 3));
                used = at + 1;
            }
        }
        prop_assert_eq!(run::<TriggerSupernova>(&params, &hits, &cuts), expected);
    }

    #[test]
    fn dbscan_as_defined(hits in hits(), cuts in cuts(), eps in 0u32..25, least in 1usize..6) {
        let params = [
            ("eps", f64::from(eps).into()), ("least_points", (least as i64).into()), ("time_scale", 0.25.into()),
            ("longest", 1_000_000_000.into()),
        ];
        let near = |a: &HitRow, b: &HitRow| {
            let (t, c) = (a.time_start.abs_diff(b.time_start) as f64 / 4.0, f64::from(a.channel.abs_diff(b.channel)));
            t * t + c * c <= f64::from(eps) * f64::from(eps)
        };
        let is_core: Vec<bool> = hits.iter().map(|a| hits.iter().filter(|b| near(a, b)).count() >= least).collect();
        // Every core takes over the lowest number of the cores near it until nothing changes.
        let mut number: Vec<usize> = (0..hits.len()).collect();
        loop {
            let lowest = |i: usize| (0..hits.len()).filter(|j| is_core[*j] && near(&hits[i], &hits[*j])).map(|j| number[j]).min();
            let next: Vec<usize> = (0..hits.len()).map(|i| if is_core[i] { lowest(i).unwrap() } else { i }).collect();
            if next == number { break }
            number = next;
        }
        let first_core = |i: usize| (0..hits.len()).find(|j| is_core[*j] && near(&hits[i], &hits[*j]));
        let cluster_of = |i: usize| if is_core[i] { Some(number[i]) } else { first_core(i).map(|j| number[j]) };
        let mut expected = Vec::new();
        for cluster in 0..hits.len() {
            let members: Vec<HitRow> =
                (0..hits.len()).filter(|i| cluster_of(*i) == Some(cluster)).map(|i| hits[i]).collect();
            if !members.is_empty() {
                expected.push(row(&members, 0, 6, 10));
            }
        }
        let whole = run::<TriggerDbscan>(&params, &hits, &vec![(1000, 0)]);
        let cut = run::<TriggerDbscan>(&params, &hits, &cuts);
        prop_assert_eq!(&cut, &whole);
        let key = |row: &ActivityRow| (row.time_start, row.time_end, row.channel_start, row.adc_integral, row.hits);
        let mut found: Vec<_> = whole.iter().map(|row| ActivityRow { time_activity: 0, ..*row }).collect();
        found.sort_by_key(key);
        expected.sort_by_key(key);
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn no_cluster_is_longer_than_it_may_be(hits in hits(), cuts in cuts(), longest in 1u64..100) {
        let params = [("eps", 30.0.into()), ("time_scale", 1.0.into()), ("longest", (longest as i64).into())];
        let rows = run::<TriggerDbscan>(&params, &hits, &cuts);
        // Hits that are no cores may stand out at either end by eps.
        prop_assert!(rows.iter().all(|row| row.time_end - row.time_start <= longest + 60 + 9 * STEP));
        prop_assert_eq!(run::<TriggerDbscan>(&params, &hits, &vec![(1000, 0)]), rows);
    }

    #[test]
    fn chain_2019_as_defined(hits in hits(), cuts in cuts(), needed in 1u32..3, hold_off in 0u64..400) {
        let hits = on_three_planes(hits);
        let params = [
            ("window", 100.into()), ("stitch", 4.into()), ("coincidence", 7.into()),
            ("planes_needed", needed.into()), ("hold_off", (hold_off as i64).into()),
        ];
        let run_of = |begin: u64, apa: u32| -> Option<(Vec<HitRow>, u32)> {
            let inside = |h: &&HitRow| h.time_start / 100 * 100 == begin && h.channel / 2560 == apa;
            let inside: Vec<HitRow> = hits.iter().filter(inside).copied().collect();
            let run = longest(&inside, Rule { gap: 5, tolerance: u32::MAX }).filter(|run| run.channels >= 4)?;
            let of_run = |h: &&HitRow| (run.first..=run.last).contains(&h.channel);
            Some((inside.iter().filter(of_run).copied().collect(), run.channels))
        };
        let mut expected = Vec::new();
        let (mut free_from, mut forgotten) = (0, 0);
        for begin in (1000..10_000).step_by(100) {
            let mut candidates = Vec::new();
            for a in 0..3 {
                let Some((hits_a, channels_a)) = run_of(begin, a) else { continue };
                if needed == 1 && channels_a >= 7 {
                    candidates.push(hits_a.clone());
                }
                for (when, b) in [begin - 100, begin].into_iter().flat_map(|w| (0..3).map(move |b| (w, b))) {
                    let Some((hits_b, channels_b)) = run_of(when, b) else { continue };
                    let least = channels_a.min(channels_b);
                    let fits = least >= 7 || least >= 4 && a.abs_diff(b) == 2;
                    if needed == 2 && a != b && fits && when >= forgotten {
                        candidates.push([hits_a.clone(), hits_b].concat());
                    }
                }
            }
            if let Some(hits) = candidates.first().filter(|_| begin >= free_from) {
                expected.push(row(hits, begin, 0, 7));
                (free_from, forgotten) = (begin + hold_off, begin + 100);
            }
        }
        prop_assert_eq!(run::<Trigger2019>(&params, &hits, &cuts), expected);
    }
}

/// The hits on the collection planes of three anode planes.
fn on_three_planes(hits: Vec<HitRow>) -> Vec<HitRow> {
    let place = |i| {
        if i % 3 == 0 {
            5120
        } else if i % 7 == 0 {
            2560
        } else {
            0
        }
    };
    let moved = |(hit, i): (&HitRow, u32)| HitRow { channel: hit.channel % 60 + place(i), plane: 2, ..*hit };
    let mut hits: Vec<HitRow> = hits.iter().zip(0..).map(moved).collect();
    hits.sort_by_key(|hit| (hit.time_start, hit.channel));
    hits
}

/// Random hits make activities of every kind; comparisons without any activity would prove nothing.
#[test]
fn random_hits_make_activities_of_all_kinds() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut found = [0; 11];
    let cuts = vec![(9, 2), (3, 0), (30, 1)];
    let window = ("window", Value::from(300));
    for _ in 0..48 {
        let hits = hits().new_tree(&mut runner).unwrap().current();
        let six = [window.clone(), ("adjacency", 6.into())];
        let michel =
            [&six[..], &[("bragg", 1.1.into()), ("kink", 3.0.into()), ("outer", 0.4.into())]].concat();
        let near = [window.clone(), ("distance", 12.into()), ("least_hits", 5.into())];
        let chain = [
            ("window", 100.into()),
            ("stitch", 4.into()),
            ("coincidence", 7.into()),
            ("hold_off", 200.into()),
        ];
        let supernova = [
            ("window", 2000.into()),
            ("clusters", 1.into()),
            ("cluster_hits", 1.into()),
            ("near", 5.into()),
            ("longest", 150.into()),
        ];
        let planes =
            [window.clone(), ("threshold", 700.into()), ("adjacency", 4.into()), ("coincident", 2.into())];
        let rows = [
            run::<TriggerAdjacency>(&six, &hits, &cuts),
            run::<TriggerAdcWindow>(&[window.clone(), ("threshold", 900.into())], &hits, &cuts),
            run::<TriggerHorizontalMuon>(&six, &hits, &cuts),
            run::<TriggerPlaneCoincidence>(&planes, &hits, &cuts),
            run::<TriggerMichel>(&michel, &hits, &cuts),
            run::<TriggerChannelDistance>(&near, &hits, &cuts),
            run::<TriggerDbscan>(&[("time_scale", 0.25.into())], &hits, &cuts),
            run::<TriggerSupernova>(&supernova, &hits, &cuts),
            run::<TriggerPrescale>(&[("every", 10.into())], &hits, &cuts),
            run::<TriggerBundle>(&[("bundle", 10.into())], &hits, &cuts),
            run::<Trigger2019>(&chain, &on_three_planes(hits), &cuts),
        ];
        found.iter_mut().zip(&rows).for_each(|(found, rows)| *found += rows.len());
    }
    assert!(found.iter().all(|found| *found > 0), "{found:?}");
}

fn hit(time_start: u64, channel: u32) -> HitRow {
    HitRow { time_start, channel, ..HitRow::default() }
}

#[test]
fn a_window_is_flushed_by_the_watermark_alone() {
    let mut node =
        Harness::new::<TriggerAdcWindow>(&[("threshold", 0.into()), ("window", 100.into())]).unwrap();
    let big = HitRow { adc_integral: 5, ..hit(1000, 3) };
    let out = node.feed(&table(&[big], 1001)).unwrap();
    assert_eq!((rows_of(&out).len(), watermark_of(&out[0])), (0, Some(1000)));
    assert!(node.feed(&table(&[], 1099)).unwrap().is_empty(), "nothing new to say");
    let out = node.feed(&table(&[], 1100)).unwrap();
    assert_eq!((rows_of(&out).len(), watermark_of(&out[0])), (1, Some(1100)));
    assert_eq!(link_of(&out[0]), None);
}

#[test]
fn hits_out_of_order_are_counted_and_named() {
    let mut node = Harness::new::<TriggerPrescale>(&[("every", 1.into())]).unwrap();
    let hits = [hit(100, 5), hit(100, 4), hit(100, 6), hit(99, 7), hit(101, 0)];
    let out = node.feed(&table(&hits, 150)).unwrap();
    assert_eq!(rows_of(&out).iter().map(|a| a.channel_peak).collect::<Vec<_>>(), [5, 6, 0]);
    assert!(rows_of(&node.feed(&table(&[hit(149, 9)], 200)).unwrap()).is_empty());
    assert_eq!((node.number_of("hits"), node.number_of("late_hits")), (3.0, 3.0));
    let events = node.events();
    assert_eq!(events.len(), 1, "those that follow are of its kind, and counted: {events:?}");
    assert!(events[0].is_error && events[0].message.contains("found one at 100 on channel 4"), "{events:?}");
}

/// A table of hits without a watermark.
fn unmarked(pool: &FramePool) -> Frame {
    let layout = TableLayout::new(HitRow::schema(), 0).unwrap();
    pool.allocator().table(layout).unwrap().freeze()
}

#[test]
fn what_is_no_table_of_merged_hits_is_refused() {
    let mut node = Harness::new::<TriggerAdjacency>(&[]).unwrap();
    let bytes = node.bytes(b"x").unwrap();
    assert!(node.feed(&bytes).unwrap_err().to_string().contains("wanted table"));
    let other = RowTable::<ActivityRow>::with(node.pool(), &[], None, 0).unwrap();
    assert!(node.feed(&other).unwrap_err().to_string().contains("time_start, channel, adc_integral"));
    let unmarked = unmarked(node.pool());
    assert!(node.feed(&unmarked).unwrap_err().to_string().contains("`watermark`"));
}

#[test]
fn memory_is_bounded_and_what_is_left_out_counted() {
    let mut node =
        Harness::new::<TriggerAdjacency>(&[("most_hits", 10.into()), ("adjacency", 5.into())]).unwrap();
    let hits: Vec<HitRow> = (0..30).map(|i| hit(1000 + i, i as u32)).collect();
    node.feed(&table(&hits, 1000)).unwrap();
    assert_eq!((node.number_of("held"), node.number_of("left_out")), (10.0, 20.0));
    let rows = rows_of(&node.drain().unwrap());
    assert_eq!((rows.len(), rows[0].hits, node.number_of("held")), (1, 10, 0.0));
}

#[test]
fn parameters_act_from_the_next_table() {
    let mut node = Harness::new::<TriggerAdjacency>(&[]).unwrap();
    let every_third = |from: u64| (0..20).map(|i| hit(from + i, 3 * i as u32)).collect::<Vec<_>>();
    node.set("tolerance", 1000).unwrap();
    let out = node.feed(&table(&every_third(1000), 20_000)).unwrap();
    assert_eq!(rows_of(&out)[0].hits, 20);
    node.feed(&table(&every_third(30_000), 30_000)).unwrap();
    node.set("gap", 2).unwrap();
    node.set("window", 9_000).unwrap();
    let out = node.feed(&table(&[hit(30_020, 500)], 50_000)).unwrap();
    assert!(rows_of(&out).is_empty(), "with the new gap there is no run");
}

#[test]
fn all_keep_the_contract() {
    assert_compliant::<TriggerAdjacency>(&[]);
    assert_compliant::<TriggerAdcWindow>(&[]);
    assert_compliant::<TriggerHorizontalMuon>(&[]);
    assert_compliant::<TriggerPlaneCoincidence>(&[]);
    assert_compliant::<TriggerMichel>(&[]);
    assert_compliant::<TriggerChannelDistance>(&[]);
    assert_compliant::<TriggerDbscan>(&[]);
    assert_compliant::<TriggerSupernova>(&[]);
    assert_compliant::<TriggerPrescale>(&[]);
    assert_compliant::<TriggerBundle>(&[]);
    assert_compliant::<Trigger2019>(&[]);
}

#[test]
fn a_clock_that_is_set_back_begins_an_epoch() {
    let hits = |from: u64| -> Vec<HitRow> {
        let hit =
            |i: u64| HitRow { time_start: from + 25 * i, channel: i as u32, plane: 2, ..HitRow::default() };
        (0..20).map(hit).collect()
    };
    let activities = |frames: Vec<Frame>| {
        let mut rows = Vec::new();
        frames
            .iter()
            .flat_map(|frame| {
                RowTable::default().read(frame, &mut rows).unwrap();
                rows.clone()
            })
            .map(|row: ActivityRow| row.time_start)
            .collect::<Vec<_>>()
    };
    let mut node = Harness::new::<TriggerAdjacency>(&[]).unwrap();
    assert_eq!(activities(node.feed(&table(&hits(1_000_000), 1_000_600)).unwrap()), []);
    // Held hits are tested when the next epoch begins, and its hits do not join them.
    let out = node.feed(&table(&hits(500_000), 500_600)).unwrap();
    assert_eq!(activities(out), [1_000_000]);
    let out = node.feed(&table(&hits(600_000), 700_000)).unwrap();
    assert_eq!(watermark_of(out.last().unwrap()), Some(700_000));
    assert_eq!(activities(out), [500_000, 600_000]);
    assert_eq!((node.number_of("late_hits"), node.number_of("hits")), (0.0, 60.0));
}
