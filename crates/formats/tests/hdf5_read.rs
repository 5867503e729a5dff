//! Files that h5py and hdf5plugin write, in all ways that producers of detector data use, as our reader sees them.

use std::path::Path;
use std::process::Command;

use livetime_formats::hdf5::{Filled, Hdf5, Scratch, checksum};
use livetime_frame::AttributeValue;

/// Runs lines of Python with `h5py`, `numpy as np` and the folder `at`. `None`: there is no h5py.
fn python(folder: &Path, lines: &str) -> Option<()> {
    let python = livetime_testkit::python("hdf5")?;
    let program = format!("import sys, os, h5py, hdf5plugin, numpy as np\nat = sys.argv[1] + '/'\n{lines}");
    let output = Command::new(python).arg("-c").arg(program).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

/// The whole of a data set, row by row in another order than the file's.
fn whole(file: &Hdf5, path: &str) -> (Vec<u8>, Filled) {
    let array = file.array(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let (mut scratch, row) = (Scratch::default(), array.row_bytes() as usize);
    let mut bytes = vec![0xaa; array.rows() as usize * row];
    let mut filled = Filled::Whole;
    for step in 0..array.rows() {
        let number = (step * 7 + 3) % array.rows();
        let number = if array.rows().is_multiple_of(7) { step } else { number };
        let place = number as usize * row..(number as usize + 1) * row;
        let found = array.read(number, 1, &mut bytes[place], &mut scratch);
        let found = found.unwrap_or_else(|e| panic!("{path}, row {number}: {e}"));
        if found != Filled::Whole {
            filled = found;
        }
    }
    let mut at_once = vec![0; bytes.len()];
    array.read(0, array.rows(), &mut at_once, &mut scratch).unwrap();
    assert!(at_once == bytes, "{path}: rows alone and all rows differ");
    (bytes, filled)
}

/// Compares every data set of `NAME.h5` with the bytes that Python wrote to `NAME.PATH.raw`, with `.` for `/`.
fn compare(folder: &Path, name: &str) -> usize {
    let file = Hdf5::open(&folder.join(format!("{name}.h5"))).unwrap();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let raw = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(data_set) = raw.strip_prefix(&format!("{name}@")).and_then(|r| r.strip_suffix(".raw"))
        else {
            continue;
        };
        let data_set = data_set.replace('@', "/");
        let wanted = std::fs::read(&path).unwrap();
        assert!(whole(&file, &data_set).0 == wanted, "{name}: {data_set}");
        count += 1;
    }
    count
}

/// Writes a file and, for each data set of numbers in it, what h5py reads from it.
const KEEP: &str = "
def keep(name):
    with h5py.File(at + name + '.h5', 'r') as f:
        def one(path):
            d = f[path]
            a = np.ascontiguousarray(d[()])
            a = a.astype('<f4') if a.dtype.kind == 'f' and a.itemsize == 2 else a.astype(a.dtype.newbyteorder('<'))
            a.tofile(at + name + '@' + path.strip('/').replace('/', '@') + '.raw')
        def visit(path, d):
            if isinstance(d, h5py.Dataset) and d.dtype.kind in 'iuf': one(path)
        f.visititems(visit)
def pixels(shape, dtype='u2'):
    n = int(np.prod(shape))
    return (np.arange(n) * 7 % 251).astype(dtype).reshape(shape)
";

/// A node of level 0 that names itself below itself would be read until the stack ends.
#[test]
fn a_tree_of_names_without_an_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    if python(folder.path(), "f = h5py.File(at + 'a.h5', 'w', libver='earliest'); f['one'] = 1; f.close()")
        .is_none()
    {
        return;
    }
    let path = folder.path().join("a.h5");
    let mut bytes = std::fs::read(&path).unwrap();
    let node = bytes.windows(8).position(|head| head.starts_with(b"TREE\0\0")).unwrap();
    // Behind the head of 24 bytes and a key of 8: the place of the first leaf.
    bytes[node + 32..node + 40].copy_from_slice(&(node as u64).to_le_bytes());
    std::fs::write(&path, bytes).unwrap();
    let found = Hdf5::open(&path).and_then(|file| file.array("one").map(|_| ()));
    assert!(found.unwrap_err().to_string().contains("a level below that of the node above"));
}

