//! Files of ours as h5py reads them, while they are written and afterwards.

use std::path::Path;
use std::process::Command;

use livetime_formats::hdf5::{
    Attribute, Element, Filled, Filter, Grid, Growing, Hdf5, Mapping, NodeId, Part, Rows, Scratch, StreamId,
    Tree, Writer, recover, survey,
};
use livetime_frame::DType;

const U16: Element = Element::Number(DType::U16);

/// Runs lines of Python with `h5py`, `numpy as np` and `path`; they fail the test by `assert`. `None`: there is no h5py.
fn python(path: &Path, lines: &str) -> Option<()> {
    let python = livetime_testkit::python("hdf5")?;
    let program = format!("import sys, h5py, hdf5plugin, numpy as np\npath = sys.argv[1]\n{lines}");
    let output = Command::new(python).arg("-c").arg(program).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

fn growing<'a>(element: Element, row: &'a [u64], chunk: u64) -> Growing<'a> {
    Growing { element, row, chunk, part: &[], filter: None }
}

fn tree() -> (Tree, StreamId, StreamId) {
    let mut tree = Tree::default();
    let entry = tree.group(Tree::ROOT, "entry", vec![Attribute::text("NX_class", "NXentry")]);
    let (data, pictures) =
        tree.growing(entry, "data", growing(U16, &[3, 4], 1), vec![Attribute::int("signal", 1)]);
    let (_, numbers) = tree.growing(entry, "uid", growing(Element::Number(DType::I32), &[], 64), vec![]);
    tree.link(entry, "same", data);
    tree.soft_link(Tree::ROOT, "soft", "/entry/data");
    tree.text(entry, "title", "fünf");
    tree.fixed(
        entry,
        "pair",
        (Element::Number(DType::F64), &[2]),
        [1.5f64, -2.0].map(f64::to_le_bytes).concat(),
        vec![],
    );
    (tree, pictures, numbers)
}

fn picture(number: u64) -> Vec<u8> {
    (0..12).flat_map(|pixel| ((number * 7 + pixel) as u16).to_le_bytes()).collect()
}

const CHECK: &str = "
def check(f, n):
    d, u = f['entry/data'], f['entry/uid']
    assert u.shape == (n,) and d.shape == (n, 3, 4), (d.shape, u.shape)
    want = (np.arange(n)[:, None] * 7 + np.arange(12)).astype('u2').reshape(n, 3, 4)
    assert (d[:] == want).all() and (u[:] == np.arange(n)).all()
";

/// Deflate at level 1.
fn zlib_filter() -> Filter {
    Filter { id: 1, values: vec![1] }
}

#[test]
fn any_number_of_rows_is_read_while_the_file_grows_and_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    let (tree, pictures, numbers) = tree();
    let mut file = Writer::create(&path, tree, false).unwrap();
    let mut count = 0;
    for wanted in [0, 1, 4, 5, 20, 21, 100, 244, 245, 1000, 5000, 40_000] {
        while count < wanted {
            file.write_row(pictures, &picture(count)).unwrap();
            file.push(numbers, &(count as i32).to_le_bytes());
            count += 1;
        }
        file.flush().unwrap();
        let lines = format!(
            "{CHECK}
with h5py.File(path, 'r', swmr=True) as f:
    check(f, {wanted})
try:
    h5py.File(path, 'r')
    assert False, 'opened'
except OSError:
    pass
"
        );
        if python(&path, &lines).is_none() {
            return;
        }
    }
    file.close().unwrap();
    let lines = format!(
        "{CHECK}
with h5py.File(path, 'r') as f:
    check(f, {count})
    assert f['entry/same'] == f['entry/data'] == f['soft']
    assert f['entry'].attrs['NX_class'] == b'NXentry' and f['entry/data'].attrs['signal'] == 1
    assert f['entry/title'][()] == 'fünf'.encode() and (f['entry/pair'][:] == [1.5, -2]).all()
    assert f['entry/data'].chunks == (1, 3, 4) and f['entry/data'].maxshape == (None, 3, 4)
"
    );
    python(&path, &lines);
}

