use std::f64::consts::TAU;

use livetime_engine::Value;
use livetime_engine::testing::{Harness, assert_compliant};

use super::*;

fn list(node: &mut Harness, name: &str) -> Vec<f64> {
    match node.get(name) {
        Some(Value::List(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

/// The definition: real and imaginary part at frequencies `u`, `v` of samples `[rows, columns]`.
fn plain(samples: &[f64], columns: usize, rows: (usize, usize), sizes: (usize, usize)) -> (f64, f64) {
    let ((v, u), (height, width)) = (rows, sizes);
    let mut sum = (0.0, 0.0);
    for (i, value) in samples.iter().enumerate() {
        let (y, x) = (i / columns, i % columns);
        let angle = -TAU * ((x * u) as f64 / width as f64 + (y * v) as f64 / height as f64);
        sum = (sum.0 + value * angle.cos(), sum.1 + value * angle.sin());
    }
    sum
}

#[track_caller]
fn near(found: &[f64], wanted: &[f64]) {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(close), "{found:?}, not {wanted:?}");
}

/// Every dtype, odd and even sizes, with and without zeros behind, rows together and each by itself.
#[test]
fn as_the_definition_says() {
    for dtype in DType::ALL {
        for (shape, power_of_two, rows) in [
            (vec![6], true, "together"),
            (vec![7], false, "together"),
            (vec![1], true, "together"),
            (vec![3, 5], true, "together"),
            (vec![5, 6], false, "together"),
            (vec![4, 19], false, "together"),
            (vec![3, 5], true, "each"),
        ] {
            let params = [("power_of_two", power_of_two.into()), ("rows", rows.into())];
            let mut node = Harness::new::<Fft>(&params).unwrap();
            let count: usize = shape.iter().product();
            let values: Vec<f64> = (0..count).map(|i| ((i * 29 + 3) % 61) as f64).collect();
            let frame = with_dtype!(dtype, T => {
                let pixels: Vec<T> = values.iter().map(|v| *v as u8 as T).collect();
                node.image::<T>(&shape, &pixels).unwrap()
            });
            let (columns, height) = (*shape.last().unwrap(), if shape.len() == 1 { 1 } else { shape[0] });
            let filled = |n: usize| if power_of_two { n.next_power_of_two() } else { n };
            let is_each = rows == "each";
            let (h, w) = (if is_each { height } else { filled(height) }, filled(columns));
            let (out_h, out_w) = (if is_each { h } else { (h / 2).max(1) }, (w / 2).max(1));
            let sent = node.feed(&frame).unwrap();
            assert_eq!(sent[0].header().sequence, frame.header().sequence);
            let array = sent[0].array().unwrap();
            assert_eq!(array.layout().shape().product::<usize>(), out_h * out_w, "{shape:?}");
            let mut wanted = Vec::new();
            for (v, u) in (0..out_h).flat_map(|v| (0..out_w).map(move |u| (v, u))) {
                let (re, im) = match is_each {
                    true => plain(&values[v * columns..][..columns], columns, (0, u), (1, w)),
                    false => plain(&values, columns, (v, u), (h, w)),
                };
                wanted.push(re.hypot(im) / if is_each { w } else { w * h } as f64);
            }
            near(array.elements::<f64>().unwrap(), &wanted);
            let first: Vec<_> = (0..out_w)
                .map(|u| match is_each {
                    true => plain(&values[..columns], columns, (0, u), (1, w)),
                    false => plain(&values, columns, (0, u), (h, w)),
                })
                .collect();
            near(&list(&mut node, "real"), &first.iter().map(|v| v.0).collect::<Vec<_>>());
            near(&list(&mut node, "imaginary"), &first.iter().map(|v| v.1).collect::<Vec<_>>());
            near(&list(&mut node, "abs_value"), &wanted[..out_w]);
            assert_eq!(list(&mut node, "time_series").len(), w);
        }
    }
}

/// A sine of 5 Hz, sampled at 64 Hz, stands at 5 Hz with half its amplitude.
#[test]
fn frequencies_are_where_they_belong() {
    let params = [("time_per_point", (1.0 / 64.0).into()), ("suppress_dc", true.into())];
    let mut node = Harness::new::<Fft>(&params).unwrap();
    let samples: Vec<f64> = (0..128).map(|i| 100.0 + 3.0 * (TAU * 5.0 * f64::from(i) / 64.0).sin()).collect();
    let frame = node.image::<f64>(&[128], &samples).unwrap();
    node.feed(&frame).unwrap();
    let (axis, spectrum) = (list(&mut node, "freq_axis"), list(&mut node, "abs_value"));
    assert_eq!((axis[10], axis.len(), list(&mut node, "time_axis")[64]), (5.0, 64, 1.0));
    let largest = (0..64).max_by(|a, b| spectrum[*a].total_cmp(&spectrum[*b])).unwrap();
    assert_eq!(largest, 10);
    assert!((spectrum[10] - 1.5).abs() < 1e-9 && spectrum[0] == 0.0);
}

#[test]
fn averages_until_a_reset_or_another_size() {
    let mut node = Harness::new::<Fft>(&[("num_average", 3.into())]).unwrap();
    let feed = |node: &mut Harness, value: f64| {
        let frame = node.image::<f64>(&[2], &[value, value]).unwrap();
        let found = node.feed(&frame).unwrap()[0].array().unwrap().elements::<f64>().unwrap()[0];
        (found, node.number_of("num_averaged"))
    };
    let mut wanted = 0.0;
    for (i, value) in [3.0, 6.0, 12.0, 0.0, 9.0].into_iter().enumerate() {
        let n = ((i + 1) as f64).min(3.0);
        wanted += (value - wanted) / n;
        let (found, averaged) = feed(&mut node, value);
        assert!((found - wanted).abs() < 1e-12 && averaged == n, "{i}: {found}, {averaged}");
    }
    node.set("reset_average", true).unwrap();
    assert_eq!(feed(&mut node, 4.0), (4.0, 1.0));
    assert_eq!((feed(&mut node, 6.0), node.get("reset_average")), ((5.0, 2.0), Some(false.into())));
    node.set("num_average", 2).unwrap();
    assert_eq!(feed(&mut node, 8.0), (8.0, 1.0));
    let other = node.image::<f64>(&[1], &[2.0]).unwrap();
    node.feed(&other).unwrap();
    assert_eq!(node.number_of("num_averaged"), 1.0);
    // A reset together with another size is one reset.
    node.set("reset_average", true).unwrap();
    assert_eq!(feed(&mut node, 4.0), (4.0, 1.0));
    assert_eq!(feed(&mut node, 6.0), (5.0, 2.0));
}

#[test]
fn what_cannot_be_is_refused() {
    let mut node = Harness::new::<Fft>(&[]).unwrap();
    assert!(node.set("direction", "Freq. to time").is_err());
    let stack = node.image::<u8>(&[1, 1, 2], &[0; 2]).unwrap();
    assert!(node.feed(&stack).unwrap_err().to_string().contains("found [1, 1, 2]"));
    assert!(Sizes::new(1 << 20, 1 << 20, true, false).is_err());
    assert!(Sizes::new(usize::MAX, 2, true, false).is_err());
}

#[test]
fn keeps_the_contract() {
    assert_compliant::<Fft>(&[]);
    assert_compliant::<Fft>(&[("num_average", 3.into()), ("rows", "each".into())]);
}
