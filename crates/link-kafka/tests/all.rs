//! Links over a real broker. Tests are skipped, and counted, where there is no Java or Maven.

mod ends;
mod flow;
mod kills;
mod topics;