#[test]
fn chunks_of_several_rows_and_compressed_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.h5");
    let mut tree = Tree::default();
    let (_, plain) = tree.growing(Tree::ROOT, "plain", growing(U16, &[3, 4], 5), vec![]);
    let filter = Some(zlib_filter());
    let packed = Growing { element: U16, row: &[3, 4], chunk: 4, part: &[], filter };
    let (_, packed) = tree.growing(Tree::ROOT, "packed", packed, vec![]);
    let mut file = Writer::create(&path, tree, false).unwrap();
    (0..7).for_each(|i| file.write_row(plain, &picture(i)).unwrap());
    let mut zlib = livetime_codecs::Zlib::new(1);
    for chunk in 0..700u64 {
        for rows in if chunk == 699 { vec![1, 3] } else { vec![4] } {
            let mut pixels: Vec<u8> = (0..rows).flat_map(|i| picture(chunk * 4 + i)).collect();
            pixels.resize(4 * 24, 0);
            let stream = zlib_of(&mut zlib, &pixels);
            file.write_chunk(packed, chunk, rows, &[&stream[..5], &stream[5..]]).unwrap();
            file.flush().unwrap();
        }
    }
    assert!(file.write_chunk(packed, 701, 1, &[&[1]]).is_err());
    file.close().unwrap();
    python(
        &path,
        "
f = h5py.File(path, 'r')
want = lambda n: (np.arange(n)[:, None] * 7 + np.arange(12)).astype('u2').reshape(n, 3, 4)
assert (f['plain'][:] == want(7)).all()
assert f['packed'].shape == (2799, 3, 4) and f['packed'].compression == 'gzip'
assert (f['packed'][:] == want(2799)).all()
",
    );
}

/// A reader of h5py that stays open; each line is a number of rows, and what the last rows of `data` begin with.
const FOLLOWER: &str = "
f = h5py.File(path, 'r', swmr=True)
sets = [f['entry/data'], f['entry/uid'], f['plain'], f['packed']]
print('open', flush=True)
for line in sys.stdin:
    want = np.array([int(word) for word in line.split()])
    for s in reversed(sets): s.refresh()
    d, u, plain, packed = sets
    assert [s.shape[0] for s in sets] == [len(want)] * 4, ([s.shape for s in sets], len(want))
    pixels = (want[:, None] * 7 + np.arange(12)).astype('u2').reshape(-1, 3, 4)
    assert (u[:] == want).all() and (d[:] == pixels).all()
    assert (plain[:] == pixels).all() and (packed[:] == pixels).all()
    print('same', flush=True)
";

