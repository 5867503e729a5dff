use livetime_engine::testing::{Harness, assert_compliant};
use livetime_engine::{ParamEnum, Value};
use livetime_frame::{ColorMode, DType};

use super::*;

/// A node with one shape; names without `overlay1_`.
fn node(params: &[(&str, Value)]) -> Harness {
    let names: Vec<String> = params.iter().map(|(name, _)| format!("overlay1_{name}")).collect();
    let mut all = vec![("overlay1_used", Value::from(true)), ("time_zone", "UTC".into())];
    all.extend(names.iter().zip(params).map(|(name, (_, value))| (&**name, value.clone())));
    Harness::new::<Overlay>(&all).unwrap()
}

/// The drawing in a picture of zeros, as text.
fn drawn(node: &mut Harness, width: usize, height: usize) -> String {
    let picture = node.image::<u8>(&[height, width], &vec![0; width * height]).unwrap();
    let out = node.feed(&picture).unwrap();
    let pixels = out[0].array().unwrap().elements::<u8>().unwrap().to_vec();
    let line = |row: &[u8]| row.iter().map(|v| if *v == 0 { '.' } else { '#' }).collect::<String>();
    pixels.chunks(width).map(line).collect::<Vec<_>>().join("\n")
}

fn shape(
    name: &str,
    position: (i64, i64),
    size: (i64, i64),
    width: (i64, i64),
) -> Vec<(&'static str, Value)> {
    vec![
        ("shape", name.into()),
        ("position_x", position.0.into()),
        ("position_y", position.1.into()),
        ("size_x", size.0.into()),
        ("size_y", size.1.into()),
        ("width_x", width.0.into()),
        ("width_y", width.1.into()),
    ]
}

#[test]
fn shapes_by_hand() {
    let cross = drawn(&mut node(&shape("cross", (1, 0), (4, 4), (0, 2))), 7, 5);
    assert_eq!(cross, "...#...\n.#####.\n.#####.\n.#####.\n...#...");
    let rectangle = drawn(&mut node(&shape("rectangle", (1, 1), (4, 3), (2, 1))), 7, 6);
    assert_eq!(rectangle, ".......\n.#####.\n.##.##.\n.##.##.\n.#####.\n.......");
    let ellipse = drawn(&mut node(&shape("ellipse", (0, 0), (6, 6), (1, 0))), 7, 7);
    assert_eq!(ellipse, "..###..\n.#...#.\n#.....#\n#.....#\n#.....#\n.#...#.\n..###..");
    // A width of 0 draws a cross and neither of the other two.
    assert!(!drawn(&mut node(&shape("rectangle", (1, 1), (4, 3), (0, 0))), 7, 6).contains('#'));
    assert!(!drawn(&mut node(&shape("ellipse", (1, 1), (4, 4), (0, 0))), 7, 6).contains('#'));
}

/// Every pixel on its own, as the definition says; positions and sizes far outside as well.
#[test]
fn crosses_and_rectangles_agree_with_their_definition() {
    let (w, h) = (23, 17);
    for (px, py, sx, sy, wx, wy) in [
        (0, 0, 22, 16, 1, 1),
        (-5, -3, 12, 30, 3, 4),
        (10, 8, 1, 1, 1, 1),
        (3, 2, 9, 9, 20, 20),
        (2, 2, 7, 5, 4, 1),
        (-900_000, -900_000, 1_000_000, 1_000_000, 3, 3),
        (20, 15, 1_000_000, 1_000_000, 999_999, 2),
        (5, 5, 0, 0, 2, 2),
        (4, 4, 0, 7, 5, 5),
    ] {
        for name in ["cross", "rectangle"] {
            let found = drawn(&mut node(&shape(name, (px, py), (sx, sy), (wx, wy))), w as usize, h as usize);
            let is_drawn = |x: i64, y: i64| {
                let (cx, cy) = (px + sx / 2, py + sy / 2);
                let (dx, dy) = ((x - cx).abs(), (y - cy).abs());
                let cross = dy <= sy / 2 && dx <= if dy <= wy / 2 { sx / 2 } else { wx / 2 };
                let (left, up, right, down) = (x - px, y - py, px + sx - x, py + sy - y);
                let inside = left >= 0 && up >= 0 && right >= 0 && down >= 0;
                let near = left.min(right) < wx.min(sx - 1) || up.min(down) < wy.min(sy - 1);
                if name == "cross" { cross } else { inside && near }
            };
            let line = |y| (0..w).map(|x| if is_drawn(x, y) { '#' } else { '.' }).collect::<String>();
            let wanted = (0..h).map(line).collect::<Vec<_>>().join("\n");
            assert_eq!(found, wanted, "{name} {px} {py} {sx} {sy} {wx} {wy}");
        }
    }
}

