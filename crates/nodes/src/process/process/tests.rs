use livetime_engine::testing::{Harness, assert_compliant};
use livetime_engine::{ParamEnum, Value};
use livetime_frame::{ColorMode, with_dtype};
use livetime_kernels::FilterSetup;

use super::*;
use crate::sinks::tiff_files::TiffFiles;

fn node(values: &[(&str, Value)]) -> Harness {
    let mut node = Harness::new::<Process>(&[]).unwrap();
    set(&mut node, values);
    node
}

fn set(node: &mut Harness, values: &[(&str, Value)]) {
    values.iter().for_each(|(name, value)| node.set(name, value.clone()).unwrap());
}

fn elements(frame: &Frame) -> Vec<f64> {
    let array = frame.array().unwrap();
    with_dtype!(array.layout().dtype(), T => array.rows::<T>().unwrap().flatten().map(|v| *v as f64).collect())
}

/// The filter of the documentation, one pixel at a time.
#[derive(Default)]
struct Plain {
    state: Vec<f64>,
    n: u32,
}

impl Plain {
    fn feed(&mut self, setup: &FilterSetup, num: u32, auto_reset: bool, input: &[f64]) -> Vec<f64> {
        let is_new = self.state.is_empty();
        if is_new {
            self.state = input.to_vec();
        }
        if is_new || (auto_reset && self.n >= num) {
            for (f, i) in self.state.iter_mut().zip(input) {
                *f = setup.r_offset + setup.rc[0] * *f + setup.rc[1] * i;
            }
            self.n = 0;
        }
        self.n = (self.n + 1).min(num);
        let n = f64::from(self.n);
        let part = |scale: f64, a: f64, b: f64| scale * (a + b / n);
        let [o1, o2] = [0, 2].map(|k| part(setup.o_scale, setup.oc[k], setup.oc[k + 1]));
        let [f1, f2] = [0, 2].map(|k| part(setup.f_scale, setup.fc[k], setup.fc[k + 1]));
        let filter = |(f, i): (&mut f64, &f64)| {
            let output = setup.o_offset + o1 * *f + o2 * i;
            *f = setup.f_offset + f1 * *f + f2 * i;
            output
        };
        self.state.iter_mut().zip(input).map(filter).collect()
    }
}