#[test]
fn every_layout_index_and_filter_of_h5py() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "
codecs = dict(plain={}, gzip=dict(compression='gzip'), shuffled=dict(compression='gzip', shuffle=True),
    summed=dict(fletcher32=True), all=dict(compression='gzip', shuffle=True, fletcher32=True),
    bslz4=hdf5plugin.Bitshuffle(), lz4=hdf5plugin.LZ4(), zstd=hdf5plugin.Zstd(),
    blosc=hdf5plugin.Blosc(cname='lz4', shuffle=2), blosczstd=hdf5plugin.Blosc(cname='zstd', shuffle=1),
    lzf=dict(compression='lzf'), lzfall=dict(compression='lzf', shuffle=True, fletcher32=True),
    bits=hdf5plugin.Bitshuffle(cname='none'), bitblocks=hdf5plugin.Bitshuffle(nelems=32, cname='none'),
    bitzstd=hdf5plugin.Bitshuffle(cname='zstd'), bzip2=hdf5plugin.BZip2(),
    blosc2=hdf5plugin.Blosc2(), blosc2bits=hdf5plugin.Blosc2(cname='zstd', filters=hdf5plugin.Blosc2.BITSHUFFLE),
    blosc2plain=hdf5plugin.Blosc2(cname='lz4', filters=hdf5plugin.Blosc2.NOFILTER),
    blosc2zlib=hdf5plugin.Blosc2(cname='zlib', clevel=9))
count = 0
for bound in ['earliest', 'v108', 'v110', 'latest']:
    with h5py.File(at + bound + '.h5', 'w', libver=bound) as f:
        f['whole'] = pixels((6, 4, 5)); f['big'] = pixels((6, 4, 5), '>u2'); f['bigf'] = pixels((6, 3), '>f8'); f['bigh'] = pixels((6, 3), '>f2')
        f['single'] = 7; f['empty'] = np.zeros((0, 3), 'u1')
        for i, t in enumerate(['u1', 'i1', 'i2', 'u4', 'i4', 'u8', 'i8', 'f2', 'f4', 'f8']):
            f['types/of/elements/' + t] = pixels((3, 5), t)
        for name, codec in codecs.items():
            g = f.create_group(name)
            g.create_dataset('frames', data=pixels((9, 8, 10)), chunks=(1, 8, 10), **codec)
            g.create_dataset('grows', data=pixels((300, 8, 10)), chunks=(1, 8, 10), maxshape=(None, 8, 10), **codec)
            g.create_dataset('several', data=pixels((23, 6, 7), 'f4'), chunks=(5, 6, 7), maxshape=(None, 6, 7), **codec)
            g.create_dataset('pieces', data=pixels((7, 11, 13), 'i4'), chunks=(2, 4, 5), maxshape=(None, 11, 13), **codec)
            g.create_dataset('most', data=pixels((7, 11, 13), 'i4'), chunks=(2, 4, 5), maxshape=(9, 20, 40), **codec)
            g.create_dataset('both', data=pixels((7, 11, 13), 'u8'), chunks=(2, 4, 5), maxshape=(None, None, 13), **codec)
            g.create_dataset('second', data=pixels((7, 11, 13)), chunks=(2, 4, 5), maxshape=(7, None, 13), **codec)
            g.create_dataset('one', data=pixels((4, 6)), chunks=(4, 6), **codec)
            g.create_dataset('half', data=pixels((7, 11, 13), 'f2') / 3, chunks=(1, 11, 13), **codec)
            big = pixels((2, 150, 210)); big[1] = 0
            g.create_dataset('large', data=big, chunks=(1, 150, 210), **codec)
            g.create_dataset('noise', data=np.random.default_rng(3).integers(0, 1 << 32, (3, 97, 103), 'u4'), chunks=(2, 50, 103), **codec)
            g.create_dataset('line', data=pixels((1000,), 'f8'), chunks=(64,), maxshape=(None,), **codec)
        g = f.create_group('many')
        for i in range(300): g['name%d' % i] = i
        d = f.create_dataset('holes', shape=(10, 4, 6), dtype='i4', chunks=(1, 4, 6), fillvalue=-3)
        d[3] = pixels((4, 6), 'i4')
        f.create_dataset('never', shape=(4, 3), dtype='u2', fillvalue=9)
        d = f.create_dataset('early', shape=(12, 5), dtype='u2', chunks=(4, 5))
        d[:] = pixels((12, 5))
        f['flags'] = np.array([True, False])
    keep(bound)
