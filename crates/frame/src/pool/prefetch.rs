//! Cells are asked for before they are used.

/// Asks for the cache lines of a cell that will be read soon.
#[inline]
pub(super) fn prefetch<T>(cell: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint; any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(cell.cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = cell;
}

/// Asks for the first cache line of a cell that will be written soon, which takes it away from other cores.
#[inline]
pub(super) fn prefetch_to_write<T>(cell: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // There is no intrinsic that yields this instruction without naming a processor that has it; processors that have it
    // not ignore it.
    // SAFETY: a hint; any address is allowed.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) cell, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = cell;
}