/// Rows are taken back again and again, to any number of them, while a reader follows. In the end the file and its
/// index have the rows that were not taken back.
#[test]
fn rows_are_taken_back_and_others_take_their_place() {
    use std::io::{BufRead, BufReader, Write};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("back.h5");
    let mut tree = Tree::default();
    let (_, plain) = tree.growing(Tree::ROOT, "plain", growing(U16, &[3, 4], 5), vec![]);
    let filter = Some(zlib_filter());
    let packed = Growing { element: U16, row: &[3, 4], chunk: 1, part: &[], filter };
    let (_, packed) = tree.growing(Tree::ROOT, "packed", packed, vec![]);
    let entry = tree.group(Tree::ROOT, "entry", vec![]);
    let (_, data) = tree.growing(entry, "data", growing(U16, &[3, 4], 1), vec![]);
    let (_, uid) = tree.growing(entry, "uid", growing(Element::Number(DType::I32), &[], 64), vec![]);
    let mut file = Writer::create(&path, tree, false).unwrap();
    let mut zlib = livetime_codecs::Zlib::new(1);
    let mut follower = livetime_testkit::python("hdf5").map(|python| {
        let program = format!("import sys, h5py, hdf5plugin, numpy as np\npath = sys.argv[1]\n{FOLLOWER}");
        let mut child = Command::new(python)
            .args(["-c", &program])
            .arg(&path)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        (child.stdin.take().unwrap(), lines, child)
    });
    if let Some((_, lines, _)) = &mut follower {
        assert_eq!(lines.next().unwrap().unwrap(), "open");
    }
    let (mut want, mut next) = (Vec::new(), 0u64);
    for (more, keep) in
        [(3, 1), (2, 3), (400, 130), (5, 0), (2900, 2895), (10, 2400), (700, 5), (130, 128), (9, 137)]
    {
        for number in next..next + more {
            file.write_row(data, &picture(number)).unwrap();
            file.push(plain, &picture(number));
            let stream = zlib_of(&mut zlib, &picture(number));
            file.write_chunk(packed, file.rows(packed), 1, &[&stream]).unwrap();
            file.push(uid, &(number as i32).to_le_bytes());
            want.push(number);
        }
        next += more;
        file.take_back(&[plain, packed, data, uid].map(|stream| (stream, keep))).unwrap();
        want.truncate(keep as usize);
        if let Some((to, lines, _)) = &mut follower {
            let line: Vec<String> = want.iter().map(u64::to_string).collect();
            writeln!(to, "{}", line.join(" ")).unwrap();
            assert_eq!(lines.next().expect("the reader has ended").unwrap(), "same", "{keep}");
        }
        let mut found = vec![0; want.len() * 24];
        let array = Hdf5::open(&path).unwrap().array("/packed").unwrap();
        array.read(0, keep, &mut found, &mut Default::default()).unwrap();
        assert_eq!(found, want.iter().flat_map(|number| picture(*number)).collect::<Vec<_>>());
    }
    assert!(file.take_back(&[(uid, 138)]).is_err());
    file.close().unwrap();
    if let Some((to, _, mut child)) = follower {
        drop(to);
        assert!(child.wait().unwrap().success());
    }
    python(
        &path,
        "
f = h5py.File(path, 'r')
assert [f[p].id.get_num_chunks() for p in ('entry/data', 'packed', 'plain', 'entry/uid')] == [137, 137, 28, 3]
assert list(f['entry/uid'][-9:]) == list(range(4150, 4159)), f['entry/uid'][-9:]
",
    );
}

/// Chunks that hold parts of rows, with parts at the edges that stick out; some layers are written in several steps.
#[test]
fn chunks_of_parts_of_rows() {
    let folder = tempfile::tempdir().unwrap();
    for (name, chunk, is_packed) in [("a", 1, false), ("b", 1, true), ("c", 3, false), ("d", 3, true)] {
        let path = folder.path().join(name);
        let mut tree = Tree::default();
        let filter = is_packed.then(zlib_filter);
        let cut = Growing { element: U16, row: &[3, 4], chunk, part: &[2, 3], filter };
        let (_, cut) = tree.growing(Tree::ROOT, "cut", cut, vec![]);
        let mut file = Writer::create(&path, tree, false).unwrap();
        let mut zlib = livetime_codecs::Zlib::new(1);
        for layer in 0..200u64 {
            for rows in (1..=chunk).filter(|rows| layer == 7 || *rows == chunk) {
                let (mut bytes, mut ends) = (Vec::new(), Vec::new());
                for place in 0..4u64 {
                    let number = |row: u64, y: u64, x: u64| ((layer * chunk + row) * 7 + y * 4 + x) as u16;
                    let all = (0..chunk).flat_map(|row| {
                        (0..6).map(move |i| (row, place / 2 * 2 + i / 3, place % 2 * 3 + i % 3))
                    });
                    let part: Vec<u8> = all.flat_map(|(row, y, x)| number(row, y, x).to_le_bytes()).collect();
                    bytes.extend(if is_packed { zlib_of(&mut zlib, &part) } else { part });
                    ends.push(bytes.len());
                }
                assert!(file.write_layer(cut, layer, rows, (&bytes, &ends[..3])).is_err());
                file.write_layer(cut, layer, rows, (&bytes, &ends)).unwrap();
                file.flush().unwrap();
            }
        }
        file.close().unwrap();
        let rows = 200 * chunk;
        let array = Hdf5::open(&path).unwrap().array("/cut").unwrap();
        let mut found = vec![0; rows as usize * 24];
        array.read(0, rows, &mut found, &mut Default::default()).unwrap();
        assert_eq!(found, (0..rows).flat_map(picture).collect::<Vec<_>>(), "{name}");
        python(
            &path,
            &format!(
                "
f = h5py.File(path, 'r')
assert f['cut'].chunks == ({chunk}, 2, 3) and f['cut'].shape == ({rows}, 3, 4)
assert (f['cut'][:] == (np.arange({rows})[:, None] * 7 + np.arange(12)).astype('u2').reshape(-1, 3, 4)).all()
assert f['cut'].id.get_num_chunks() == 800
"
            ),
        );
    }
}

