//! Structures and unions, with the numbers of their fields.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Builder, MAX_DEPTH, MAX_FIELDS, MAX_NAME, Type};
use crate::wire::BitSet;
use crate::{Error, Result};

/// A member of a structure or union.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// Name of the member.
    pub name: Arc<str>,
    /// Type of the member.
    pub ty: Type,
}

/// A field of a structure, at any depth. Field numbers count depth first: 0 is the structure itself, then each
/// member follows, with its own members right after it.
#[derive(Clone, Debug)]
pub struct Node {
    /// The name within its parent; of field 0 empty.
    pub name: Arc<str>,
    /// Type of the node.
    pub ty: Type,
    /// The field it is a member of; of field 0 itself.
    pub parent: u32,
    /// The number after its last member: all of `number + 1..end` lies inside it.
    pub end: u32,
}

impl Node {
    /// Whether it is a sub-structure, which holds nothing itself.
    pub fn is_structure(&self) -> bool {
        matches!(self.ty, Type::Structure(_))
    }
}

/// The type of a structure. Shared; two are equal if id and members are.
#[derive(Debug)]
pub struct Structure {
    id: Box<str>,
    members: Box<[Member]>,
    // `nodes[0].ty` would be this structure itself and is `Type::Any` instead: an `Arc` must not hold itself.
    nodes: Box<[Node]>,
    depth: usize,
    weight: usize,
}

impl Structure {
    /// A structure with `members`. Fails if it nests too deep, or has too many or too long names.
    pub fn new(id: impl Into<Box<str>>, members: Vec<Member>) -> Result<Arc<Structure>> {
        let id = id.into();
        let (depth, weight) = check(&id, &members)?;
        let nodes = number(&members);
        Ok(Arc::new(Structure { id, members: members.into(), nodes: nodes.into(), depth, weight }))
    }

    /// Builds one member by member.
    pub fn builder(id: impl Into<Box<str>>) -> Builder {
        Builder::new(id)
    }

    /// Id of the structure, perhaps empty.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Members of the structure.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The fields at all depths by number. Number 0 is the structure itself. A type cannot contain itself, so the type
    /// of this node is [`Type::Any`].
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many fields there are, number 0 included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The number of the field `path`, such as `alarm.severity`; the empty path is 0.
    pub fn bit(&self, path: &str) -> Option<usize> {
        if path.is_empty() {
            return Some(0);
        }
        path.split('.').try_fold(0, |bit, name| self.child(bit, name))
    }

    /// The number of the member `name` of field `parent`.
    pub fn child(&self, parent: usize, name: &str) -> Option<usize> {
        self.children(parent).find(|&bit| *self.nodes[bit].name == *name)
    }

    /// The numbers of the members of field `parent`.
    pub fn children(&self, parent: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.end(parent);
        let mut bit = parent + 1;
        std::iter::from_fn(move || {
            let found = (bit < end).then_some(bit)?;
            bit = self.end(found);
            Some(found)
        })
    }

    /// The number after the last field inside field `bit`.
    pub fn end(&self, bit: usize) -> usize {
        // A number beyond the type is a field without members.
        self.nodes.get(bit).map_or(bit + 1, |node| node.end as usize)
    }

    /// Whether field `bit` is a structure, and so holds nothing itself.
    pub fn is_structure(&self, bit: usize) -> bool {
        bit == 0 || self.nodes.get(bit).is_some_and(Node::is_structure)
    }

    /// The dotted name of field `bit`.
    pub fn path(&self, bit: usize) -> String {
        let Some(node) = self.nodes.get(bit).filter(|_| bit > 0) else { return String::new() };
        let parent = self.path(node.parent as usize);
        if parent.is_empty() { node.name.to_string() } else { format!("{parent}.{}", node.name) }
    }

    /// `bits` with every structure in it replaced by the fields inside it. Numbers that do not exist are dropped.
    pub fn expand(&self, bits: &BitSet) -> BitSet {
        let mut leaves = BitSet::new();
        let mut from = 0;
        while let Some(bit) = bits.next(from).filter(|&bit| bit < self.len()) {
            from = self.end(bit);
            (bit..from).filter(|&bit| !self.is_structure(bit)).for_each(|bit| leaves.insert(bit));
        }
        leaves
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }
}

impl PartialEq for Structure {
    fn eq(&self, other: &Structure) -> bool {
        // Most types are shared: the members decide only for types of different origin.
        std::ptr::eq(self, other) || (self.id == other.id && self.members == other.members)
    }
}

impl Eq for Structure {}

impl Hash for Structure {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
        self.members.hash(state);
    }
}

/// The type of a union. Shared; two are equal if id and members are.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Union {
    id: Box<str>,
    members: Box<[Member]>,
    depth: usize,
    weight: usize,
}

impl Union {
    /// A union of `members`. Fails if it nests too deep, or has too many or too long names.
    pub fn new(id: impl Into<Box<str>>, members: Vec<Member>) -> Result<Arc<Union>> {
        let id = id.into();
        let (depth, weight) = check(&id, &members)?;
        Ok(Arc::new(Union { id, members: members.into(), depth, weight }))
    }

    /// Id of the union, perhaps empty.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Members of the union; the index is the selector.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The selector of the member `name`.
    pub fn selector(&self, name: &str) -> Option<u32> {
        self.members.iter().position(|member| *member.name == *name).map(|index| index as u32)
    }

    /// The selector of the first member that is a `ty`.
    pub fn selector_of(&self, ty: &Type) -> Option<u32> {
        self.members.iter().position(|member| member.ty == *ty).map(|index| index as u32)
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }
}

// Weight counts shared parts each time they appear: a type that refers to itself many times over must not become
// enormous when it is written out, compared or numbered.
fn check(id: &str, members: &[Member]) -> Result<(usize, usize)> {
    let depth = 1 + members.iter().map(|member| member.ty.depth()).max().unwrap_or(0);
    // The sum of a type that names itself many times may overflow before it is refused.
    let weight = members.iter().fold(1, |sum: usize, member| sum.saturating_add(member.ty.weight()));
    let name = members.iter().map(|member| member.name.len()).max().unwrap_or(0).max(id.len());
    let limits = [
        ("levels of nesting", depth, MAX_DEPTH),
        ("fields in a type", weight, MAX_FIELDS),
        ("bytes in a name", name, MAX_NAME),
    ];
    let broken = limits.into_iter().find(|(_, found, limit)| found > limit);
    broken.map_or(Ok((depth, weight)), |(what, found, limit)| {
        Err(Error::new(format!("at most {limit} {what}"), found.to_string()))
    })
}

fn number(members: &[Member]) -> Vec<Node> {
    let mut nodes = vec![Node { name: "".into(), ty: Type::Any, parent: 0, end: 0 }];
    for member in members {
        let (bit, own) = (nodes.len() as u32, Node { parent: 0, end: 0, ..Node::from(member) });
        nodes.push(own);
        if let Type::Structure(structure) = &member.ty {
            // A sub-structure numbers its fields from 0: here they follow its own field.
            nodes.extend(structure.nodes[1..].iter().map(|node| Node {
                parent: node.parent + bit,
                end: node.end + bit,
                ..node.clone()
            }));
        }
        let end = nodes.len() as u32;
        nodes[bit as usize].end = end;
    }
    nodes[0].end = nodes.len() as u32;
    nodes
}

impl From<&Member> for Node {
    fn from(member: &Member) -> Node {
        Node { name: Arc::clone(&member.name), ty: member.ty.clone(), parent: 0, end: 0 }
    }
}
