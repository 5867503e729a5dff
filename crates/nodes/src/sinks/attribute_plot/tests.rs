use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};

use super::*;

fn feed(node: &mut Harness, values: &[(&str, AttributeValue)]) {
    let frame = node.bytes_with(&[0], |header| {
        values.iter().for_each(|(name, value)| header.attributes.set(&(*name).into(), value.clone()));
    });
    let frame = frame.unwrap();
    node.feed(&frame).unwrap();
}

fn list(node: &mut Harness, name: &str) -> Vec<f64> {
    match node.get(name) {
        Some(Value::List(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

/// Names in alphabetical order, without texts; the oldest points go; values that a frame lacks are NaN.
#[test]
fn keeps_the_latest_by_name() {
    use AttributeValue::{Float, Int, Text};
    let mut node = Harness::new::<AttributePlot>(&[("points", 3.into()), ("y2_select", 1.into())]).unwrap();
    for i in 0..4 {
        feed(
            &mut node,
            &[("Theta", Float(f64::from(i) / 2.0)), ("Label", Text("x".into())), ("Gain", Int(10))],
        );
    }
    feed(&mut node, &[("Theta", Float(9.0))]);
    assert_eq!(list(&mut node, "y2_data"), [0.0f64; 0], "shown after a while");
    node.advance(1_000_000_000).unwrap();
    assert_eq!(
        (list(&mut node, "y2_data"), list(&mut node, "x1_data")),
        (vec![1.0, 1.5, 9.0], vec![2.0, 3.0, 4.0])
    );
    assert_eq!(
        ["attr1_name", "attr2_name", "attr3_name"].map(|n| node.get(n).unwrap().to_string()),
        ["Gain", "Theta", ""]
    );
    assert_eq!((node.get("y2_label"), node.get("x1_label")), (Some("Theta".into()), Some("UID".into())));
    node.set("y1_select", 0).unwrap();
    assert!(list(&mut node, "y1_data")[2].is_nan() && list(&mut node, "y1_data")[..2] == [10.0, 10.0]);
    node.set("y1_select", 7).unwrap();
    assert_eq!((list(&mut node, "y1_data"), node.get("y1_label")), (vec![], Some("None".into())));
    assert_eq!(node.number_of("kept"), 3.0);
    assert!(node.set("y1_select", 16).is_err());
}

/// A number that goes back begins anew, and a choice follows its name.
#[test]
fn begins_anew() {
    let mut node = Harness::new::<AttributePlot>(&[("y1_select", 0.into())]).unwrap();
    feed(&mut node, &[("Energy", AttributeValue::Int(1))]);
    node.drain().unwrap();
    node.set("reset", true).unwrap();
    assert_eq!((node.number_of("kept"), list(&mut node, "y1_data")), (0.0, vec![]));
    feed(&mut node, &[("Energy", AttributeValue::Int(2)), ("Angle", AttributeValue::Int(5))]);
    node.drain().unwrap();
    assert_eq!((node.number_of("y1_select"), list(&mut node, "y1_data")), (1.0, vec![2.0]));
    let again = node
        .bytes_with(&[0], |header| header.attributes.set(&"Angle".into(), AttributeValue::Int(7)))
        .unwrap();
    node.feed(&again).unwrap();
    node.feed(&again).unwrap();
    assert_eq!(node.number_of("kept"), 1.0);
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<AttributePlot>(&[]);
    assert_compliant::<AttributePlot>(&[("points", 2.into())]);
}
