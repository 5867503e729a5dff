//! Taking locks.

pub(super) use crate::lock::lock;
