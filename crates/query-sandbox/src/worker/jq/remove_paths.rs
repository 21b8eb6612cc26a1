//! Removes paths from a value, and keeps the order of the rest.

use jaq_core::ValT as _;
use jaq_json::{Error, Num, Rc, Val};

/// Removes the values at `paths`, an array of paths, from `value`. A path without a value has
/// no effect.
///
/// # Errors
///
/// Fails if a path goes through a value of another type.
pub(super) fn remove_paths(value: Val, paths: &Val) -> Result<Val, Error> {
    let Val::Arr(paths) = paths else {
        return Err(Error::typ(paths.clone(), "an array of paths"));
    };
    let mut sorted: Vec<&Val> = paths.iter().collect();
    // The last path first, so that a removal does not move the values of other paths.
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    sorted.dedup();
    sorted.into_iter().try_fold(value, |value, path| match path {
        Val::Arr(path) => without(value, path),
        other => Err(Error::typ(other.clone(), "a path (array)")),
    })
}

/// Removes the value at one path. Loops instead of recursing, because a path may be long.
fn without(value: Val, path: &[Val]) -> Result<Val, Error> {
    let Some((last, above)) = path.split_last() else { return Ok(Val::Null) };
    let mut parents: Vec<(Val, &Val)> = Vec::new();
    let mut here = value;
    for step in above {
        let below = here.clone().index(step)?;
        if matches!(below, Val::Null) {
            return Ok(parents.into_iter().next().map_or(here, |(whole, _)| whole));
        }
        parents.push((here, step));
        here = below;
    }
    let mut here = remove(here, last)?;
    while let Some((parent, step)) = parents.pop() {
        here = replace(parent, step, here)?;
    }
    Ok(here)
}

fn remove(value: Val, key: &Val) -> Result<Val, Error> {
    match (value, key) {
        (Val::Null, _) => Ok(Val::Null),
        (Val::Obj(mut members), Val::TStr(_)) => {
            if members.contains_key(key) {
                Rc::make_mut(&mut members).shift_remove(key);
            }
            Ok(Val::Obj(members))
        }
        (Val::Arr(mut items), Val::Num(number)) => {
            if let Some(at) = position(number, items.len()) {
                Rc::make_mut(&mut items).remove(at);
            }
            Ok(Val::Arr(items))
        }
        (Val::Arr(items), Val::Obj(range)) => {
            let bound = |name: &'static str| range.get(&Val::utf8_str(name)).cloned();
            let (start, end) = (bound("start"), bound("end"));
            let cut = Val::Arr(items.clone()).range(start.as_ref()..end.as_ref())?;
            let Val::Arr(cut) = cut else { return Ok(Val::Arr(items)) };
            let before = Val::Arr(items.clone()).range(None..Some(&start.unwrap_or_default()))?;
            let first = match before {
                Val::Arr(before) if before.len() < items.len() || cut.is_empty() => before.len(),
                _ => 0,
            };
            let mut items = (*items).clone();
            items.drain(first..(first + cut.len()).min(items.len()));
            Ok(Val::Arr(Rc::new(items)))
        }
        (value, key) => Err(Error::index(value, key.clone())),
    }
}

fn replace(parent: Val, step: &Val, with: Val) -> Result<Val, Error> {
    match (parent, step) {
        (Val::Obj(mut members), Val::TStr(_)) => {
            Rc::make_mut(&mut members).insert(step.clone(), with);
            Ok(Val::Obj(members))
        }
        (Val::Arr(mut items), Val::Num(number)) => {
            if let Some(at) = position(number, items.len()) {
                Rc::make_mut(&mut items)[at] = with;
            }
            Ok(Val::Arr(items))
        }
        (parent, step) => Err(Error::index(parent, step.clone())),
    }
}

/// Returns the position of `number` in an array, counted from the end if it is negative.
fn position(number: &Num, length: usize) -> Option<usize> {
    let at = number.as_isize()?;
    let at = if at < 0 { length.checked_sub(at.unsigned_abs())? } else { at.unsigned_abs() };
    (at < length).then_some(at)
}