with h5py.File(at + 'index.h5', 'w', libver='latest') as f:
    f.create_dataset('fixed', data=pixels((3000, 2, 3)), chunks=(1, 2, 3))
    f.create_dataset('fixedpacked', data=pixels((3000, 2, 3)), chunks=(1, 2, 3), compression='gzip')
    f.create_dataset('extensible', data=pixels((9000, 2, 3)), chunks=(1, 2, 3), maxshape=(None, 2, 3))
    f.create_dataset('packed', data=pixels((3000, 2, 3)), chunks=(1, 2, 3), maxshape=(None, 2, 3), **hdf5plugin.Bitshuffle())
    f.create_dataset('tree', data=pixels((3000, 2, 3)), chunks=(1, 2, 3), maxshape=(None, None, 3))
    d = f.create_dataset('paged', shape=(5000, 2), dtype='u2', chunks=(1, 2)); d[4000:4010] = 5
keep('index')
with h5py.File(at + 'oldindex.h5', 'w') as f:
    f.create_dataset('tree', data=pixels((9000, 2, 3)), chunks=(1, 2, 3), maxshape=(None, 2, 3))
keep('oldindex')
";
    if python(folder.path(), &format!("{KEEP}{lines}")).is_none() {
        return;
    }
    for name in ["earliest", "v108", "v110", "latest"] {
        assert!(compare(folder.path(), name) > 400, "{name}");
        let file = Hdf5::open(&folder.path().join(format!("{name}.h5"))).unwrap();
        assert_eq!(whole(&file, "holes").1, Filled::Nothing, "{name}");
        assert_eq!(whole(&file, "never").1, Filled::Nothing, "{name}");
        assert_eq!(whole(&file, "flags").0, [1, 0], "{name}");
        let content = file.content();
        assert_eq!(content.unreadable, Vec::<String>::new(), "{name}");
        assert!(content.found.iter().any(|found| found.path == "/many/name299"), "{name}");
        assert_eq!(file.array("all/frames").unwrap().codec(), "shuffle+zlib+fletcher32");
        assert_eq!(file.array("bitzstd/frames").unwrap().codec(), "bitshuffle with zstd");
        assert_eq!(file.array("types/of/elements/f2").unwrap().element().name(), "f16, which is read as f32");
        assert!(file.array("plain/grows").unwrap().grows() && !file.array("plain/frames").unwrap().grows());
    }
    assert_eq!((compare(folder.path(), "index"), compare(folder.path(), "oldindex")), (6, 1));
}

#[test]
fn links_attributes_and_texts() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "
os.mkdir(at + 'sub')
for bound in ['earliest', 'latest']:
    with h5py.File(at + 'sub/other.h5', 'w', libver=bound) as f: f['deep/data'] = pixels((3, 4))
    with h5py.File(at + bound + '.h5', 'w', libver=bound) as f:
        f['a/data'] = pixels((3, 4), 'u1')
        f['hard'] = f['a/data']; f['soft'] = h5py.SoftLink('/a/data'); f['a/near'] = h5py.SoftLink('data')
        f['out'] = h5py.ExternalLink('sub/other.h5', '/deep/data')
        f['moved'] = h5py.ExternalLink('/nowhere/else/' + bound + '.h5', '/a/data')
        f['gone'] = h5py.ExternalLink('none.h5', '/x'); f['circle'] = h5py.SoftLink('/circle'); f['up'] = f['/']
        f['text'] = 'fünf'; f['fixed'] = np.array([b'one', b'two'])
        d = f['a/data']
        d.attrs['signal'] = 1; d.attrs['name'] = 'pixels'; d.attrs['list'] = [1.5, 2.5]; d.attrs['np'] = np.bytes_('x')
        for i in range(20): f['a'].attrs['a%d' % i] = i
        f['compound'] = np.zeros(3, dtype=[('a', 'i4')])
