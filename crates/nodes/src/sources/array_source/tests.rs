use std::sync::mpsc::{Receiver, channel};

use livetime_engine::Value as Param;
use livetime_engine::testing::{Harness, assert_compliant_fed};
use livetime_frame::{Attributes, with_dtype};
use livetime_pva::nt;

use super::*;
use crate::ntndarray::ImageWriter;

fn node(params: &[(&str, Param)]) -> (Harness, Inbox) {
    let mut node = Harness::new::<ArraySource>(params).unwrap();
    let inbox = Inbox::new(3, 1 << 20);
    node.node::<ArraySource>().unwrap().attach(inbox.clone());
    (node, inbox)
}

fn dims(sizes: &[f64]) -> (&'static str, Param) {
    ("dimensions", Param::List(sizes.to_vec()))
}

/// Leaves elements; the answer comes through the channel.
fn left(inbox: &Inbox, written: Written) -> Receiver<Result<(), String>> {
    let (answer, answered) = channel();
    inbox.leave(written, Box::new(move |result| _ = answer.send(result.map_err(|e| e.to_string()))));
    answered
}

fn numbers(values: &[f64]) -> Written {
    Written::Elements(values.to_vec().into())
}

/// Writes elements, and returns the elements of the resulting frame.
fn written(node: &mut Harness, inbox: &Inbox, values: &[f64]) -> Option<Vec<f64>> {
    let answer = left(inbox, numbers(values));
    let (frames, _) = node.produce().unwrap();
    answer.recv().unwrap().unwrap();
    elements(frames.first())
}

fn elements(frame: Option<&livetime_frame::Frame>) -> Option<Vec<f64>> {
    let array = frame?.array().unwrap();
    let numbers = with_dtype!(array.layout().dtype(), T => {
        array.elements::<T>().unwrap().iter().map(|v| *v as f64).collect()
    });
    Some(numbers)
}

fn image(number: i32) -> Value {
    let layout = Layout::packed(DType::I16, ColorMode::Rgb2, &[4, 3, 5]).unwrap();
    let mut frame = livetime_frame::FramePool::new(1 << 20).allocator().array(layout).unwrap();
    frame.elements_mut::<i16>().unwrap().iter_mut().zip(0..).for_each(|(element, i)| *element = i);
    frame.header_mut().event_time_ns = 1_234_567_890;
    frame.header_mut().attributes.set(&"Angle".into(), AttributeValue::Float(1.5));
    let mut writer = ImageWriter::new().unwrap();
    let mut image = writer.write(&frame.freeze()).unwrap().clone();
    image.set("uniqueId", number).unwrap();
    image
}

#[test]
fn an_image_becomes_the_same_frame() {
    let (mut node, inbox) = node(&[]);
    let answers = [0, 41].map(|number| left(&inbox, Written::Image(image(number))));
    let frames = node.run_source(2).unwrap();
    answers.iter().for_each(|answer| assert_eq!(answer.recv().unwrap(), Ok(())));
    for (number, frame) in frames.iter().enumerate() {
        let array = frame.array().unwrap();
        assert_eq!(array.layout().to_string(), "4x3x5 i16 rgb2");
        assert_eq!(array.elements::<i16>().unwrap(), (0..60).collect::<Vec<i16>>());
        assert_eq!((frame.header().sequence, frame.header().event_time_ns), (number as u64, 1_234_567_890));
        let attributes: &Attributes = &frame.header().attributes;
        assert_eq!(attributes.get("Angle"), Some(&AttributeValue::Float(1.5)));
        assert_eq!(attributes.get(UNIQUE_ID), (number == 1).then_some(&AttributeValue::Int(41)));
    }
}