fn zlib_of(zlib: &mut livetime_codecs::Zlib, pixels: &[u8]) -> Vec<u8> {
    use livetime_codecs::{Array, Codec};
    let shape = [pixels.len() / 2];
    let mut out = vec![0; zlib.bound(pixels.len())];
    let array = Array::new(pixels, DType::U16, &shape).unwrap();
    let size = zlib.encode(array, &mut out).unwrap();
    out.truncate(size);
    out
}

/// Rows are written at any place of a grid, in any order. Small grids have an index without pages, large ones with; a
/// chunk has one row or several.
#[test]
fn rows_in_a_grid() {
    let folder = tempfile::tempdir().unwrap();
    for (sizes, chunk, name) in
        [([2, 3, 4], [1, 1, 1], "few"), ([5, 20, 9], [1, 1, 1], "many"), ([5, 20, 9], [2, 3, 9], "chunks")]
    {
        let path = folder.path().join(name);
        let mut tree = Tree::default();
        let grid = Grid {
            element: U16,
            sizes: sizes.to_vec(),
            row: vec![2],
            chunk: chunk.to_vec(),
            fill: 9u16.to_le_bytes().to_vec(),
            filter: None,
        };
        let (node, data) = tree.grid(Tree::ROOT, "data", grid, vec![Attribute::int("signal", 1)]);
        let late = tree.late_attribute(node, Attribute::float("last", 0.0));
        let mut file = Writer::create(&path, tree, false).unwrap();
        let all: u64 = sizes.iter().product();
        // Every third place stays free.
        let places: Vec<u64> = (0..all).map(|k| k * 7 % all).filter(|k| k % 3 != 1).collect();
        for (count, k) in places.iter().enumerate() {
            let place = [k / (sizes[1] * sizes[2]), k / sizes[2] % sizes[1], k % sizes[2]];
            let row = [10 + *k as u16, 1000 + *k as u16].map(u16::to_le_bytes).concat();
            assert!(!file.write_at(data, &place, &[&row]).unwrap());
            if count == places.len() / 2 {
                file.flush().unwrap();
                let check = format!("assert (f['data'][..., 0] != 9).sum() == {count} + 1");
                python(&path, &format!("f = h5py.File(path, 'r', swmr=True)\n{check}"));
            }
        }
        let row = [10u16, 1000].map(u16::to_le_bytes).concat();
        assert!(file.write_at(data, &[0, 0, 0], &[&row]).unwrap(), "there was one");
        assert!(file.write_at(data, &[sizes[0], 0, 0], &[&row]).is_err());
        assert!(file.write_at(data, &[0, 0, 0], &[&row[1..]]).is_err());
        file.rewrite_attribute(late, &2.5f64.to_le_bytes()).unwrap();
        assert!(file.rewrite_attribute(late, &[1]).is_err());
        file.close().unwrap();
        let check = format!(
            "
f = h5py.File(path, 'r')
d = f['data']
k = np.arange({all})
v, free = d[:].reshape({all}, 2), k % 3 == 1
assert (v[free] == 9).all() and (v[~free, 0] == 10 + k[~free]).all() and (v[~free, 1] == 1000 + k[~free]).all()
assert d.attrs['last'] == 2.5 and d.fillvalue == 9
assert list(d.shape) == {sizes:?} + [2] and list(d.chunks) == {chunk:?} + [2]
"
        );
        python(&path, &check);
    }
}

