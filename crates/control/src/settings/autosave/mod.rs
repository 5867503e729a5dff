//! Files of EPICS' autosave, the module that keeps the settings of IOCs: save files and request files.
//!
//! A save file has the values of PVs, a line each; a request file has the names of PVs to be saved, and includes others.
//!
//! ```
//! use livetime_control::settings::autosave::{SavValue, parse_sav, read_req};
//!
//! let sav = parse_sav(b"13SIM1:cam1:Gain 2.5\n#13SIM1:cam1:Gone Search Issued\n<END>\n")?;
//! assert_eq!((&*sav.lines[0].name, &sav.lines[0].value), ("13SIM1:cam1:Gain", &SavValue::Text("2.5".into())));
//! assert_eq!(sav.disconnected[0].1, "13SIM1:cam1:Gone");
//!
//! let files = |name: &str| match name {
//!     "auto.req" => Ok("file \"ADBase.req\", P=$(P), R=cam1:\n".to_owned()),
//!     _ => Ok("$(P)$(R)Gain\n".to_owned()),
//! };
//! let req = read_req("auto.req", "P=13SIM1:", &files);
//! assert_eq!(req.names[0].name, "13SIM1:cam1:Gain");
//! # Ok::<(), livetime_control::settings::SettingsError>(())
//! ```

mod req;
mod sav;

pub use req::{Req, ReqName, read_req};
pub use sav::{Sav, SavLine, SavValue, parse_sav};
