//! Text becomes an expression.

use std::str::FromStr;

use livetime_formats::{Error, Result};

use super::expression::{Comparison, Expression, Operator, Term, Truth};
use super::value::Variable;

/// Longest text. No person writes a longer expression, and the limit bounds the memory of its parts.
const MOST_BYTES: usize = 1 << 14;
/// Most brackets, signs and `not` inside each other. Each level takes some frames of the parser's stack, which a
/// hostile text must not overflow.
const MOST_DEPTH: usize = 64;

impl FromStr for Expression {
    type Err = Error;

    fn from_str(text: &str) -> Result<Expression> {
        parse(text)
    }
}

fn parse(text: &str) -> Result<Expression> {
    if text.len() > MOST_BYTES {
        return Err(Error::new(
            format!("an expression of at most {MOST_BYTES} bytes"),
            text.len().to_string(),
        ));
    }
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, variables: Vec::new(), text };
    let truth = parser.or()?;
    // A number alone is no condition, so `1` as a whole expression is refused here.
    let truth = parser.truth(truth, 0)?;
    if let Some(token) = parser.tokens.get(parser.at) {
        return Err(parser.refuse("an operator or the end of the expression", token.start));
    }
    Ok(Expression { text: text.trim().to_owned(), truth, variables: parser.variables })
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    Number(f64),
    /// A name, with dots.
    Word(String),
    Text(String),
    Sign(&'static str),
}

#[derive(Clone, PartialEq, Debug)]
struct Token {
    kind: Kind,
    /// Where it begins in the text.
    start: usize,
}

/// Longer ones first.
const SIGNS: [&str; 15] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", "[", "]", ","];

fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let start = text.len() - rest.len();
        let (kind, length) =
            token(rest, first).ok_or_else(|| refuse(text, "a name, a number or an operator", start))?;
        tokens.push(Token { kind, start });
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(tokens)
}

/// The first token of a text, and its length.
fn token(rest: &str, first: char) -> Option<(Kind, usize)> {
    // A point may begin a number, as in `.5`, but no name.
    if first.is_ascii_digit() || first == '.' {
        let length = number_length(rest);
        return rest.get(..length)?.parse().ok().map(|number| (Kind::Number(number), length));
    }
    if first.is_alphabetic() || first == '_' {
        // Names of detectors and their fields are joined by dots, so a dot belongs to the word.
        let is_in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let length = rest.find(|c| !is_in_word(c)).unwrap_or(rest.len());
        return Some((Kind::Word(rest.get(..length)?.to_owned()), length));
    }
    if first == '"' || first == '\'' {
        // A text without a closing quote is no token.
        let (inside, _) = rest.get(1..)?.split_once(first)?;
        return Some((Kind::Text(inside.to_owned()), inside.len() + 2));
    }
    SIGNS.iter().find(|sign| rest.starts_with(**sign)).map(|sign| (Kind::Sign(sign), sign.len()))
}

/// Digits, a point, an exponent.
fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        // An `e` without digits behind is no exponent: that letter begins the next word.
        length += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    length
}

fn refuse(text: &str, wanted: &str, start: usize) -> Error {
    let rest: String = text.get(start..).unwrap_or_default().chars().take(30).collect();
    let found = if rest.is_empty() { "its end".to_owned() } else { format!("`{rest}`") };
    Error::new(
        format!(
            "{wanted} at character {} of the expression",
            text.get(..start).map_or(0, |t| t.chars().count()) + 1
        ),
        found,
    )
}

/// A parsed part of an expression.
enum Parsed {
    Truth(Truth),
    Term(Term),
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    variables: Vec<Variable>,
    text: &'a str,
}

