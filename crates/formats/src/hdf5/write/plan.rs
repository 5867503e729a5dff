//! Where the parts of a new tree lie in the file.

use super::grid::{Grid, Shape};
use super::header::Header;
use super::heap::heap;
use super::index::Index;
use super::space::Space;
use super::stream::{self, Stream};
use super::tree::{self, Kind, Node, Tree};
use crate::{Error, Result};

/// A data set that keeps its shape, and where its data are.
pub(super) struct Fixed {
    pub(super) node: usize,
    pub(super) at: u64,
    pub(super) bytes: u64,
}

/// An attribute that is written anew later.
pub(super) struct Late {
    pub(super) head: LateHead,
    /// Where in the header its value is, and how long.
    pub(super) at: usize,
    pub(super) bytes: usize,
}

/// Whose header it is in.
#[derive(Clone, Copy)]
pub(super) enum LateHead {
    /// The header of a data set that grows.
    Stream(usize),
    Grid(usize),
    /// One of [`Plan::heads`].
    Other(usize),
}

/// A tree with places.
pub(super) struct Plan {
    /// The pieces that are written once.
    pub(super) pieces: Vec<(u64, Vec<u8>)>,
    pub(super) streams: Vec<Stream>,
    pub(super) grids: Vec<Grid>,
    pub(super) fixed: Vec<Fixed>,
    pub(super) late: Vec<Late>,
    /// Headers with attributes that are written anew, and where they are.
    pub(super) heads: Vec<(u64, Vec<u8>)>,
    pub(super) root: u64,
}

pub(super) fn plan(tree: &Tree, space: &Space) -> Result<Plan> {
    // The names are checked before any place is taken.
    check(tree)?;
    let mut plan = Plan {
        pieces: vec![],
        streams: vec![],
        grids: vec![],
        fixed: vec![],
        late: vec![],
        heads: vec![],
        root: 0,
    };
    for stream in &tree.streams {
        let shape = stream_shape(stream)?;
        let index = Index::new(shape.chunk_bytes, shape.is_filtered, space);
        plan.streams.push(Stream::new(&shape, index));
    }
    for grid in &tree.grids {
        plan.grids.push(new_grid(grid, space)?);
        plan.pieces.extend(plan.grids.last().into_iter().flat_map(Grid::pieces));
    }
    // A header is as long whatever the addresses in it are.
    let mut places = vec![0; tree.nodes.len()];
    // The lengths are needed first: the header of a group holds the places of its members.
    let order = order(tree);
    for number in &order {
        let head = head(tree, &plan, *number, &places, 0)?;
        places[*number] = space.take_whole(head.bytes.len() as u64);
    }
    let mut values_at = vec![vec![]; tree.nodes.len()];
    for number in order {
        values_at[number] = write_node(tree, &mut plan, number, &places, space)?;
    }
    add_late(tree, &mut plan, &values_at, &places);
    plan.root = places[0];
    Ok(plan)
}

fn stream_shape(what: &tree::Stream) -> Result<stream::Shape> {
    let bytes_of = |sizes: &[u64]| {
        sizes.iter().try_fold(what.element.bytes() as u64, |all, size| all.checked_mul(*size))
    };
    let is_cut = what.part.len() == what.row.len() && what.part.iter().all(|size| *size > 0);
    let fits = is_cut && what.part.iter().zip(&what.row).all(|(part, size)| part <= size);
    if !fits {
        let wanted = format!("chunks that fit into rows of {:?}", what.row);
        return Err(Error::new(wanted, format!("{:?}", what.part)));
    }
    let chunk_bytes = bytes_of(&what.part).and_then(|bytes| bytes.checked_mul(what.chunk));
    // HDF5's chunks have lengths of 32 bits.
    let chunk_bytes = chunk_bytes.filter(|bytes| *bytes < 1 << 32 && *bytes > 0);
    let (Some(chunk_bytes), Some(row_bytes)) = (chunk_bytes, bytes_of(&what.row)) else {
        return Err(Error::new("chunks of 1 byte to 4 GiB", "more or none"));
    };
    let parts = what.part.iter().zip(&what.row).map(|(part, size)| size.div_ceil(*part)).product();
    let is_filtered = what.filter.is_some();
    Ok(stream::Shape { row_bytes, chunk_rows: what.chunk, chunk_bytes, parts, is_filtered })
}

fn new_grid(what: &tree::Grid, space: &Space) -> Result<Grid> {
    let product = |first: u64, sizes: &[u64]| sizes.iter().try_fold(first, |a, b| a.checked_mul(*b));
    let row_bytes = product(what.element.bytes() as u64, &what.row);
    let chunk = row_bytes.and_then(|row| product(row, &what.chunk)).filter(|b| *b < 1 << 32 && *b > 0);
    let (Some(row_bytes), Some(_)) = (row_bytes, chunk) else {
        return Err(Error::new("chunks of 1 byte to 4 GiB", "more or none"));
    };
    if what.chunk.len() != what.sizes.len()
        || !(what.fill.is_empty() || what.fill.len() == what.element.bytes())
    {
        return Err(Error::new("a size of chunks for each axis, and a fill value of one element", "others"));
    }
    let (sizes, chunk, fill) = (&what.sizes, &what.chunk, &what.fill);
    Grid::new(&Shape { row_bytes, sizes, chunk, fill, is_filtered: what.filter.is_some() }, space)
}

