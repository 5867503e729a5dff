//! Structures and unions, member by member.

use std::sync::Arc;

use super::{Member, ScalarType, Structure, Type, Union};
use crate::Result;

/// Builds a structure or union.
///
/// ```
/// use livetime_pva::data::{ScalarType, Structure};
///
/// let limits = Structure::builder("").member("low", ScalarType::F64).member("high", ScalarType::F64).structure()?;
/// let top = Structure::builder("demo").array("value", ScalarType::U16).member("limits", limits).structure()?;
/// assert_eq!(top.bit("limits.high"), Some(4));
/// # Ok::<(), livetime_pva::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    id: Box<str>,
    members: Vec<Member>,
}

impl Builder {
    /// Nothing yet.
    pub fn new(id: impl Into<Box<str>>) -> Builder {
        Builder { id: id.into(), members: Vec::new() }
    }

    /// Adds a member: a [`ScalarType`], a structure, a union, or any other [`Type`].
    pub fn member(mut self, name: &str, ty: impl Into<Type>) -> Builder {
        self.members.push(Member { name: name.into(), ty: ty.into() });
        self
    }

    /// Adds an array of scalars of any length.
    pub fn array(self, name: &str, kind: ScalarType) -> Builder {
        self.member(name, Type::array(kind))
    }

    /// Adds a member if there is one.
    pub fn optional<T: Into<Type>>(self, name: &str, ty: Option<T>) -> Builder {
        match ty {
            Some(ty) => self.member(name, ty),
            None => self,
        }
    }

    /// Adds an array of structures.
    pub fn structures(self, name: &str, element: Arc<Structure>) -> Builder {
        self.member(name, Type::StructureArray(element))
    }

    /// The structure. Fails if a limit is passed.
    pub fn structure(self) -> Result<Arc<Structure>> {
        Structure::new(self.id, self.members)
    }

    /// A union with the members so far.
    pub fn union(self) -> Result<Arc<Union>> {
        Union::new(self.id, self.members)
    }
}
