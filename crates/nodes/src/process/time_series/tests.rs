use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};

use super::*;

fn node(params: &[(&str, Value)]) -> Harness {
    let mut node = Harness::new::<TimeSeries>(params).unwrap();
    node.set("acquire", true).unwrap();
    node
}

fn list(node: &mut Harness, name: &str) -> Vec<f64> {
    match node.get(name) {
        Some(Value::List(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

/// One sample a frame; every dtype; the series are shown at the end.
#[test]
fn fixed_length_of_every_dtype() {
    for dtype in DType::ALL {
        let mut node = node(&[("num_points", 3.into())]);
        let mut sent = Vec::new();
        for i in 1..=4u8 {
            let frame = with_dtype!(dtype, T => node.image::<T>(&[2], &[i as T, (10 * i) as T]).unwrap());
            sent.extend(node.feed(&frame).unwrap());
        }
        assert_eq!(list(&mut node, "signal1_time_series"), [1.0, 2.0, 3.0], "{dtype}");
        assert_eq!(list(&mut node, "signal2_time_series"), [10.0, 20.0, 30.0]);
        assert_eq!((sent.len(), sent[0].header().sequence), (1, 2), "once, at the end");
        assert_eq!(sent[0].array().unwrap().elements::<f64>().unwrap(), [1.0, 2.0, 3.0, 10.0, 20.0, 30.0]);
        assert_eq!((node.get("acquire"), node.get("acquiring")), (Some(false.into()), Some(false.into())));
        assert_eq!(node.number_of("current_point"), 3.0);
    }
}

#[test]
fn means_are_not_cut_to_whole_numbers() {
    let mut node =
        node(&[("num_points", 4.into()), ("time_per_point", 0.01.into()), ("averaging_time", 0.029.into())]);
    assert_eq!(node.number_of("num_average"), 3.0);
    assert!((node.number_of("averaging_time_used") - 0.03).abs() < 1e-12);
    let frame = node.image::<u8>(&[7, 1], &[1, 1, 2, 4, 4, 5, 9]).unwrap();
    node.feed(&frame).unwrap();
    node.set("read", true).unwrap();
    node.advance(1).unwrap();
    let found = list(&mut node, "signal1_time_series");
    assert!(
        (found[0] - 4.0 / 3.0).abs() < 1e-12 && (found[1] - 13.0 / 3.0).abs() < 1e-12 && found.len() == 2
    );
    let axis = list(&mut node, "time_axis");
    assert!(axis.iter().enumerate().all(|(i, t)| (t - 0.03 * i as f64).abs() < 1e-12) && axis.len() == 4);
    assert_eq!(node.get("read"), Some(false.into()));
}

#[test]
fn a_circular_buffer_keeps_the_latest_and_shows_the_oldest_first() {
    let mut node = node(&[
        ("num_points", 3.into()),
        ("acquire_mode", "circular_buffer".into()),
        ("averaging_time", 2.0.into()),
    ]);
    assert_eq!(list(&mut node, "time_axis"), [-4.0, -2.0, 0.0]);
    for i in 1..=2 {
        let frame = node.image::<i16>(&[1], &[i]).unwrap();
        assert!(node.feed(&frame).unwrap().is_empty());
    }
    let sent = node.advance(1_000_000_000).unwrap();
    assert_eq!(sent[0].array().unwrap().elements::<f64>().unwrap(), [0.0, 1.0, 2.0]);
    for i in 3..=5 {
        let frame = node.image::<i16>(&[1], &[i]).unwrap();
        node.feed(&frame).unwrap();
    }
    node.set("acquire", false).unwrap();
    let sent = node.advance(1_000_000_001).unwrap();
    assert_eq!(sent[0].array().unwrap().elements::<f64>().unwrap(), [3.0, 4.0, 5.0]);
    assert_eq!(list(&mut node, "signal1_time_series"), [3.0, 4.0, 5.0]);
}

/// New points are sent after `read_period`, with the time of each point; nothing is sent twice.
#[test]
fn shown_after_a_while() {
    let mut node = node(&[("read_period", 0.5.into())]);
    let frame = node.image::<f32>(&[1], &[1.5]).unwrap();
    node.feed(&frame).unwrap();
    assert_eq!(list(&mut node, "signal1_time_series"), [0.0f64; 0]);
    assert!(node.advance(400_000_000).unwrap().is_empty());
    assert_eq!(node.advance(500_000_000).unwrap().len(), 1);
    assert_eq!(list(&mut node, "signal1_time_series"), [1.5]);
    assert_eq!(list(&mut node, "timestamp").len(), 1);
    assert!(node.advance(5_000_000_000).unwrap().is_empty());
    node.set("read", true).unwrap();
    assert!(node.advance(5_000_000_001).unwrap().is_empty(), "there is nothing new");
    node.feed(&frame).unwrap();
    assert_eq!(node.drain().unwrap().len(), 1);
}

#[test]
fn other_sizes_begin_anew() {
    let mut node = node(&[("num_points", 5.into())]);
    let one = node.image::<u8>(&[1], &[1]).unwrap();
    let two = node.image::<u8>(&[2], &[1, 2]).unwrap();
    node.feed(&one).unwrap();
    node.feed(&two).unwrap();
    assert_eq!(node.number_of("current_point"), 1.0);
    node.set("num_points", 4).unwrap();
    assert_eq!((node.number_of("current_point"), list(&mut node, "time_axis").len()), (0.0, 4));
    let many = node.image::<u8>(&[40], &[3; 40]).unwrap();
    node.feed(&many).unwrap();
    node.drain().unwrap();
    assert_eq!(list(&mut node, "signal32_time_series"), [3.0]);
    let stack = node.image::<u8>(&[1, 1, 2], &[0; 2]).unwrap();
    let error = node.feed(&stack).unwrap_err().to_string();
    assert!(error.contains("found [1, 1, 2]"), "{error}");
    node.set("num_points", 16_777_216).unwrap_err();
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<TimeSeries>(&[]);
    assert_compliant::<TimeSeries>(&[("acquire", true.into()), ("num_points", 2.into())]);
}
