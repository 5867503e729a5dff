//! The node contract (`docs/spec/node.md`), checked on one node.

use std::collections::BTreeSet;

use livetime_frame::{ColorMode, DType, Frame, Layout, with_dtype};

use super::Harness;
use crate::node::{NodeKind, NodeType};
use crate::{Next, Node, NodeError, ParamKind, Value};

/// Checks that a node keeps the contract for any input: every dtype, odd and empty shapes, strided views, payloads of
/// other kinds, parameters written again, no frame at all.
///
/// `params` are the parameters that the node cannot run without.
///
/// # Panics
/// When it does not; the message names the rule.
pub fn assert_compliant<N: Node>(params: &[(&str, Value)]) {
    assert_compliant_fed::<N>(params, |_| ());
}

/// As [`assert_compliant`], for a source whose frames come from the test: `feed` brings at least five frames, once for
/// each source that has been started.
///
/// # Panics
/// As [`assert_compliant`].
pub fn assert_compliant_fed<N: Node>(params: &[(&str, Value)], feed: impl Fn(&mut Harness)) {
    assert_type_fed(&NodeType::of::<N>(), params, feed);
}

/// As [`assert_compliant`], for an entry of a list of nodes, such as one made at run time.
///
/// # Panics
/// As [`assert_compliant`].
pub fn assert_type_compliant(node_type: &NodeType, params: &[(&str, Value)]) {
    assert_type_fed(node_type, params, |_| ());
}

#[allow(clippy::expect_used, reason = "made for tests, where a panic is the verdict")]
fn assert_type_fed(node_type: &NodeType, params: &[(&str, Value)], feed: impl Fn(&mut Harness)) {
    check_declaration(node_type);
    check_parameters(node_type, params);
    match node_type.spec.kind {
        NodeKind::Source => check_source(node_type, params, feed),
        NodeKind::Process | NodeKind::Sink => check_frames(node_type, params),
    }
    let mut idle = Harness::of(node_type.clone(), params).expect("a node starts with its defaults");
    idle.drain().expect("a node without frames drains");
    idle.stop();
}

fn check_declaration(node_type: &NodeType) {
    let spec = node_type.spec;
    assert!(is_snake_case(spec.name), "node name `{}` is snake_case", spec.name);
    assert!(spec.summary.ends_with('.'), "{}: the summary is a sentence", spec.name);
    assert_eq!(spec.inputs.is_empty(), spec.kind == NodeKind::Source, "{}: sources have no input", spec.name);
    assert_eq!(spec.outputs.is_empty(), spec.kind == NodeKind::Sink, "{}: sinks have no output", spec.name);
    for ports in [spec.inputs, spec.outputs] {
        let names: BTreeSet<_> = ports.iter().map(|p| p.name).collect();
        assert_eq!(names.len(), ports.len(), "{}: port names are unique", spec.name);
        assert!(names.iter().all(|n| is_snake_case(n)), "{}: port names are snake_case", spec.name);
    }
}

fn is_snake_case(name: &str) -> bool {
    let rest = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(rest)
}

/// Documented, named well, in range by default, writable with the value they have, and refused beyond it.
#[allow(clippy::panic, clippy::expect_used, reason = "made for tests, where a panic is the verdict")]
fn check_parameters(node_type: &NodeType, params: &[(&str, Value)]) {
    let name = node_type.spec.name;
    let mut harness = Harness::of(node_type.clone(), params).expect("a node starts with its defaults");
    let defaults = node_type.params();
    let mut pvs = BTreeSet::new();
    for (index, spec) in node_type.param_specs().iter().enumerate() {
        assert!(is_snake_case(spec.name), "{name}: parameter `{}` is snake_case", spec.name);
        assert!(spec.doc.ends_with('.'), "{name}.{}: the doc comment is a sentence", spec.name);
        let value = defaults.get(index).expect("every declared parameter has a value");
        if !spec.readback {
            spec.accept(&value).unwrap_or_else(|e| panic!("{name}: default out of range: {e}"));
            let now = harness.get(spec.name).expect("every declared parameter can be read");
            harness.set(spec.name, now).unwrap_or_else(|e| panic!("{name}: writing the present value: {e}"));
            let wrong = if matches!(spec.kind, ParamKind::Text) { Value::List(vec![]) } else { "?".into() };
            assert!(harness.set(spec.name, wrong).is_err(), "{name}.{}: takes anything", spec.name);
        }
        let unique = spec.pv.is_none_or(|pv| pvs.insert((pv, spec.readback)));
        assert!(unique, "{name}.{}: PV suffix used twice", spec.name);
    }
}

