//! Layouts as XML, with the elements that ADCore's NDFileHDF5 knows.

use std::borrow::Cow;
use std::collections::BTreeSet;

use roxmltree::{Document, Node, ParsingOptions, TextPos};

use super::content::{Attribute, Constant, DataSet, Group, Item, Layout, Own, Source, Value, When};
use super::error::BadLayout;

/// The longest text; clients may write any size.
pub(super) const MOST_BYTES: usize = 1 << 20;
/// Most groups inside each other. They are walked by recursion, which must not overflow the stack.
const MOST_DEEP: usize = 32;
/// Most groups, data sets, links and attributes. Each data set has buffers of its own while the file is open.
const MOST_ITEMS: usize = 5000;
/// The longest name.
const LONGEST_NAME: usize = 255;
/// The longest value of an attribute: HDF5 has room for 64 KiB for the value and its description.
const LONGEST_VALUE: usize = 60_000;

/// `from` is where the text is from, for errors.
///
/// # Errors
/// With the place, for a text that is no XML, has a document type (which could make it arbitrarily large), or is no
/// layout.
pub(super) fn parse(text: &str, from: &str) -> Result<Layout, BadLayout> {
    if text.len() > MOST_BYTES {
        return Err(refusal(from, None, format!("at most {MOST_BYTES} bytes of XML"), "more"));
    }
    // Without a DTD there are no entities that grow, and the limit of nodes bounds the memory of the tree.
    let options = ParsingOptions { allow_dtd: false, nodes_limit: 200_000, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|e| BadLayout::Xml(from.to_owned(), e))?;
    let mut reader = Reader { from, items: 0, detectors: 0, defaults: 0 };
    let layout = reader.layout(document.root_element())?;
    // Frames without a place would be lost without an error.
    match reader.detectors {
        0 => Err(refusal(from, None, "a data set with source \"detector\"", "none")),
        _ => Ok(layout),
    }
}

type Element<'a> = Node<'a, 'a>;

/// Walks the elements, and counts.
struct Reader<'f> {
    from: &'f str,
    items: usize,
    /// Data sets of pixels.
    detectors: usize,
    /// Number of data sets marked as the default.
    defaults: usize,
}

