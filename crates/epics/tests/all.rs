//! A served run as clients see it.

mod hanging;
mod plugins;
mod screens;
