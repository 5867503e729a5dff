//! The scores as text and as JSON.

use livetime_control::report::table::{Style, Table};
use serde_json::{Value, json};

use super::finder::{Algorithm, FinderOptions};
use super::score::{Bin, Moments, Score, point};

/// Efficiencies of the 2019 algorithm, measured on the original: data set, height, part of the pulses that was found.
const SEED: [(&str, f64, f64); 8] = [
    ("white4", 30.0, 0.06),
    ("white4", 35.0, 0.37),
    ("white4", 40.0, 0.75),
    ("white4", 50.0, 0.998),
    ("white4", 60.0, 1.0),
    ("white4-bipolar", 40.0, 0.49),
    ("white4-bipolar", 50.0, 0.97),
    ("white4-bipolar", 60.0, 0.9998),
];

/// A line for each data set; with `curves` tables of the efficiency, too.
pub(super) fn text(finder: &FinderOptions, scores: &[Score], curves: bool) -> String {
    let mut text = summary(scores);
    for score in scores.iter().filter(|s| curves && s.pulses() > 0) {
        text += &format!("\n{}\n", score.name);
        text += &curve("peak", &score.by_peak);
        if !is_test(score) {
            text += &format!("\n{}, by charge\n", score.name);
            text += &curve("charge", &score.by_charge);
        }
    }
    let compared = compared(finder, scores);
    if !compared.is_empty() {
        text += "\nagainst the original\n";
        let mut table = Table::new(&["data", "peak", "found", "original", "difference"]).right(1..5);
        for (name, at, found, original) in compared {
            table.row([
                name.to_owned(),
                format!("{at}"),
                percent(found),
                percent(original),
                format!("{:+.2}", 100.0 * (found - original)),
            ]);
        }
        text += &table.render(Style::default());
    }
    text
}

/// Test pulses come in heights, others in any.
fn is_test(score: &Score) -> bool {
    // Data of the detector are named `argon, collection`.
    !score.name.contains(',')
}

fn summary(scores: &[Score]) -> String {
    let heads = [
        "data",
        "50 %",
        "99 %",
        "false/ch/s",
        "in ch*s",
        "pulses",
        "found",
        "merged",
        "splits",
        "astray",
        "purity",
        "time",
        "+-",
        "charge",
        "+-",
    ];
    let mut table = Table::new(&heads).right(1..heads.len());
    for score in scores {
        let all = all(score);
        table.row([
            score.name.clone(),
            counts(point(&score.by_peak, 0.5)),
            counts(point(&score.by_peak, 0.99)),
            rate(score),
            format!("{:.0}", score.channel_seconds),
            score.pulses().to_string(),
            percent(score.found() as f64 / score.pulses() as f64),
            percent(score.merged() as f64 / score.pulses() as f64),
            score.splits.to_string(),
            score.astray.to_string(),
            percent(score.purity()),
            number(all.peak_time.mean()),
            number(all.peak_time.deviation()),
            number(all.charge.mean()),
            number(all.charge.deviation()),
        ]);
    }
    let lost: u64 = scores.iter().map(|s| s.lost).sum();
    let lost =
        if lost > 0 { format!("{lost} hits found no room: the numbers are wrong\n") } else { String::new() };
    table.render(Style::default()) + &lost
}

/// All bins as one.
fn all(score: &Score) -> Bin {
    score.by_peak.iter().fold(Bin::default(), |mut all, bin| {
        all.merge(bin);
        all
    })
}

fn curve(what: &str, bins: &[Bin]) -> String {
    let heads = [what, "pulses", "found", "merged", "time", "+-", "begin", "over", "charge", "+-"];
    let mut table = Table::new(&heads).right(0..heads.len());
    for bin in bins.iter().filter(|bin| bin.pulses > 0) {
        table.row([
            format!("{}", bin.at),
            bin.pulses.to_string(),
            percent(bin.efficiency()),
            percent(bin.merged as f64 / bin.pulses as f64),
            number(bin.peak_time.mean()),
            number(bin.peak_time.deviation()),
            number(bin.begin.mean()),
            number(bin.over.mean()),
            number(bin.charge.mean()),
            number(bin.charge.deviation()),
        ]);
    }
    table.render(Style::default())
}

/// Data set, height, found and original part, where the original was measured.
fn compared(finder: &FinderOptions, scores: &[Score]) -> Vec<(&'static str, f64, f64, f64)> {
    if finder.algorithm != Algorithm::Seed {
        return Vec::new();
    }
    let found = |(name, at, original): (&'static str, f64, f64)| {
        let score = scores.iter().find(|s| s.name == name)?;
        // Heights are whole numbers in both lists, so equal ones are equal to the bit.
        let bin = score.by_peak.iter().find(|bin| bin.at == at && bin.pulses > 0)?;
        Some((name, at, bin.efficiency(), original))
    };
    SEED.into_iter().filter_map(found).collect()
}

fn percent(part: f64) -> String {
    if part.is_nan() { "-".into() } else { format!("{:.2} %", 100.0 * part) }
}

fn number(value: f64) -> String {
    if value.is_nan() { "-".into() } else { format!("{value:.2}") }
}

fn counts(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{v:.1}"))
}

fn rate(score: &Score) -> String {
    if score.channel_seconds == 0.0 { "-".into() } else { format!("{:.3}", score.fake_hz()) }
}

pub(super) fn json(finder: &FinderOptions, scores: &[Score]) -> Value {
    let compared = compared(finder, scores).into_iter().map(|(name, at, found, original)| {
        json!({ "data": name, "peak": at, "efficiency": found, "original": original })
    });
    json!({
        "algorithm": finder.algorithm.name(),
        "threshold": finder.threshold,
        "bipolar": finder.bipolar,
        "against_original": compared.collect::<Vec<_>>(),
        "data": scores.iter().map(score_json).collect::<Vec<_>>(),
    })
}

fn score_json(score: &Score) -> Value {
    json!({
        "name": score.name,
        "peak_50": point(&score.by_peak, 0.5),
        "peak_99": point(&score.by_peak, 0.99),
        "charge_50": point(&score.by_charge, 0.5),
        "charge_99": point(&score.by_charge, 0.99),
        "fakes": score.fakes,
        "channel_seconds": score.channel_seconds,
        "fakes_per_channel_second": known(score.fake_hz()),
        "pulses": score.pulses(),
        "found": score.found(),
        "merged": score.merged(),
        "hits": score.hits,
        "splits": score.splits,
        "astray": score.astray,
        "purity": known(score.purity()),
        "lost": score.lost,
        "by_peak": score.by_peak.iter().filter(|b| b.pulses > 0).map(bin_json).collect::<Vec<_>>(),
        "by_charge": score.by_charge.iter().filter(|b| b.pulses > 0).map(bin_json).collect::<Vec<_>>(),
    })
}

fn bin_json(bin: &Bin) -> Value {
    let moments = |m: &Moments| {
        json!({
            "mean": known(m.mean()),
            "mean_error": known(m.mean_error()),
            "deviation": known(m.deviation()),
            "deviation_error": known(m.deviation_error()),
        })
    };
    let (below, above) = bin.efficiency_error();
    json!({
        "at": bin.at,
        "pulses": bin.pulses,
        "found": bin.found,
        "merged": bin.merged,
        "efficiency": known(bin.efficiency()),
        "efficiency_error": [known(below), known(above)],
        "peak_time": moments(&bin.peak_time),
        "begin": moments(&bin.begin),
        "over": moments(&bin.over),
        "charge": moments(&bin.charge),
    })
}

/// `None` for an unknown value.
fn known(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
