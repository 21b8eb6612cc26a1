//! A step of a path to a part of a value, as in jq: every part of null is null, an object has no
//! part at a number, and an update makes what is missing on its way.

use jaq_core::{
    Cv, Exn, Native, ValT as _, ValX, ValXs,
    box_iter::{BoxIter, box_once},
    native::{Fun, v},
    path::Opt,
};
use jaq_json::{Error, Map, Num, Rc, Val};

use super::data::Data;

/// The step to a part, which fails where a value has no such part.
pub(super) const AT: &str = "at_";

/// The step to a part, which leads nowhere where a value has no such part.
pub(super) const AT_IF_ANY: &str = "at_if_any_";

/// The most elements of an array that an assignment makes.
const MAX_ELEMENTS: usize = 1 << 22;

/// Returns the two steps. Their argument is a key, an index or the bounds of a slice.
pub(super) fn functions() -> [Fun<Data>; 2] {
    [(AT, v(1), step::<false>()), (AT_IF_ANY, v(1), step::<true>())]
}

fn step<const IF_ANY: bool>() -> Native<Data> {
    /// Returns the only result of a step, which an optional one does not have if it fails.
    fn once<'a, T: 'a>(part: Result<T, Error>, if_any: bool) -> BoxIter<'a, ValX<'a, T, Val>> {
        match part {
            Err(_) if if_any => Box::new(std::iter::empty()),
            part => box_once(part.map_err(Exn::from)),
        }
    }
    Native::new(|mut cv| {
        let key = cv.0.pop_var();
        once(part(cv.1, &key), IF_ANY)
    })
    .with_paths(|mut cv| {
        let key = cv.0.pop_var();
        let (value, path) = cv.1;
        once(part(value, &key).map(|part| (part, path.cons(key))), IF_ANY)
    })
    .with_update(|cv, f| update(cv, if IF_ANY { Opt::Optional } else { Opt::Essential }, f))
}

/// Returns the part of a value at `key`.
///
/// # Errors
///
/// Fails if values of this type have no parts at such keys.
fn part(value: Val, key: &Val) -> Result<Val, Error> {
    match (&value, key) {
        (Val::Null, Val::TStr(_) | Val::Num(_) | Val::Obj(_) | Val::Null) => Ok(Val::Null),
        (Val::Arr(_) | Val::TStr(_) | Val::Obj(_), Val::Obj(bounds)) => {
            let [start, end] = bounds_of(bounds);
            value.range(start..end)
        }
        (Val::Obj(_), Val::TStr(_)) | (Val::Arr(_), _) => value.index(key),
        (Val::Null | Val::Obj(_), _) => Err(Error::index(value, key.clone())),
        _ => value.index(key),
    }
}

/// Returns the bounds of a slice.
fn bounds_of(bounds: &Map) -> [Option<&Val>; 2] {
    ["start", "end"].map(|name| bounds.get(&Val::utf8_str(name)))
}

/// Replaces the part at a key by the first output of `f` for it; removes it if there is none.
fn update<'a>(
    mut cv: Cv<'a, Data>,
    opt: Opt,
    f: impl Fn(Val) -> ValXs<'a, Val> + 'a,
) -> ValXs<'a, Val> {
    let key = cv.0.pop_var();
    box_once(updated(cv.1, &key, opt, &f))
}

fn updated<'a>(
    value: Val,
    key: &Val,
    opt: Opt,
    f: &impl Fn(Val) -> ValXs<'a, Val>,
) -> ValX<'a, Val> {
    let first = |part: Val| f(part).next().transpose();
    match (value, key) {
        (Val::Null, Val::TStr(_)) => {
            let made = first(Val::Null)?;
            let object = |part| Val::obj([(key.clone(), part)].into_iter().collect());
            Ok(made.map_or(Val::Null, object))
        }
        (Val::Obj(mut members), Val::TStr(_)) => {
            let changed = Rc::make_mut(&mut members);
            let old = changed.get_mut(key).map(std::mem::take);
            match first(old.unwrap_or_default())? {
                Some(part) => _ = changed.insert(key.clone(), part),
                None => _ = changed.shift_remove(key),
            }
            Ok(Val::Obj(members))
        }
        (Val::Null, Val::Obj(_)) => match first(Val::Null)? {
            Some(part @ Val::Arr(_)) => Ok(part),
            Some(part) => {
                Err(Error::typ(part, "an array, which takes the place of a slice").into())
            }
            None => Ok(Val::Null),
        },
        (value @ Val::Null, Val::Num(index)) => {
            Ok(with_element(Vec::new(), index, first)?.map_or(value, array))
        }
        (Val::Arr(items), Val::Num(index)) if !has_element(items.len(), index) => {
            Ok(with_element((*items).clone(), index, first)?.map_or(Val::Arr(items), array))
        }
        (Val::Obj(members), key) => {
            opt.fail(Val::Obj(members), |object| Exn::from(Error::index(object, key.clone())))
        }
        (value, key) => value.map_index(key, opt, f),
    }
}

fn array(items: Vec<Val>) -> Val {
    Val::Arr(Rc::new(items))
}

fn has_element(length: usize, index: &Num) -> bool {
    index.as_isize().is_none_or(|index| match usize::try_from(index) {
        Ok(index) => index < length,
        Err(_) => index.unsigned_abs() <= length,
    })
}

/// Returns the array with an element after its last one; nulls fill the gap. None if `first`
/// has no output.
fn with_element<'a>(
    mut items: Vec<Val>,
    index: &Num,
    first: impl Fn(Val) -> Result<Option<Val>, Exn<'a, Val>>,
) -> Result<Option<Vec<Val>>, Exn<'a, Val>> {
    let Some(made) = first(Val::Null)? else { return Ok(None) };
    let index = index.as_isize().unwrap_or(isize::MAX);
    let Ok(index) = usize::try_from(index) else {
        return Err(Error::str(format_args!("out of bounds negative array index {index}")).into());
    };
    if index >= MAX_ELEMENTS {
        return Err(Error::str(format_args!(
            "array index {index} is too large; accepted are indices below {MAX_ELEMENTS}"
        ))
        .into());
    }
    items.resize(index + 1, Val::Null);
    items[index] = made;
    Ok(Some(items))
}
