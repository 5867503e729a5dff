//! Links over a real broker. Tests are skipped, and counted, where there is no Java or Maven.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod ends;
mod flow;
mod kills;
mod passwords;
mod topics;
