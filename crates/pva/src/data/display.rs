//! Values as the EPICS tools print them.

use std::fmt;

use super::types::quoted;
use super::{Array, Dynamic, Field, Structure, Type, Value};

// The tools print no more elements of an array than this without being asked.
const SHOWN: usize = 20;

impl fmt::Display for Value {
    /// As `pvxget -vv` prints; at most 20 elements of an array. With `{:#}` all of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        structure(f, self, 0, self.fields.len(), 0)
    }
}

impl fmt::Display for Dynamic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        any(f, self, 0)
    }
}

impl fmt::Display for Array {
    /// `{3}[1, 2, 3]`; at most 20 elements. With `{:#}` all of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}}}[", self.len())?;
        let shown = if f.alternate() { self.len() } else { self.len().min(SHOWN) };
        let elements = self.data().slice(..shown * self.kind().bytes());
        let elements =
            Array::new(self.kind(), elements).ok().and_then(|a| super::convert::spread(Field::Array(a)));
        list(f, elements.unwrap_or_default().iter(), scalar)?;
        f.write_str(if shown < self.len() { ", ...]" } else { "]" })
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        members(f, "struct", self.id(), self.members(), 0)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        type_tree(f, self, 0)
    }
}

fn type_tree(f: &mut fmt::Formatter<'_>, ty: &Type, level: usize) -> fmt::Result {
    match ty {
        Type::Structure(s) => members(f, "struct", s.id(), s.members(), level),
        Type::StructureArray(s) => {
            members(f, "struct", s.id(), s.members(), level)?;
            f.write_str("[]")
        }
        Type::Union(u) => members(f, "union", u.id(), u.members(), level),
        Type::UnionArray(u) => {
            members(f, "union", u.id(), u.members(), level)?;
            f.write_str("[]")
        }
        other => f.write_str(&other.name()),
    }
}

fn members(
    f: &mut fmt::Formatter<'_>,
    what: &str,
    id: &str,
    members: &[super::Member],
    level: usize,
) -> fmt::Result {
    writeln!(f, "{what}{} {{", quoted(id))?;
    for member in members {
        indent(f, level + 1)?;
        type_tree(f, &member.ty, level + 1)?;
        writeln!(f, " {}", member.name)?;
    }
    indent(f, level)?;
    f.write_str("}")
}

fn indent(f: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 4 * level)
}

fn structure(f: &mut fmt::Formatter<'_>, value: &Value, bit: usize, end: usize, level: usize) -> fmt::Result {
    let types = &value.structure;
    // The first number is the value itself.
    let own = if bit == 0 { Some(types) } else { types.nodes()[bit].ty.as_structure() };
    writeln!(f, "struct{} {{", quoted(own.map_or("", |own| own.id())))?;
    debug_assert_eq!(end, types.end(bit));
    for child in types.children(bit) {
        let node = &types.nodes()[child];
        indent(f, level + 1)?;
        if node.is_structure() {
            structure(f, value, child, types.end(child), level + 1)?;
            writeln!(f, " {}", node.name)?;
        } else {
            write!(f, "{} {} = ", node.ty.name(), node.name)?;
            field(f, &node.ty, &value.fields[child], level + 1)?;
            writeln!(f)?;
        }
    }
    indent(f, level)?;
    f.write_str("}")
}

fn field(f: &mut fmt::Formatter<'_>, ty: &Type, value: &Field, level: usize) -> fmt::Result {
    match (value, ty) {
        (Field::Array(array), _) => fmt::Display::fmt(array, f),
        (Field::Strings(texts), _) => {
            write!(f, "{{{}}}[", texts.len())?;
            list(f, texts.iter(), |f, text| write!(f, "{text:?}"))?;
            f.write_str("]")
        }
        (Field::Struct(value), _) => structure(f, value, 0, value.fields.len(), level),
        (Field::StructArray(all), _) => {
            elements(f, all, level, |f, value| structure(f, value, 0, value.fields.len(), level + 1))
        }
        (Field::Union(None) | Field::Any(None), _) => f.write_str("null"),
        (Field::Union(Some(chosen)), Type::Union(union)) => choice(f, chosen, union, level),
        (Field::UnionArray(all), Type::UnionArray(union)) => {
            elements(f, all, level, |f, chosen| choice(f, chosen, union, level + 1))
        }
        (Field::Any(Some(value)), _) => any(f, value, level),
        (Field::AnyArray(all), _) => elements(f, all, level, |f, value| any(f, value, level + 1)),
        (scalar_field, _) => scalar(f, scalar_field),
    }
}

fn any(f: &mut fmt::Formatter<'_>, value: &Dynamic, level: usize) -> fmt::Result {
    // A structure names its type itself.
    if value.as_value().is_none() {
        write!(f, "{} = ", value.ty().name())?;
    }
    field(f, value.ty(), value.field(), level)
}

fn choice(
    f: &mut fmt::Formatter<'_>,
    chosen: &super::Chosen,
    union: &super::Union,
    level: usize,
) -> fmt::Result {
    // A peer may name a member that the union does not have.
    let Some(member) = union.members().get(chosen.selector as usize) else { return f.write_str("null") };
    write!(f, ".{} = ", member.name)?;
    field(f, &member.ty, &chosen.field, level)
}

fn elements<T>(
    f: &mut fmt::Formatter<'_>,
    all: &[Option<T>],
    level: usize,
    mut print: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    writeln!(f, "{{{}}}[", all.len())?;
    for element in all {
        indent(f, level + 1)?;
        match element {
            Some(element) => print(f, element)?,
            None => f.write_str("null")?,
        }
        writeln!(f)?;
    }
    indent(f, level)?;
    f.write_str("]")
}

fn list<T>(
    f: &mut fmt::Formatter<'_>,
    all: impl Iterator<Item = T>,
    mut print: impl FnMut(&mut fmt::Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (index, element) in all.enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        print(f, element)?;
    }
    Ok(())
}

fn scalar(f: &mut fmt::Formatter<'_>, value: &Field) -> fmt::Result {
    match value {
        Field::Bool(v) => write!(f, "{v}"),
        Field::U64(v) => write!(f, "{v}"),
        // The text of an f32 is shorter than the text of the same number as f64.
        Field::F32(v) => number(f, f64::from(*v), &v.to_string(), &format!("{v:e}")),
        Field::F64(v) => number(f, *v, &v.to_string(), &format!("{v:e}")),
        Field::Str(v) => write!(f, "{v:?}"),
        other => other.as_i64().map_or(Ok(()), |v| write!(f, "{v}")),
    }
}

// With an exponent where the plain number would be mostly zeros.
fn number(f: &mut fmt::Formatter<'_>, v: f64, plain: &str, exponent: &str) -> fmt::Result {
    match v {
        _ if v.is_nan() => f.write_str("nan"),
        _ if v != 0.0 && v.is_finite() && !(1e-4..1e15).contains(&v.abs()) => f.write_str(exponent),
        _ => f.write_str(plain),
    }
}
