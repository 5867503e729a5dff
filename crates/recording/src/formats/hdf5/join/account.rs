//! What is there, and what is missing.

use super::input::Input;
use super::order::{Order, gaps};
use super::outcome::{FileAccount, Joined, Missing, Shape};

pub(super) fn account(inputs: &[Input], order: &Order, shape: Shape) -> Joined {
    let numbers =
        order.frames.first().zip(order.frames.last()).map(|(first, last)| (first.number, last.number));
    let mut missing = gaps(order.frames.iter().map(|place| place.number));
    let mut files: Vec<FileAccount> = Vec::new();
    for (file, input) in inputs.iter().enumerate() {
        let lacks = if shape == Shape::SideBySide { lacking(order, file) } else { vec![] };
        files.push(FileAccount {
            path: input.path.clone(),
            frames: input.frames(),
            numbers: input.numbers.iter().min().copied().zip(input.numbers.iter().max().copied()),
            again: order.again.iter().filter(|(_, again)| again.file == file).count() as u64,
            partial: input.partial,
            missing: lacks.iter().fold(0, |all, missing| all.saturating_add(missing.count())),
        });
        missing.extend(lacks);
    }
    missing.sort_unstable_by_key(|missing| (missing.first, missing.file));
    let frames = order.frames.len() as u64;
    Joined { frames, numbers, missing, files, mapped: vec![], left_out: vec![], bytes: 0 }
}

/// The numbers of the master that a file lacks. Numbers that no file has lie between two ranges.
fn lacking(order: &Order, file: usize) -> Vec<Missing> {
    let mut rows = order.rows(file).map(|(row, _)| row).peekable();
    let mut lacking: Vec<Missing> = Vec::new();
    for (row, place) in order.frames.iter().enumerate() {
        if rows.next_if_eq(&(row as u64)).is_some() {
            continue;
        }
        match lacking.last_mut().filter(|last| last.last + 1 == place.number) {
            Some(last) => last.last = place.number,
            None => lacking.push(Missing { first: place.number, last: place.number, file: Some(file) }),
        }
    }
    lacking
}