/// Groups and fixed data sets first, then the growing ones, in their order: neighbours are written together.
fn order(tree: &Tree) -> Vec<usize> {
    let stream = |number: &usize| match tree.nodes[*number].kind {
        Kind::Growing(stream) => stream + 1,
        _ => 0,
    };
    let mut order: Vec<usize> = (0..tree.nodes.len()).collect();
    // The sort keeps the order of equal ones, so groups stay in the order of the tree.
    order.sort_by_key(stream);
    order
}

/// Says where in its header the values of its attributes are.
fn write_node(
    tree: &Tree,
    plan: &mut Plan,
    number: usize,
    places: &[u64],
    space: &Space,
) -> Result<Vec<usize>> {
    let data_at = match &tree.nodes[number].kind {
        Kind::Fixed { data, .. } => {
            let at = space.take(data.len() as u64).at;
            plan.pieces.push((at, data.clone()));
            plan.fixed.push(Fixed { node: number, at, bytes: data.len() as u64 });
            at
        }
        Kind::Virtual { shape, mappings, .. } => {
            let heap = heap(shape, mappings)?;
            let at = space.take(heap.len() as u64).at;
            plan.pieces.push((at, heap));
            at
        }
        _ => 0,
    };
    let Head { bytes, rows_at, values_at } = head(tree, plan, number, places, data_at)?;
    if let Kind::Growing(stream) = tree.nodes[number].kind {
        plan.streams[stream].set_head(bytes.clone(), places[number], rows_at);
    }
    if let Kind::Grid(grid) = tree.nodes[number].kind {
        plan.grids[grid].set_head(bytes.clone(), places[number], rows_at);
    }
    plan.pieces.push((places[number], bytes));
    Ok(values_at)
}

fn add_late(tree: &Tree, plan: &mut Plan, values_at: &[Vec<usize>], places: &[u64]) {
    for (node, place) in &tree.late {
        let bytes = tree.nodes[*node].attributes[*place].data.len();
        let head = match tree.nodes[*node].kind {
            Kind::Growing(stream) => LateHead::Stream(stream),
            Kind::Grid(grid) => LateHead::Grid(grid),
            // A header with several late attributes is kept once.
            _ => LateHead::Other(kept_head(plan, places[*node])),
        };
        plan.late.push(Late { head, at: values_at[*node][*place], bytes });
    }
}

/// The number of the header at `at` among the headers that are kept.
fn kept_head(plan: &mut Plan, at: u64) -> usize {
    if let Some(number) = plan.heads.iter().position(|(place, _)| *place == at) {
        return number;
    }
    let written = plan.pieces.iter().find(|(place, _)| *place == at);
    plan.heads.push((at, written.map(|(_, bytes)| bytes.clone()).unwrap_or_default()));
    plan.heads.len() - 1
}

/// The header of a node.
struct Head {
    bytes: Vec<u8>,
    /// Where in it the number of rows is, or the sizes of a grid.
    rows_at: usize,
    /// Where the values of its attributes are.
    values_at: Vec<usize>,
}

fn head(tree: &Tree, plan: &Plan, number: usize, places: &[u64], data_at: u64) -> Result<Head> {
    let Node { kind, attributes } = &tree.nodes[number];
    let mut head = Header::new();
    let mut rows_at = 0;
    match kind {
        Kind::Group(links) => {
            head.group()?;
            links.iter().try_for_each(|link| head.link(link, |node| places[node]))?;
        }
        Kind::Growing(stream) => {
            let (what, at) = (&tree.streams[*stream], plan.streams[*stream].index_at());
            rows_at = head.growing(what, at)?;
        }
        Kind::Grid(grid) => rows_at = head.grid(&tree.grids[*grid], plan.grids[*grid].index_at())?,
        Kind::Fixed { element, shape, data } => head.fixed(*element, shape, data_at, data.len() as u64)?,
        Kind::Virtual { element, shape, .. } => head.virtual_data(*element, shape, data_at)?,
    }
    let values_at = attributes.iter().map(|attribute| head.attribute(attribute)).collect::<Result<_>>()?;
    Ok(Head { bytes: head.finish()?, rows_at, values_at })
}

fn check(tree: &Tree) -> Result<()> {
    for node in &tree.nodes {
        let Kind::Group(links) = &node.kind else { continue };
        // Sorted names show equal ones beside each other.
        let mut names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        let wrong = names.iter().find(|name| name.is_empty() || name.contains(['/', '\0']) || **name == ".");
        if let Some(name) = twice.or(wrong.copied()) {
            return Err(Error::new("names that differ, without `/`", format!("`{name}`")));
        }
    }
    Ok(())
}