impl Reader<'_> {
    fn layout(&mut self, root: Element<'_>) -> Result<Layout, BadLayout> {
        let mut layout = Layout { root: Group::default(), keeps_others: true, destination: None };
        match root.tag_name().name() {
            "hdf5_layout" => {
                layout.keeps_others = self.flag(root, "auto_ndattr_default", true)?;
                layout.destination = self.destination(root)?;
                layout.root = self.group(root, String::new(), 0)?;
            }
            // ADCore takes a group at this place, too.
            "group" => {
                let name = self.name(root)?;
                layout.root.items.push(Item::Group(self.group(root, name, 1)?));
            }
            other => return Err(self.refusal(root, "<hdf5_layout>", &format!("<{other}>"))),
        }
        Ok(layout)
    }

    /// The attribute that says for each frame which data set it belongs to.
    fn destination(&self, root: Element<'_>) -> Result<Option<String>, BadLayout> {
        let mut destination = None;
        for element in elements(root).filter(|e| e.tag_name().name() == "global") {
            match element.attribute("name") {
                Some("detector_data_destination") => {
                    destination = Some(self.needed(element, "ndattribute")?.to_owned());
                }
                other => {
                    let found = format!("`{}`", short(other.unwrap_or("none")));
                    return Err(self.refusal(element, "the name detector_data_destination", &found));
                }
            }
        }
        Ok(destination)
    }

    fn group(&mut self, element: Element<'_>, name: String, depth: usize) -> Result<Group, BadLayout> {
        if depth > MOST_DEEP {
            return Err(self.refusal(element, &format!("at most {MOST_DEEP} groups in one another"), "more"));
        }
        let is_default = self.flag(element, "ndattr_default", false)?;
        let mut group = Group { name, is_default, ..Group::default() };
        let (mut names, mut attributes) = (BTreeSet::new(), BTreeSet::new());
        for child in elements(element) {
            self.count(child)?;
            match child.tag_name().name() {
                // `global` was read before the groups.
                "global" if depth == 0 => continue,
                "attribute" => {
                    group.attributes.push(self.attribute(child, &mut attributes)?);
                    continue;
                }
                _ => {}
            }
            // An example that comes with ADCore must stay readable.
            if has_no_source(child, &group.name) {
                continue;
            }
            let name = self.name(child)?;
            // HDF5 has one object for a name, so the second would replace the first.
            if !names.insert(name.clone()) {
                return Err(self.refusal(child, "names that differ in a group", &format!("`{name}` twice")));
            }
            group.items.push(self.item(child, name, &group.name, depth)?);
        }
        Ok(group)
    }

    fn item(
        &mut self,
        element: Element<'_>,
        name: String,
        group: &str,
        depth: usize,
    ) -> Result<Item, BadLayout> {
        match element.tag_name().name() {
            "group" => Ok(Item::Group(self.group(element, name, depth + 1)?)),
            "dataset" => Ok(Item::DataSet(self.data_set(element, name, group)?)),
            "hardlink" => {
                let target = self.needed(element, "target")?.to_owned();
                Ok(Item::Link { name, target })
            }
            other => {
                Err(self.refusal(element, "group, dataset, attribute or hardlink", &format!("<{other}>")))
            }
        }
    }

    fn data_set(&mut self, element: Element<'_>, name: String, group: &str) -> Result<DataSet, BadLayout> {
        let source = self.source(element, &name, group)?;
        let mut names = BTreeSet::new();
        let mut attributes = Vec::new();
        for child in elements(element) {
            self.count(child)?;
            if child.tag_name().name() != "attribute" {
                let found = format!("<{}>", child.tag_name().name());
                return Err(self.refusal(child, "<attribute> in a data set", &found));
            }
            attributes.push(self.attribute(child, &mut names)?);
        }
        Ok(DataSet { name, source, attributes })
    }

    fn source(&mut self, element: Element<'_>, name: &str, group: &str) -> Result<Source, BadLayout> {
        match element.attribute("source") {
            Some("ndattribute") => {
                let attribute = self.needed(element, "ndattribute")?;
                Ok(Source::FrameAttribute(attribute.to_owned(), self.when(element, When::Frame)?))
            }
            // ADCore knows the times of writing by this name.
            _ if (group, name) == ("performance", "timestamp") => Ok(Source::Times),
            Some("detector") => {
                let is_default = self.flag(element, "det_default", false)?;
                self.detectors += 1;
                // Two defaults would make the place of a frame a matter of order.
                self.defaults += usize::from(is_default);
                if self.defaults > 1 {
                    return Err(self.refusal(element, "one data set with det_default", "another one"));
                }
                Ok(Source::Detector { is_default })
            }
            Some("constant") => Ok(Source::Constant(self.constant(element)?)),
            Some("livetime") => Ok(Source::Own(self.own(element)?)),
            other => {
                let found = format!("`{}`", short(other.unwrap_or("none")));
                Err(self.refusal(element, "source detector, ndattribute, constant or livetime", &found))
            }
        }
    }

    fn attribute(&self, element: Element<'_>, names: &mut BTreeSet<String>) -> Result<Attribute, BadLayout> {
        let name = self.name(element)?;
        if !names.insert(name.clone()) {
            return Err(self.refusal(element, "attributes whose names differ", &format!("`{name}` twice")));
        }
        let value = match element.attribute("source") {
            Some("constant") => {
                let constant = self.constant(element)?;
                // An attribute lies in the header of its object, which HDF5 bounds.
                if matches!(&constant, Constant::Text(text) if text.len() > LONGEST_VALUE) {
                    let wanted = format!("a value of at most {LONGEST_VALUE} bytes");
                    return Err(self.refusal(element, &wanted, "a longer one"));
                }
                Value::Constant(constant)
            }
            Some("ndattribute") => {
                let attribute = self.needed(element, "ndattribute")?;
                Value::FrameAttribute(attribute.to_owned(), self.when(element, When::Open)?)
            }
            Some("livetime") => match self.own(element)? {
                // The other values are not known before the file ends.
                own @ (Own::Program | Own::Version | Own::Node) => Value::Own(own),
                _ => return Err(self.refusal(element, "program, version or node", "another value")),
            },
            other => {
                let found = format!("`{}`", short(other.unwrap_or("none")));
                return Err(self.refusal(element, "source constant, ndattribute or livetime", &found));
            }
        };
        Ok(Attribute { name, value })
    }

    fn when(&self, element: Element<'_>, default: When) -> Result<When, BadLayout> {
        match element.attribute("when") {
            // A frame's attribute is a column by default, as in ADCore.
            None => Ok(default),
            Some("OnFileOpen") => Ok(When::Open),
            Some("OnFileClose") => Ok(When::Close),
            Some("OnFileWrite" | "OnFrame") => Ok(When::Frame),
            Some(other) => Err(self.refusal(
                element,
                "OnFileOpen, OnFileClose or OnFileWrite in `when`",
                &format!("`{}`", short(other)),
            )),
        }
    }

    fn constant(&self, element: Element<'_>) -> Result<Constant, BadLayout> {
        let text = element.attribute("value").unwrap_or("");
        // ADCore takes a value without a type as a text.
        match element.attribute("type") {
            None | Some("string") => Ok(Constant::Text(text.to_owned())),
            Some("int") => Ok(Constant::Ints(self.numbers(element, text, "whole numbers of 32 bits")?)),
            Some("float") => Ok(Constant::Floats(self.numbers(element, text, "numbers")?)),
            other => {
                let found = format!("`{}`", short(other.unwrap_or("none")));
                Err(self.refusal(element, "type int, float or string", &found))
            }
        }
    }

    /// Numbers with commas, or blanks, between them; one behind the last is allowed.
    fn numbers<N: std::str::FromStr>(
        &self,
        element: Element<'_>,
        text: &str,
        wanted: &str,
    ) -> Result<Vec<N>, BadLayout> {
        let refused = |found: &str| self.refusal(element, wanted, &format!("`{}`", short(found)));
        let parts = text.split([',', ' ', '\n', '\t']).filter(|part| !part.is_empty());
        let numbers: Vec<N> =
            parts.map(|part| part.parse().map_err(|_| refused(part))).collect::<Result<_, _>>()?;
        // Every number is counted with 8 bytes, the larger of the two types.
        match numbers.len() * 8 {
            0 => Err(refused(text)),
            bytes if bytes > LONGEST_VALUE => Err(self.refusal(element, "fewer numbers", "more")),
            _ => Ok(numbers),
        }
    }

    fn own(&self, element: Element<'_>) -> Result<Own, BadLayout> {
        let value = self.needed(element, "value")?;
        let found = Own::ALL.iter().find(|(name, _)| *name == value).map(|(_, own)| *own);
        let names = || Own::ALL.map(|(name, _)| name).join(", ");
        found.ok_or_else(|| self.refusal(element, &names(), &format!("`{}`", short(value))))
    }

    fn flag(&self, element: Element<'_>, key: &str, default: bool) -> Result<bool, BadLayout> {
        match element.attribute(key) {
            None => Ok(default),
            Some("true" | "1") => Ok(true),
            Some("false" | "0") => Ok(false),
            Some(other) => Err(self.refusal(
                element,
                &format!("true or false in `{key}`"),
                &format!("`{}`", short(other)),
            )),
        }
    }

    fn name(&self, element: Element<'_>) -> Result<String, BadLayout> {
        let name = self.needed(element, "name")?;
        let is_good = name.len() <= LONGEST_NAME
            // A slash would name another group, and HDF5 reads `.` as the group itself.
            && !name.contains(|c: char| c == '/' || c.is_control())
            && name != "."
            && name != "..";
        match is_good {
            true => Ok(name.to_owned()),
            false => {
                let wanted =
                    format!("a name without slashes and control characters, of at most {LONGEST_NAME} bytes");
                Err(self.refusal(element, &wanted, &format!("`{}`", short(name))))
            }
        }
    }

    fn needed<'a>(&self, element: Element<'a>, key: &str) -> Result<&'a str, BadLayout> {
        // An empty value is refused like a missing one: neither names anything.
        let value = element.attribute(key).filter(|value| !value.is_empty());
        let tag = element.tag_name().name();
        value.ok_or_else(|| self.refusal(element, &format!("`{key}` in <{}>", short(tag)), "none"))
    }

    fn count(&mut self, element: Element<'_>) -> Result<(), BadLayout> {
        self.items += 1;
        match self.items > MOST_ITEMS {
            true => Err(self.refusal(
                element,
                &format!("at most {MOST_ITEMS} groups, data sets, links and attributes"),
                "more",
            )),
            false => Ok(()),
        }
    }

    fn refusal(&self, at: Element<'_>, wanted: &str, found: &str) -> BadLayout {
        let place = at.document().text_pos_at(at.range().start);
        refusal(self.from, Some(place), wanted.to_owned(), found.to_owned())
    }
}

