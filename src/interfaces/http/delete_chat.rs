//! The request body that is equivalent to `DELETE /chats/{chat_id}`.

use std::collections::HashSet;

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use raw_json::quote;

use crate::params::{ParamError, invalid};

/// The parameters of the query.
const PARAMETERS: [&str; 2] = ["dry_run", "store_dir"];

/// Returns the body: the chat id of the path, and the members of the query.
pub(super) fn request(
    chat: Result<Path<String>, PathRejection>,
    query: Option<&str>,
) -> Result<String, ParamError> {
    let Ok(Path(chat)) = chat else {
        return Err(invalid("chat_id", "an escape that is not UTF-8", "the id of a chat"));
    };
    let mut members = vec![format!("\"chat_id\":{}", quote(&chat))];
    let mut seen = HashSet::new();
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        if !seen.insert(name.clone()) {
            return Err(invalid("query", &format!("{name} twice"), "each parameter once"));
        }
        // The chat id of the path wins over the query.
        if name == "chat_id" {
            continue;
        }
        // A deletion is final: with a misspelled `dry_run` or `store_dir` it would delete too much.
        if !PARAMETERS.contains(&name.as_ref()) {
            let shown: String = name.chars().take(60).collect();
            let accepted = PARAMETERS.join(", ");
            return Err(invalid("query", &format!("the unknown parameter {shown:?}"), &accepted));
        }
        let flag = ["true", "false"].contains(&value.as_ref()) && name == "dry_run";
        let value = if flag { value.into_owned() } else { quote(&value) };
        members.push(format!("{}:{value}", quote(&name)));
    }
    Ok(format!("{{{}}}", members.join(",")))
}