/// Closed, symmetrical, and nowhere far from the curve.
#[test]
fn ellipses_follow_their_curve() {
    for (sx, sy, wide) in [(40, 40, 1), (60, 20, 2), (12, 50, 3), (30, 30, 15), (2, 2, 1)] {
        let (w, h) = (64usize, 56usize);
        let picture = drawn(&mut node(&shape("ellipse", (1, 1), (sx, sy), (wide, 0))), w, h);
        let rows: Vec<Vec<char>> = picture.lines().map(|line| line.chars().collect()).collect();
        let at = |x: i64, y: i64| {
            x >= 0 && y >= 0 && rows.get(y as usize).and_then(|r| r.get(x as usize)) == Some(&'#')
        };
        let (cx, cy) = (1 + sx / 2, 1 + sy / 2);
        let (a, b) = ((sx / 2) as f64, (sy / 2) as f64);
        for y in 0..h as i64 {
            for x in 0..w as i64 {
                let (dx, dy) = (x - cx, y - cy);
                assert_eq!(at(x, y), at(cx - dx, y) && at(x, cy - dy), "{x} {y}");
                let radius = |a: f64, b: f64| (dx as f64 / a).hypot(dy as f64 / b);
                let (inner_a, inner_b) = ((a - wide as f64).max(0.0), (b - wide as f64).max(0.0));
                // Half a pixel of rounding in each direction.
                let outside = radius(a + 0.71, b + 0.71) > 1.0;
                let inside = radius((inner_a - 0.71).max(1e-9), (inner_b - 0.71).max(1e-9)) < 1.0;
                assert!(!at(x, y) || !outside && !inside, "{sx} {sy} {wide}: {x} {y}\n{picture}");
            }
        }
        // A ray from the centre in any direction meets the ring.
        for angle in 0..360 {
            let (sin, cos) = f64::from(angle).to_radians().sin_cos();
            let meets = (0..=400).any(|step| {
                let r = f64::from(step) / 8.0;
                let (x, y) = ((cx as f64 + r * cos).round() as i64, (cy as f64 + r * sin).round() as i64);
                // Pixels of a thin outline may touch at their corners, where a ray slips through.
                at(x, y) || at(x + 1, y) || at(x - 1, y)
            });
            assert!(meets, "{sx} {sy} {wide}: {angle}\n{picture}");
        }
    }
}

#[test]
fn text_and_time() {
    let text = |more: &[(&str, Value)]| {
        let mut all = shape("text", (0, 0), (100, 100), (0, 0));
        all.extend(more.iter().map(|(name, value)| match *name {
            "display_text" => ("display_text", value.clone()),
            "font" => ("font", value.clone()),
            _ => ("time_stamp_format", value.clone()),
        }));
        node(&all)
    };
    let mut letter = text(&[("display_text", "A".into()), ("time_stamp_format", "".into())]);
    let wanted = "......\n......\n..#...\n.#.#..\n#...#.\n#...#.\n#...#.\n#####.\n#...#.\n#...#.\n#...#.\n......\n......";
    assert_eq!(drawn(&mut letter, 6, 13), wanted);
    // The time follows the text; a character without a glyph leaves its place empty.
    let mut both = text(&[("display_text", "\u{2603}A".into()), ("time_stamp_format", "%Y %% %03f".into())]);
    let mut plain = text(&[("display_text", " A1970 % 000".into()), ("time_stamp_format", "".into())]);
    assert_eq!(drawn(&mut both, 100, 13), drawn(&mut plain, 100, 13));
    for font in Font::CHOICES {
        let mut wide = text(&[
            ("display_text", "Äg".into()),
            ("font", font.name.into()),
            ("time_stamp_format", "".into()),
        ]);
        let picture = drawn(&mut wide, 30, 15);
        assert!(picture.matches('#').count() > 20, "{}\n{picture}", font.name);
        // Cut off within a letter.
        wide.set("overlay1_size_x", 3).unwrap();
        wide.set("overlay1_size_y", 4).unwrap();
        let cut = drawn(&mut wide, 30, 15);
        let inside = |y: usize, x: usize| y < 4 && x < 3;
        for (y, (cut, whole)) in cut.lines().zip(picture.lines()).enumerate() {
            let same = cut.chars().zip(whole.chars()).enumerate();
            same.for_each(|(x, (c, p))| assert_eq!(c, if inside(y, x) { p } else { '.' }));
        }
    }
    let clock = Clock::of("UTC").unwrap();
    let mut stamp = Stamp::of("%Y-%m-%d %H:%M:%S.%03f %f %1f%%", &clock).unwrap();
    stamp.write(&clock, 1_234_567_890_123_456_789).unwrap();
    assert_eq!(stamp.text, "2009-02-13 23:31:30.123 123456789 1%");
}