#[test]
fn elements_become_frames_of_every_type() {
    let (mut node, inbox) = node(&[dims(&[3.0, 2.0, 0.0, 0.0])]);
    for dtype in DType::ALL {
        node.set("data_type", dtype.name()).unwrap();
        let found = written(&mut node, &inbox, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{dtype}");
    }
    node.set("data_type", "u8").unwrap();
    node.set("fill_value", 9.0).unwrap();
    assert_eq!(
        written(&mut node, &inbox, &[-1.0, f64::NAN, 300.0]).unwrap(),
        [0.0, 0.0, 255.0, 9.0, 9.0, 9.0]
    );
    // More elements than the frame has are left out.
    assert_eq!(written(&mut node, &inbox, &[1.0; 9]).unwrap(), [1.0; 6]);
    node.set("dimensions", Param::List(vec![3.0, 1.0, 1.0])).unwrap();
    node.set("color_mode", "rgb1").unwrap();
    left(&inbox, numbers(&[1.0, 2.0, 3.0]));
    let (frames, _) = node.produce().unwrap();
    assert_eq!(frames[0].array().unwrap().layout().to_string(), "1x1x3 u8 rgb1");
}

#[test]
fn a_frame_grows_in_append_mode() {
    let params = [dims(&[4.0]), ("append_mode", true.into()), ("callback_mode", "on_update".into())];
    let (mut node, inbox) = node(&params);
    assert_eq!(written(&mut node, &inbox, &[1.0, 2.0]).unwrap(), [1.0, 2.0, 0.0, 0.0]);
    assert_eq!(written(&mut node, &inbox, &[3.0]).unwrap(), [1.0, 2.0, 3.0, 0.0]);
    assert_eq!((node.number_of("next_element"), node.number_of("num_images_counter")), (3.0, 0.0));
    // No room behind the last element.
    assert_eq!(written(&mut node, &inbox, &[4.0, 5.0]).unwrap(), [1.0, 2.0, 3.0, 4.0]);
    node.set("next_element", 0).unwrap();
    node.set("stride", 3).unwrap();
    assert_eq!(written(&mut node, &inbox, &[7.0, 8.0]).unwrap(), [7.0, 2.0, 3.0, 8.0]);
    node.set("callback_mode", "on_complete").unwrap();
    node.set("new_array", true).unwrap();
    node.set("stride", 1).unwrap();
    assert_eq!(written(&mut node, &inbox, &[5.0]), None);
    node.set("array_complete", true).unwrap();
    let (frames, _) = node.produce().unwrap();
    assert_eq!(
        (elements(frames.first()).unwrap(), node.number_of("num_images_counter")),
        (vec![5.0, 0.0, 0.0, 0.0], 1.0)
    );
    node.set("callback_mode", "on_command").unwrap();
    assert_eq!(written(&mut node, &inbox, &[6.0]), None);
    node.set("do_callbacks", true).unwrap();
    assert_eq!(elements(node.produce().unwrap().0.first()).unwrap(), [5.0, 6.0, 0.0, 0.0]);
    assert_eq!(node.get("do_callbacks"), Some(false.into()));
}

#[test]
fn an_acquisition_ends() {
    let params = [dims(&[1.0]), ("image_mode", "multiple".into()), ("num_images", 2.into())];
    let (mut node, inbox) = node(&params);
    (0..3).for_each(|i| drop(left(&inbox, numbers(&[f64::from(i)]))));
    // The channel of the answer is gone, as a client may be.
    let inbox = Inbox::new(3, 1 << 20);
    node.node::<ArraySource>().unwrap().attach(inbox.clone());
    let answers = [1.0, 2.0, 3.0].map(|v| left(&inbox, numbers(&[v])));
    assert_eq!(node.run_source(2).unwrap().len(), 2);
    assert_eq!(node.get("acquire"), Some(false.into()));
    let (frames, _) = node.produce().unwrap();
    assert!(frames.is_empty() && answers[2].recv().unwrap().unwrap_err().contains("`Acquire`"));
    assert_eq!(node.number_of("refused"), 1.0);
    node.set("acquire", true).unwrap();
    assert_eq!(written(&mut node, &inbox, &[4.0]), Some(vec![4.0]));
}

#[test]
fn what_does_not_fit_is_refused() {
    let (mut node, inbox) = node(&[]);
    let mut bad = image(1);
    bad.set("value", vec![1i16]).unwrap();
    let answers =
        [left(&inbox, Written::Image(bad)), left(&inbox, Written::Image(Value::new(&nt::ndarray())))];
    let waits = left(&inbox, numbers(&[1.0]));
    // Three wait: there is no more room.
    assert!(left(&inbox, numbers(&[1.0])).recv().unwrap().unwrap_err().contains("3 pictures that wait"));
    let frames = node.run_source(1).unwrap();
    assert_eq!((frames.len(), frames[0].header().sequence), (1, 0));
    assert!(answers[0].recv().unwrap().unwrap_err().contains("wanted the 60 pixels"));
    assert!(answers[1].recv().unwrap().unwrap_err().contains("found none"));
    waits.recv().unwrap().unwrap();
    for sizes in [vec![], vec![0.0], vec![1.5], vec![-1.0], vec![f64::NAN], vec![1.0; 9], vec![4e9, 4e9, 4e9]]
    {
        assert!(node.set("dimensions", Param::List(sizes.clone())).is_err(), "{sizes:?}");
    }
    // More memory than the run has.
    node.set("dimensions", Param::List(vec![1e6, 1e6])).unwrap();
    let answer = left(&inbox, numbers(&[1.0]));
    assert!(node.produce().unwrap().0.is_empty());
    assert!(answer.recv().unwrap().unwrap_err().contains("the memory of the run"));
}

#[test]
fn keeps_the_contract() {
    assert_compliant_fed::<ArraySource>(&[dims(&[2.0])], |harness| {
        let inbox = Inbox::new(20, 1 << 20);
        harness.node::<ArraySource>().unwrap().attach(inbox.clone());
        (0..12).for_each(|i| inbox.leave(numbers(&[f64::from(i)]), Box::new(|_| ())));
    });
}
