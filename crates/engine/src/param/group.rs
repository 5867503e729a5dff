//! Several equal sets of parameters in one node: regions, signals, overlays.

use super::{ParamSpec, Params, Refusal, Value};

/// The declarations of a group called `name`: the declarations of each member in turn.
///
/// Parameter `x` of the second member is called `{name}2_x`, and the PV `X` of areaDetector `2:X`, which is where
/// areaDetector's databases put such sets (`ROIStat1:2:MinX`, `Over1:2:Shape`). Numbers begin with 1. A suffix with `{}` in
/// it has the number there instead, counted from 0: `Attr{}` becomes `Attr0`, `Attr1`.
pub fn group_specs<T: Params>(name: &str, members: &[T]) -> Vec<ParamSpec> {
    let all = members.iter().zip(1..);
    all.flat_map(|(member, number)| member.specs().iter().map(move |spec| numbered(spec, name, number)))
        .collect()
}

fn numbered(spec: &ParamSpec, name: &str, number: usize) -> ParamSpec {
    ParamSpec {
        // Kept as long as the program: a type's declarations are made once.
        name: format!("{name}{number}_{}", spec.name).leak(),
        pv: spec.pv.map(|pv| &*suffix(pv, number).leak()),
        ..*spec
    }
}

fn suffix(pv: &str, number: usize) -> String {
    if pv.contains("{}") { pv.replace("{}", &(number - 1).to_string()) } else { format!("{number}:{pv}") }
}

/// The value of parameter `index` of a group, counted through all members.
pub fn group_get<T: Params>(members: &[T], index: usize) -> Option<Value> {
    let each = members.first()?.specs().len().max(1);
    members.get(index / each)?.get(index % each)
}

/// Sets parameter `index` of a group, counted through all members.
///
/// # Errors
/// As [`Params::set`].
pub fn group_set<T: Params>(members: &mut [T], index: usize, value: &Value) -> Result<(), Refusal> {
    let each = members.first().map_or(1, |member| member.specs().len().max(1));
    let member = members.get_mut(index / each).ok_or_else(|| Refusal::unknown_index(index))?;
    member.set(index % each, value)
}

/// Number of parameters of a group.
pub fn group_len<T: Params>(members: &[T]) -> usize {
    members.iter().map(|member| member.specs().len()).sum()
}

impl ParamSpec {
    /// Number of the member of a group that the parameter belongs to, and areaDetector's suffix within the member:
    /// `(2, "MinX")` for the PV `2:MinX`.
    ///
    /// ```
    /// use livetime_engine::Params;
    ///
    /// /// One region.
    /// #[derive(Params)]
    /// struct Region {
    ///     /// First column.
    ///     #[param(min = 0, pv = "MinX")]
    ///     min_x: i64,
    /// }
    ///
    /// /// Two regions.
    /// #[derive(Params)]
    /// struct Regions {
    ///     /// Whether to look.
    ///     on: bool,
    ///     #[param(group = "region")]
    ///     regions: [Region; 2],
    /// }
    ///
    /// let specs = Regions::default().specs();
    /// assert_eq!(specs.iter().map(|s| s.name).collect::<Vec<_>>(), ["on", "region1_min_x", "region2_min_x"]);
    /// assert_eq!((specs[2].pv, specs[2].member()), (Some("2:MinX"), Some((2, "MinX"))));
    /// ```
    pub fn member(&self) -> Option<(usize, &'static str)> {
        let (number, suffix) = self.pv?.split_once(':')?;
        Some((number.parse().ok()?, suffix))
    }
}
