use super::data::AMPLITUDES;
use super::score::{Score, point};
use super::*;

fn amount(workers: usize, pulses: f64, quiet_s: f64) -> Amount {
    Amount { quiet_s, pulses, tolerance: 10.0, seed: 3, workers }
}

fn scores(name: &str, algorithm: Algorithm, amount: &Amount) -> Vec<Score> {
    let options = FinderOptions { algorithm, threshold: None, bipolar: false };
    run(&data_sets(&[name.to_owned()]).unwrap()[0], &options, amount).unwrap()
}

#[test]
fn the_seed_finds_what_the_original_found() {
    let found = scores("white4", Algorithm::Seed, &amount(2, 500.0, 0.0));
    let at = |peak: f64| found[0].by_peak.iter().find(|bin| bin.at == peak).unwrap().efficiency();
    for (peak, original) in [(30.0, 0.06), (35.0, 0.37), (40.0, 0.75), (50.0, 0.998), (60.0, 1.0)] {
        assert!((at(peak) - original).abs() < 0.04, "{peak}: {}", at(peak));
    }
    assert_eq!(found[0].lost, 0);
}

#[test]
fn the_result_does_not_depend_on_the_threads() {
    let json = |workers| {
        let options = FinderOptions { algorithm: Algorithm::Default, threshold: None, bipolar: false };
        report::json(&options, &scores("argon", Algorithm::Default, &amount(workers, 1.0, 1.0)))
    };
    assert_eq!(json(1), json(3));
}

#[test]
fn planes_of_the_detector_are_counted_apart() {
    let found = scores("cosmics", Algorithm::Default, &amount(2, 1.0, 1.0));
    assert_eq!(
        found.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(),
        ["cosmics, collection", "cosmics, induction"]
    );
    assert!(found.iter().all(|s| s.pulses() > 1000 && s.hits > 1000));
    let collection = &found[0];
    let part = collection.found() as f64 / collection.pulses() as f64;
    assert!(part > 0.8, "{part}");
}

#[test]
fn text_json_and_pictures() {
    let options = FinderOptions { algorithm: Algorithm::Seed, threshold: None, bipolar: false };
    let found = scores("white4", Algorithm::Seed, &amount(2, 20.0, 10.0));
    let text = report::text(&options, &found, true);
    assert!(text.contains("white4") && text.contains("against the original"), "{text}");
    // A line for each data set, unless the curves are wanted.
    let short = report::text(&options, &found, false);
    assert!(short.contains("white4") && short.lines().count() + AMPLITUDES.len() <= text.lines().count());
    let json = report::json(&options, &found);
    assert_eq!(json["data"][0]["by_peak"].as_array().unwrap().len(), AMPLITUDES.len());
    assert!(json["data"][0]["peak_50"].as_f64().unwrap() > 30.0);
    assert_eq!(point(&found[0].by_peak, 0.5), json["data"][0]["peak_50"].as_f64());
    let folder = tempfile::tempdir().unwrap();
    plots::write(folder.path(), &found).unwrap();
    assert!(folder.path().join("efficiency.png").is_file());
}

#[test]
fn names_that_do_not_exist_are_refused() {
    let message = data_sets(&["white".into()]).err().unwrap().to_string();
    assert!(message.contains("found `white`"), "{message}");
    assert!(finder::algorithm("best").is_err());
}