#[test]
fn all_dtypes_and_colors_set_and_xor() {
    let mut params = shape("rectangle", (1, 0), (1, 1), (1, 1));
    params.pop();
    params.extend([("width_y", 9.into()), ("red", 1.into()), ("green", 2.into()), ("blue", 300.into())]);
    params.retain(|(name, _)| *name != "size_y");
    params.push(("size_y", 2.into()));
    let mut node = node(&params);
    for color in [ColorMode::Mono, ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3] {
        for mode in ["set", "xor"] {
            node.set("overlay1_draw_mode", mode).unwrap();
            for dtype in DType::ALL {
                let layout = Layout::packed(dtype, color, &color.shape(4, 3)).unwrap();
                livetime_frame::with_dtype!(dtype, T => {
                    let frame = node.array::<T>(layout, &vec![7 as T; layout.len()]).unwrap();
                    let out = node.feed(&frame).unwrap();
                    let found = out[0].array().unwrap().elements::<T>().unwrap().to_vec();
                    let number = |y: usize, x: usize, c: usize| match color {
                        ColorMode::Rgb1 => (y * 4 + x) * 3 + c,
                        ColorMode::Rgb2 => (y * 3 + c) * 4 + x,
                        ColorMode::Rgb3 => (c * 3 + y) * 4 + x,
                        _ => y * 4 + x,
                    };
                    for (y, x, c) in (0..36).map(|i| (i / 12, i % 12 / 3, i % 3)) {
                        let value = if color == ColorMode::Mono { 2 } else { [1, 2, 300][c] };
                        // Size 1 leaves no width for vertical lines; of 3 rows the first and the last.
                        let is_drawn = (1..=2).contains(&x) && y != 1;
                        let wanted = match mode {
                            _ if !is_drawn => 7 as T,
                            "set" => <T as Pixel>::from_f64(f64::from(value)),
                            _ => (7i64 ^ i64::from(value)) as T,
                        };
                        assert!(found[number(y, x, c)] == wanted, "{color} {mode} {dtype} {y} {x} {c}");
                    }
                });
            }
        }
    }
}

#[test]
fn xor_twice_restores_and_views_and_stacks_work() {
    let mut params = shape("ellipse", (2, 1), (9, 7), (2, 0));
    params.push(("draw_mode", "xor".into()));
    let mut node = node(&params);
    let whole = Layout::packed(DType::U16, ColorMode::Mono, &[14, 20]).unwrap();
    let pixels: Vec<u16> = (0..280).collect();
    let frame = node.array::<u16>(whole, &pixels).unwrap();
    let (rows, y) = whole.crop(0, 1, 11).unwrap();
    let (part, x) = rows.crop(1, 3, 13).unwrap();
    let view = node.view(&frame, part, y + x).unwrap();
    let once = node.feed(&view).unwrap();
    let twice = node.feed(&once[0]).unwrap();
    let original: Vec<u16> = (0..143).map(|i| pixels[(i / 13 + 1) * 20 + i % 13 + 3]).collect();
    assert_eq!(twice[0].array().unwrap().elements::<u16>().unwrap(), original);
    assert_ne!(once[0].bytes(), twice[0].bytes());
    assert_eq!((node.number_of("max_size_x"), node.number_of("max_size_y")), (13.0, 11.0));
    let stack = node.image::<u8>(&[2, 11, 13], &[0; 286]).unwrap();
    let out = node.feed(&stack).unwrap();
    let found = out[0].array().unwrap().elements::<u8>().unwrap();
    assert_eq!(found[..143], found[143..]);
}

