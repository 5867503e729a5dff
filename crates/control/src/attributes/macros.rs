//! Macros in a list of attributes: `$(NAME)` stands for a value.

use std::borrow::Cow;

use super::error::AttributesError;
use crate::macros::{LONGEST, definitions, expand as replaced};

/// `text` with values in the places of `$(NAME)` and `${NAME}`. `$(NAME=other)` is `other` where `NAME` has no value.
///
/// `macros` gives the values: `NAME=value,OTHER=value`, in quotes (`'` or `"`) if a value has a comma or blanks around it.
/// Macros inside of names and values are replaced, too.
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
    let values = definitions(macros).map_err(|wrong| {
        let (wanted, found) = wrong.parts();
        refused(wanted, format!("`{found}`"))
    })?;
    if !text.contains("$(") && !text.contains("${") {
        return Ok(Cow::Borrowed(text));
    }
    let expanded = replaced(text, &values);
    if let Some((name, close)) = expanded.unclosed.first() {
        return Err(refused(format!("`{close}` behind `{name}`"), "none"));
    }
    if let Some(name) = expanded.undefined.first() {
        return Err(refused(format!("a value of `{}`", name.chars().take(50).collect::<String>()), "none"));
    }
    if expanded.is_cut || expanded.text.len() > LONGEST {
        return Err(refused(format!("a text of at most {LONGEST} bytes"), "more"));
    }
    Ok(Cow::Owned(expanded.text))
}

fn refused(wanted: impl Into<String>, found: impl Into<String>) -> AttributesError {
    AttributesError::Macros { wanted: wanted.into(), found: found.into() }
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
