//! A served run as clients see it.

mod hanging;
