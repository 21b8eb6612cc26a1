//! The shapes in which LangChain dumps a message: flat (`model_dump`), `type` and `data`
//! (`messages_to_dict`, `toDict`), and the constructor that its loader calls (`dumpd`, `toJSON`).
//! All hold the same fields.

use raw_json::{self as raw, Fields, quote};

use crate::dialect::BadMessage;
use crate::dialect::framework::stored_form;
use crate::dialect::members::{array, fields_of, object, string};
use crate::message::Role;

const ACCEPTED: &str = "a dumped LangChain message: an object with \"type\" and \"content\", with \
                        \"type\" and \"data\", or with \"lc\" and \"kwargs\"";

/// A shape, with the parts that another message of the same shape must repeat.
pub(super) enum Shape<'a> {
    /// `{"type", …}`. The key is `role` in the API's own messages, which LangChain also reads.
    Flat(&'static str),
    /// `{"type", "data": {…}}`.
    Data,
    /// `{"lc": 1, "type": "constructor", "id": […, class], "kwargs": {…}}`, with the literals of
    /// the path to the class.
    Constructor(Vec<&'a str>),
}

/// The content of a message, whatever its shape.
pub(super) struct UnwrappedMessage<'a> {
    pub(super) shape: Shape<'a>,
    /// The type or the class, as spelled.
    pub(super) kind: String,
    pub(super) fields: Fields<'a>,
}

/// Reads the shape of a message.
pub(super) fn read(message: &str) -> Result<UnwrappedMessage<'_>, BadMessage> {
    let bad = |found| BadMessage { found, accepted: ACCEPTED };
    let outer = fields_of(message, ACCEPTED)?;
    if let Some(bad) = stored_form(&outer) {
        return Err(bad);
    }
    let kind = string(&outer, "type");
    if let Some(fields) = constructed(&outer) {
        let mut path = array(&outer, "id");
        let class = path.pop().filter(|class| raw::is_string(class));
        let class = class.ok_or_else(|| bad("names no class in \"id\"".to_owned()))?;
        let kind = raw::unescape(class).text.into_owned();
        return Ok(UnwrappedMessage { shape: Shape::Constructor(path), kind, fields });
    }
    match (kind, string(&outer, "role"), object(&outer, "data")) {
        (Some(kind), _, Some(fields)) => Ok(UnwrappedMessage { shape: Shape::Data, kind, fields }),
        (Some(kind), _, None) => {
            Ok(UnwrappedMessage { shape: Shape::Flat("type"), kind, fields: outer })
        }
        (None, Some(kind), _) => {
            Ok(UnwrappedMessage { shape: Shape::Flat("role"), kind, fields: outer })
        }
        (None, None, _) => Err(bad("has no type".to_owned())),
    }
}

/// Returns the fields of a message in the constructor shape.
fn constructed<'a>(outer: &Fields<'a>) -> Option<Fields<'a>> {
    raw::field(outer, "lc")?;
    object(outer, "kwargs")
}

/// Names the members that only a dump of LangChain has.
pub(super) fn evidence(fields: &Fields<'_>) -> Option<String> {
    if raw::field(fields, "lc") == Some("1") && object(fields, "kwargs").is_some() {
        return Some("has \"lc\" and \"kwargs\"".to_owned());
    }
    let kind = string(fields, "type").filter(|kind| is_kind(kind))?;
    if object(fields, "data").is_some() {
        return Some(format!("is of type \"{kind}\" with data"));
    }
    // Some types are common words, but messages of other formats also have a role.
    let is_only = ["human", "ai", "chat"].contains(&kind.as_str());
    let is_alone = is_only || raw::field(fields, "role").is_none();
    let content = ["content", "content_blocks"].iter().any(|n| raw::field(fields, n).is_some());
    (content && is_alone).then(|| format!("is of type \"{kind}\""))
}

fn is_kind(kind: &str) -> bool {
    let kinds = ["human", "ai", "system", "tool", "function", "chat", "generic", "remove"];
    kinds.contains(&kind) || kind.ends_with("MessageChunk")
}

impl UnwrappedMessage<'_> {
    /// Returns the speaker: by the type, or by `role` if the type does not tell (`chat`).
    pub(super) fn role(&self) -> Role {
        let by_kind = role_of(&self.kind);
        let role = || string(&self.fields, "role").and_then(|role| role_of(&role));
        by_kind.or_else(role).unwrap_or(Role::Other)
    }

    /// Returns true for an instruction to remove a message, which is not a message to a model.
    pub(super) fn is_removal(&self) -> bool {
        ["remove", "RemoveMessage"].contains(&self.kind.as_str())
    }

    /// Returns true for the older kind of result, which names no call.
    pub(super) fn is_function(&self) -> bool {
        word(&self.kind) == "function"
    }
}

fn role_of(kind: &str) -> Option<Role> {
    match word(kind).as_str() {
        "human" | "user" => Some(Role::User),
        "ai" | "assistant" => Some(Role::Assistant),
        "system" | "developer" => Some(Role::System),
        "tool" | "function" => Some(Role::Tool),
        _ => None,
    }
}

/// Returns the bare type for a class, a chunk's type or a type.
fn word(kind: &str) -> String {
    let kind = kind.strip_suffix("Chunk").unwrap_or(kind);
    kind.strip_suffix("Message").unwrap_or(kind).to_ascii_lowercase()
}

impl Shape<'_> {
    /// Returns a message of this shape, with this type, class and members.
    pub(super) fn message(&self, kind: &str, class: &str, members: &str) -> String {
        match self {
            Shape::Flat(key) => format!("{{\"{key}\":\"{kind}\",{members}}}"),
            Shape::Data => format!("{{\"type\":\"{kind}\",\"data\":{{{members}}}}}"),
            Shape::Constructor(path) => {
                let class = quote(class);
                let id = path.iter().copied().chain([class.as_str()]).collect::<Vec<_>>().join(",");
                format!(
                    "{{\"lc\":1,\"type\":\"constructor\",\"id\":[{id}],\"kwargs\":{{{members}}}}}"
                )
            }
        }
    }
}
