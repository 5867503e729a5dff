use super::*;

/// Four ePix10ka in a camera that is turned by 90 degrees.
const QUAD: &str = "# HDR PARENT IND OBJECT IND X0 Y0 Z0 ROT-Z ROT-Y ROT-X TILT-Z TILT-Y TILT-X\n\
    CAMERA 0 EPIX10KA:V1 0  20000 -20000 0  0 0 0  0 0 0\n\
    CAMERA 0 EPIX10KA:V1 1 -20000 -20000 0  0 0 0  0 0 0\n\
    CAMERA 0 EPIX10KA:V1 2  20000  20000 0  0 0 0  0 0 0\n\
    CAMERA 0 EPIX10KA:V1 3 -20000  20000 50  0 0 0  0 0 0\n\
    IP 0 CAMERA 0  0 0 -100000  90 0 0  0 0 0\n";

fn at(all: &Coordinates, segment: usize, row: usize, column: usize) -> [f64; 3] {
    let [_, rows, columns] = all.shape[..] else { panic!("{:?}", all.shape) };
    let pixel = (segment * rows + row) * columns + column;
    [all.x[pixel], all.y[pixel], all.z[pixel]].map(|v| (v * 1000.0).round() / 1000.0)
}

#[test]
fn pixels_are_where_a_calculation_by_hand_finds_them() {
    let all = Geometry::parse(QUAD).unwrap().coordinates();
    assert_eq!(all.shape, [4, 352, 384]);
    // In the segment (-19275, 17675): the outer part of the first column of 192, the last row of 176. In the camera
    // (725, -2325); turned by 90 degrees (2325, 725).
    assert_eq!(at(&all, 0, 0, 0), [2325.0, 725.0, -100_000.0]);
    // The two columns in the middle are 225 µm wide, and taken at 175 µm from the middle.
    assert_eq!(at(&all, 0, 175, 191), [19825.0, 19825.0, -100_000.0]);
    assert_eq!(at(&all, 0, 176, 192), [20175.0, 20175.0, -100_000.0]);
    assert_eq!(at(&all, 3, 351, 383), [-2325.0, -725.0, -99_950.0]);
}

#[test]
fn tilts_about_all_axes_are_three_rotations() {
    let text = "IP 0 MTRX:2:3:10:20 0  1 2 3  30 0 -5  0 20 15\n";
    let all = Geometry::parse(text).unwrap().coordinates();
    let turn = |degrees: f64| degrees.to_radians().sin_cos();
    let ((sz, cz), (sy, cy), (sx, cx)) = (turn(30.0), turn(20.0), turn(10.0));
    for pixel in 0..6 {
        let (x, y) = ((pixel / 3 * 10) as f64, (pixel % 3 * 20) as f64);
        let (x1, y1) = (x * cz - y * sz, x * sz + y * cz);
        let (x2, z2) = (x1 * cy, -x1 * sy);
        let (y3, z3) = (y1 * cx - z2 * sx, z2 * cx + y1 * sx);
        let wanted = [x2 + 1.0, y3 + 2.0, z3 - 3.0];
        let found = [all.x[pixel], all.y[pixel], all.z[pixel]];
        assert!(wanted.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-9), "{pixel}: {wanted:?} {found:?}");
    }
}

#[test]
fn segments_have_the_sizes_of_their_types() {
    let shape = |name: &str| {
        let geometry = Geometry::parse(&format!("IP 0 {name} 0 0 0 0 0 0 0 0 0 0")).unwrap();
        let all = geometry.coordinates();
        let range = |v: &[f64]| v.iter().fold((0.0f64, 0.0f64), |(low, high), v| (low.min(*v), high.max(*v)));
        (all.shape.clone(), range(&all.x), range(&all.y))
    };
    let round = |(low, high): (f64, f64)| ((low * 100.0).round() / 100.0, (high * 100.0).round() / 100.0);
    let (sizes, x, y) = shape("SENS2X1:V1");
    assert_eq!((sizes, round(x), round(y)), (vec![1, 185, 388], (-21434.4, 21434.4), (-10112.64, 10112.64)));
    let (sizes, x, y) = shape("JUNGFRAU:V2");
    assert_eq!((sizes, x, y), (vec![1, 512, 1024], (-38587.5, 38587.5), (-19237.5, 19237.5)));
    assert_eq!(shape("PNCCD:V1").0, [1, 512, 512]);
}

