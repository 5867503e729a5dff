//! Types that are built once.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use super::metadata::Metadata;
use crate::data::{Builder, ScalarType, Structure};
use crate::lock::lock;

/// The key that tells the types apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TypeKey {
    Alarm,
    Time,
    Enum,
    Display(ScalarType),
    Control(ScalarType),
    ValueAlarm(ScalarType),
    Scalar(ScalarType, Metadata),
    ScalarArray(ScalarType, Metadata),
    Enumerated,
    Attribute,
    NdArray,
}

static TYPES: LazyLock<Mutex<HashMap<TypeKey, Arc<Structure>>>> = LazyLock::new(Mutex::default);

/// The type of `key`, which `build` describes.
#[allow(clippy::expect_used, reason = "the types of this module are far below every limit, as a test shows")]
pub(super) fn cached(key: TypeKey, build: impl FnOnce() -> Builder) -> Arc<Structure> {
    if let Some(known) = lock(&TYPES).get(&key) {
        return Arc::clone(known);
    }
    // Unlocked, since building asks for other types.
    let new = build().structure().expect("a type within the limits");
    Arc::clone(lock(&TYPES).entry(key).or_insert(new))
}
