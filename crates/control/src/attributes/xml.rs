//! The list of attributes as XML.

use std::collections::BTreeSet;

use livetime_frame::DType;
use roxmltree::{Document, Node, ParsingOptions};

use super::error::AttributesError;

/// Most attributes of a node: each costs time with every frame.
const MOST: usize = 1000;
/// Longest name.
const LONGEST_NAME: usize = 255;

/// An attribute that is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// A description for people.
    pub description: String,
    /// Where its value comes from.
    pub source: String,
    /// The kind of the source, and the type of the value.
    pub kind: Kind,
    /// The type of numbers that was asked for.
    pub dtype: Option<DType>,
}

/// Kinds of sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A parameter: whole number, number, text.
    Param(Type),
    /// A PV.
    Pv(Type),
    /// The source is the value.
    Constant,
}

/// Types of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// A whole number; NaN while it is not known.
    Int,
    /// A number.
    Float,
    /// A text.
    Text,
    /// The type of the source.
    Native,
}

/// The attributes in `text`, in its order.
///
/// ```
/// use livetime_control::attributes::parse;
///
/// let text = r#"<Attributes><Attribute name="sum" type="PARAM" source="TOTAL" datatype="DOUBLE"/></Attributes>"#;
/// assert_eq!(parse(text)?[0].source, "TOTAL");
/// assert!(parse("<Attributes><Attribute name='a/b' source='x'/></Attributes>").is_err());
/// # Ok::<(), livetime_control::attributes::AttributesError>(())
/// ```
///
/// # Errors
/// With the place, for a text that is no XML, has a document type (which could make it arbitrarily large), or is no list of
/// attributes.
pub fn parse(text: &str) -> Result<Vec<Wanted>, AttributesError> {
    // Without a DTD there are no entities, which could grow without bound.
    let options = ParsingOptions { allow_dtd: false, nodes_limit: 100_000, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(AttributesError::Xml)?;
    let root = document.root_element();
    if root.tag_name().name() != "Attributes" {
        return Err(refusal(&root, "<Attributes>", &format!("<{}>", root.tag_name().name())));
    }
    let mut names = BTreeSet::new();
    let mut wanted = Vec::new();
    for element in root.children().filter(Node::is_element) {
        let attribute = attribute(&element)?;
        if !names.insert(attribute.name.clone()) {
            return Err(refusal(&element, "each name once", &format!("`{}` twice", attribute.name)));
        }
        if wanted.len() == MOST {
            return Err(refusal(&element, &format!("at most {MOST} attributes"), "more"));
        }
        wanted.push(attribute);
    }
    Ok(wanted)
}

fn attribute(element: &Node<'_, '_>) -> Result<Wanted, AttributesError> {
    let of = |key: &str| element.attribute(key);
    let needed = |key: &str| {
        of(key).filter(|v| !v.is_empty()).ok_or_else(|| refusal(element, &format!("`{key}`"), "none"))
    };
    if element.tag_name().name() != "Attribute" {
        return Err(refusal(element, "<Attribute>", &format!("<{}>", element.tag_name().name())));
    }
    let name = needed("name")?;
    if !is_name(name) {
        let found = format!("`{}`", name.chars().take(50).collect::<String>());
        return Err(refusal(
            element,
            "a name without slashes and control characters, of at most 255 bytes",
            &found,
        ));
    }
    // areaDetector has the same defaults.
    let kind = match of("type").unwrap_or("EPICS_PV") {
        "PARAM" => Kind::Param(datatype(element, of("datatype").unwrap_or("INT"))?),
        "EPICS_PV" => Kind::Pv(dbrtype(element, of("dbrtype").unwrap_or("DBR_NATIVE"))?),
        "CONST" => Kind::Constant,
        other => return Err(refusal(element, "type PARAM, EPICS_PV or CONST", &format!("`{other}`"))),
    };
    let dtype = match kind {
        Kind::Param(_) => dtype(of("datatype").unwrap_or("INT")),
        Kind::Pv(_) => dtype(of("dbrtype").unwrap_or("DBR_NATIVE")),
        Kind::Constant => None,
    };
    // A constant may be empty; a PV or a parameter has a name.
    let source = if kind == Kind::Constant { of("source").unwrap_or("") } else { needed("source")? };
    let description = of("description").unwrap_or("").to_owned();
    Ok(Wanted { name: name.into(), description, source: source.into(), kind, dtype })
}

/// Names become names of data sets in files.
fn is_name(name: &str) -> bool {
    let is_good = |c: char| c != '/' && !c.is_control();
    name.len() <= LONGEST_NAME && name != "." && name != ".." && name.chars().all(is_good)
}

fn datatype(element: &Node<'_, '_>, name: &str) -> Result<Type, AttributesError> {
    match name.to_ascii_uppercase().as_str() {
        "INT" | "INT64" => Ok(Type::Int),
        "DOUBLE" => Ok(Type::Float),
        "STRING" => Ok(Type::Text),
        _ => Err(refusal(element, "datatype INT, INT64, DOUBLE or STRING", &format!("`{name}`"))),
    }
}

fn dbrtype(element: &Node<'_, '_>, name: &str) -> Result<Type, AttributesError> {
    match name.to_ascii_uppercase().as_str() {
        "DBR_CHAR" | "DBR_SHORT" | "DBR_ENUM" | "DBR_INT" | "DBR_LONG" => Ok(Type::Int),
        "DBR_FLOAT" | "DBR_DOUBLE" => Ok(Type::Float),
        "DBR_STRING" => Ok(Type::Text),
        "DBR_NATIVE" => Ok(Type::Native),
        _ => Err(refusal(element, "one of areaDetector's dbrtypes", &format!("`{name}`"))),
    }
}

/// The type of numbers that areaDetector's name means.
fn dtype(name: &str) -> Option<DType> {
    match name.to_ascii_uppercase().as_str() {
        "DBR_CHAR" => Some(DType::I8),
        "DBR_SHORT" | "DBR_ENUM" => Some(DType::I16),
        "INT" | "DBR_INT" | "DBR_LONG" => Some(DType::I32),
        "INT64" => Some(DType::I64),
        "DBR_FLOAT" => Some(DType::F32),
        "DOUBLE" | "DBR_DOUBLE" => Some(DType::F64),
        _ => None,
    }
}

fn refusal(at: &Node<'_, '_>, wanted: &str, found: &str) -> AttributesError {
    let place = at.document().text_pos_at(at.range().start);
    AttributesError::Content { place, wanted: wanted.to_owned(), found: found.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ophyd_async_writes_is_understood() {
        let text = "<Attributes>\n<Attribute name=\"det-sum\" type=\"PARAM\" source=\"TOTAL\" addr=\"0\" datatype=\"DOUBLE\" \
                    description=\"Sum\" /><Attribute name=\"t\" type=\"EPICS_PV\" source=\"X:T\" dbrtype=\"DBR_LONG\" \
                    description=\"\" /><Attribute name='c' type='CONST' source='10'/></Attributes>";
        let wanted = parse(text).unwrap();
        assert_eq!(wanted[0].kind, Kind::Param(Type::Float));
        assert_eq!((wanted[0].name.as_str(), wanted[0].source.as_str()), ("det-sum", "TOTAL"));
        assert_eq!((wanted[1].kind, wanted[2].kind), (Kind::Pv(Type::Int), Kind::Constant));
        assert_eq!(wanted[0].description, "Sum");
        assert_eq!([0, 1, 2].map(|i| wanted[i].dtype), [Some(DType::F64), Some(DType::I32), None]);
    }

    /// Any text is refused with a reason or taken; names are such as files can have.
    #[test]
    fn damaged_texts_are_refused_or_taken() {
        let good = "<Attributes>\n<Attribute name=\"sum\" type=\"PARAM\" source=\"$(S=TOTAL)\" datatype=\"DOUBLE\"/>\
                    <Attribute name='t' type='EPICS_PV' source='X:T' dbrtype='DBR_LONG'/></Attributes>";
        let (mut taken, mut refused) = (0, 0);
        for number in 0..5000 {
            let text = livetime_testkit::mutated(good, number);
            let expanded = super::super::expand(&text, "S=NET,T='a,b'");
            match expanded.and_then(|text| parse(&text)) {
                Ok(wanted) => {
                    taken += 1;
                    assert!(wanted.iter().all(|w| is_name(&w.name) && !w.name.is_empty()), "{text}");
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty(), "{text}");
                }
            }
            let _ = super::super::expand("$(A)", &livetime_testkit::mutated("A=1,B='x y',C=\"z\"", number));
        }
        assert!(taken > 100 && refused > 1000, "{taken} {refused}");
    }

    #[test]
    fn an_empty_list_is_one() {
        assert_eq!(parse("<Attributes />").unwrap(), []);
    }

    #[test]
    fn bombs_and_bad_names_are_refused_with_their_place() {
        let bomb = "<!DOCTYPE a [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><Attributes>&b;</Attributes>";
        let one = |inner: &str| format!("<Attributes>\n <Attribute {inner}/>\n</Attributes>");
        for (text, said) in [
            (bomb.to_owned(), "wanted XML, found"),
            ("<Attributes>".into(), "wanted XML, found"),
            ("<Other/>".into(), "attributes:1:1: wanted <Attributes>, found <Other>"),
            (one("source='x'"), "attributes:2:2: wanted `name`, found none"),
            (one("name='a'"), "attributes:2:2: wanted `source`, found none"),
            (one("name='a/b' source='x'"), "attributes:2:2: wanted a name without slashes"),
            (one("name='..' source='x'"), "wanted a name without slashes"),
            (one("name='a' source='x' type='FUNCTION'"), "found `FUNCTION`"),
            (one("name='a' source='x' type='PARAM' datatype='FLOAT'"), "found `FLOAT`"),
            (one("name='a' source='x'/><Attribute name='a' source='y'"), "found `a` twice"),
        ] {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        let many: String = (0..1001).map(|i| format!("<Attribute name='a{i}' source='x'/>")).collect();
        assert!(
            parse(&format!("<Attributes>{many}</Attributes>"))
                .unwrap_err()
                .to_string()
                .contains("at most 1000")
        );
    }
}
