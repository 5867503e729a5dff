//! Hit finding against recorded hits, against plain definitions, and by hand.

mod golden;
mod judge;
mod known;
mod physics;
mod random;
