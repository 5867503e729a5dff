//! `#[derive(Params)]` and `#[derive(ParamEnum)]`: one declaration of a node's parameters, from which come
//! defaults, checks, command-line help, the pipeline file's schema and the PV table.
//!
//! Documented where they are used: `livetime_engine::Params` and `livetime_engine::ParamEnum`.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Fields, Ident, Lit, LitStr, Meta, Token, Type,
};

/// See `livetime_engine::Params`.
#[proc_macro_derive(Params, attributes(param))]
pub fn params(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    params_impl(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// See `livetime_engine::ParamEnum`.
#[proc_macro_derive(ParamEnum, attributes(pv))]
pub fn param_enum(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    enum_impl(&input).unwrap_or_else(Error::into_compile_error).into()
}

struct Param {
    name: Ident,
    ty: Type,
    doc: String,
    default: Option<Expr>,
    min: Option<Expr>,
    max: Option<Expr>,
    unit: Option<LitStr>,
    pv: Option<LitStr>,
    style: Style,
    role: Option<Ident>,
    readback: bool,
    count: bool,
}

/// How PVs show it.
#[derive(Default)]
struct Style {
    form: Option<Ident>,
    words: Option<[LitStr; 2]>,
    shown: Option<[LitStr; 2]>,
    drv_info: Option<LitStr>,
    setpoint: Option<LitStr>,
    link: bool,
}

fn params_impl(input: &DeriveInput) -> syn::Result<Tokens> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new(input.span(), "parameters are the fields of a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new(input.span(), "parameters are named fields"));
    };
    let (tails, own): (Vec<_>, Vec<_>) =
        fields.named.iter().map(|f| (f, tail(f))).partition(|(_, t)| t.is_some());
    let params = own.into_iter().map(|(field, _)| param(field)).collect::<syn::Result<Vec<_>>>()?;
    let ty = &input.ident;
    let names: Vec<_> = params.iter().map(|p| &p.name).collect();
    let indices = 0..params.len();
    let indices_again = 0..params.len();
    let specs = params.iter().map(spec);
    let defaults = params.iter().map(default_value);
    let Tails { default, specs: all_specs, get, set } = Tails::of(&tails, params.len());
    Ok(quote! {
        impl ::core::default::Default for #ty {
            fn default() -> Self {
                Self { #(#names: #defaults,)* #default }
            }
        }
        impl ::livetime_engine::Params for #ty {
            fn specs(&self) -> &'static [::livetime_engine::ParamSpec] {
                const SPECS: &[::livetime_engine::ParamSpec] = &[#(#specs),*];
                #all_specs
            }
            fn get(&self, index: usize) -> ::core::option::Option<::livetime_engine::Value> {
                match index {
                    #(#indices => Some(::livetime_engine::ParamType::to_value(&self.#names)),)*
                    _ => #get,
                }
            }
            fn set(
                &mut self,
                index: usize,
                value: &::livetime_engine::Value,
            ) -> ::core::result::Result<(), ::livetime_engine::Refusal> {
                match index {
                    #(#indices_again => {
                        self.#names = ::livetime_engine::ParamType::from_value(value)?;
                        Ok(())
                    })*
                    _ => #set,
                }
            }
        }
    })
}

/// A field whose parameters come behind the parameters of the struct itself.
enum Tail {
    /// A struct of parameters, under their own names, with its default if that is not the type's own.
    Flat(Option<Expr>),
    /// An array of such structs, each member's names with this one and its number in front.
    Group(LitStr),
}

fn tail(field: &syn::Field) -> Option<Tail> {
    let (mut tail, mut default) = (None, None);
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("param")) {
        // Other attributes here belong to a parameter, and are read as such.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("flatten") {
                tail = Some(Tail::Flat(None));
            } else if meta.path.is_ident("group") {
                tail = Some(Tail::Group(meta.value()?.parse()?));
            } else if meta.path.is_ident("default") {
                default = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("of a parameter"));
            }
            Ok(())
        });
    }
    if let Some(Tail::Flat(own)) = &mut tail {
        *own = default;
    }
    tail
}

/// The code for the fields whose parameters come behind the `own` ones of the struct.
struct Tails {
    default: Tokens,
    specs: Tokens,
    get: Tokens,
    set: Tokens,
}

