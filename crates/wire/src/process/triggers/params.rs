//! The common parameters of all trigger algorithms.

use livetime_engine::{ParamEnum, Params};

/// Planes whose hits the algorithm takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ParamEnum)]
pub enum Planes {
    /// All planes.
    All,
    /// First induction plane.
    U,
    /// Second induction plane.
    V,
    /// Collection plane.
    Collection,
}

impl Planes {
    /// Whether the plane with this number (as in [`crate::HitRow::plane`]) is among them.
    pub fn hold(self, plane: u8) -> bool {
        self == Planes::All || plane.saturating_add(1) == self as u8
    }
}

/// The counts of a trigger node.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Hits of the chosen planes, in order.
    pub hits: u64,
    /// Hits before the watermark, or not in order.
    pub late: u64,
    /// Hits left out because too many were held.
    pub left_out: u64,
    /// Hits that are held now.
    pub held: usize,
    /// Activities sent.
    pub activities: u64,
}

/// Parameters of a trigger algorithm.
pub trait TriggerParams: Params + Default {
    /// Planes whose hits the algorithm takes.
    fn planes(&self) -> Planes;
    /// Ticks of the clock from sample to sample.
    fn sample_step(&self) -> u64;
    /// Hits held at most.
    fn most_hits(&self) -> usize;
    /// Shows the counts as readbacks.
    fn show(&mut self, counts: &Counts);
}

/// Declares the parameters of an algorithm: its own, and after them the common ones.
macro_rules! trigger_params {
    ($(#[$doc:meta])* $name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(livetime_engine::Params)]
        pub struct $name {
            $($(#[$meta])* pub $field: $type,)*
            /// Planes whose hits are looked at.
            #[param(default = super::Planes::All)]
            pub planes: super::Planes,
            /// Ticks of the clock from sample to sample: 25 for WIB1, 32 for WIB2 and WIBEth.
            #[param(default = 25, min = 1, max = 1_000_000, unit = "ticks")]
            pub sample_step: u64,
            /// Hits held at most; while there are as many, further ones are left out and counted.
            #[param(default = 100_000, min = 1, max = 10_000_000)]
            pub most_hits: usize,
            /// Hits of the chosen planes so far.
            #[param(readback, count)]
            pub hits: u64,
            /// Hits that came before the watermark or not in order so far; they were left out.
            #[param(readback, count)]
            pub late_hits: u64,
            /// Hits left out so far because `most_hits` were held.
            #[param(readback, count)]
            pub left_out: u64,
            /// Hits that are held.
            #[param(readback)]
            pub held: usize,
            /// Activities sent so far.
            #[param(readback, count)]
            pub activities: u64,
        }

        impl super::TriggerParams for $name {
            fn planes(&self) -> super::Planes {
                self.planes
            }

            fn sample_step(&self) -> u64 {
                self.sample_step
            }

            fn most_hits(&self) -> usize {
                self.most_hits
            }

            fn show(&mut self, counts: &super::Counts) {
                (self.hits, self.late_hits, self.left_out) = (counts.hits, counts.late, counts.left_out);
                (self.held, self.activities) = (counts.held, counts.activities);
            }
        }
    };
}
pub(super) use trigger_params;