";
    if python(folder.path(), &format!("{KEEP}{lines}")).is_none() {
        return;
    }
    let wanted: Vec<u8> = (0..12).map(|i| (i * 7) as u8).collect();
    for name in ["earliest", "latest"] {
        let file = Hdf5::open(&folder.path().join(format!("{name}.h5"))).unwrap();
        for path in ["a/data", "hard", "/soft", "a/near", "moved", "up/up/hard"] {
            assert_eq!(whole(&file, path).0, wanted, "{name}: {path}");
        }
        assert_eq!(whole(&file, "out").0.len(), 24);
        for (path, words) in
            [("gone", "none.h5"), ("circle", "links"), ("compound", "compound"), ("a", "group")]
        {
            let read = file.array(path).and_then(|array| {
                let mut bytes = vec![0; (array.rows() * array.row_bytes()) as usize];
                array.read(0, array.rows(), &mut bytes, &mut Scratch::default())
            });
            assert!(read.unwrap_err().to_string().contains(words), "{name}: {path}");
        }
        let content = file.content();
        assert_eq!((content.unreadable.len(), content.dangling.len()), (1, 1), "{content:?}");
        let found = |path: &str| content.found.iter().find(|found| found.path == path).unwrap();
        let data = found("/a/data");
        assert!(data.others.contains(&"/hard".to_owned()) && data.others.contains(&"/soft".to_owned()));
        assert_eq!(
            (data.attribute("signal"), data.text("name")),
            (Some(&AttributeValue::Int(1)), Some("pixels"))
        );
        assert_eq!((data.attribute("list"), data.text("np")), (Some(&AttributeValue::Float(1.5)), Some("x")));
        assert_eq!(found("/a").attribute("a19"), Some(&AttributeValue::Int(19)));
        let mut scratch = Scratch::default();
        let text = file.array("text").unwrap().values(0, 9, &mut scratch).unwrap();
        assert_eq!(text, [AttributeValue::Text("fünf".into())]);
        let fixed = file.array("fixed").unwrap().values(1, 9, &mut scratch).unwrap();
        assert_eq!(fixed, [AttributeValue::Text("two".into())]);
    }
}

#[test]
fn virtual_data_sets() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "
for bound in ['earliest', 'v110', 'latest']:
    for i in range(3):
        with h5py.File(at + '%s_part_%d.h5' % (bound, i), 'w', libver=bound) as f:
            d = f.create_dataset('data', data=pixels((4, 5, 6)) + 100 * i, chunks=(1, 5, 6), maxshape=(None, 5, 6))
    with h5py.File(at + bound + '.h5', 'w', libver=bound) as f:
        part = lambda i: h5py.VirtualSource('%s_part_%d.h5' % (bound, i), 'data', shape=(4, 5, 6), maxshape=(None, 5, 6))
        one = h5py.VirtualLayout((12, 5, 6), 'u2')
        turns = h5py.VirtualLayout((12, 5, 6), 'u2')
        blocks = h5py.VirtualLayout((12, 5, 6), 'u2')
        tiles = h5py.VirtualLayout((4, 5, 18), 'u2')
        cut = h5py.VirtualLayout((4, 7, 8), 'u2', )
        for i in range(3):
            one[4 * i:4 * i + 4] = part(i)
            turns[i::3] = part(i)
            for j in range(2): blocks[6 * j + 2 * i:6 * j + 2 * i + 2] = part(i)[2 * j:2 * j + 2]
            tiles[:, :, 6 * i:6 * i + 6] = part(i)
        cut[:, 1:4, 2:6] = part(0)[:, 2:5, 1:5]
        for n, l in dict(one=one, turns=turns, blocks=blocks, tiles=tiles).items(): f.create_virtual_dataset(n, l)
        f.create_virtual_dataset('cut', cut, fillvalue=8)
        gone = h5py.VirtualLayout((4, 5, 6), 'u2'); gone[:] = h5py.VirtualSource('none.h5', 'data', shape=(4, 5, 6))
        half = h5py.VirtualLayout((8, 5, 6), 'u2'); half[0:4] = part(1)
        f.create_virtual_dataset('half', half, fillvalue=3)
        if bound != 'earliest':
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            space = h5py.h5s.create_simple((12, 5, 6), (h5py.h5s.UNLIMITED, 5, 6))
            inner = h5py.h5s.create_simple((4, 5, 6), (4, 5, 6))
            space.select_hyperslab((0, 0, 0), (h5py.h5s.UNLIMITED, 1, 1), (4, 5, 6), (4, 5, 6))
            plist.set_virtual(space, (bound + '_part_%b.h5').encode(), b'data', inner)
            d = h5py.h5d.create(f.id, b'numbered', h5py.h5t.STD_U16LE, space, plist)
    keep(bound)
    with h5py.File(at + bound + '.h5', 'a', libver=bound) as f:
        gone = h5py.VirtualLayout((4, 5, 6), 'u2'); gone[:] = h5py.VirtualSource('none.h5', 'data', shape=(4, 5, 6))
        f.create_virtual_dataset('gone', gone)