/// Frames are numbered without gaps, and the source says when it wants to be called again.
#[allow(clippy::expect_used, reason = "made for tests, where a panic is the verdict")]
fn check_source(node_type: &NodeType, params: &[(&str, Value)], feed: impl Fn(&mut Harness)) {
    let name = node_type.spec.name;
    let mut harness = Harness::of(node_type.clone(), params).expect("a source starts");
    feed(&mut harness);
    let frames = harness.run_source(5).expect("a source produces");
    let numbers: Vec<u64> = frames.iter().map(|f| f.header().sequence).collect();
    assert!(numbers.windows(2).all(|w| w[1] == w[0] + 1), "{name}: numbers without gaps, found {numbers:?}");
    let (_, next) = harness.produce().expect("a source goes on");
    assert!(next != Next::Now || !frames.is_empty(), "{name}: spins without a frame");
    // The engine also calls when a parameter was written, which may be before the source's time has come.
    let mut early = Harness::of(node_type.clone(), params).expect("a source starts");
    feed(&mut early);
    let mut numbers = Vec::new();
    for _ in 0..5 {
        let (frames, _) = early.produce().expect("a source called early says when to come again");
        numbers.extend(frames.iter().map(|f| f.header().sequence));
    }
    assert!(numbers.windows(2).all(|w| w[1] == w[0] + 1), "{name}: called early, found {numbers:?}");
}

/// Every frame is handled or refused with both sides named; the node stays usable; order is kept.
fn check_frames(node_type: &NodeType, params: &[(&str, Value)]) {
    let name = node_type.spec.name;
    let Ok(mut harness) = Harness::of(node_type.clone(), params) else { return };
    for input in 0..node_type.spec.inputs.len() {
        let Ok(frames) = sample_frames(&mut harness) else { return };
        let accepts = node_type.spec.inputs[input].accepts;
        let mut last = None;
        for frame in &frames {
            let stream = crate::node::stream_of(frame);
            let result = harness.feed_to(input, frame);
            if let Err(error) = &result {
                let text = error.to_string();
                let both = text.contains("wanted") && text.contains("found");
                assert!(both || accepts.check(&stream).is_ok(), "{name}: error without both sides: {text}");
            }
            for out in result.unwrap_or_default() {
                let number = out.header().sequence;
                assert!(last.is_none_or(|l| number >= l), "{name}: {number} came after {last:?}");
                last = Some(number);
            }
        }
        let takes_images = accepts.check(&crate::node::stream_of(&frames[0])).is_ok();
        let again = harness.feed_to(input, &frames[0]);
        assert!(!takes_images || again.is_ok(), "{name}: refuses a plain image after odd frames");
    }
}

/// First a plain image, then everything that may come.
fn sample_frames(harness: &mut Harness) -> Result<Vec<Frame>, NodeError> {
    let mut frames = Vec::new();
    let plain = harness.image(&[32, 48], &[7u8; 32 * 48])?;
    frames.push(plain.clone());
    for dtype in DType::ALL {
        for (color, shape) in SHAPES {
            let layout = Layout::packed(dtype, *color, shape)?;
            frames.push(
                with_dtype!(dtype, T => harness.array::<T>(layout, &vec![T::default(); layout.len()])?),
            );
        }
    }
    let whole = Layout::packed(DType::U8, ColorMode::Mono, &[32, 48])?;
    let (rows, y) = whole.crop(0, 3, 7)?;
    let (part, x) = rows.crop(1, 5, 11)?;
    frames.push(harness.view(&plain, part, y + x)?);
    frames.push(harness.image(&[3], &[f32::NAN, f32::INFINITY, -1.0])?);
    frames.push(harness.bytes(b"not an array")?);
    frames.push(harness.bytes(b"")?);
    Ok(frames)
}

const SHAPES: &[(ColorMode, &[usize])] = &[
    (ColorMode::Mono, &[5, 7]),
    (ColorMode::Mono, &[1, 1]),
    (ColorMode::Mono, &[0, 4]),
    (ColorMode::Mono, &[9]),
    (ColorMode::Mono, &[2, 3, 4]),
    (ColorMode::Mono, &[1, 2, 1, 2, 1, 2, 1, 2]),
    (ColorMode::Rgb1, &[4, 5, 3]),
    (ColorMode::Rgb2, &[4, 3, 5]),
    (ColorMode::Rgb3, &[3, 4, 5]),
];
