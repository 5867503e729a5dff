//! Little-endian numbers behind one another.

use super::checksum::checksum;

/// An address that points nowhere.
pub(super) const NOWHERE: u64 = u64::MAX;

/// Bytes that grow.
#[derive(Default)]
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.put(&value.to_le_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.put(&value.to_le_bytes());
    }

    /// The lowest `bytes` bytes of a number.
    pub(super) fn uint(&mut self, value: u64, bytes: usize) {
        let all = value.to_le_bytes();
        self.put(&all[..bytes.min(8)]);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn done(self) -> Vec<u8> {
        self.0
    }

    /// With the checksum of all behind them.
    pub(super) fn checked(mut self) -> Vec<u8> {
        let sum = checksum(&self.0);
        self.u32(sum);
        self.0
    }
}