impl Parser<'_> {
    fn or(&mut self) -> Result<Parsed> {
        let start = self.start();
        let mut left = self.and()?;
        while self.takes_word("or") {
            let (a, b) = (self.truth(left, start)?, self.next_truth(Parser::and)?);
            left = Parsed::Truth(Truth::Or(Box::new(a), Box::new(b)));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Parsed> {
        let start = self.start();
        let mut left = self.not()?;
        while self.takes_word("and") {
            let (a, b) = (self.truth(left, start)?, self.next_truth(Parser::not)?);
            left = Parsed::Truth(Truth::And(Box::new(a), Box::new(b)));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Parsed> {
        if !self.takes_word("not") {
            return self.comparison();
        }
        let inner = self.deeper(|parser| parser.next_truth(Parser::not))?;
        Ok(Parsed::Truth(Truth::Not(Box::new(inner))))
    }

    /// `a < b <= c` means `a < b and b <= c`.
    fn comparison(&mut self) -> Result<Parsed> {
        let start = self.start();
        let left = self.sum()?;
        // A sum without a comparison may still be an operand of a larger part.
        let Some(mut comparison) = self.takes_comparison() else { return Ok(left) };
        let mut left = self.term(left, start)?;
        let mut whole: Option<Truth> = None;
        loop {
            let right = self.next_term(Parser::sum)?;
            // In `a < b < c` the middle operand is compared twice, so each operand is kept for the next comparison.
            let one = Truth::Compare(Box::new(left), comparison, Box::new(right.clone()));
            whole = Some(match whole {
                None => one,
                Some(before) => Truth::And(Box::new(before), Box::new(one)),
            });
            match (self.takes_comparison(), whole.take()) {
                (Some(next), before) => (comparison, left, whole) = (next, right, before),
                (None, Some(whole)) => return Ok(Parsed::Truth(whole)),
                (None, None) => return Err(self.refuse("a comparison", start)),
            }
        }
    }

    fn sum(&mut self) -> Result<Parsed> {
        self.binary(&[("+", Operator::Plus), ("-", Operator::Minus)], Parser::product)
    }

    fn product(&mut self) -> Result<Parsed> {
        self.binary(&[("*", Operator::Times), ("/", Operator::Over)], Parser::signed)
    }

    fn binary(
        &mut self,
        operators: &[(&'static str, Operator)],
        operand: fn(&mut Self) -> Result<Parsed>,
    ) -> Result<Parsed> {
        let start = self.start();
        let mut left = operand(self)?;
        while let Some((_, operator)) = operators.iter().find(|(sign, _)| self.takes(sign)) {
            let (a, b) = (self.term(left, start)?, self.next_term(operand)?);
            left = Parsed::Term(Term::Binary(Box::new(a), *operator, Box::new(b)));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Parsed> {
        if !self.takes("-") {
            return self.atom();
        }
        // Each sign is a level, because a row of them calls the parser as deep as brackets do.
        let inner = self.deeper(|parser| parser.next_term(Parser::signed))?;
        Ok(Parsed::Term(Term::Negative(Box::new(inner))))
    }

    fn atom(&mut self) -> Result<Parsed> {
        let start = self.start();
        let wanted = "a value or a condition";
        let Some(token) = self.tokens.get(self.at).cloned() else { return Err(self.refuse(wanted, start)) };
        self.at += 1;
        match token.kind {
            Kind::Number(number) => Ok(Parsed::Term(Term::Number(number))),
            Kind::Sign("(") => {
                let inner = self.deeper(Parser::or)?;
                self.wants(")").map(|()| inner)
            }
            // These three are no names of variables, so the missing operand is reported at its place.
            Kind::Word(word) if matches!(&*word, "and" | "or" | "not") => Err(self.refuse(wanted, start)),
            Kind::Word(word) if self.takes("(") => self.call(&word, start),
            Kind::Word(word) => self.variable(|element| Variable::named(&word, element)),
            _ => Err(self.refuse(wanted, start)),
        }
    }

    /// Behind `word (`.
    fn call(&mut self, word: &str, start: usize) -> Result<Parsed> {
        match word {
            "abs" => {
                let inner = self.deeper(|parser| parser.next_term(Parser::sum))?;
                self.wants(")")?;
                Ok(Parsed::Term(Term::Absolute(Box::new(inner))))
            }
            "evr" => {
                let code = self.whole_number("an event code")?;
                self.wants(")")?;
                let variable = self.number_of(Variable::EventCode(code));
                Ok(Parsed::Truth(Truth::Is(variable)))
            }
            "epics" => {
                let name = self.quoted("the name of a process variable in quotes")?;
                self.wants(")")?;
                self.variable(|element| Variable::Epics { name: name.clone(), element })
            }
            "value" => {
                let first = self.quoted("the name of a source or a value in quotes")?;
                let second = match self.takes(",") {
                    true => Some(self.quoted("the name of a value in quotes")?),
                    false => None,
                };
                self.wants(")")?;
                self.variable(|element| Variable::quoted(&first, second.as_deref(), element))
            }
            _ => Err(self.refuse("abs(…), epics(\"…\"), evr(…) or value(\"…\")", start)),
        }
    }

    /// A variable with its element, if one is named behind it.
    fn variable(&mut self, make: impl Fn(usize) -> Variable) -> Result<Parsed> {
        let mut element = 0;
        if self.takes("[") {
            // An element has a whole number; an expression there would differ from event to event.
            element = self.whole_number("the number of an element")? as usize;
            self.wants("]")?;
        }
        Ok(Parsed::Term(Term::Variable(self.number_of(make(element)))))
    }

    fn number_of(&mut self, variable: Variable) -> usize {
        // An expression often names a variable twice, and each variable is read only once for an event.
        let known = self.variables.iter().position(|known| *known == variable);
        known.unwrap_or_else(|| {
            self.variables.push(variable);
            self.variables.len() - 1
        })
    }

    fn whole_number(&mut self, wanted: &str) -> Result<u32> {
        let start = self.start();
        let found = match self.tokens.get(self.at) {
            Some(Token { kind: Kind::Number(n), .. }) if n.fract() == 0.0 && *n <= f64::from(u32::MAX) => {
                *n as u32
            }
            _ => return Err(self.refuse(wanted, start)),
        };
        self.at += 1;
        Ok(found)
    }

    fn quoted(&mut self, wanted: &str) -> Result<String> {
        let start = self.start();
        let Some(Token { kind: Kind::Text(text), .. }) = self.tokens.get(self.at) else {
            return Err(self.refuse(wanted, start));
        };
        let text = text.clone();
        self.at += 1;
        Ok(text)
    }

    /// Parses a part within brackets or behind a sign, up to the limit of depth: recursion on hostile text must not
    /// overflow the stack.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        // The parser calls itself for each bracket, so brackets without a limit would overflow the stack.
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(self.refuse(
                &format!("at most {MOST_DEPTH} brackets and signs within each other"),
                self.start(),
            ));
        }
        let found = inner(self)?;
        // An error ends the parsing, so the depth need not be restored then.
        self.depth -= 1;
        Ok(found)
    }

    fn next_truth(&mut self, operand: fn(&mut Self) -> Result<Parsed>) -> Result<Truth> {
        let start = self.start();
        operand(self).and_then(|parsed| self.truth(parsed, start))
    }

    fn next_term(&mut self, operand: fn(&mut Self) -> Result<Parsed>) -> Result<Term> {
        let start = self.start();
        operand(self).and_then(|parsed| self.term(parsed, start))
    }

    fn truth(&self, parsed: Parsed, start: usize) -> Result<Truth> {
        match parsed {
            Parsed::Truth(truth) => Ok(truth),
            Parsed::Term(_) => Err(self.refuse("a condition, and not a number,", start)),
        }
    }

    fn term(&self, parsed: Parsed, start: usize) -> Result<Term> {
        match parsed {
            Parsed::Term(term) => Ok(term),
            Parsed::Truth(_) => Err(self.refuse("a number, and not a condition,", start)),
        }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_next =
            matches!(self.tokens.get(self.at), Some(Token { kind: Kind::Sign(next), .. }) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_next =
            matches!(self.tokens.get(self.at), Some(Token { kind: Kind::Word(next), .. }) if next == word);
        self.at += usize::from(is_next);
        is_next
    }

    fn takes_comparison(&mut self) -> Option<Comparison> {
        let all = [
            ("<", Comparison::Less),
            ("<=", Comparison::LessOrEqual),
            (">", Comparison::Greater),
            (">=", Comparison::GreaterOrEqual),
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
        ];
        all.into_iter().find(|(sign, _)| self.takes(sign)).map(|(_, comparison)| comparison)
    }

    fn wants(&mut self, sign: &str) -> Result<()> {
        let start = self.start();
        if self.takes(sign) { Ok(()) } else { Err(self.refuse(&format!("`{sign}`"), start)) }
    }

    fn start(&self) -> usize {
        // The end of the text is a place, too: an operand may be missing there.
        self.tokens.get(self.at).map_or(self.text.len(), |token| token.start)
    }

    fn refuse(&self, wanted: &str, start: usize) -> Error {
        refuse(self.text, wanted, start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn errors_say_where() {
        for (text, wanted) in [
            ("", "a value or a condition at character 1"),
            ("x > ", "a value or a condition at character 5"),
            ("x > 1 1", "an operator or the end of the expression at character 7"),
            ("evr(1.5)", "an event code at character 5"),
            ("evr(140) > 3", "a number, and not a condition, at character 1"),
            ("1 and x > 2", "a condition, and not a number, at character 1"),
            ("x > 1 and 2", "a condition, and not a number, at character 11"),
            ("exec(\"rm\")", "abs(…), epics(\"…\"), evr(…) or value(\"…\") at character 1"),
            ("epics(X) > 1", "the name of a process variable in quotes at character 7"),
            ("x > 1 && y > 1", "a name, a number or an operator at character 7"),
            ("ü§ > 1", "a name, a number or an operator at character 2"),
            ("epics(\"open) > 1", "a name, a number or an operator at character 7"),
            ("x = 1", "a name, a number or an operator at character 3"),
        ] {
            assert!(error(text).contains(wanted), "{text}: {}", error(text));
        }
    }

    #[test]
    fn depth_and_length_are_bounded() {
        for text in ["(".repeat(5000), "not ".repeat(4000), format!("{} 1", "-".repeat(5000))] {
            assert!(error(&text).contains("within each other"), "{}", error(&text));
        }
        assert!(error(&"x".repeat(1 << 15)).contains("at most 16384 bytes"));
        let deep = format!("{}1 == 1{}", "(".repeat(60), ")".repeat(60));
        assert!(parse(&deep).is_ok());
        assert!(parse("1 == 1 and ".repeat(1000).trim_end_matches("and ")).is_ok());
    }

    /// Expressions and their texts with all brackets.
    fn terms() -> impl Strategy<Value = (Term, String)> {
        let leaf = prop_oneof![
            (0u32..1_000_000)
                .prop_map(|n| (Term::Number(f64::from(n) / 64.0), format!("{}", f64::from(n) / 64.0))),
            (0usize..3).prop_map(|v| (Term::Variable(v), ["a", "b.c", "d.e_f"][v].to_owned())),
        ];
        leaf.prop_recursive(4, 20, 2, |inner| {
            let operators = [
                (Operator::Plus, "+"),
                (Operator::Minus, "-"),
                (Operator::Times, "*"),
                (Operator::Over, "/"),
            ];
            prop_oneof![
                inner.clone().prop_map(|(t, s)| (Term::Negative(Box::new(t)), format!("(-{s})"))),
                inner.clone().prop_map(|(t, s)| (Term::Absolute(Box::new(t)), format!("abs({s})"))),
                (inner.clone(), 0usize..4, inner).prop_map(move |((a, s), o, (b, t))| {
                    let (operator, sign) = operators[o];
                    (Term::Binary(Box::new(a), operator, Box::new(b)), format!("({s} {sign} {t})"))
                }),
            ]
        })
    }

    fn truths() -> impl Strategy<Value = (Truth, String)> {
        let leaf = (terms(), any::<bool>(), terms()).prop_map(|((a, s), less, (b, t))| {
            let (comparison, sign) = if less { (Comparison::Less, "<") } else { (Comparison::Equal, "==") };
            (Truth::Compare(Box::new(a), comparison, Box::new(b)), format!("{s} {sign} {t}"))
        });
        leaf.prop_recursive(4, 10, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|(t, s)| (Truth::Not(Box::new(t)), format!("not ({s})"))),
                (inner.clone(), inner.clone()).prop_map(|((a, s), (b, t))| {
                    (Truth::And(Box::new(a), Box::new(b)), format!("({s}) and ({t})"))
                }),
                (inner.clone(), inner).prop_map(|((a, s), (b, t))| {
                    (Truth::Or(Box::new(a), Box::new(b)), format!("({s}) or ({t})"))
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn what_is_written_is_what_is_decided(
            (truth, text) in truths(),
            values in prop::array::uniform3(prop::option::of(-100.0..100.0)),
        ) {
            let parsed = parse(&text).unwrap();
            // The parser numbers variables as they come.
            let by_name = |variable: &Variable| {
                let names = ["a", "b.c", "d.e_f"].map(|name| Variable::named(name, 0));
                values[names.iter().position(|name| name == variable).unwrap()]
            };
            let own: Vec<Option<f64>> = parsed.variables.iter().map(by_name).collect();
            prop_assert_eq!(parsed.decide(&own), truth.decide(&values), "{}", text);
        }

        #[test]
        fn any_text_is_parsed_or_refused(text in r#"[ a-c0-9.<>=!+*/()"'and or not evr\[\],-]{0,60}|\PC{0,40}"#) {
            let _ = parse(&text);
        }
    }
}
