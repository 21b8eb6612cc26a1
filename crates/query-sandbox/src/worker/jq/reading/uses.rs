//! The uses of values that a note may be about: as conditions, in comparisons, orders and means.

use jaq_core::{
    load::parse::{BinaryOp, Term},
    ops::Cmp,
};

use super::{
    comparison::{Comparison, How},
    constants::{Constant, comparand},
    ordered::{Ordered, Use},
    part::{Has, PartOf},
    reader::{MAX_FIELDS, Reader},
    shape::{Shape, Step},
    trail::Trail,
};

impl<'f> Reader<'f> {
    /// Notes that a value is a condition.
    pub(super) fn truth(&mut self, shape: Shape) {
        self.compare(shape, Some(Constant::Truth), How::Other);
    }

    /// Notes that a value is compared with a constant.
    pub(super) fn compare(&mut self, shape: Shape, with: Option<Constant>, how: How) {
        let compared = &mut self.reading.comparisons;
        if let (Shape::At(path), Some(with), true) = (shape, with, compared.len() < MAX_FIELDS) {
            compared.push(Comparison::new(path, with, how));
        }
    }

    /// Reads a comparison of two values.
    pub(super) fn comparison(
        &mut self,
        left: &Term<&'f str>,
        op: Cmp,
        right: &Term<&'f str>,
        input: &Shape,
    ) -> Shape {
        if [left, right].iter().any(|side| matches!(side, Term::Call("type", _))) {
            self.without_null(input.clone());
        }
        let (shape, other) = (self.term(left, input), self.term(right, input));
        let (how, turned) = match op {
            Cmp::Eq => (How::Equal, How::Equal),
            Cmp::Lt => (How::Less, How::Above),
            Cmp::Le => (How::AtMost, How::Other),
            Cmp::Gt => (How::Above, How::Less),
            Cmp::Ge => (How::Other, How::AtMost),
            Cmp::Ne => (How::Unequal, How::Unequal),
        };
        let field = |shape: &Shape, how| {
            let is_less = matches!(how, How::Less | How::AtMost);
            (is_less && matches!(shape, Shape::At(_))).then_some(Constant::Field)
        };
        let (left, right) = (
            comparand(right).or_else(|| field(&other, how)),
            comparand(left).or_else(|| field(&shape, turned)),
        );
        self.compare(shape, left, how);
        self.compare(other, right, turned);
        Shape::Unknown
    }

    /// `left // right`: fields may be absent on the left if other fields stand in for them.
    pub(super) fn alternative(
        &mut self,
        left: &Term<&'f str>,
        right: &Term<&'f str>,
        input: &Shape,
    ) -> Shape {
        let (paths, unmade) = (self.reading.paths.len(), self.reading.unmade.len());
        let shape = self.term(left, input);
        let (last_path, last_unmade) = (self.reading.paths.len(), self.reading.unmade.len());
        let reads = self.reads;
        let other = self.term(right, input);
        if self.reads > reads {
            self.reading.paths.drain(paths..last_path);
            self.reading.unmade.drain(unmade..last_unmade);
        }
        match right {
            Term::Call("empty", _) => self.without_null(shape.clone()),
            Term::Call("false" | "null", _) => {}
            _ if comparand(right).is_some() => {
                self.compare(shape.clone(), Some(Constant::Fallback), How::Other);
            }
            _ => {}
        }
        match shape {
            Shape::At(path) if comparand(right).is_some() => Shape::Filled(path),
            shape => shape.or(other),
        }
    }

    /// Notes that a text must have a part.
    pub(super) fn has_part(&mut self, shape: &Shape, has: Has, part: &Term<&'f str>) {
        let parts = &mut self.reading.parts;
        if let (Shape::At(path) | Shape::Filled(path), Some(Constant::Text(part)), true) =
            (shape, comparand(part), parts.len() < MAX_FIELDS)
        {
            parts.push(PartOf::new(path.clone(), has, part));
        }
    }

    /// Notes that a text must match an expression.
    pub(super) fn matches(&mut self, shape: &Shape, expression: &Term<&'f str>, flags: &str) {
        if let Some(Constant::Text(text)) = comparand(expression)
            && let Some(has) = Has::matching(&text, flags)
        {
            self.has_part(shape, has, expression);
        }
    }

    /// Notes that nulls are left out.
    pub(super) fn without_null(&mut self, shape: Shape) {
        self.compare(shape, Some(Constant::Null), How::Other);
    }

    /// Notes that values are put into an order.
    pub(super) fn order(&mut self, name: &str, shape: &Shape) {
        let ordered = &mut self.reading.ordered;
        if let (Shape::At(path), true) = (shape, ordered.len() < MAX_FIELDS) {
            let used = if name.starts_with("min") { Use::Least } else { Use::Sorted };
            ordered.push(Ordered::new(Trail::new(path.clone()), used));
        }
    }

    /// Notes that the first ones of the last order are taken.
    pub(super) fn least_first(&mut self) {
        if let Some(last) = self.reading.ordered.last_mut() {
            last.takes_least();
        }
    }

    /// Notes that the mean of the elements of an array is taken.
    pub(super) fn average(&mut self, array: &Shape) {
        let ordered = &mut self.reading.ordered;
        if let (Shape::At(path), true) = (array.part(Step::Each), ordered.len() < MAX_FIELDS) {
            ordered.push(Ordered::new(Trail::new(path), Use::Averaged).of(&self.selected));
        }
    }

    /// Reads the term, and returns the array that it adds up; None for another term.
    pub(super) fn summed(&mut self, term: &Term<&'f str>, input: &Shape) -> Option<Shape> {
        let is_sum = |term: &Term<&str>| matches!(term, Term::Call("add", none) if none.is_empty());
        match term {
            Term::BinOp(array, BinaryOp::Pipe(None), sum) if is_sum(sum) => {
                Some(self.term(array, input))
            }
            sum if is_sum(sum) => {
                self.term(sum, input);
                Some(input.clone())
            }
            other => {
                self.term(other, input);
                None
            }
        }
    }
}
