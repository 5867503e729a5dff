//! Layouts as XML, judged by h5py.

use std::sync::Arc;

use livetime_frame::{AttributeValue, Frame};
use tempfile::TempDir;

use super::{frame, python, sink};

/// A layout in ADCore's manner: NeXus classes, attributes of all kinds, three data sets of pixels, a link.
pub(super) const LAYOUT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<hdf5_layout>
  <global name="detector_data_destination" ndattribute="Where"/>
  <group name="entry">
    <attribute name="NX_class" source="constant" value="NXentry" type="string"/>
    <dataset name="definition" source="constant" value="NXtomo"/>
    <dataset name="distances" source="constant" value="1.5,2.5," type="float"/>
    <dataset name="turns" source="constant" value="7" type="int"/>
    <group name="instrument">
      <attribute name="NX_class" source="constant" value="NXinstrument"/>
      <attribute name="first" source="ndattribute" ndattribute="Shot" when="OnFileOpen"/>
      <attribute name="last" source="ndattribute" ndattribute="Name" when="OnFileClose"/>
      <attribute name="absent" source="ndattribute" ndattribute="Nowhere"/>
      <dataset name="light" source="detector" det_default="true">
        <attribute name="axes" source="constant" value="frame,y,x"/>
        <attribute name="sizes" source="constant" value="1,2,3" type="int"/>
        <attribute name="gain" source="ndattribute" ndattribute="Gain" when="OnFileClose"/>
      </dataset>
      <dataset name="dark" source="detector"/>
      <dataset name="gains" source="ndattribute" ndattribute="Gain">
        <attribute name="units" source="constant" value="V"/>
      </dataset>
      <dataset name="shot_at_open" source="ndattribute" ndattribute="Shot" when="OnFileOpen"/>
      <dataset name="shot_at_close" source="ndattribute" ndattribute="Shot" when="OnFileClose"/>
    </group>
    <group name="rest" ndattr_default="true"/>
    <group name="performance"><dataset name="timestamp"/></group>
    <group name="data">
      <hardlink name="data" target="/entry/instrument/light"/>
    </group>
  </group>
</hdf5_layout>"#;

fn going_to(number: u64, place: &str) -> Frame {
    let mut frame = frame(number).try_into_mut().ok().unwrap();
    let value = AttributeValue::Text(place.into());
    frame.header_mut().attributes.set(&Arc::from("Where"), value);
    frame.freeze()
}

#[test]
fn a_layout_makes_the_tree_that_adcore_makes() {
    let folder = TempDir::new().unwrap();
    let mut node = sink(&folder, &[("xml_file_name", LAYOUT.into())]);
    let dark = "/entry/instrument/dark";
    let places = ["", dark, "/nowhere", dark, ""];
    for (number, place) in places.iter().enumerate() {
        node.feed(&going_to(number as u64, place)).unwrap();
    }
    assert!(node.events().iter().any(|event| event.message.contains("wanted the attribute `Nowhere`")));
    node.set("capture", false).unwrap();
    python(
        &folder.path().join("run_001.h5"),
        "
found = {}
f.visititems(lambda name, item: found.__setitem__(name, item))
wanted = '''entry entry/definition entry/distances entry/turns entry/instrument entry/instrument/light entry/instrument/dark
entry/instrument/gains entry/instrument/shot_at_open entry/instrument/shot_at_close entry/rest entry/rest/Shot entry/rest/Name
entry/rest/Where entry/rest/ColorMode entry/rest/NDArrayUniqueId entry/rest/NDArrayTimeStamp entry/rest/NDArrayEpicsTSSec
entry/rest/NDArrayEpicsTSnSec entry/rest/NDArrayEventTime entry/performance entry/performance/timestamp entry/data'''.split()
wanted.remove('entry/rest/Shot')
assert set(found) - {'entry/data/data'} == set(wanted), set(found) ^ set(wanted)
e, i = f['entry'], f['entry/instrument']
assert e.attrs['NX_class'] == b'NXentry'
assert e['definition'][0] == b'NXtomo' and e['definition'].shape == (1,)
assert e['distances'][:].tolist() == [1.5, 2.5] and e['turns'][()] == 7 and e['turns'].dtype == 'i4'
assert i.attrs['first'] == 0 and i.attrs['last'] == 'größe 4'.encode() and 'absent' not in i.attrs
light, dark = i['light'], i['dark']
assert light.shape == (3, 6, 10) and dark.shape == (2, 6, 10) and e['data/data'] == light
assert [light[k, 0, 0] for k in range(3)] == [0, 6, 12] and [dark[k, 0, 0] for k in range(2)] == [3, 9]
assert light.attrs['axes'] == b'frame,y,x' and list(light.attrs['sizes']) == [1, 2, 3] and light.attrs['gain'] == 2.0
assert light.attrs['NDArrayNumDims'] == 2 and list(dark.attrs['NDArrayDimOffset']) == [0, 0]
assert i['gains'][:].tolist() == [0, .5, 1, 1.5, 2] and i['gains'].attrs['units'] == b'V'
assert i['gains'].attrs['NDAttrName'] == b'Gain'
assert i['shot_at_open'][:].tolist() == [0] and i['shot_at_close'][:].tolist() == [-4]
assert e['rest/NDArrayUniqueId'][:].tolist() == [0, 1, 2, 3, 4] and 'hostname' in e['rest'].attrs
assert e['rest/Where'][1] == b'/entry/instrument/dark' and e['performance/timestamp'].shape == (5, 5)
",
    );
}

