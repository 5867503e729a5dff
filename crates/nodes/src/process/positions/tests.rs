use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};

use super::*;

fn text(count: usize) -> String {
    let positions: String = (0..count).map(|i| format!("<position x='{i}' y='-{i}.5'/>")).collect();
    format!(
        "<pos_layout><dimensions><dimension name='x'/><dimension name='y'></dimension></dimensions>\
             <positions>{positions}</positions></pos_layout>"
    )
}

fn running(count: usize, more: &[(&str, Value)]) -> Harness {
    let mut params = vec![("file_name", Value::from(text(count))), ("running", true.into())];
    params.extend(more.iter().cloned());
    Harness::new::<Positions>(&params).unwrap()
}

/// Feeds a frame with this number and returns the x that it got.
fn fed(node: &mut Harness, number: u64) -> Option<f64> {
    let mut frame = node.pool().allocator().bytes(1).unwrap();
    frame.header_mut().sequence = number;
    frame.header_mut().attributes.set(&"Id".into(), AttributeValue::Int(number as i64 * 10));
    let frame = frame.freeze();
    let out = node.feed(&frame).unwrap();
    let first = out.first()?;
    assert!(first.bytes().as_ptr() == frame.bytes().as_ptr(), "no pixel is copied");
    assert_eq!((first.header().sequence, first.header().attributes.len()), (number, 3));
    match first.header().attributes.get("x") {
        Some(AttributeValue::Float(v)) => Some(*v),
        _ => None,
    }
}

#[test]
fn positions_are_used_up_in_order() {
    let mut node = running(3, &[]);
    assert_eq!(node.number_of("quantity"), 3.0);
    assert_eq!([0, 1].map(|n| fed(&mut node, n)), [Some(0.0), Some(1.0)]);
    assert_eq!(node.get("position"), Some("[x=1,y=-1.5]".into()));
    // More may be added while it runs.
    node.set("file_name", text(1)).unwrap();
    assert_eq!([2, 3, 4].map(|n| fed(&mut node, n)), [Some(2.0), Some(0.0), None]);
    assert_eq!((node.get("running"), node.number_of("ignored")), (Some(false.into()), 1.0));
    assert_eq!((node.number_of("quantity"), node.number_of("expected_id")), (0.0, 4.0));
}

#[test]
fn kept_positions_serve_again() {
    let mut node = running(2, &[("mode", "keep".into())]);
    assert_eq!([0, 1, 2].map(|n| fed(&mut node, n)), [Some(0.0), Some(1.0), None]);
    assert_eq!((node.number_of("quantity"), node.number_of("index")), (2.0, 2.0));
    node.set("reset", true).unwrap();
    node.set("id_start", 7).unwrap();
    node.set("running", true).unwrap();
    assert_eq!((node.get("reset"), node.get("position")), (Some(false.into()), Some("".into())));
    assert_eq!([7, 8].map(|n| fed(&mut node, n)), [Some(0.0), Some(1.0)]);
    node.set("delete", true).unwrap();
    assert_eq!((node.number_of("quantity"), fed(&mut node, 9)), (0.0, None));
}

#[test]
fn gaps_and_duplicates_keep_frames_at_their_positions() {
    for mode in ["discard", "keep"] {
        let mut node = running(6, &[("mode", mode.into()), ("id_start", 5.into())]);
        let found = [4, 5, 5, 8, 7, 9].map(|n| fed(&mut node, n));
        assert_eq!(found, [None, Some(0.0), None, Some(3.0), None, Some(4.0)], "{mode}");
        assert_eq!((node.number_of("missing"), node.number_of("duplicate")), (2.0, 3.0));
        // A gap to behind the end.
        assert_eq!((fed(&mut node, 1 << 40), node.number_of("missing")), (None, 3.0), "{mode}");
        assert_eq!(node.get("running"), Some(false.into()));
    }
}