impl Tails {
    fn of(tails: &[(&syn::Field, Option<Tail>)], own: usize) -> Tails {
        if tails.is_empty() {
            return Tails {
                default: quote!(),
                specs: quote!(SPECS),
                get: quote!(None),
                set: quote!(Err(::livetime_engine::Refusal::unknown_index(index))),
            };
        }
        let (mut defaults, mut specs, mut gets, mut sets) = (vec![], vec![], vec![], vec![]);
        for (field, tail) in tails {
            let Tails { default, specs: spec, get, set } = tail_calls(&field.ident, tail);
            let (name, len) = (&field.ident, tail_len(&field.ident, tail));
            let step = |found: Tokens| {
                quote! {
                    let len = #len;
                    if index < len {
                        return #found;
                    }
                    let index = index - len;
                }
            };
            defaults.push(quote!(#name: #default));
            specs.push(quote!(all.extend(#spec);));
            gets.push(step(get));
            sets.push(step(set));
        }
        Tails {
            default: quote!(#(#defaults),*),
            specs: quote! {
                static ALL: ::std::sync::OnceLock<::std::vec::Vec<::livetime_engine::ParamSpec>> =
                    ::std::sync::OnceLock::new();
                ALL.get_or_init(|| {
                    let mut all = SPECS.to_vec();
                    #(#specs)*
                    all
                })
            },
            get: quote!({ let index = index - #own; #(#gets)* let _ = index; None }),
            set: quote!({
                let index = index - #own;
                #(#sets)*
                Err(::livetime_engine::Refusal::unknown_index(index))
            }),
        }
    }
}

/// The code for one such field.
fn tail_calls(name: &Option<Ident>, tail: &Option<Tail>) -> Tails {
    match tail {
        Some(Tail::Group(group)) => Tails {
            default: quote!(::core::array::from_fn(|_| ::core::default::Default::default())),
            specs: quote!(::livetime_engine::group_specs(#group, &self.#name)),
            get: quote!(::livetime_engine::group_get(&self.#name, index)),
            set: quote!(::livetime_engine::group_set(&mut self.#name, index, value)),
        },
        Some(Tail::Flat(Some(default))) => Tails { default: quote!(#default), ..tail_calls(name, &None) },
        _ => Tails {
            default: quote!(::core::default::Default::default()),
            specs: quote!(::livetime_engine::Params::specs(&self.#name)),
            get: quote!(::livetime_engine::Params::get(&self.#name, index)),
            set: quote!(::livetime_engine::Params::set(&mut self.#name, index, value)),
        },
    }
}

/// Number of its parameters.
fn tail_len(name: &Option<Ident>, tail: &Option<Tail>) -> Tokens {
    match tail {
        Some(Tail::Group(_)) => quote!(::livetime_engine::group_len(&self.#name)),
        _ => quote!(::livetime_engine::Params::specs(&self.#name).len()),
    }
}

fn param(field: &syn::Field) -> syn::Result<Param> {
    let name = field.ident.clone().ok_or_else(|| Error::new(field.span(), "a parameter has a name"))?;
    let doc = doc_of(&field.attrs);
    if doc.is_empty() {
        return Err(Error::new(field.span(), "a parameter has a doc comment: it becomes the help text"));
    }
    let mut param = Param {
        name,
        ty: field.ty.clone(),
        doc,
        default: None,
        min: None,
        max: None,
        unit: None,
        pv: None,
        style: Style::default(),
        role: None,
        readback: false,
        count: false,
    };
    for attribute in field.attrs.iter().filter(|a| a.path().is_ident("param")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("readback") {
                param.readback = true;
            } else if meta.path.is_ident("count") {
                param.count = true;
            } else if meta.path.is_ident("default") {
                param.default = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("min") {
                param.min = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("max") {
                param.max = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("unit") {
                param.unit = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("pv") {
                param.pv = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("form") {
                param.style.form = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("words") {
                param.style.words = Some(two_texts(meta.value()?)?);
            } else if meta.path.is_ident("shown") {
                param.style.shown = Some(two_texts(meta.value()?)?);
            } else if meta.path.is_ident("drv_info") {
                param.style.drv_info = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("setpoint") {
                param.style.setpoint = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("link") {
                param.style.link = true;
            } else if meta.path.is_ident("role") {
                param.role = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("wanted default, min, max, unit, pv, form, words, shown, drv_info, setpoint, link, role, readback or \
                     count"));
            }
            Ok(())
        })?;
    }
    Ok(param)
}

fn default_value(param: &Param) -> Tokens {
    match &param.default {
        Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => quote!(#text.into()),
        Some(value) => quote!(#value),
        None => quote!(::core::default::Default::default()),
    }
}

fn spec(param: &Param) -> Tokens {
    let Param { name, ty, doc, unit, pv, role, readback, count, .. } = param;
    let name = name.to_string();
    let limit = |limit: &Option<Expr>| match limit {
        Some(value) => quote!(Some((#value) as f64)),
        None => quote!(None),
    };
    let (min, max) = (limit(&param.min), limit(&param.max));
    let text = |text: &Option<LitStr>| match text {
        Some(text) => quote!(Some(#text)),
        None => quote!(None),
    };
    let (unit, pv) = (text(unit), text(pv));
    let style = style(&param.style);
    let role = match role {
        Some(role) => quote!(Some(::livetime_engine::Role::#role)),
        None => quote!(None),
    };
    quote! {
        ::livetime_engine::ParamSpec {
            name: #name,
            doc: #doc,
            kind: <#ty as ::livetime_engine::ParamType>::KIND,
            unit: #unit,
            min: #min,
            max: #max,
            pv: #pv,
            style: #style,
            role: #role,
            readback: #readback,
            count: #count,
        }
    }
}

/// `["No", "Yes"]`.
fn two_texts(input: ParseStream<'_>) -> syn::Result<[LitStr; 2]> {
    let texts;
    syn::bracketed!(texts in input);
    let first = texts.parse()?;
    texts.parse::<Token![,]>()?;
    Ok([first, texts.parse()?])
}

fn style(style: &Style) -> Tokens {
    let words = |words: &Option<[LitStr; 2]>| match words {
        Some([no, yes]) => quote!(Some(&[#no, #yes])),
        None => quote!(None),
    };
    let (two, shown, link) = (words(&style.words), words(&style.shown), style.link);
    let form = match &style.form {
        Some(form) => quote!(::livetime_engine::PvForm::#form),
        None => quote!(::livetime_engine::PvForm::Usual),
    };
    let text = |text: &Option<LitStr>| match text {
        Some(text) => quote!(Some(#text)),
        None => quote!(None),
    };
    let (drv_info, setpoint) = (text(&style.drv_info), text(&style.setpoint));
    quote! {
        ::livetime_engine::PvStyle {
            form: #form,
            words: #two,
            shown: #shown,
            drv_info: #drv_info,
            link: #link,
            setpoint: #setpoint,
        }
    }
}

fn enum_impl(input: &DeriveInput) -> syn::Result<Tokens> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new(input.span(), "choices are the variants of an enum"));
    };
    let ty = &input.ident;
    let variants: Vec<_> = data.variants.iter().map(|v| &v.ident).collect();
    let choices = data
        .variants
        .iter()
        .map(|variant| {
            let name = snake_case(&variant.ident.to_string());
            let doc = doc_of(&variant.attrs);
            let pv = pv_of(&variant.attrs)?.unwrap_or_else(|| variant.ident.to_string());
            Ok(quote!(::livetime_engine::Choice { name: #name, doc: #doc, pv: #pv }))
        })
        .collect::<syn::Result<Vec<_>>>()?;
    let count = 0..variants.len();
    Ok(quote! {
        impl ::livetime_engine::ParamEnum for #ty {
            const CHOICES: &'static [::livetime_engine::Choice] = &[#(#choices),*];
            fn index(&self) -> usize {
                *self as usize
            }
            fn from_index(index: usize) -> ::core::option::Option<Self> {
                match index {
                    #(#count => Some(#ty::#variants),)*
                    _ => None,
                }
            }
        }
    })
}

fn doc_of(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ").trim().to_owned()
}

fn pv_of(attributes: &[Attribute]) -> syn::Result<Option<String>> {
    let found = attributes.iter().find(|a| a.path().is_ident("pv"));
    found.map(|a| a.parse_args::<LitStr>().map(|text| text.value())).transpose()
}

/// `RecursiveAve` becomes `recursive_ave`; `Rot90Mirror` becomes `rot90_mirror`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