fn refusal(
    from: &str,
    place: Option<TextPos>,
    wanted: impl Into<Cow<'static, str>>,
    found: impl Into<Cow<'static, str>>,
) -> BadLayout {
    BadLayout::Content { from: from.to_owned(), place, wanted: wanted.into(), found: found.into() }
}

/// In an example of ADCore the times of writing are an attribute without a name, which it makes nothing of: they go where
/// attributes without a place go.
fn has_no_source(element: Element<'_>, group: &str) -> bool {
    (group, element.attribute("name")) == ("performance", Some("timestamp"))
        && element.attribute("source") == Some("ndattribute")
        && element.attribute("ndattribute").is_none()
}

fn elements<'a>(of: Element<'a>) -> impl Iterator<Item = Element<'a>> {
    of.children().filter(Node::is_element)
}

/// As much of a text as a message shows.
fn short(text: &str) -> String {
    text.chars().take(50).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(inner: &str) -> Result<Layout, BadLayout> {
        let text = format!("<hdf5_layout>\n<dataset name='d' source='detector'/>\n{inner}</hdf5_layout>");
        parse(&text, "layout")
    }

    fn refused(text: &str, from: &str) -> String {
        parse(text, from).unwrap_err().to_string()
    }

    #[test]
    fn elements_mean_what_adcore_means() {
        let layout = parsed(
            "<global name='detector_data_destination' ndattribute='Where'/><group name='g' ndattr_default='true'>\
             <attribute name='a' source='constant' value='1,2' type='int'/>\
             <attribute name='b' source='ndattribute' ndattribute='B' when='OnFileClose'/>\
             <dataset name='s' source='constant' value='1.5' type='float'/>\
             <dataset name='n' source='ndattribute' ndattribute='N' when='OnFileWrite'/>\
             <hardlink name='l' target='/d'/></group>",
        )
        .unwrap();
        assert_eq!((layout.destination.as_deref(), layout.keeps_others), (Some("Where"), true));
        let Item::Group(group) = &layout.root.items[1] else { panic!("{layout:?}") };
        assert!(group.is_default);
        assert_eq!(group.attributes[0].value, Value::Constant(Constant::Ints(vec![1, 2])));
        assert_eq!(group.attributes[1].value, Value::FrameAttribute("B".into(), When::Close));
        let sources = group.items.iter().filter_map(|item| match item {
            Item::DataSet(set) => Some(set.source.clone()),
            _ => None,
        });
        let wanted =
            [Source::Constant(Constant::Floats(vec![1.5])), Source::FrameAttribute("N".into(), When::Frame)];
        assert!(sources.eq(wanted));
        assert_eq!(group.items[2], Item::Link { name: "l".into(), target: "/d".into() });
    }

    #[test]
    fn times_of_writing_that_are_an_attribute_without_a_name_are_left_out() {
        let times = "<group name='performance'><dataset name='timestamp' source='ndattribute'/></group>";
        let layout = parsed(times).unwrap();
        let wanted = Item::Group(Group { name: "performance".into(), ..Group::default() });
        assert!(layout.root.items.contains(&wanted), "{layout:?}");
        assert!(
            parsed(&times.replace("timestamp", "other"))
                .unwrap_err()
                .to_string()
                .contains("wanted `ndattribute`")
        );
    }

    #[test]
    fn what_is_no_layout_is_refused_with_its_place() {
        for (inner, said) in [
            ("<group/>", "layout:3:1: wanted `name` in <group>, found none"),
            ("<group name='a/b'/>", "layout:3:1: wanted a name without slashes"),
            ("<group name='..'/>", "found `..`"),
            ("<group name='d'/>", "layout:3:1: wanted names that differ in a group, found `d` twice"),
            ("<softlink name='s'/>", "wanted group, dataset, attribute or hardlink, found <softlink>"),
            (
                "<dataset name='x'/>",
                "wanted source detector, ndattribute, constant or livetime, found `none`",
            ),
            ("<dataset name='x' source='ndattribute'/>", "wanted `ndattribute` in <dataset>, found none"),
            (
                "<dataset name='x' source='constant' type='int' value='1.5'/>",
                "whole numbers of 32 bits, found `1.5`",
            ),
            ("<dataset name='x' source='constant' type='float'/>", "wanted numbers, found ``"),
            (
                "<dataset name='x' source='constant' type='long' value='1'/>",
                "wanted type int, float or string, found `long`",
            ),
            ("<dataset name='x' source='livetime' value='age'/>", "found `age`"),
            (
                "<dataset name='x' source='ndattribute' ndattribute='A' when='Never'/>",
                "in `when`, found `Never`",
            ),
            (
                "<group name='g' ndattr_default='yes'/>",
                "wanted true or false in `ndattr_default`, found `yes`",
            ),
            (
                "<attribute name='a' source='constant'/><attribute name='a' source='constant'/>",
                "found `a` twice",
            ),
            (
                "<global name='other' ndattribute='A'/>",
                "wanted the name detector_data_destination, found `other`",
            ),
            (
                "<dataset name='x' source='detector' det_default='true'/><dataset name='y' source='detector' det_default='true'/>",
                "wanted one data set with det_default, found another one",
            ),
        ] {
            let error = parsed(inner).unwrap_err().to_string();
            assert!(error.contains(said), "{inner}: {error}");
        }
        assert!(refused("<hdf5_layout/>", "a.xml").starts_with("a.xml: wanted a data set with source"));
        assert!(refused("<other/>", "l").contains("l:1:1: wanted <hdf5_layout>, found <other>"));
    }

    #[test]
    fn bombs_and_what_is_too_large_are_refused() {
        let bomb = "<!DOCTYPE a [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><hdf5_layout>&b;</hdf5_layout>";
        assert!(refused(bomb, "l").contains("wanted XML, found"));
        assert!(refused(&" ".repeat(MOST_BYTES + 1), "l").contains("wanted at most 1048576 bytes"));
        let deep = |depth| format!("{}{}", "<group name='g'>".repeat(depth), "</group>".repeat(depth));
        assert!(parsed(&deep(MOST_DEEP)).is_ok());
        assert!(
            parsed(&deep(MOST_DEEP + 1))
                .unwrap_err()
                .to_string()
                .contains("at most 32 groups in one another")
        );
        assert!(parsed(&deep(30_000)).is_err());
        let many: String = (0..MOST_ITEMS).map(|i| format!("<group name='g{i}'/>")).collect();
        assert!(parsed(&many).unwrap_err().to_string().contains("at most 5000 groups"));
        let long =
            format!("<attribute name='a' source='constant' value='{}'/>", "x".repeat(LONGEST_VALUE + 1));
        assert!(parsed(&long).unwrap_err().to_string().contains("at most 60000 bytes"));
    }
}