#[test]
fn xor_draws_each_pixel_of_a_thin_ellipse_once() {
    let mut params = shape("ellipse", (4, 4), (2, 20), (1, 0));
    params.push(("green", 1.into()));
    let mut node = node(&params);
    let frame = node.image::<u8>(&[32, 12], &[0; 384]).unwrap();
    let [set, xor] = ["set", "xor"].map(|mode| {
        node.set("overlay1_draw_mode", mode).unwrap();
        node.feed(&frame).unwrap()[0].array().unwrap().elements::<u8>().unwrap().to_vec()
    });
    assert_eq!(
        set.iter().filter(|pixel| **pixel == 1).count(),
        xor.iter().filter(|pixel| **pixel == 1).count()
    );
    assert_eq!(set, xor);
}

#[test]
fn center_and_position_follow_each_other() {
    let mut node = node(&shape("cross", (10, 20), (4, 6), (0, 0)));
    let of = |node: &mut Harness, name: &str| node.number_of(&format!("overlay1_{name}"));
    assert_eq!((of(&mut node, "center_x"), of(&mut node, "center_y")), (12.0, 23.0));
    node.set("overlay1_size_x", 10).unwrap();
    assert_eq!(of(&mut node, "center_x"), 15.0);
    node.set("overlay1_center_x", 50).unwrap();
    assert_eq!(of(&mut node, "position_x"), 45.0);
    // The centre was written last, so it stays.
    node.set("overlay1_size_x", 20).unwrap();
    assert_eq!((of(&mut node, "center_x"), of(&mut node, "position_x")), (50.0, 40.0));
    node.set("overlay1_position_x", 0).unwrap();
    node.set("overlay1_size_x", 2).unwrap();
    assert_eq!((of(&mut node, "position_x"), of(&mut node, "center_x")), (0.0, 1.0));
    // Shape 2 is on its own.
    assert_eq!(node.number_of("overlay2_center_x"), 0.0);
}

#[test]
fn unused_shapes_cost_no_copy_and_bad_values_are_refused() {
    let mut node = node(&shape("rectangle", (500, 500), (5, 5), (1, 1)));
    let frame = node.image::<u8>(&[4, 4], &[0; 16]).unwrap();
    assert!(node.feed(&frame).unwrap()[0].is_same(&frame));
    node.set("overlay1_position_x", 0).unwrap();
    node.set("overlay1_position_y", 0).unwrap();
    assert!(!node.feed(&frame).unwrap()[0].is_same(&frame));
    node.set("overlay1_use", false).unwrap_err();
    node.set("overlay1_used", false).unwrap();
    assert!(node.feed(&frame).unwrap()[0].is_same(&frame));
    for (name, value, wanted) in [
        ("overlay1_time_stamp_format", "%!", "`%!`"),
        ("overlay1_time_stamp_format", "%", "`%`"),
        ("time_zone", "Mars/Olympus", "`Mars/Olympus`"),
    ] {
        assert!(node.set(name, value).unwrap_err().to_string().contains(wanted), "{name} {value}");
        // The engine restores the value that was refused.
        node.set(name, if name == "time_zone" { "UTC" } else { "" }).unwrap();
    }
    assert!(node.set("overlay1_size_x", -1).is_err());
    assert!(node.set("overlay1_position_x", 1_000_001).is_err());
}

#[test]
fn keeps_the_contract() {
    for choice in Shape::CHOICES {
        let mut params: Vec<(&str, Value)> =
            vec![("overlay8_used", true.into()), ("overlay8_shape", choice.name.into())];
        params.extend([
            ("overlay8_size_x", 30.into()),
            ("overlay8_size_y", 9.into()),
            ("overlay8_width_x", 1.into()),
        ]);
        params.push(("overlay8_display_text", "frame".into()));
        assert_compliant::<Overlay>(&params);
    }
    assert_compliant::<Overlay>(&[]);
}
