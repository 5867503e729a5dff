//! Instruction-set levels: the abilities of this processor, found once, impossible to forge.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Position of the level that [`Level::set_limit`] asked for.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// An instruction-set level that this processor has.
///
/// A value can only be had from [`Level::best`], [`Level::available`] or [`Level::PORTABLE`], so
/// holding one proves that its instructions may be executed.
///
/// Most kernels are fastest with the highest level. On some processors a few are not: with the level of [`Level::best`] they time their
/// first calls on each of the two highest levels and go on with the faster one (`fastest.rs`). With one of [`Level::available`] a kernel
/// runs on exactly this level, to measure or to compare. The results are the same bits.
///
/// ```
/// use livetime_kernels::Level;
/// assert!(Level::available().contains(&Level::PORTABLE));
/// assert!(["portable", "avx2", "avx512"].contains(&Level::best().name()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Level {
    kind: LevelKind,
    /// Whether a kernel may take a lower level that is faster.
    is_best: bool,
}

impl PartialEq for Level {
    fn eq(&self, other: &Level) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Level {}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LevelKind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The instructions of every processor of this architecture.
    pub const PORTABLE: Level = Level::exactly(LevelKind::Portable);

    const fn exactly(kind: LevelKind) -> Level {
        Level { kind, is_best: false }
    }

    /// The highest level of this processor, or the one that [`Level::set_limit`] asked for. Detection runs once.
    pub fn best() -> Level {
        static BEST: OnceLock<Level> = OnceLock::new();
        let best = *BEST.get_or_init(|| Level::available().last().copied().unwrap_or(Level::PORTABLE));
        // Relaxed: the position guards no memory. Without a limit it is behind every level.
        let limit = LIMIT.load(Ordering::Relaxed);
        Level::available_below(best).nth(limit).unwrap_or(Level { is_best: true, ..best })
    }

    /// Makes [`Level::best`] return `limit` from now on, in the whole process, to measure or to compare
    /// levels; kernels then run on exactly this level. `None` removes the limit.
    pub fn set_limit(limit: Option<Level>) {
        let position = limit.and_then(|l| Level::available().iter().position(|a| *a == l));
        LIMIT.store(position.unwrap_or(usize::MAX), Ordering::Relaxed);
    }

    /// The levels from the lowest up to `best`, which this processor has.
    fn available_below(best: Level) -> impl Iterator<Item = Level> {
        let all = [
            Level::PORTABLE,
            #[cfg(target_arch = "x86_64")]
            Level::exactly(LevelKind::Avx2),
            #[cfg(target_arch = "x86_64")]
            Level::exactly(LevelKind::Avx512),
        ];
        let count = all.iter().position(|l| *l == best).map_or(0, |p| p + 1);
        all.into_iter().take(count)
    }

    /// All levels of this processor, lowest first.
    pub fn available() -> Vec<Level> {
        #[allow(unused_mut, reason = "other architectures have only the portable level")]
        let mut levels = vec![Level::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx2() {
                levels.push(Level::exactly(LevelKind::Avx2));
            }
            // Kernels of the level avx512 use the instructions of avx2, too.
            if has_avx2() && has_avx512() {
                levels.push(Level::exactly(LevelKind::Avx512));
            }
        }
        levels
    }

    /// `"portable"`, `"avx2"` or `"avx512"`.
    pub fn name(self) -> &'static str {
        match self.kind {
            LevelKind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            LevelKind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            LevelKind::Avx512 => "avx512",
        }
    }

    pub(crate) fn kind(self) -> LevelKind {
        self.kind
    }

    /// The levels among which a kernel may choose, the highest first: this one, and the one below if it has vectors too. `None` where
    /// there is no choice.
    pub(crate) fn choice(self) -> Option<[Level; 2]> {
        match self.kind {
            #[cfg(target_arch = "x86_64")]
            LevelKind::Avx512 if self.is_best => {
                Some([Level::exactly(LevelKind::Avx512), Level::exactly(LevelKind::Avx2)])
            }
            _ => None,
        }
    }
}

// These lists must name every feature that `per_level!` enables below.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// Compiles the loop `$body` (an `#[inline(always)]` function) once per level and makes
/// `$name(level, args…)`, which runs the compilation that `level` stands for. Three bodies may be given, for the
/// levels portable | avx2 | avx512: mostly one generic function with the lanes that suit each.
macro_rules! per_level {
    (
        $(#[$attr:meta])*
        $vis:vis fn $name:ident $(<$($g:ident : $bound:path),+ $(,)?>)? ($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)?
            = $body:path;
    ) => {
        per_level! {
            $(#[$attr])*
            $vis fn $name $(<$($g: $bound),+>)? ($($arg: $ty),*) $(-> $ret)? = $body | $body | $body;
        }
    };
    (
        $(#[$attr:meta])*
        $vis:vis fn $name:ident $(<$($g:ident : $bound:path),+ $(,)?>)? ($($arg:ident : $ty:ty),* $(,)?) $(-> $ret:ty)?
            = $portable:path | $avx2:path | $avx512:path;
    ) => {
        $(#[$attr])*
        $vis fn $name $(<$($g: $bound),+>)? (level: $crate::Level, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2 $(<$($g: $bound),+>)? ($($arg: $ty),*) $(-> $ret)? {
                $avx2($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            fn avx512 $(<$($g: $bound),+>)? ($($arg: $ty),*) $(-> $ret)? {
                $avx512($($arg),*)
            }
            match level.kind() {
                $crate::level::LevelKind::Portable => $portable($($arg),*),
                // SAFETY: a `Level` of this kind is only made where detection found the features.
                #[cfg(target_arch = "x86_64")]
                $crate::level::LevelKind::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::level::LevelKind::Avx512 => unsafe { avx512($($arg),*) },
            }
        }
    };
}