#[test]
fn all_types_and_a_virtual_data_set() {
    let folder = tempfile::tempdir().unwrap();
    let mut parts = Vec::new();
    for (number, rows) in [3, 1, 2].into_iter().enumerate() {
        let name = format!("part{number}.h5");
        let (tree, pictures, _) = tree();
        let mut file = Writer::create(&folder.path().join(&name), tree, false).unwrap();
        (0..rows).for_each(|row| file.write_row(pictures, &picture(100 * number as u64 + row)).unwrap());
        file.close().unwrap();
        parts.push(Part { file: name, data_set: "/entry/data".into(), rows });
    }
    let path = folder.path().join("all.h5");
    let mut tree = Tree::default();
    tree.virtual_data(Tree::ROOT, "data", (U16, &[3, 4]), parts, vec![]);
    tree.external_link(Tree::ROOT, "second", "part1.h5", "/entry/data");
    for dtype in DType::ALL {
        let data = vec![0xff; dtype.bytes()];
        tree.fixed(Tree::ROOT, dtype.name(), (Element::Number(dtype), &[1]), data, vec![]);
    }
    Writer::create(&path, tree, false).unwrap().close().unwrap();
    python(
        &path,
        "
f = h5py.File(path, 'r')
want = lambda n: (np.arange(n)[:, None] * 7 + np.arange(12)).astype('u2').reshape(n, 3, 4)
all = want(300)
assert f['data'].shape == (6, 3, 4)
assert (f['data'][:] == np.concatenate([all[0:3], all[100:101], all[200:202]])).all()
assert (f['second'][:] == all[100:101]).all()
for t in ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64']:
    kind, bits = t[0], int(t[1:])
    d = f[t]
    assert d.dtype == np.dtype(f'{kind}{bits // 8}'), (t, d.dtype)
    if kind == 'i': assert d[0] == -1
    if kind == 'u': assert d[0] == 2 ** bits - 1
    if kind == 'f': assert np.isnan(d[0])
",
    );
}

#[test]
fn names_and_sizes_that_hdf5_does_not_allow_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let make = |change: &dyn Fn(&mut Tree)| {
        let mut tree = Tree::default();
        change(&mut tree);
        let path = folder.path().join("c.h5");
        Writer::create(&path, tree, true).map(drop)
    };
    assert!(make(&|_| ()).is_ok());
    let group = |tree: &mut Tree, name: &str| -> NodeId { tree.group(Tree::ROOT, name, vec![]) };
    assert!(make(&|tree| _ = group(tree, "a/b")).is_err());
    assert!(make(&|tree| (0..2).for_each(|_| _ = group(tree, "a"))).is_err());
    let long = "x".repeat(70_000);
    assert!(make(&|tree| tree.attribute(Tree::ROOT, Attribute::text("a", &long))).is_err());
    let huge = growing(U16, &[1 << 20, 1 << 20], 1);
    assert!(make(&|tree| _ = tree.growing(Tree::ROOT, "a", huge.clone(), vec![])).is_err());
    let folder = folder.path().join("none");
    let error = Writer::create(&folder.join("c.h5"), Tree::default(), false).map(drop).unwrap_err();
    assert!(error.to_string().contains("wanted to create the file"), "{error}");
}

#[test]
fn a_file_whose_writer_is_gone_opens_after_it_was_recovered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.h5");
    let (tree, pictures, numbers) = tree();
    let mut file = Writer::create(&path, tree, false).unwrap();
    for count in 0..30u64 {
        file.write_row(pictures, &picture(count)).unwrap();
        file.push(numbers, &(count as i32).to_le_bytes());
        if count == 24 {
            file.flush().unwrap();
        }
    }
    drop(file);
    let found = survey(&path).unwrap();
    assert!(found.is_open && found.unreadable.is_empty());
    let shapes: Vec<_> =
        found.data_sets.iter().map(|d| (d.path.as_str(), d.shape.as_slice(), d.grows)).collect();
    let wanted = [
        ("/entry/data", &[25, 3, 4][..], true),
        ("/entry/pair", &[2][..], false),
        ("/entry/title", &[][..], false),
        ("/entry/uid", &[25][..], true),
    ];
    assert_eq!(shapes, wanted);
    assert!(recover(&path).unwrap().was_open);
    assert!(!recover(&path).unwrap().was_open);
    python(
        &path,
        &format!(
            "{CHECK}
with h5py.File(path, 'r') as f:
    check(f, 25)
"
        ),
    );
}

