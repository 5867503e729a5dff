//! The types of values.

use std::sync::Arc;

use super::{Extent, Field, ScalarType, Structure, Union, Value};

/// The type of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A number, a truth value or a text.
    Scalar(ScalarType),
    /// A text of at most this many bytes. Some peers cannot decode this.
    BoundedStr(u32),
    /// Many scalars.
    Array(ScalarType, Extent),
    /// Named members.
    Structure(Arc<Structure>),
    /// An array of one structure, where elements may be null.
    StructureArray(Arc<Structure>),
    /// One of several named members, or none.
    Union(Arc<Union>),
    /// An array of one union, where elements may be null.
    UnionArray(Arc<Union>),
    /// A value that carries its own type, or none.
    Any,
    /// An array of values that carry their own types; each may be null.
    AnyArray,
}

impl Type {
    /// An array of any length.
    pub fn array(kind: ScalarType) -> Type {
        Type::Array(kind, Extent::Variable)
    }

    /// The value to begin with: zero, empty, or null.
    pub fn default_field(&self) -> Field {
        match self {
            Type::Scalar(kind) => Field::zero(*kind),
            Type::BoundedStr(_) => Field::Str(String::new()),
            Type::Array(kind, _) => Field::empty_array(*kind),
            Type::Structure(structure) => Field::Struct(Box::new(Value::new(structure))),
            Type::StructureArray(_) => Field::StructArray(Vec::new()),
            Type::Union(_) => Field::Union(None),
            Type::UnionArray(_) => Field::UnionArray(Vec::new()),
            Type::Any => Field::Any(None),
            Type::AnyArray => Field::AnyArray(Vec::new()),
        }
    }

    /// The structure, if it is one.
    pub fn as_structure(&self) -> Option<&Arc<Structure>> {
        if let Type::Structure(structure) = self { Some(structure) } else { None }
    }

    /// The name that the EPICS tools print.
    pub fn name(&self) -> String {
        match self {
            Type::Scalar(kind) => kind.name().into(),
            Type::BoundedStr(bound) => format!("string({bound})"),
            Type::Array(kind, Extent::Variable) => format!("{}[]", kind.name()),
            Type::Array(kind, Extent::Bounded(bound)) => format!("{}[<={bound}]", kind.name()),
            Type::Array(kind, Extent::Fixed(exact)) => format!("{}[{exact}]", kind.name()),
            Type::Structure(s) => format!("struct{}", quoted(s.id())),
            Type::StructureArray(s) => format!("struct{}[]", quoted(s.id())),
            Type::Union(u) => format!("union{}", quoted(u.id())),
            Type::UnionArray(u) => format!("union{}[]", quoted(u.id())),
            Type::Any => "any".into(),
            Type::AnyArray => "any[]".into(),
        }
    }

    pub(crate) fn depth(&self) -> usize {
        // The depth bounds the recursion over types that a peer describes.
        match self {
            Type::Structure(s) | Type::StructureArray(s) => s.depth(),
            Type::Union(u) | Type::UnionArray(u) => u.depth(),
            _ => 0,
        }
    }

    /// How many types a complete description names.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Type::Structure(s) | Type::StructureArray(s) => s.weight(),
            Type::Union(u) | Type::UnionArray(u) => u.weight(),
            _ => 1,
        }
    }
}

pub(crate) fn quoted(id: &str) -> String {
    if id.is_empty() { String::new() } else { format!(" \"{id}\"") }
}

impl From<Arc<Structure>> for Type {
    fn from(structure: Arc<Structure>) -> Type {
        Type::Structure(structure)
    }
}

impl From<Arc<Union>> for Type {
    fn from(union: Arc<Union>) -> Type {
        Type::Union(union)
    }
}

impl From<ScalarType> for Type {
    fn from(kind: ScalarType) -> Type {
        Type::Scalar(kind)
    }
}