/// By psana 4.3.4; `python/tests/test_psana_peer.py` compares all pixels of its own geometries.
#[test]
fn wide_pixels_of_a_jungfrau_are_where_psana_has_them() {
    let all = Geometry::parse("IP 0 JUNGFRAU:V2 0 0 0 0 0 0 0 0 0 0").unwrap().coordinates();
    let x = |column: usize| all.x[column];
    let y = |row: usize| all.y[row * 1024];
    assert_eq!([0, 254, 255, 256, 257].map(x), [-38587.5, -19537.5, -19425.0, -19275.0, -19162.5]);
    assert_eq!([511, 512, 767, 768, 1023].map(x), [-75.0, 75.0, 19275.0, 19425.0, 38587.5]);
    assert_eq!([0, 254, 255, 256, 257, 511].map(y), [-19237.5, -187.5, -75.0, 75.0, 187.5, 19237.5]);
    let regular = |at: usize| f64::from(u32::try_from(at / 256 * 258 + at % 256).unwrap());
    let moved = (0..1024).filter(|c| all.x[*c] != (regular(*c) - 514.5) * 75.0).count();
    assert_eq!(moved, 6);
}

#[test]
fn pictures_are_assembled_with_x_down() {
    let text = "CAM 0 MTRX:1:2:100:100 0  0 0 0  0 0 0  0 0 0\nCAM 0 MTRX:1:2:100:100 1  300 100 0  90 0 0  0 0 0\n\
                IP 0 CAM 0  0 0 0  0 0 0  0 0 0\n";
    let assembly = Geometry::parse(text).unwrap().assembly().unwrap();
    assert_eq!((assembly.rows, assembly.columns), (4, 2));
    let picture = assembly.assemble(&[1, 2, 3, 4], 0).unwrap();
    assert_eq!(picture, [1, 2, 0, 0, 0, 4, 0, 3]);
    assert!(assembly.assemble(&[1, 2, 3], 0).is_err());
}

