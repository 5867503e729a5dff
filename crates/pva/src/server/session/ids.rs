//! A hash for numbers that clients choose.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Hashes one `u32` with a multiplication. The factor is random, so that no client can choose numbers that collide.
#[derive(Clone)]
pub(super) struct Ids(u64);

pub(super) struct IdHasher {
    factor: u64,
    hash: u64,
}

impl Default for Ids {
    fn default() -> Ids {
        Ids(RandomState::new().hash_one(0u8) | 1)
    }
}

impl BuildHasher for Ids {
    type Hasher = IdHasher;

    fn build_hasher(&self) -> IdHasher {
        IdHasher { factor: self.0, hash: 0 }
    }
}

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.hash
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        // The upper half depends on every bit of the number, and it chooses the place.
        self.hash = (self.hash ^ u64::from(number)).wrapping_mul(self.factor).rotate_right(32);
    }
}