";
    if python(folder.path(), &format!("{KEEP}{lines}")).is_none() {
        return;
    }
    for (name, sets) in [("earliest", 6), ("v110", 7), ("latest", 7)] {
        assert_eq!(compare(folder.path(), name), sets, "{name}");
        let file = Hdf5::open(&folder.path().join(format!("{name}.h5"))).unwrap();
        assert_eq!(whole(&file, "cut").1, Filled::Partial, "{name}");
        let gone = file.array("gone").unwrap();
        let error = gone.read(0, 1, &mut [0; 60], &mut Scratch::default()).unwrap_err();
        assert!(error.to_string().contains("none.h5"), "{error}");
        assert_eq!(gone.missing().len(), 1);
        let one = file.array("one").unwrap();
        assert!(one.places(0..1)[0].0.ends_with(format!("{name}_part_0.h5")) && one.is_virtual());
    }
}

/// Reads everything that a file leads to; an object may be refused.
fn read_all(bytes: Vec<u8>) {
    let Ok(file) = Hdf5::in_memory(bytes) else { return };
    let content = file.content();
    let mut scratch = Scratch::default();
    for array in content.found.iter().filter_map(|found| found.array.as_ref()) {
        let rows = array.rows().min(3);
        if array.row_bytes() < 1 << 20 {
            let mut output = vec![0; (rows * array.row_bytes()) as usize];
            drop(array.read(0, rows, &mut output, &mut scratch));
            drop(array.values(array.rows().saturating_sub(2), 2, &mut scratch));
        }
        drop(array.places(0..rows));
    }
}

/// Renews the checksums that a change has broken, of blocks of which the length is known, so that the change is met
/// behind them.
fn seal(file: &mut [u8]) {
    for at in 0..file.len() {
        let Some(head) = file.get(at..at + 10) else { break };
        let length = match &head[..4] {
            b"OHDR" if head[5] & 3 == 2 => {
                10 + u32::from_le_bytes([head[6], head[7], head[8], head[9]]) as usize
            }
            b"OHDR" if head[5] & 3 == 0 && head[5] & 0x20 == 0 => 7 + usize::from(head[6]),
            b"OHDR" if head[5] & 3 == 0 => 23 + usize::from(*file.get(at + 22).unwrap_or(&0)),
            b"FAHD" => 24,
            b"EAHD" => 68,
            b"BTHD" => 34,
            b"FRHP" => 142,
            _ => continue,
        };
        let Some(body) = file.get(at..at + length) else { continue };
        let sum = checksum(body);
        if let Some(place) = file.get_mut(at + length..at + length + 4) {
            place.copy_from_slice(&sum.to_le_bytes());
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

#[test]
fn changed_bytes_are_refused_or_read_within_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "
for bound in ['earliest', 'latest']:
    with h5py.File(at + bound + '.h5', 'w', libver=bound) as f:
        f.create_dataset('a', data=pixels((9, 3, 4)), chunks=(1, 3, 4), maxshape=(None, 3, 4), compression='gzip', shuffle=True)
        f.create_dataset('b', data=pixels((9, 3, 4)), chunks=(1, 3, 4), fletcher32=True)
        f.create_dataset('c', data=pixels((9, 3, 4)), chunks=(2, 2, 2), maxshape=(None, None, 4), **hdf5plugin.Bitshuffle())
        f['d'] = pixels((9, 3)); f['e'] = 'text'; f['g/h'] = h5py.SoftLink('/a')
        for i in range(12): f['g/n%d' % i] = i; f['d'].attrs['a%d' % i] = 'text'
        l = h5py.VirtualLayout((9, 3, 4), 'u2'); l[:] = h5py.VirtualSource('.', 'a', shape=(9, 3, 4))
        f.create_virtual_dataset('v', l)
";
    if python(folder.path(), &format!("{KEEP}{lines}")).is_none() {
        return;
    }
    let mut random = Random(5);
    for name in ["earliest", "latest"] {
        let whole = std::fs::read(folder.path().join(format!("{name}.h5"))).unwrap();
        read_all(whole.clone());
        for _ in 0..40 {
            read_all(whole[..random.below(whole.len())].to_vec());
        }
        for _ in 0..400 {
            let mut changed = whole.clone();
            for _ in 0..=random.below(4) {
                let place = random.below(changed.len());
                changed[place] = match random.below(4) {
                    0 => 0xff,
                    1 => 0,
                    2 => changed[place] ^ 1 << random.below(8),
                    _ => random.below(256) as u8,
                };
            }
            seal(&mut changed);
            read_all(changed);
        }
    }
}
