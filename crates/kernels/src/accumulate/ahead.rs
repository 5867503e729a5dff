//! Memory is asked for before its elements are summed.

/// How far ahead of the elements that are summed memory is asked for. Processors fetch ahead of a few streams of memory by themselves, and
/// not across pages; so the frames of a block would be waited for. From 1 to 2 KiB there is no difference; 512 bytes and 4 KiB are slower.
const AHEAD: usize = 1024;

/// Asks for elements of a frame a fixed distance behind the `L` elements at `at`.
#[inline(always)]
pub(super) fn ask_ahead<T, const L: usize>(frame: &[u8], at: usize) {
    // Single elements are the rest behind the last whole group: the groups before have asked for their memory.
    if L == 1 {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    // Memory comes in cache lines of 64 bytes: one hint for each.
    for line in (0..L * size_of::<T>()).step_by(64) {
        let address = frame.as_ptr().wrapping_add(at * size_of::<T>() + line + AHEAD);
        // SAFETY: a hint, which may name any address; nothing is read.
        unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (frame, at);
}