#[test]
fn no_bytes_make_the_reader_panic_or_read_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e.h5");
    let (tree, ..) = tree();
    Writer::create(&path, tree, false).unwrap().close().unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len().min(2000)).step_by(7) {
        std::fs::write(&path, &whole[..length]).unwrap();
        let _ = survey(&path);
    }
    for place in 0..whole.len().min(3000) {
        let mut changed = whole.clone();
        changed[place] ^= 0x81;
        std::fs::write(&path, &changed).unwrap();
        if let Ok(found) = survey(&path) {
            assert!(place >= 48, "a changed superblock was taken: byte {place}");
            assert!(found.data_sets.len() <= 4);
        }
    }
}

/// Two parts lie over each other and a third place stays empty: as many elements as a row has, and not all of them.
#[test]
fn mappings_that_overlap_do_not_cover_a_row() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..2 {
        let (tree, pictures, _) = tree();
        let mut file = Writer::create(&folder.path().join(format!("part{number}.h5")), tree, false).unwrap();
        (0..2).for_each(|row| file.write_row(pictures, &picture(100 * number + row)).unwrap());
        file.close().unwrap();
    }
    let place = |file: &str, place| Mapping {
        file: file.into(),
        data_set: "/entry/data".into(),
        from: Rows::run(0, 2),
        to: Rows::run(0, 2),
        place: Some(place),
    };
    let mut tree = Tree::default();
    let shape = (U16, &[2, 2, 3, 4][..]);
    let [one, two, beside] = [place("part0.h5", 0), place("part1.h5", 0), place("part1.h5", 1)];
    tree.mapped(Tree::ROOT, "over", shape, vec![one.clone(), two], vec![]);
    tree.mapped(Tree::ROOT, "beside", shape, vec![one, beside], vec![]);
    let path = folder.path().join("all.h5");
    Writer::create(&path, tree, false).unwrap().close().unwrap();
    let file = Hdf5::open(&path).unwrap();
    let read = |name: &str| {
        let mut row = vec![0; 48];
        let filled = file.array(name).unwrap().read(1, 1, &mut row, &mut Scratch::default()).unwrap();
        (filled, row)
    };
    assert_eq!(read("over"), (Filled::Partial, [picture(101), vec![0; 24]].concat()));
    assert_eq!(read("beside"), (Filled::Whole, [picture(1), picture(101)].concat()));
    let check = "
f = h5py.File(path, 'r')
assert (f['beside'][1].reshape(2, 12)[:, 0] == [7, 707]).all() and (f['over'][1, 1] == 0).all()
";
    python(&path, check);
}

#[test]
fn mappings_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let good = Mapping {
        file: "a.h5".into(),
        data_set: "/d".into(),
        from: Rows { first: 0, stride: 1, count: 5, block: 1 },
        to: Rows { first: 1, stride: 2, count: 5, block: 1 },
        place: None,
    };
    let make = |mapping: Mapping| {
        let mut tree = Tree::default();
        tree.mapped(Tree::ROOT, "d", (U16, &[10, 3]), vec![mapping], vec![]);
        Writer::create(&folder.path().join("m.h5"), tree, true).map(drop)
    };
    assert!(make(good.clone()).is_ok());
    let to = |to: Rows| Mapping { to, ..good.clone() };
    assert!(make(to(Rows { first: 2, stride: 2, count: 5, block: 1 })).is_err());
    assert!(make(to(Rows { first: 0, stride: 2, count: 4, block: 1 })).is_err());
    assert!(make(to(Rows { first: 0, stride: 0, count: 5, block: 1 })).is_err());
    assert!(make(to(Rows { first: u64::MAX, stride: 2, count: 5, block: 1 })).is_err());
    assert!(make(Mapping { place: Some(3), ..good.clone() }).is_err());
    assert!(make(Mapping { file: "a\0b".into(), ..good }).is_err());
}
