//! Follows the values through the terms of a filter.

use std::rc::Rc;

use jaq_core::{
    load::{
        lex::StrPart,
        parse::{BinaryOp, Pattern, Term},
    },
    ops::Math,
    path::{Part, Path},
};

use super::{
    constants::{always_or_never, constant, is_length, is_number},
    fields::Reading,
    first::{begins, sorts, takes_first},
    shape::{Shape, Step},
    trail::Trail,
};

/// The most fields that are listed.
pub(super) const MAX_FIELDS: usize = 64;

/// Returns the reading of a term that runs on the array of all records, or on each record.
pub(super) fn read(term: &Term<&str>, slurp: bool) -> Reading {
    let input = Shape::At(if slurp { Vec::new() } else { vec![Step::Each] });
    let mut reader = Reader { slurp, ..Reader::default() };
    reader.term(term, &input);
    reader.reading
}

/// Follows the values through the terms of a filter.
#[derive(Default)]
pub(super) struct Reader<'f> {
    pub(super) reading: Reading,
    slurp: bool,
    /// The variables in scope, the last one first found.
    vars: Vec<(&'f str, Shape)>,
    /// The functions in scope that the filter defines, with their number of arguments.
    pub(super) defined: Vec<(&'f str, usize)>,
    /// The values that a `select` before a term compared with texts: other records do not reach it.
    pub(super) selected: Vec<(Trail, String)>,
    /// Above 0, absent fields are no mistake: they are assigned, or only named.
    quiet: usize,
    /// The number of fields read.
    pub(super) reads: usize,
}

impl<'f> Reader<'f> {
    /// Returns the value of a term for `input`. The recursion is bounded by the length of the
    /// filter.
    pub(super) fn term(&mut self, term: &Term<&'f str>, input: &Shape) -> Shape {
        match term {
            Term::Id => input.clone(),
            Term::Recurse | Term::Num(_) => Shape::Unknown,
            Term::Break(_) | Term::Arr(None) => Shape::Nothing,
            Term::Str(_, parts) => self.text(parts, input),
            Term::Arr(Some(term)) => self.term(term, input).list(),
            Term::Obj(members) => self.object(members, input),
            Term::Neg(term) => self.unknown([&**term], input),
            Term::BinOp(left, op, right) => self.operation(left, op, right, input),
            Term::Label(_, term) => self.term(term, input),
            Term::Fold(_, source, pattern, rest) => {
                let scope = self.vars.len();
                let source = self.term(source, input);
                self.bind(pattern, &source);
                self.unknown(rest.first(), input);
                self.unknown(rest.iter().skip(1), &Shape::Unknown);
                self.vars.truncate(scope);
                Shape::Unknown
            }
            Term::TryCatch(term, catch) => {
                self.unknown(catch.as_deref(), &Shape::Unknown);
                self.term(term, input)
            }
            Term::IfThenElse(branches, otherwise) => self.branches(branches, otherwise, input),
            Term::Def(defs, term) => {
                let scope = self.defined.len();
                self.defined.extend(defs.iter().map(|def| (def.name, def.args.len())));
                let shape = self.term(term, input);
                self.defined.truncate(scope);
                shape
            }
            Term::Call(name, arguments) => self.call(name, arguments, input),
            Term::Var(name) => {
                let bound = self.vars.iter().rev().find(|(bound, _)| bound == name);
                bound.map_or(Shape::Unknown, |(_, shape)| shape.clone())
            }
            Term::Path(term, path) => self.path(term, path, input),
        }
    }

    /// Reads terms of which only the input is known.
    pub(super) fn unknown<'t>(
        &mut self,
        terms: impl IntoIterator<Item = &'t Term<&'f str>>,
        input: &Shape,
    ) -> Shape
    where
        'f: 't,
    {
        for term in terms {
            self.apart(term, input);
        }
        Shape::Unknown
    }

    /// Reads a term that other terms do not follow in a pipe.
    fn apart(&mut self, term: &Term<&'f str>, input: &Shape) -> Shape {
        let selected = self.selected.len();
        let shape = self.term(term, input);
        self.selected.truncate(selected);
        shape
    }

    /// Reads a term whose absent fields are no mistake.
    pub(super) fn quietly(&mut self, term: &Term<&'f str>, input: &Shape) -> Shape {
        self.quiet += 1;
        let shape = self.term(term, input);
        self.quiet -= 1;
        shape
    }

    /// Reads a condition on `input`.
    pub(super) fn condition(&mut self, term: &Term<&'f str>, input: &Shape) {
        let before = self.reading.input.may_be_array;
        let shape = self.term(term, input);
        self.truth(shape);
        self.reading.input.may_be_array = before;
        let text = match term {
            Term::Str(None, parts) => constant(parts).map(|text| raw_json::quote(&text)),
            Term::Num(number) => Some((*number).to_owned()),
            _ => None,
        };
        self.reading.constant_conditions.extend(text.map(|text| {
            format!("{text} alone is a condition that always holds; `… == {text}` compares")
        }));
    }

    /// Returns true if `shape` is a record that is the input of the filter.
    pub(super) fn is_record(&self, shape: &Shape) -> bool {
        matches!(shape, Shape::At(path) if !self.slurp && path.as_slice() == [Step::Each])
    }

    /// Returns the elements of a value that may be any array or object.
    pub(super) fn each(&mut self, shape: &Shape) -> Shape {
        self.reading.input.may_be_array |= self.is_record(shape);
        shape.part(Step::Each)
    }

    /// Returns the elements of a value that must be an array.
    pub(super) fn element(&mut self, shape: &Shape) -> Shape {
        self.reading.input.needs_array |= self.is_record(shape);
        shape.part(Step::Each)
    }

    fn text(&mut self, parts: &[StrPart<&'f str, Term<&'f str>>], input: &Shape) -> Shape {
        if let Some(text) = constant(parts) {
            self.reading.made.push(text.into());
        }
        for part in parts {
            if let StrPart::Term(term) = part {
                self.term(term, input);
            }
        }
        Shape::Unknown
    }

    fn object(
        &mut self,
        members: &[(Term<&'f str>, Option<Term<&'f str>>)],
        input: &Shape,
    ) -> Shape {
        let mut made = Vec::new();
        for (key, value) in members {
            let name: Option<Rc<str>> = match key {
                Term::Var(name) => Some(name.trim_start_matches('$').into()),
                Term::Str(None, parts) => constant(parts).map(Into::into),
                _ => None,
            };
            let value = match (value, key, &name) {
                (Some(value), ..) => self.apart(value, input),
                (None, Term::Var(_), _) => self.term(key, input),
                (None, _, Some(name)) => self.field(input, name),
                _ => Shape::Unknown,
            };
            match name {
                Some(name) => {
                    self.reading.made.push(Rc::clone(&name));
                    made.push(Some((name, value)));
                }
                None => {
                    self.term(key, input);
                    made.push(None);
                }
            }
        }
        match made.into_iter().collect::<Option<Vec<_>>>() {
            Some(members) if members.is_empty() => Shape::Nothing,
            Some(members) => Shape::Object(Rc::new(members)),
            None => Shape::Unknown,
        }
    }

    fn operation(
        &mut self,
        left: &Term<&'f str>,
        op: &BinaryOp<&'f str>,
        right: &Term<&'f str>,
        input: &Shape,
    ) -> Shape {
        match op {
            BinaryOp::Pipe(None) => {
                let shape = self.term(left, input);
                if sorts(left) && takes_first(right) {
                    self.least_first();
                }
                self.term(right, &shape)
            }
            BinaryOp::Pipe(Some(pattern)) => {
                let scope = self.vars.len();
                let left = self.apart(left, input);
                self.bind(pattern, &left);
                let shape = self.term(right, input);
                self.vars.truncate(scope);
                shape
            }
            BinaryOp::Comma => {
                let left = self.apart(left, input);
                left.or(self.apart(right, input))
            }
            BinaryOp::Alt => self.alternative(left, right, input),
            BinaryOp::Or | BinaryOp::And => {
                self.reading.constant_conditions.extend(always_or_never(left, op, right));
                for term in [left, right] {
                    self.condition(term, input);
                }
                Shape::Unknown
            }
            BinaryOp::Math(Math::Div) if is_length(right) => {
                if let Some(summed) = self.summed(left, input) {
                    self.average(&summed);
                }
                self.unknown([right], input)
            }
            BinaryOp::Math(_) => self.unknown([left, right], input),
            BinaryOp::Cmp(op) => self.comparison(left, *op, right, input),
            BinaryOp::Assign => {
                self.quietly(left, input);
                self.unknown([right], input)
            }
            BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
                let left = self.quietly(left, input);
                let right_input = if matches!(op, BinaryOp::Update) { left } else { input.clone() };
                self.unknown([right], &right_input)
            }
        }
    }

    fn branches(
        &mut self,
        branches: &[(Term<&'f str>, Term<&'f str>)],
        otherwise: &Option<Box<Term<&'f str>>>,
        input: &Shape,
    ) -> Shape {
        let mut shape = Shape::Nothing;
        for (condition, then) in branches {
            self.condition(condition, input);
            shape = shape.or(self.term(then, input));
        }
        let otherwise = otherwise.as_deref();
        shape.or(otherwise.map_or_else(|| input.clone(), |term| self.term(term, input)))
    }

    fn path(&mut self, term: &Term<&'f str>, path: &Path<Term<&'f str>>, input: &Shape) -> Shape {
        let mut shape = self.term(term, input);
        if sorts(term) && begins(path) {
            self.least_first();
        }
        for (part, _) in &path.0 {
            shape = match part {
                Part::Range(None, None) => self.each(&shape),
                Part::Range(start, end) => {
                    self.unknown(start.iter().chain(end), input);
                    self.element(&shape).list()
                }
                Part::Index(Term::Str(None, parts)) if constant(parts).is_some() => {
                    self.field(&shape, &constant(parts).unwrap_or_default())
                }
                Part::Index(index) => {
                    self.term(index, input);
                    if is_number(index) || matches!(shape, Shape::List(_)) {
                        let element = self.element(&shape);
                        match (&shape, index) {
                            // One of the records is like any other.
                            (Shape::At(path), Term::Num(at)) if !path.is_empty() => {
                                at.parse().map_or(element, |at| shape.part(Step::Item(at)))
                            }
                            _ => element,
                        }
                    } else {
                        Shape::Unknown
                    }
                }
            };
        }
        shape
    }

    fn bind(&mut self, pattern: &Pattern<&'f str>, shape: &Shape) {
        match pattern {
            Pattern::Var(name) => self.vars.push((name, shape.clone())),
            Pattern::Arr(patterns) => {
                let element = self.element(shape);
                patterns.iter().for_each(|pattern| self.bind(pattern, &element));
            }
            Pattern::Obj(members) => {
                for (key, pattern) in members {
                    let value = match key {
                        Term::Str(None, parts) => {
                            constant(parts).map(|name| self.field(shape, &name))
                        }
                        _ => None,
                    };
                    self.bind(pattern, &value.unwrap_or(Shape::Unknown));
                }
            }
        }
    }

    /// Reads a field of a value.
    fn field(&mut self, shape: &Shape, name: &str) -> Shape {
        self.reads += 1;
        let input = &mut self.reading.input;
        match shape {
            Shape::At(path) if path.is_empty() => Shape::Unknown,
            Shape::At(path) => {
                match path.as_slice() {
                    [Step::Each] => input.reads_field |= !self.slurp,
                    [Step::Each, Step::Each | Step::Item(_)] => {
                        input.element_fields.push(name.into());
                    }
                    _ => {}
                }
                let value = shape.part(Step::Field(name.into()));
                if let Shape::At(path) = &value {
                    let known = &mut self.reading.paths;
                    if self.quiet == 0 && known.len() < MAX_FIELDS && !known.contains(path) {
                        known.push(path.clone());
                    }
                }
                value
            }
            Shape::Object(members) => {
                let member = members.iter().rev().find(|(known, _)| &**known == name);
                if member.is_none() && self.quiet == 0 && self.reading.unmade.len() < MAX_FIELDS {
                    let known: Vec<&str> = members.iter().map(|(name, _)| &**name).collect();
                    let known = known.join("`, `");
                    self.reading.unmade.push(format!(
                        "the objects that the filter makes have no field `{name}`; they have \
                         `{known}`"
                    ));
                }
                member.map_or(Shape::Nothing, |(_, shape)| shape.clone())
            }
            Shape::Nothing => Shape::Nothing,
            Shape::List(_) | Shape::Filled(_) | Shape::Unknown => {
                if self.quiet == 0 && self.reading.names.len() < MAX_FIELDS {
                    self.reading.names.push(name.into());
                }
                Shape::Unknown
            }
        }
    }
}
