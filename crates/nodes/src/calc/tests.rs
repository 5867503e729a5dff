use proptest::prelude::*;

use super::*;

const VARIABLES: Variables = [1.5, -2.0, 0.0, 100.0, f64::NAN, 7.0, 3.0, 4.0, -0.5, 1e10, 255.0, 12.0];

fn value(text: &str) -> f64 {
    Calc::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")).value(&VARIABLES)
}

#[track_caller]
fn same(found: f64, wanted: f64) {
    assert!(found == wanted || found.is_nan() && wanted.is_nan(), "{found}, not {wanted}");
}

/// By hand, with EPICS' own order of operators.
#[test]
fn values_by_hand() {
    for (text, wanted) in [
        ("", 0.0),
        ("  ", 0.0),
        ("A", 1.5),
        ("a+b", -0.5),
        ("2+3*4", 14.0),
        ("-2**2", 4.0),
        ("2^3^2", 64.0),
        ("10-4-3", 3.0),
        ("7%4*2", 6.0),
        ("7.9 % 4.9", 3.0),
        ("5%0", f64::NAN),
        ("1/C", f64::INFINITY),
        ("A>1&&B<0", 1.0),
        ("1+1=2", 1.0),
        ("1 # 2", 1.0),
        ("1 != 1", 0.0),
        ("6 & 3 == 3", 0.0),
        ("(6 & 3) = 2", 1.0),
        ("6 or 1", 7.0),
        ("6 XOR 3", 5.0),
        ("~0", -1.0),
        ("not 5 & 7", 2.0),
        ("1 << 4", 16.0),
        ("-8 >> 1", -4.0),
        ("-1 >>> 28", 15.0),
        ("0xff", 255.0),
        ("0xFFFFFFFF", -1.0),
        ("J & 0xff", 0xff as f64),
        ("1e3", 1000.0),
        (".5e-1", 0.05),
        ("C ? 1 : 2", 2.0),
        ("E ? 1 : 2", 1.0),
        ("!E", 0.0),
        ("!C", 1.0),
        ("0?1:0?2:3", 3.0),
        ("abs -3", 3.0),
        ("ABS(B)**3", 8.0),
        ("SQRT(H)+SQR 9", 5.0),
        ("max(1,D,3)", 100.0),
        ("MAX(1,E,3)", f64::NAN),
        ("min(B)", -2.0),
        ("FINITE(A,E)", 0.0),
        ("FINITE(A,B)", 1.0),
        ("ISNAN(A,E)", 1.0),
        ("ISINF(1/0)", 1.0),
        ("NINT(2.5)", 3.0),
        ("NINT(-2.5)", -3.0),
        ("floor(-1.5)+CEIL(1.2)", 0.0),
        ("ATAN2(1,0)", 0.0),
        ("fmod(7.5,2)", 1.5),
        ("LOG(1000)", 1000f64.log10()),
        ("LN(2)", 2f64.ln()),
        ("sin(PI/2)", 1.0),
        ("180*D2R-PI", 0.0),
        ("((((A))))", 1.5),
    ] {
        let found = value(text);
        assert!(found == wanted || found.is_nan() && wanted.is_nan(), "{text}: {found}, not {wanted}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, wanted) in [
        ("A >", "wanted a number, a variable A to L, a function or `(`, found the end at character 4"),
        ("A B", "wanted an operator, found `B` at character 3"),
        ("(A", "wanted `)`, found the end at character 3"),
        ("A ? 1", "wanted `:`, found the end at character 6"),
        ("FMOD(1)", "wanted 2 values at character 1, found 1"),
        ("M", "wanted a number, a variable A to L, a function or `(`, found `M` at character 1"),
        ("A:=1", "wanted an operator, found `:` at character 2"),
        ("RNDM", "`RNDM` would make a result that cannot be repeated"),
        ("0x", "wanted a hexadecimal number of at most 32 bits, found `0` at character 1"),
        ("é", "wanted a number, a variable A to L, a function or `(`, found `é` at character 1"),
    ] {
        assert_eq!(Calc::parse(text).unwrap_err().to_string(), wanted);
    }
    assert!(Calc::parse(&"(".repeat(255)).is_err());
    assert!(Calc::parse(&"1+".repeat(200)).unwrap_err().to_string().contains("at most 255"));
}

/// An expression as a tree, which is the plain definition.
#[derive(Clone, Debug)]
enum Tree {
    Number(u16),
    Variable(u8),
    Unary(&'static str, Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    If(Box<Tree>, Box<Tree>, Box<Tree>),
}

const BINARY: [(&str, u8); 20] = [
    ("**", 6),
    ("^", 6),
    ("*", 5),
    ("/", 5),
    ("%", 5),
    ("+", 4),
    ("-", 4),
    ("<", 3),
    ("<=", 3),
    ("==", 3),
    ("#", 3),
    (">=", 3),
    (">", 3),
    ("&", 2),
    ("&&", 2),
    ("<<", 2),
    (">>", 2),
    ("|", 1),
    ("XOR", 1),
    ("||", 1),
];

impl Tree {
    fn binds(&self) -> u8 {
        match self {
            Tree::Number(_) | Tree::Variable(_) => 9,
            Tree::Unary(..) => 7,
            Tree::Binary(name, ..) => BINARY.iter().find(|(n, _)| n == name).unwrap().1,
            Tree::If(..) => 0,
        }
    }

    /// With parentheses only where they are needed.
    fn text(&self) -> String {
        let within = |tree: &Tree, least: u8| match tree.binds() >= least {
            true => tree.text(),
            false => format!("({})", tree.text()),
        };
        match self {
            Tree::Number(n) => format!("{}", f64::from(*n) / 4.0),
            Tree::Variable(n) => char::from(b'A' + n).to_string(),
            Tree::Unary(name, x) => format!("{name} {}", within(x, 7)),
            Tree::Binary(name, x, y) => {
                format!("{} {name} {}", within(x, self.binds()), within(y, self.binds() + 1))
            }
            Tree::If(c, x, y) => format!("{}?{}:{}", within(c, 1), x.text(), y.text()),
        }
    }

    fn value(&self) -> f64 {
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        let int = |x: f64| if x < 0.0 { x as i32 } else { x as u32 as i32 };
        match self {
            Tree::Number(n) => f64::from(*n) / 4.0,
            Tree::Variable(n) => VARIABLES[usize::from(*n)],
            Tree::Unary("-", x) => -x.value(),
            Tree::Unary("!", x) => flag(x.value() == 0.0),
            Tree::Unary("~", x) => f64::from(!int(x.value())),
            Tree::Unary(_, x) => x.value().abs(),
            Tree::If(c, x, y) => {
                if c.value() != 0.0 {
                    x.value()
                } else {
                    y.value()
                }
            }
            Tree::Binary(name, x, y) => {
                let (x, y) = (x.value(), y.value());
                match *name {
                    "**" | "^" => x.powf(y),
                    "*" => x * y,
                    "/" => x / y,
                    "%" if y as i32 == 0 => f64::NAN,
                    "%" if y as i32 == -1 && x as i32 == i32::MIN => f64::NAN,
                    "%" => f64::from(x as i32 % y as i32),
                    "+" => x + y,
                    "-" => x - y,
                    "<" => flag(x < y),
                    "<=" => flag(x <= y),
                    "==" => flag(x == y),
                    "#" => flag(x != y),
                    ">=" => flag(x >= y),
                    ">" => flag(x > y),
                    "&" => f64::from(int(x) & int(y)),
                    "&&" => flag(x != 0.0 && y != 0.0),
                    "<<" => f64::from(int(x).wrapping_shl((int(y) & 31) as u32)),
                    ">>" => f64::from(int(x).wrapping_shr((int(y) & 31) as u32)),
                    "|" => f64::from(int(x) | int(y)),
                    "XOR" => f64::from(int(x) ^ int(y)),
                    _ => flag(x != 0.0 || y != 0.0),
                }
            }
        }
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![any::<u16>().prop_map(Tree::Number), (0u8..12).prop_map(Tree::Variable)];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            (prop::sample::select(vec!["-", "!", "~", "ABS"]), boxed.clone())
                .prop_map(|(n, x)| Tree::Unary(n, x)),
            (0..BINARY.len(), boxed.clone(), boxed.clone()).prop_map(|(n, x, y)| Tree::Binary(
                BINARY[n].0,
                x,
                y
            )),
            (boxed.clone(), boxed.clone(), boxed).prop_map(|(c, x, y)| Tree::If(c, x, y)),
        ]
    })
}

proptest! {
    /// Written with as few parentheses as possible, an expression has the value of its tree.
    #[test]
    fn any_expression_has_the_value_of_its_tree(tree in tree()) {
        let text = tree.text();
        prop_assume!(text.len() <= 255);
        same(value(&text), tree.value());
    }

    /// Any text is understood or refused.
    #[test]
    fn any_text_is_understood_or_refused(text in "[-A-Za-z0-9.+*/%<>=!#&|?:;,() ~^é]{0,60}") {
        if let Ok(calc) = Calc::parse(&text) {
            calc.value(&VARIABLES);
        }
    }
}