#[test]
fn the_number_may_be_an_attribute() {
    let params = [("id_name", "Id".into()), ("id_difference", 20.into()), ("id_start", 40.into())];
    let mut node = running(4, &params);
    assert_eq!([4, 6, 10].map(|n| fed(&mut node, n)), [Some(0.0), Some(1.0), Some(3.0)]);
    assert_eq!(node.number_of("missing"), 1.0);
    let mut node = running(4, &[("id_name", "Angle".into())]);
    let frame = node.bytes(b"x").unwrap();
    assert!(node.feed(&frame).unwrap_err().to_string().contains("`Angle`, found none"));
}

#[test]
fn idle_it_sends_nothing() {
    let mut node = Harness::new::<Positions>(&[("file_name", text(2).into())]).unwrap();
    assert_eq!(fed(&mut node, 0), None);
    node.set("running", true).unwrap();
    assert_eq!(fed(&mut node, 0), Some(0.0));
}

#[test]
fn hostile_texts_are_refused_with_their_place() {
    let refused = |text: &str| layout::read(text, 0).map(|_| ()).unwrap_err().to_string();
    let bomb = "<!DOCTYPE a [<!ENTITY b 'ha'><!ENTITY c '&b;&b;'>]><pos_layout>&c;</pos_layout>";
    assert!(refused(bomb).contains("DTD"), "{}", refused(bomb));
    let dims = |names: &str, rest: &str| refused(&format!("<pos_layout>\n{names}\n{rest}</pos_layout>"));
    let x = "<dimension name='x'/>";
    for (names, rest, wanted) in [
        ("<dimension name='a/b'/>", "", "the text, 2:1: wanted at most 32 dimensions"),
        ("<dimension/>", "", "found ``"),
        ("<dimension name='x'/><dimension name='x'/>", "", "2:22"),
        (x, "<position x='NaN'/>", "the text, 3:1: wanted a finite number as `x`, found NaN"),
        (x, "<position x='inf'/>", "found inf"),
        (x, "<position x='1e999'/>", "found 1e999"),
        (x, "<position y='1'/>", "found none"),
        ("", "<position x='1'/>", "before the first `position`"),
        (x, "<position x='1'>", "wanted XML"),
    ] {
        assert!(dims(names, rest).contains(wanted), "{names} {rest}: {}", dims(names, rest));
    }
    assert!(refused("<a><pos_layout/></a>").contains("found `a`"));
    assert!(refused("/nowhere/positions.xml").contains("`/nowhere/positions.xml`"));
    let deep = format!("<pos_layout>{}", "<a>".repeat(200_000));
    assert!(refused(&deep).contains("wanted XML"));
    assert!(layout::read(&text(2), 999_999).is_err());
    // A text that is refused changes nothing.
    let mut node = running(1, &[]);
    assert!(node.set("file_name", "<pos_layout>").is_err());
    assert_eq!((node.get("file_valid"), node.number_of("quantity")), (Some(false.into()), 1.0));
    assert_eq!(fed(&mut node, 0), Some(0.0));
}

#[test]
fn a_file_is_read_as_a_text_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scan.xml");
    std::fs::write(&file, text(5)).unwrap();
    let mut node = Harness::new::<Positions>(&[("file_name", file.to_str().unwrap().into())]).unwrap();
    assert_eq!((node.number_of("quantity"), node.get("file_valid")), (5.0, Some(true.into())));
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<Positions>(&[]);
    for mode in ["keep", "discard"] {
        let params = [("file_name", text(50).into()), ("running", true.into()), ("mode", mode.into())];
        assert_compliant::<Positions>(&params);
    }
}

/// Any text is refused with a reason or taken, and frames pass afterwards.
#[test]
fn damaged_texts_are_refused_or_taken() {
    let (mut taken, mut refused) = (0, 0);
    for number in 0..2000 {
        let text = livetime_testkit::mutated(&text(3), number);
        let mut node = running(1, &[]);
        match node.set("file_name", text.as_str()) {
            Ok(()) => taken += 1,
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty(), "{text}");
                assert_eq!(node.number_of("quantity"), 1.0, "what was there stays: {text}");
            }
        }
        assert_eq!(fed(&mut node, 0), Some(0.0), "{text}");
    }
    assert!(taken > 20 && refused > 200, "{taken} {refused}");
}
