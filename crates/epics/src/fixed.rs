//! Settings of areaDetector's that have one value here, as nodes declare them ([`FixedSetting`]).

use livetime_engine::{FixedSetting, NodeType};

use super::base::Item;
use super::point::{About, Shape};
use super::served_pv::{ServedPv, Shows};

/// The PVs of the settings of a type of node, each as `X` and `X_RBV`.
pub(super) fn served(node: &NodeType) -> impl Iterator<Item = ServedPv> {
    let settings = node.counterpart.map_or(&[][..], |counterpart| counterpart.settings);
    settings.iter().flat_map(|setting| {
        let both = [(setting.pv.to_owned(), true), (format!("{}_RBV", setting.pv), false)];
        both.map(|(name, is_writable)| pv(setting, name, is_writable))
    })
}

fn pv(setting: &FixedSetting, name: String, is_writable: bool) -> ServedPv {
    let is_number = setting.choices.is_empty();
    let shape = if is_number { Shape::I32 } else { Shape::choices(setting.choices) };
    let shows = Shows::Item(Item::Only(setting.value, setting.refused));
    ServedPv { name, about: About::plain(shape, setting.doc), is_writable, shows }
}