#[test]
fn what_is_no_geometry_is_refused() {
    for (text, wanted) in [
        ("", "1 to 4096 objects"),
        ("# only comments\n", "1 to 4096 objects"),
        ("IP 0 MTRX:1:1:1:1 0 1 2 3\n", "nine numbers in line 1"),
        ("IP 0 MTRX:1:1:1:1 0 0 0 0 0 0 0 0 0 nan\n", "nine numbers in line 1"),
        ("IP x MTRX:1:1:1:1 0 0 0 0 0 0 0 0 0 0\n", "nine numbers in line 1"),
        ("IP 0 MTRX:99999:99999:1:1 0 0 0 0 0 0 0 0 0 0\n", "a segment of 1 to"),
        ("IP 0 MTRX:0:9:1:1 0 0 0 0 0 0 0 0 0 0\n", "a segment of 1 to"),
        ("IP 0 SOMETHING:V7 0 0 0 0 0 0 0 0 0 0\n", "a segment SENS2X1:V1"),
        ("A 0 B 0 0 0 0 0 0 0 0 0 0\nB 0 A 0 0 0 0 0 0 0 0 0 0\n", "pixels, found 0"),
        ("A 0 A 0 0 0 0 0 0 0 0 0 0\n", "pixels, found 0"),
    ] {
        let error = Geometry::parse(text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
    let far = "IP 0 MTRX:1:1:1:1 0 0 0 0 0 0 0 0 0 0\nIP 0 MTRX:1:1:1:1 1 9e9 9e9 0 0 0 0 0 0 0\n";
    assert!(Geometry::parse(far).unwrap().assembly().is_err());
}

/// For each type: rows and columns; sums over coordinates and sizes in x and y; depth; a cell; a sum over a mask.
type Golden = (&'static str, [usize; 2], [i64; 4], f64, f64, i64);

/// By psana 4.3.4 (`SegGeometryStore`), but for two slips of it: sizes of `JUNGFRAU:V2`, which it counts up from 0, and widths of `ARCHON:V2`,
/// which it has for 4260 of 4800 columns.
#[rustfmt::skip]
const GOLDEN: &[Golden] = &[
    ("SENS2X1:V1", [185, 388], [72_331_998_624, -8_617_886_185_872, 3_878_007_547_704, 3_848_155_446_624], 400.0, 109.92, 33_798_148_600),
    ("EPIX100:V1", [704, 768], [-17_349_344_010_000, 14_458_939_875_000, 13_527_708_170_000, 13_460_349_945_000], 400.0, 50.0, 264_841_513_800),
    ("EPIX10KA:V1", [352, 384], [2_421_009_112_500, -7_655_915_837_500, 6_661_655_380_000, 6_692_286_430_000], 400.0, 100.0, 63_476_346_800),
    ("EPIXHR2X2:V1", [288, 384], [2_783_128_555_000, -18_163_202_080_000, 5_510_959_560_000, 5_526_987_060_000], 400.0, 100.0, 52_863_913_300),
    ("EPIXHR1X4:V1", [144, 768], [30_086_879_425_000, -8_711_384_210_000, 5_474_844_660_000, 5_474_844_660_000], 400.0, 100.0, 52_717_427_500),
    ("EPIXUHR3X2:V1", [336, 576], [1_118_024_152_500, -7_776_113_315_000, 9_639_138_827_500, 9_662_964_220_000], 400.0, 100.0, 91_759_902_300),
    ("EPIXMASIC:V1", [192, 384], [2_003_357_510_000, -2_203_460_290_000, 1_779_104_300_000, 1_779_104_300_000], 500.0, 50.0, 34_746_058_900),
    ("EPIXUHRASIC:V1", [168, 192], [443_459_470_000, -6_016_725_650_000, 1_519_380_060_000, 1_519_380_060_000], 500.0, 100.0, 14_638_939_500),
    ("JUNGFRAU:V1", [512, 1024], [-311_356_837_500, -8_516_707_110_000, 19_518_303_975_000, 19_518_303_975_000], 400.0, 75.0, 253_957_836_200),
    ("JUNGFRAU:V2", [512, 1024], [-311_362_597_500, 8_512_774_950_000, 19_632_356_115_000, 19_562_026_215_000], 400.0, 75.0, 253_957_836_200),
    ("PNCCD:V1", [512, 512], [2_497_951_955_670_000, 2_485_788_584_392_500, 9_728_778_052_500, 9_728_778_052_500], 400.0, 75.0, 127_908_557_300),
    ("ARCHON:V1", [6, 4800], [24_336_354_724_900, -54_104_744_600, 120_153_599_400, 277_343_574_000], 400.0, 10.0, 12_183_707_100),
    ("ARCHON:V2", [6, 4800], [25_502_856_129_700, -53_367_255_800, 120_367_360_200, 277_343_574_000], 400.0, 10.0, 12_203_139_900),
    ("MTRX:V2:5:7:20:30", [5, 7], [420_000, -980_000, 1_890_000, 1_260_000], 100.0, 20.0, 1_800),
    ("MTRX:5:7:20:30", [5, 7], [3_500_000, 6_090_000, 1_260_000, 1_890_000], 100.0, 20.0, 1_800),
];

/// A sum in which places and values count, in hundredths; NaN counts as -1.
fn weighed(values: &[f64]) -> i64 {
    let hundredths = |v: &f64| if v.is_nan() { -100 } else { (v * 100.0).round() as i64 };
    values.iter().zip(0..).map(|(v, n): (_, i64)| hundredths(v) * (n % 9973 + 1)).sum()
}

fn alone(name: &str) -> Geometry {
    let size = OpenSize { rows: 6, columns: 4800, pixel_um: 75.0 };
    Geometry::parse_sized(&format!("IP 0 {name} 0 0 0 0 0 0 0 0 0 0"), Some(size)).unwrap()
}

#[test]
fn segments_are_those_of_psana() {
    for (name, [rows, columns], sums, depth, cell, mask) in GOLDEN {
        let geometry = alone(name);
        let (at, sizes) = (geometry.coordinates(), geometry.sizes());
        assert_eq!((&at.shape[..], geometry.pixel_um()), (&[1, *rows, *columns][..], *cell), "{name}");
        let found = [&at.x, &at.y, &sizes.x, &sizes.y].map(|values| weighed(values));
        assert_eq!((found, sizes.z[1]), (*sums, *depth), "{name}");
        let mut options = MaskOptions::default();
        if !name.starts_with("ARCHON") {
            let unbonded = Unbonded::AndEight;
            options =
                MaskOptions { edge_rows: 2, edge_columns: 3, center_rows: 1, center_columns: 2, unbonded };
        }
        let found: Vec<f64> = geometry.mask(&options).iter().map(|stays| f64::from(*stays)).collect();
        assert_eq!(weighed(&found), *mask, "{name}");
    }
}

#[test]
fn pixels_of_a_matrix_of_any_size_are_as_given() {
    let (given, named) = (alone("MTRXANY:V1"), alone("MTRX:V2:6:4800:75:75"));
    assert_eq!(given.coordinates(), named.coordinates());
    assert_eq!((given.sizes().z[0], named.sizes().z[0]), (400.0, 100.0));
}

#[test]
fn a_size_that_the_file_leaves_open_is_asked_for() {
    for (name, size, wanted) in [
        ("ARCHON:V1", None, "rows, columns and pixels of `ARCHON:V1`"),
        ("MTRXANY:V1", None, "rows, columns and pixels of `MTRXANY:V1`"),
        ("ARCHON:V2", Some((5, 4799, 10.0)), "4800 columns of an Archon, found 4799"),
        ("ARCHON:V2", Some((0, 4800, 10.0)), "a segment of 1 to"),
        ("MTRXANY:V1", Some((5, 5, 0.0)), "pixels of more than 0"),
        ("MTRXANY:V1", Some((5, 5, f64::NAN)), "pixels of more than 0"),
        ("MTRXANY:V1", Some((1 << 20, 1 << 20, 1.0)), "a segment of 1 to"),
    ] {
        let size = size.map(|(rows, columns, pixel_um)| OpenSize { rows, columns, pixel_um });
        let text = format!("IP 0 {name} 0 0 0 0 0 0 0 0 0 0");
        let error = Geometry::parse_sized(&text, size).unwrap_err().to_string();
        assert!(error.contains(wanted), "{name}: {error}");
    }
}

#[test]
fn a_column_without_pixels_has_no_place_in_a_picture() {
    let assembly = alone("ARCHON:V1").assembly().unwrap();
    // Rows are twice as high as a cell.
    assert_eq!((assembly.rows, assembly.columns), (4224, 11));
    let values: Vec<u32> = (1..=28_800).collect();
    let picture = assembly.assemble(&values, 0).unwrap();
    assert_eq!(picture.iter().filter(|value| **value > 0).count(), 6 * 4224);
    assert!(!picture.contains(&265) && picture.contains(&264) && picture.contains(&301));
}

/// Two segments of a CSPad 2x2 at different places; the last axis of its data is the segment.
const PAIR: &str = "CSPAD2X2:V1 0 SENS2X1:V1 0  1000 2000 0  0 0 0  0 0 0\n\
    CSPAD2X2:V1 0 SENS2X1:V1 1  -1000 30000 5  90 0 0  0 0 1\nIP 0 CSPAD2X2:V1 0  0 0 -9  270 0 0  0 0 0\n";

#[test]
fn the_last_axis_of_a_cspad_2x2_is_the_segment() {
    let (pair, apart) =
        (Geometry::parse(PAIR).unwrap(), Geometry::parse(&PAIR.replace("2X2:V1", "2X2:V9")).unwrap());
    assert_eq!((pair.shape(), apart.shape()), (&[185, 388, 2][..], &[2, 185, 388][..]));
    let (found, wanted) = (pair.coordinates(), apart.coordinates());
    let options = MaskOptions { unbonded: Unbonded::Alone, center_columns: 1, ..MaskOptions::default() };
    let (mask, plain) = (pair.mask(&options), apart.mask(&options));
    let (assembly, places) = (pair.assembly().unwrap(), apart.assembly().unwrap().places);
    for pixel in 0..185 * 388 {
        for segment in 0..2 {
            let (here, there) = (2 * pixel + segment, segment * 185 * 388 + pixel);
            let at = |all: &Coordinates, n: usize| [all.x[n], all.y[n], all.z[n]];
            assert_eq!(at(&found, here), at(&wanted, there), "{pixel} {segment}");
            assert_eq!((mask[here], assembly.places[here]), (plain[there], places[there]));
        }
    }
    assert!((pair.areas()[2 * 193] - 2.5).abs() < 1e-12);
}