#[test]
fn attributes_without_a_place_go_to_the_root_or_nowhere() {
    let cases = [
        (
            "",
            "assert list(f['NDArrayUniqueId'][:]) == [3] and list(f['Gain'][:]) == [1.5] and 'timestamp' in f",
        ),
        (" auto_ndattr_default='false'", "assert list(f) == ['d', 'g'] and f['g'][:].tolist() == [1.5]"),
    ];
    for (how, check) in cases {
        let folder = TempDir::new().unwrap();
        let gain =
            if how.is_empty() { "" } else { "<dataset name='g' source='ndattribute' ndattribute='Gain'/>" };
        let text = format!("<hdf5_layout{how}><dataset name='d' source='detector'/>{gain}</hdf5_layout>");
        let path = folder.path().join("layout.xml");
        std::fs::write(&path, text).unwrap();
        let mut node = sink(&folder, &[("xml_file_name", path.to_str().unwrap().into())]);
        node.feed(&frame(3)).unwrap();
        node.set("capture", false).unwrap();
        python(&folder.path().join("run_001.h5"), &format!("assert f['d'].shape == (1, 6, 10)\n{check}"));
    }
}

#[test]
fn a_layout_that_cannot_be_used_says_why_and_refuses_captures() {
    let folder = TempDir::new().unwrap();
    let mut node = sink(&folder, &[("capture", false.into())]);
    assert_eq!(node.get("xml_valid"), Some(true.into()));
    let bad = "<hdf5_layout>\n <dataset name='d'/>\n</hdf5_layout>";
    let error = node.set("xml_file_name", bad).unwrap_err().to_string();
    assert!(error.contains("layout:2:2: wanted source"), "{error}");
    assert_eq!(
        (node.get("xml_valid"), node.get("xml_error")),
        (Some(false.into()), Some(error.clone().into()))
    );
    assert!(node.set("capture", true).unwrap_err().to_string().contains("layout:2:2"));
    assert!(
        node.set("xml_file_name", "/nowhere/at.xml").unwrap_err().to_string().contains("/nowhere/at.xml")
    );
    node.set("xml_file_name", "").unwrap();
    assert_eq!((node.get("xml_valid"), node.get("xml_error")), (Some(true.into()), Some("".into())));
    node.set("capture", true).unwrap();
    node.feed(&frame(0)).unwrap();
    // The content of a file is fixed when it is opened.
    node.set("xml_file_name", LAYOUT).unwrap();
    node.feed(&frame(1)).unwrap();
    node.set("capture", false).unwrap();
    python(&folder.path().join("run_001.h5"), "assert f['/entry/data/data'].shape == (2, 6, 10)");
}

#[test]
fn what_this_program_knows_can_be_placed() {
    let folder = TempDir::new().unwrap();
    let all = ["program", "version", "node", "parameters", "missing_before", "lost", "finished"];
    let sets: String =
        all.iter().map(|own| format!("<dataset name='{own}' source='livetime' value='{own}'/>")).collect();
    let text = format!(
        "<hdf5_layout auto_ndattr_default='false'>{sets}<dataset name='d' source='detector'/></hdf5_layout>"
    );
    let mut node = sink(
        &folder,
        &[("xml_file_name", text.into()), ("frames_per_chunk", 4.into()), ("compression", "bslz4".into())],
    );
    for number in [0, 1, 2, 5, 6, 8] {
        node.feed(&frame(number)).unwrap();
    }
    node.set("capture", false).unwrap();
    python(
        &folder.path().join("run_001.h5"),
        "
assert f['missing_before'][:].tolist() == [0, 0, 0, 2, 0, 1] and f['lost'][()] == 3 and f['finished'][()] == 1
assert f['program'][()] == b'livetime' and b'.' in f['version'][()] and b'frames_per_chunk: 4' in f['parameters'][()]
assert [k // 3 for k in f['d'][:, 0, 0].tolist()] == [0, 1, 2, 5, 6, 8]
",
    );
}