fn presets(num: u32) -> [(&'static str, FilterSetup); 6] {
    [
        ("recursive_ave", FilterSetup::recursive_average()),
        ("average", FilterSetup::average(num)),
        ("sum", FilterSetup::sum()),
        ("difference", FilterSetup::difference()),
        ("recursive_ave_diff", FilterSetup::recursive_average_difference()),
        ("copy_to_filter", FilterSetup::copy_to_filter()),
    ]
}

#[test]
fn presets_match_a_plain_loop_over_150_frames() {
    let num = 12;
    for (name, setup) in presets(num) {
        for auto_reset in [false, true] {
            for (precision, tolerance) in [("double", 0.0), ("single", 0.05)] {
                let mut node = node(&[
                    ("enable_filter", true.into()),
                    ("num_filter", i64::from(num).into()),
                    ("filter_type", name.into()),
                    ("auto_reset_filter", auto_reset.into()),
                    ("filter_state", precision.into()),
                    ("data_type", "f64".into()),
                    ("o_offset", 0.5.into()),
                    ("o_scale", 1.25.into()),
                    ("r_offset", (-2.0).into()),
                ]);
                let setup = FilterSetup { o_offset: 0.5, o_scale: 1.25, r_offset: -2.0, ..setup };
                let mut plain = Plain::default();
                for number in 0..150u32 {
                    let pixels: Vec<u8> =
                        (0..35).map(|i| (i * 31 + number * 57 + number * number) as u8).collect();
                    let frame = node.image(&[5, 7], &pixels).unwrap();
                    let out = node.feed(&frame).unwrap();
                    let input: Vec<f64> = pixels.iter().map(|v| f64::from(*v)).collect();
                    let wanted = plain.feed(&setup, num, auto_reset, &input);
                    let far = elements(&out[0]).iter().zip(&wanted).any(|(a, b)| (a - b).abs() > tolerance);
                    assert!(!far, "{name} {auto_reset} {precision}, frame {number}");
                    assert_eq!(node.number_of("num_filtered"), f64::from(plain.n));
                    assert_eq!(node.number_of("is_single"), f64::from(u8::from(precision == "single")));
                }
            }
        }
    }
}

/// `auto` takes `f32` where no more than a tenth of a count is lost, and gives the same counts as `f64`.
#[test]
fn frames_that_wait_together_come_out_as_one_after_the_other() {
    // Three pieces, with a rest; the average starts again in the middle of a group.
    let shape = [3, 4099];
    let picture =
        |n: usize| -> Vec<u16> { (0..3 * 4099).map(|i| ((i * 7 + n * 131) % 997) as u16).collect() };
    for (name, num) in [("recursive_ave", 5), ("average", 3), ("copy_to_filter", 4)] {
        for (callbacks, data_type) in
            [("every_array", "automatic"), ("array_n_only", "automatic"), ("every_array", "f32")]
        {
            let mut nodes = [(); 2].map(|()| {
                node(&[
                    ("enable_filter", true.into()),
                    ("filter_type", name.into()),
                    ("num_filter", num.into()),
                    ("auto_reset_filter", true.into()),
                    ("filter_callbacks", callbacks.into()),
                    ("data_type", data_type.into()),
                ])
            });
            let [alone, together] = &mut nodes;
            let frames: Vec<Frame> = (0..11).map(|n| alone.image(&shape, &picture(n)).unwrap()).collect();
            let one_by_one: Vec<Frame> = frames.iter().flat_map(|frame| alone.feed(frame).unwrap()).collect();
            let frames: Vec<Frame> = (0..11).map(|n| together.image(&shape, &picture(n)).unwrap()).collect();
            assert_eq!(Node::together(together.node::<Process>().unwrap(), &frames[..4]), 4);
            let at_once = together.feed_waiting(&frames).unwrap();
            assert_eq!(one_by_one.len(), at_once.len());
            for (a, b) in one_by_one.iter().zip(&at_once) {
                assert_eq!(a.header().sequence, b.header().sequence);
                assert_eq!(elements(a), elements(b), "{name}, {callbacks}, {data_type}");
            }
        }
    }
}

#[test]
fn arrays_of_another_layout_are_not_taken_together() {
    let mut node = node(&[("enable_filter", true.into())]);
    let small = node.image(&[2, 2], &[1u8; 4]).unwrap();
    let large = node.image(&[2, 3], &[1u8; 6]).unwrap();
    let process = node.node::<Process>().unwrap();
    assert_eq!(process.together(&[small.clone(), small.clone(), large.clone()]), 2);
    assert_eq!(process.together(&[large, small]), 1);
}

#[test]
fn single_precision_is_as_good_where_auto_takes_it() {
    let average = |num: i64| [("enable_filter", true.into()), ("num_filter", num.into())];
    for (dtype, num, single) in [
        (DType::U8, 4112, true),
        (DType::U8, 4113, false),
        (DType::U16, 16, true),
        (DType::U16, 17, false),
        (DType::I8, 100, true),
        (DType::F32, 4, false),
        (DType::I32, 4, false),
    ] {
        let mut node = node(&average(num));
        let layout = Layout::packed(dtype, ColorMode::Mono, &[2, 3]).unwrap();
        let frame = with_dtype!(dtype, T => node.array(layout, &[T::default(); 6]).unwrap());
        node.feed(&frame).unwrap();
        assert_eq!(node.number_of("is_single") == 1.0, single, "{dtype} {num}");
    }
    let mut auto = node(&average(1000));
    let mut double = node(&average(1000));
    set(&mut auto, &[("data_type", "f64".into())]);
    set(&mut double, &[("data_type", "f64".into()), ("filter_state", "double".into())]);
    let mut random = livetime_engine::testing::Random::new(1);
    for _ in 0..3000 {
        let pixels: Vec<u8> = (0..8).map(|_| 200 + random.below(56) as u8).collect();
        let frame = auto.image(&[8], &pixels).unwrap();
        let (a, b) = (elements(&auto.feed(&frame).unwrap()[0]), elements(&double.feed(&frame).unwrap()[0]));
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.1));
    }
}

#[test]
fn the_state_survives_a_change_of_precision() {
    let mut node =
        node(&[("enable_filter", true.into()), ("num_filter", 4.into()), ("data_type", "f64".into())]);
    let frame = node.image::<u8>(&[2], &[10, 20]).unwrap();
    let next = node.image::<u8>(&[2], &[20, 40]).unwrap();
    node.feed(&frame).unwrap();
    node.set("filter_state", "double").unwrap();
    assert_eq!(elements(&node.feed(&next).unwrap()[0]), [15.0, 30.0]);
    node.set("filter_state", "single").unwrap();
    assert_eq!(
        elements(&node.feed(&frame).unwrap()[0]).iter().map(|v| v.round()).collect::<Vec<_>>(),
        [13.0, 27.0]
    );
}

