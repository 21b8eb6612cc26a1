//! Any object with a member set, changed or taken out, and any result of a tool with
//! its large texts made files: every other member keeps its bytes and its place.

use std::borrow::Cow;

use arbitrary::{Result, Unstructured};
use raw_json::{elements, field, fields};
use unburden::fuzz::{proxy_edit, proxy_result};

use super::place::Place;

const NAMES: [&str; 6] = ["a", "x", "content", "params", "", "outputSchema"];
const VALUES: [&str; 4] = ["1", "{\"x\":1.10}", "\"\\u0061\"", "[]"];

/// What a large result may change.
const LARGE: [&str; 2] = ["content", "structuredContent"];

pub(crate) fn run(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let Ok((name, value, threshold)) = chosen(&mut u) else { return };
    let Ok(object) = std::str::from_utf8(u.take_rest()) else { return };
    proxy_edit(object, name, value);
    materialises(object, threshold);
}

fn chosen(u: &mut Unstructured<'_>) -> Result<(&'static str, &'static str, u64)> {
    Ok((*u.choose(&NAMES)?, *u.choose(&VALUES)?, u.int_in_range(0..=120)?))
}

fn members(object: &str) -> Vec<(String, &str)> {
    let members = fields(object).expect("an object stays one");
    members.into_iter().map(|(name, raw)| (Cow::into_owned(name), raw)).collect()
}

fn materialises(result: &str, threshold: u64) {
    let place = Place::with(|config, _| {
        config.prompt.offload.output_dir = "/workspace/large".to_owned();
    });
    let made = proxy_result(&place.service, result, threshold);
    let Some(new) = made else { return };
    let other = |object| -> Vec<_> {
        members(object).into_iter().filter(|(name, _)| !LARGE.contains(&name.as_str())).collect()
    };
    assert_eq!(other(result), other(&new), "another member changed");
    let content =
        |object: &str| field(&fields(object).expect("an object"), "content").map(str::to_owned);
    let (Some(was), Some(is)) = (content(result), content(&new)) else { return };
    let (was, is) = (elements(&was).unwrap_or_default(), elements(&is).unwrap_or_default());
    let in_one = was.len() > 1 && is.len() == 1;
    assert!(in_one || was.len() == is.len(), "{} blocks became {}", was.len(), is.len());
    for (was, is) in was.iter().zip(&is).filter(|(was, is)| was != is && !in_one) {
        let other = |block| -> Vec<_> {
            let texts = ["text", "resource"];
            members(block).into_iter().filter(|(name, _)| !texts.contains(&name.as_str())).collect()
        };
        assert_eq!(other(was), other(is), "another member of a block changed");
    }
}
