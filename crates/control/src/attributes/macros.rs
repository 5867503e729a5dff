//! Macros in a list of attributes: `$(NAME)` stands for a value.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::AttributesError;

/// The longest text that comes of it: what a file of attributes may have.
const LONGEST: usize = 1 << 20;

/// `text` with values in the places of `$(NAME)` and `${NAME}`. `$(NAME=other)` is `other` where `NAME` has no value.
///
/// `macros` gives the values: `NAME=value,OTHER=value`, in quotes (`'` or `"`) if a value has a comma or blanks around it. Values
/// and what stands behind `=` are taken as they are: a macro in them is not replaced.
///
/// ```
/// use livetime_control::attributes::expand;
///
/// assert_eq!(expand("$(P)cam1:${N} $(Q=none)", "P=BL7:, N='Temp, in K'")?, "BL7:cam1:Temp, in K none");
/// assert!(expand("$(P)cam1", "").unwrap_err().to_string().contains("`P`"));
/// # Ok::<(), livetime_control::attributes::AttributesError>(())
/// ```
///
/// # Errors
/// With the name, for a macro without value, one that does not end, and a result of more than 1 MiB.
pub fn expand<'a>(text: &'a str, macros: &str) -> Result<Cow<'a, str>, AttributesError> {
    let values = values(macros)?;
    let (mut expanded, mut left) = (String::new(), text);
    while let Some(place) = left.find("$(").into_iter().chain(left.find("${")).min() {
        let (before, inner) = (&left[..place], &left[place + 2..]);
        let close = if left[place..].starts_with("$(") { ')' } else { '}' };
        let end = inner.find(close).ok_or_else(|| {
            let found: String = inner.chars().take(50).collect();
            refused(format!("`{close}` behind `{found}`"), "none")
        })?;
        expanded += before;
        expanded += value(&inner[..end], &values)?;
        if expanded.len() > LONGEST {
            return Err(refused(format!("a text of at most {LONGEST} bytes"), "more"));
        }
        left = &inner[end + 1..];
    }
    if expanded.is_empty() && left.len() == text.len() {
        return Ok(Cow::Borrowed(text));
    }
    Ok(Cow::Owned(expanded + left))
}

fn value<'a>(name: &'a str, values: &BTreeMap<&str, &'a str>) -> Result<&'a str, AttributesError> {
    let (name, other) = name.split_once('=').map_or((name, None), |(name, other)| (name, Some(other)));
    let value = values.get(name.trim()).copied().or(other);
    let wanted = || format!("a value of `{}`", name.chars().take(50).collect::<String>());
    value.ok_or_else(|| refused(wanted(), "none"))
}

fn refused(wanted: impl Into<String>, found: impl Into<String>) -> AttributesError {
    AttributesError::Macros { wanted: wanted.into(), found: found.into() }
}

/// The values by name.
fn values(mut text: &str) -> Result<BTreeMap<&str, &str>, AttributesError> {
    let mut values = BTreeMap::new();
    loop {
        text = text.trim_matches([' ', ',']);
        if text.is_empty() {
            return Ok(values);
        }
        let found = || format!("`{}`", text.chars().take(50).collect::<String>());
        let wrong = || refused("NAME=value", found());
        let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let (value, left) = match quote {
            Some(quote) => rest[1..].split_once(quote).ok_or_else(wrong)?,
            None => rest.split_once(',').unwrap_or((rest, "")),
        };
        values.insert(name.trim(), if quote.is_some() { value } else { value.trim() });
        text = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_their_names_stood() {
        let expanded = |text: &str, macros: &str| expand(text, macros).map(Cow::into_owned);
        for (text, macros, wanted) in [
            ("no macro, 3 $, $x", "A=1", "no macro, 3 $, $x"),
            ("$(A)$(B)", "A=1,B=2", "12"),
            ("${A}", " A = 1 , ", "1"),
            ("$(A)", "A='a,b',C=\"x\"", "a,b"),
            ("$(A)", "A=", ""),
            ("$(A=7)$(A=)", "", "7"),
            ("$(A)", "A=$(A)", "$(A)"),
            ("ä$(A)ü", "A=ö", "äöü"),
        ] {
            assert_eq!(expanded(text, macros).as_deref(), Ok(wanted), "{text}");
        }
        for (text, macros, said) in [
            ("$(B)", "A=1", "a value of `B`"),
            ("$(A", "A=1", "wanted `)`"),
            ("x", "A", "wanted NAME=value, found `A`"),
            ("x", "A='1", "wanted NAME=value"),
        ] {
            let error = expanded(text, macros).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let long = "A=".to_owned() + &"x".repeat(2000);
        assert!(expanded(&"$(A)".repeat(1000), &long).unwrap_err().to_string().contains("at most 1048576"));
    }
}