/// Every correction in its place, for every pair of types and for rows of a larger image.
#[test]
fn corrections_of_all_dtypes_and_views() {
    for (from, to) in DType::ALL.into_iter().flat_map(|a| DType::ALL.map(|b| (a, b))) {
        let mut node = node(&[("data_type", to.name().into())]);
        with_dtype!(from, I => {
            let whole: Vec<I> = (0..20u8).map(|v| v as I).collect();
            let whole = node.image::<I>(&[4, 5], &whole).unwrap();
            let (rows, y) = whole.array().unwrap().layout().crop(0, 1, 2).unwrap();
            let (part, x) = rows.crop(1, 1, 3).unwrap();
            // 6 7 8, 11 12 13
            let view = node.view(&whole, part, y + x).unwrap();
            let flat = node.image::<I>(&[2, 3], &[2 as I, 4 as I, 0 as I, 2 as I, 2 as I, 5 as I]).unwrap();
            let dark = node.image::<I>(&[6], &[1 as I; 6]).unwrap();
            node.feed(&dark).unwrap();
            node.set("save_background", true).unwrap();
            node.feed(&flat).unwrap();
            node.set("save_flat_field", true).unwrap();
            set(&mut node, &[("enable_background", true.into()), ("enable_flat_field", true.into())]);
            set(&mut node, &[("scale_flat_field", 2.0.into()), ("enable_offset_scale", true.into())]);
            set(&mut node, &[("offset", 1.0.into()), ("scale", 2.0.into())]);
            set(&mut node, &[("enable_high_clip", true.into()), ("high_clip_thresh", 23.0.into())]);
            set(&mut node, &[("high_clip_value", 99.0.into()), ("enable_low_clip", true.into())]);
            set(&mut node, &[("low_clip_thresh", 9.0.into()), ("low_clip_value", 3.0.into())]);
            let out = node.feed(&view).unwrap();
            // less 1: 5 6 7, 10 11 12; times 2 / flat: 5 3 7, 10 11 4.8; plus 1 times 2: 12 8 16, 22 24 11.6.
            let last = if to.is_float() { 11.6 } else { 11.0 };
            let wanted = [12.0, 3.0, 16.0, 22.0, 99.0, last];
            assert!(elements(&out[0]).iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{from} to {to}");
            let layout = out[0].array().unwrap().layout();
            assert_eq!((layout.dtype(), layout.is_packed(), layout.dims()[1].offset), (to, true, 1));
            assert_eq!((node.number_of("valid_background"), node.number_of("valid_flat_field")), (1.0, 1.0));
        });
    }
}

/// More elements than one block of work, in a colour mode whose planes are not packed when cut.
#[test]
fn large_color_views_are_filtered_in_place() {
    for color in [ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3] {
        let mut node = node(&[("enable_filter", true.into()), ("filter_type", "sum".into())]);
        let layout = Layout::packed(DType::U16, color, &color.shape(101, 67)).unwrap();
        let pixels: Vec<u16> = (0..layout.len()).map(|i| i as u16).collect();
        let whole = node.array(layout, &pixels).unwrap();
        let axes = layout.axes();
        let (rows, y) = layout.crop(axes.y.unwrap(), 2, 60).unwrap();
        let (part, x) = rows.crop(axes.x.unwrap(), 3, 90).unwrap();
        let view = node.view(&whole, part, y + x).unwrap();
        node.feed(&view).unwrap();
        let out = node.feed(&view).unwrap();
        let wanted: Vec<f64> = elements(&view).iter().map(|v| (2.0 * v).min(65535.0)).collect();
        assert_eq!(elements(&out[0]), wanted);
        assert_eq!(out[0].array().unwrap().layout().color(), color);
    }
}

#[test]
fn background_and_flat_field_act_only_on_arrays_of_their_size() {
    let mut node = node(&[]);
    assert!(node.set("save_background", true).unwrap_err().to_string().contains("found none"));
    assert_eq!(node.number_of("save_background"), 0.0);
    let dark = node.image::<u8>(&[2, 2], &[1, 2, 3, 4]).unwrap();
    assert!(node.feed(&dark).unwrap()[0].is_same(&dark), "nothing to do: the frame itself");
    set(&mut node, &[("save_background", true.into()), ("enable_background", true.into())]);
    assert_eq!((node.number_of("save_background"), node.number_of("valid_background")), (0.0, 1.0));
    let other = node.image::<u8>(&[3], &[9, 9, 9]).unwrap();
    assert!(node.feed(&other).unwrap()[0].is_same(&other));
    assert_eq!(node.number_of("valid_background"), 0.0);
    let same = node.image::<u16>(&[4], &[9, 9, 9, 1]).unwrap();
    assert_eq!(elements(&node.feed(&same).unwrap()[0]), [8.0, 7.0, 6.0, 0.0]);
    assert_eq!(node.number_of("valid_background"), 1.0);
    node.stop();
    assert_eq!(elements(&node.feed(&same).unwrap()[0]), [8.0, 7.0, 6.0, 0.0], "kept for the next run");
}

#[test]
fn the_filter_starts_anew_when_told_and_with_other_arrays() {
    let mut node = node(&[
        ("enable_filter", true.into()),
        ("filter_type", "sum".into()),
        ("num_filter", 3.into()),
        ("rc2", 1.0.into()),
    ]);
    assert_eq!(node.get("filter_type"), Some("custom".into()), "the coefficients are no longer those of sum");
    let frame = node.image::<i32>(&[2], &[1, 2]).unwrap();
    let feed = |node: &mut Harness, frame: &Frame| {
        let out = elements(&node.feed(frame).unwrap()[0]);
        (out[0], node.number_of("num_filtered"))
    };
    // The reset puts the frame into the state, and the sum adds it once more.
    assert_eq!(feed(&mut node, &frame), (2.0, 1.0));
    assert_eq!(feed(&mut node, &frame), (3.0, 2.0));
    node.set("reset_filter", true).unwrap();
    assert_eq!(feed(&mut node, &frame), (2.0, 1.0));
    assert_eq!(node.number_of("reset_filter"), 0.0);
    let longer = node.image::<i32>(&[3], &[5, 5, 5]).unwrap();
    assert_eq!(feed(&mut node, &longer), (10.0, 1.0));
    let float = node.image::<f64>(&[3], &[0.5, 5.0, 5.0]).unwrap();
    assert_eq!(feed(&mut node, &float), (1.0, 1.0));
    assert_eq!(feed(&mut node, &float), (1.5, 2.0));
    // Off and on again it continues where it was.
    node.set("enable_filter", false).unwrap();
    assert!(node.feed(&float).unwrap()[0].is_same(&float));
    node.set("enable_filter", true).unwrap();
    assert_eq!(feed(&mut node, &float), (2.0, 3.0));
}

#[test]
fn only_every_nth_frame_when_wanted() {
    let mut node = node(&[
        ("enable_filter", true.into()),
        ("num_filter", 4.into()),
        ("filter_type", "average".into()),
        ("filter_callbacks", "Array N only".into()),
        ("auto_reset_filter", true.into()),
    ]);
    let mut sent = Vec::new();
    for value in 0..12u8 {
        let frame = node.image(&[1], &[10 * value]).unwrap();
        sent.extend(node.feed(&frame).unwrap().iter().map(|f| (f.header().sequence, elements(f)[0])));
    }
    assert_eq!(sent, [(3, 15.0), (7, 55.0), (11, 95.0)]);
    // Average follows num_filter; the others do not depend on it.
    node.set("num_filter", 8).unwrap();
    assert_eq!((node.number_of("oc3"), node.number_of("fc3")), (0.125, 0.125));
    node.set("filter_type", "recursive_ave").unwrap();
    assert_eq!((node.number_of("oc2"), node.number_of("rc1"), node.number_of("rc2")), (-1.0, 0.0, 1.0));
}

#[test]
fn auto_offset_scale_acts_on_the_following_frame() {
    let mut node = node(&[("data_type", "u8".into()), ("auto_offset_scale", true.into())]);
    let nothing = node.image::<f32>(&[2], &[f32::NAN; 2]).unwrap();
    node.feed(&nothing).unwrap();
    assert_eq!(node.number_of("auto_offset_scale"), 1.0, "waits for numbers");
    let frame = node.image::<f32>(&[3], &[100.0, 150.0, 200.0]).unwrap();
    assert_eq!(elements(&node.feed(&frame).unwrap()[0]), [100.0, 150.0, 200.0]);
    let seen =
        ["auto_offset_scale", "scale", "offset", "low_clip_thresh", "high_clip_thresh", "enable_low_clip"];
    let seen: Vec<f64> = seen.iter().map(|n| node.number_of(n)).collect();
    assert_eq!(seen, [0.0, 2.55, -100.0, 0.0, 255.0, 1.0]);
    let next = node.image::<f32>(&[3], &[100.0, 150.0, 201.0]).unwrap();
    assert_eq!(
        elements(&node.feed(&next).unwrap()[0]),
        [0.0, 127.0, 100.0],
        "above the range: the clip's value"
    );
    for (dtype, largest) in [(DType::I8, 127.0), (DType::U16, 65535.0), (DType::I64, 2f64.powi(63))] {
        assert_eq!(largest_value(dtype), largest);
    }
}

/// After the first frames no memory is taken any more.
#[test]
fn memory_is_kept() {
    let mut node = node(&[("enable_filter", true.into()), ("num_filter", 10.into())]);
    let frame = node.image::<u8>(&[64, 64], &[3; 4096]).unwrap();
    (0..3).for_each(|_| drop(node.feed(&frame).unwrap()));
    let used = node.pool().statistics().used_bytes;
    (0..50).for_each(|_| drop(node.feed(&frame).unwrap()));
    assert_eq!(node.pool().statistics().used_bytes, used);
}

#[test]
fn plans_its_output() {
    let layout = Layout::packed(DType::U16, ColorMode::Rgb2, &[4, 3, 5]).unwrap();
    let mut node = node(&[]);
    assert_eq!(node.plan(&[Stream::Array(layout)]).unwrap(), [Stream::Array(layout)]);
    node.set("data_type", "f32").unwrap();
    let float = Layout::packed(DType::F32, ColorMode::Rgb2, &[4, 3, 5]).unwrap();
    assert_eq!(node.plan(&[Stream::Array(layout)]).unwrap(), [Stream::Array(float)]);
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<Process>(&[]);
    for choice in FilterType::CHOICES {
        assert_compliant::<Process>(&[("enable_filter", true.into()), ("filter_type", choice.name.into())]);
    }
    let on = ["enable_offset_scale", "auto_offset_scale", "enable_low_clip", "enable_high_clip"];
    let on: Vec<(&str, Value)> = on.iter().map(|n| (*n, true.into())).collect();
    assert_compliant::<Process>(&on);
}

/// A file that another program wrote, under the names of the plugin `Proc1:TIFF`.
#[test]
fn a_background_is_read_from_a_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    let mut writer =
        Harness::new::<TiffFiles>(&[("path", path.into()), ("file_name", "dark".into())]).unwrap();
    let dark = writer.image::<u16>(&[1, 3], &[5, 6, 7]).unwrap();
    writer.feed(&dark).unwrap();

    let mut node = node(&[("enable_background", true.into()), ("data_type", "i32".into())]);
    set(
        &mut node,
        &[("tiff_path", path.into()), ("tiff_name", "dark".into()), ("tiff_auto_increment", true.into())],
    );
    assert_eq!(node.get("tiff_path_exists"), Some(true.into()));
    let refused = node.set("read_background", true).unwrap_err().to_string();
    assert!(refused.contains("dark_000.tif`: wanted a picture, found"), "{refused}");
    assert_eq!(node.get("tiff_message"), Some(refused.into()));
    set(&mut node, &[("tiff_number", 1.into()), ("read_background", true.into())]);
    assert_eq!((node.get("read_background"), node.number_of("tiff_number")), (Some(false.into()), 2.0));
    assert_eq!(
        (node.get("tiff_message"), node.get("valid_background")),
        (Some("".into()), Some(true.into()))
    );
    let light = node.image::<u16>(&[1, 3], &[4, 16, 27]).unwrap();
    assert_eq!(elements(&node.feed(&light).unwrap()[0]), [-1.0, 10.0, 20.0]);

    // A flat field of another size is there, and not valid for these frames.
    let flat = writer.image::<u16>(&[1, 2], &[1, 1]).unwrap();
    writer.feed(&flat).unwrap();
    node.set("read_flat_field", true).unwrap();
    assert_eq!(node.get("valid_flat_field"), Some(false.into()));
}
