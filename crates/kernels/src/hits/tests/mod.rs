mod golden;
mod judge;
mod known;
mod physics;
mod random;
