//! B-trees of version 2: their records.

use super::input::{Fields, Input};
use crate::{Error, Result};

/// Levels of a tree.
const MOST_DEEP: u16 = 32;
/// Bytes of a node besides records and pointers.
const OVERHEAD: u64 = 10;

/// Records of one tree, all of a length.
pub(super) struct Records {
    pub(super) bytes: usize,
    all: Vec<u8>,
}

impl Records {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.all.chunks_exact(self.bytes.max(1))
    }
}

struct Tree<'a> {
    input: &'a Input<'a>,
    node: u64,
    record: u64,
    /// Bytes of the number of records of a node.
    count_bytes: usize,
    /// For each level from the leaves on: bytes of the number of records below.
    total_bytes: Vec<usize>,
    found: Vec<u8>,
}

/// All records of the tree at `at`, in their order.
pub(super) fn records(input: &Input<'_>, at: u64) -> Result<Records> {
    let head = input.checked(at, 38, b"BTHD")?;
    let mut fields = Fields::new(&head[6..], at + 6);
    let (node, record, depth) = (fields.uint(4)?, fields.uint(2)?, fields.uint(2)? as u16);
    fields.skip(2)?;
    let (root, count) = (fields.address()?, fields.uint(2)?);
    if record == 0 || node < OVERHEAD + record || depth > MOST_DEEP {
        let found = format!("records of {record} in nodes of {node} bytes, {depth} deep");
        return Err(Error::new("a B-tree", found).at(at));
    }
    let most = (node - OVERHEAD) / record;
    let count_bytes = bytes_for(most);
    let (mut total_bytes, mut most_below) = (vec![0], most);
    for _ in 0..depth {
        // An inner node has a pointer more than records, and a pointer is as wide as the most records below
        // it need.
        let pointer = 8 + count_bytes as u64 + *total_bytes.last().unwrap_or(&0) as u64;
        let most_here = (node - OVERHEAD).saturating_sub(pointer) / (record + pointer);
        most_below = (most_here + 1).saturating_mul(most_below).saturating_add(most_here);
        total_bytes.push(bytes_for(most_below));
    }
    let mut tree = Tree { input, node, record, count_bytes, total_bytes, found: Vec::new() };
    if let Some(root) = root {
        tree.node(root, count, depth)?;
    }
    Ok(Records { bytes: record as usize, all: tree.found })
}

/// Bytes that a number up to `most` takes.
fn bytes_for(most: u64) -> usize {
    most.max(1).ilog2() as usize / 8 + 1
}

impl Tree<'_> {
    fn node(&mut self, at: u64, count: u64, depth: u16) -> Result<()> {
        // The bound keeps the products below from an overflow.
        if count > self.node {
            return Err(
                Error::new(format!("a node of {} bytes", self.node), format!("{count} records")).at(at)
            );
        }
        let signature = if depth == 0 { b"BTLF" } else { b"BTIN" };
        let pointer = match depth {
            0 => 0,
            depth => {
                8 + self.count_bytes + self.total_bytes.get(usize::from(depth) - 1).copied().unwrap_or(0)
            }
        };
        let pointers = if depth == 0 { 0 } else { (count + 1) * pointer as u64 };
        let used = 6 + count * self.record + pointers + 4;
        // A node does not use more than its size, whatever its count says.
        if used > self.node {
            return Err(Error::new(format!("a node of {} bytes", self.node), used.to_string()).at(at));
        }
        let body = self.input.checked(at, used, signature)?;
        let mut fields = Fields::new(&body[6..], at + 6);
        let records = fields.take((count * self.record) as usize)?;
        if depth == 0 {
            self.found.extend_from_slice(records);
            return Ok(());
        }
        let mut records = records.chunks_exact(self.record as usize);
        for _ in 0..=count {
            let (child, below) = (fields.uint(8)?, fields.uint(self.count_bytes)?);
            fields.skip(pointer - 8 - self.count_bytes)?;
            self.node(child, below, depth - 1)?;
            self.found.extend_from_slice(records.next().unwrap_or_default());
        }
        Ok(())
    }
}
