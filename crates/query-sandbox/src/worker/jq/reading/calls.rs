//! The functions of jq, as far as they pass on what they are given.

use std::rc::Rc;

use jaq_core::load::parse::{BinaryOp, Term};

use super::{
    comparison::How,
    constants::{Constant, comparand, constant, is_of_several},
    contained::Contained,
    part::Has,
    reader::{MAX_FIELDS, Reader},
    shape::{Shape, Step},
};

/// The functions whose arguments are filters of the input.
const OF_INPUT: &str = "\
    IN contains endswith error getpath in index indices inside join ltrimstr match pow range \
    rindex rtrimstr scan split startswith strftime strptime test";

impl<'f> Reader<'f> {
    /// Returns the value of a call for `input`.
    pub(super) fn call(&mut self, name: &str, arguments: &[Term<&'f str>], input: &Shape) -> Shape {
        if self.defined.contains(&(name, arguments.len())) {
            return self.unknown(arguments, &Shape::Unknown);
        }
        match arguments {
            [] => self.plain_call(name, input),
            [f] => self.call_with(name, f, input),
            [first, f] => match name {
                "limit" | "skip" | "nth" => {
                    self.term(first, input);
                    self.term(f, input)
                }
                "any" | "all" | "INDEX" => {
                    let element = self.term(first, input);
                    self.unknown([f], &element)
                }
                "test" => {
                    if let Some(Constant::Text(flags)) = comparand(f) {
                        self.matches(input, first, &flags);
                    }
                    self.values(name, arguments, input)
                }
                _ => self.values(name, arguments, input),
            },
            _ => self.values(name, arguments, input),
        }
    }

    fn plain_call(&mut self, name: &str, input: &Shape) -> Shape {
        match name {
            "empty" | "error" => Shape::Nothing,
            "nulls" | "scalars" => input.clone(),
            "values" | "booleans" | "numbers" | "strings" | "arrays" | "objects" | "iterables" => {
                self.without_null(input.clone());
                input.clone()
            }
            "unique" | "reverse" => self.element(input).list(),
            "first" | "last" => self.element(input),
            "sort" | "min" | "max" => {
                let element = self.element(input);
                self.order(name, &element);
                if name == "sort" { element.list() } else { element }
            }
            "flatten" | "transpose" | "combinations" => {
                self.element(input);
                Shape::Unknown
            }
            "length" | "add" | "any" | "all" => {
                self.each(input);
                Shape::Unknown
            }
            "not" => {
                self.truth(input.clone());
                Shape::Unknown
            }
            "keys" | "keys_unsorted" => self.of_record(input),
            "to_entries" => {
                self.of_record(input);
                entry().list()
            }
            _ => Shape::Unknown,
        }
    }

    fn call_with(&mut self, name: &str, f: &Term<&'f str>, input: &Shape) -> Shape {
        match name {
            "select" => self.select(f, input),
            "map" => {
                let element = self.each(input);
                self.term(f, &element).list()
            }
            "map_values" => self.unknown([f], &input.part(Step::Each)),
            "sort_by" | "unique_by" | "group_by" | "min_by" | "max_by" | "INDEX" => {
                self.by_key(name, f, input)
            }
            "nth" => {
                self.term(f, input);
                self.element(input)
            }
            "flatten" => {
                self.element(input);
                self.unknown([f], input)
            }
            "first" | "last" => self.term(f, input),
            "isempty" | "add" => self.unknown([f], input),
            "any" | "all" => {
                let element = self.each(input);
                self.unknown([f], &element)
            }
            "with_entries" => {
                self.of_record(input);
                self.unknown([f], &entry())
            }
            "has" => {
                if !matches!(f, Term::Num(_)) {
                    self.of_record(input);
                }
                self.unknown([f], input)
            }
            "del" => {
                self.quietly(f, input);
                input.clone()
            }
            "path" | "paths" | "pick" => {
                self.quietly(f, input);
                Shape::Unknown
            }
            _ => {
                self.tested(name, f, input);
                self.values(name, std::slice::from_ref(f), input)
            }
        }
    }

    fn select(&mut self, f: &Term<&'f str>, input: &Shape) -> Shape {
        self.of_record(input);
        let before = self.reading.comparisons.len();
        self.condition(f, input);
        if let [only] = &self.reading.comparisons[before..] {
            self.selected.extend(only.equal_text());
        }
        if let (Shape::At(path), true) = (input, is_of_several(f)) {
            let of_elements = self.reading.comparisons[before..].iter_mut();
            of_elements.for_each(|one| one.selects_each = one.is_of_elements(path));
        }
        input.clone()
    }

    /// Returns the value of a function that compares elements by a key.
    fn by_key(&mut self, name: &str, f: &Term<&'f str>, input: &Shape) -> Shape {
        let element = self.element(input);
        let key = self.term(f, &element);
        if matches!(name, "sort_by" | "min_by" | "max_by") {
            self.order(name, &key);
        }
        match name {
            "group_by" => element.list().list(),
            "sort_by" | "unique_by" => element.list(),
            "INDEX" => Shape::Unknown,
            _ => element,
        }
    }

    /// Notes what a function tests its input for.
    fn tested(&mut self, name: &str, f: &Term<&'f str>, input: &Shape) {
        match name {
            "contains" => {
                self.contained(f, input);
                self.has_part(input, Has::Part, f);
            }
            "IN" => self.one_of(f, input),
            "startswith" => self.has_part(input, Has::Start, f),
            "endswith" => self.has_part(input, Has::End, f),
            "test" => self.matches(input, f, ""),
            _ => {}
        }
    }

    /// Reads the arguments of a function whose result is unknown.
    fn values(&mut self, name: &str, arguments: &[Term<&'f str>], input: &Shape) -> Shape {
        let of_input = OF_INPUT.split(' ').any(|known| known == name);
        self.unknown(arguments, if of_input { input } else { &Shape::Unknown })
    }

    /// Notes the texts that an array must contain.
    fn contained(&mut self, all: &Term<&'f str>, input: &Shape) {
        let (Shape::At(path), Term::Arr(Some(items))) = (input, all) else { return };
        if let Term::Str(None, parts) = &**items
            && let Some(text) = constant(parts)
            && self.reading.contained.len() < MAX_FIELDS
        {
            self.reading.contained.push(Contained::new(path.clone(), text));
        }
    }

    /// Notes the constants that a value is compared with: `IN("a", "b")`.
    fn one_of(&mut self, constants: &Term<&str>, input: &Shape) {
        if let Term::BinOp(left, BinaryOp::Comma, right) = constants {
            self.one_of(left, input);
            self.one_of(right, input);
        } else {
            self.compare(input.clone(), comparand(constants), How::Equal);
        }
    }

    /// Notes that the input is used as an object.
    fn of_record(&mut self, input: &Shape) -> Shape {
        self.reading.input.reads_field |= self.is_record(input);
        Shape::Unknown
    }
}

/// Returns an element of `to_entries`.
fn entry() -> Shape {
    let members = ["key", "value"].map(|name| (Rc::from(name), Shape::Unknown));
    Shape::Object(Rc::new(members.to_vec()))
}
