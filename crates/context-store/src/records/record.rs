//! The record of a name: the name's content, the origin of its file, and its end. A record binds
//! its name to its content for good, also after the file is gone.

use std::borrow::Cow;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::origin::{Call, Origin, cut};
use super::timestamp;
use crate::folder::Version;
use crate::names::chat::Chat;
use crate::names::file_name::{FileName, has_own_ttl};

/// Maximum size of a record that is read, in bytes; this service's are smaller.
pub(crate) const RECORD_BYTES: usize = 8 * 1_024;

/// The folder of contents whose lifetime may be their own.
pub(crate) const OWN_LIFETIME: &str = "own-lifetime";

/// The reason why a file ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Its lease expired.
    Expired,
    /// Its chat was deleted.
    ChatDeleted,
}

/// The record of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// The content's hash; `None` if it is unknown, so that no content may get the name again.
    pub(crate) hash: Option<blake3::Hash>,
    /// The file's length, in bytes.
    pub(crate) bytes: u64,
    /// When the file was made; parsed records have whole seconds.
    pub(crate) created_at: SystemTime,
    /// The call and chat that made it.
    pub(crate) origin: Origin,
    /// When the file ended, and why; `None` while it lives.
    pub(crate) ended: Option<(SystemTime, End)>,
    /// The number of lives of the file that are over for good; always 0 if files are deleted under
    /// a lock.
    pub(crate) life: u32,
    /// The day on which the name was first assigned, by the clock of the object store; `None` in a
    /// local folder. It stays the same in later lives.
    pub(crate) day: Option<u64>,
    /// The version from which the record was read.
    pub(crate) version: Version,
}

#[derive(Serialize, Deserialize)]
struct RecordJson<'a> {
    #[serde(borrow)]
    blake3: Option<Cow<'a, str>>,
    bytes: u64,
    #[serde(borrow)]
    created_at: Option<Cow<'a, str>>,
    created_unix: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u64>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    tool: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    call_id: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    arguments: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    chat: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<EndJson>,
    #[serde(default, skip_serializing_if = "is_first")]
    life: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    day: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_first(life: &u32) -> bool {
    *life == 0
}

#[derive(Serialize, Deserialize)]
struct EndJson {
    at: String,
    at_unix: u64,
    why: End,
}

impl Record {
    /// Returns the record of a file that is made now.
    pub(crate) fn new(hash: blake3::Hash, bytes: u64, origin: Origin) -> Record {
        let hash = Some(hash);
        let (created_at, version) = (SystemTime::now(), Version::default());
        Record { hash, bytes, created_at, origin, ended: None, life: 0, day: None, version }
    }

    /// Returns the record of a name whose content is unknown: it is never assigned again.
    pub(crate) fn unknown(ended: (SystemTime, End)) -> Record {
        let origin = Origin::default();
        let (created_at, version, ended) = (ended.0, Version::default(), Some(ended));
        Record { hash: None, bytes: 0, created_at, origin, ended, life: 0, day: None, version }
    }

    /// Returns the path of the content of `name` in this life: the name itself in a local folder.
    /// In an object store, the path begins with the day, so that a sweep lists only days whose
    /// files may have expired, or with [`OWN_LIFETIME`] if the day does not determine the expiry.
    /// It ends with the life, unless that is the first: a writer or a deleter that stalls in one
    /// life cannot affect the next.
    pub(crate) fn file(&self, name: &FileName) -> String {
        let file = match self.life {
            0 => name.to_string(),
            life => format!("{name}!{life}"),
        };
        match self.day {
            None => file,
            Some(_) if has_own_ttl(name) => format!("{OWN_LIFETIME}/{file}"),
            Some(day) => format!("{day}/{file}"),
        }
    }

    /// Parses the result of [`Record::file`]: the name and the life.
    pub(crate) fn parse_file(path: &str) -> Option<(FileName, u32)> {
        let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
        match file.split_once('!') {
            None => Some((FileName::parse(file)?, 0)),
            Some((name, life)) => Some((FileName::parse(name)?, life.parse().ok()?)),
        }
    }

    /// Returns the record after the end of its file. The origin is dropped if the chat was
    /// deleted.
    pub(crate) fn ended(&self, at: SystemTime, why: End) -> Record {
        let mut record = Record { ended: Some((at, why)), ..self.clone() };
        if why == End::ChatDeleted {
            record.origin = Origin::default();
        }
        record
    }

    /// Returns the record after this life: a process that holds its content must not keep it.
    pub(crate) fn over(&self) -> Record {
        Record { life: self.life.saturating_add(1), ..self.clone() }
    }

    /// Formats the record as one line of JSON.
    pub(crate) fn render(&self) -> Vec<u8> {
        self.render_as(None)
    }

    /// Like [`Record::render`], but different each time, so that every write is a separate version.
    pub(crate) fn render_version(&self) -> Vec<u8> {
        self.render_as(Some(ulid::Ulid::generate().to_string()))
    }

    fn render_as(&self, written: Option<String>) -> Vec<u8> {
        let part = |part: &'_ Option<String>| -> Option<Cow<'static, str>> {
            part.as_deref().map(|text| Cow::Owned(cut(text).to_owned()))
        };
        let seconds = timestamp::unix(self.created_at);
        let call = &self.origin.call;
        let end = |(at, why): (SystemTime, End)| {
            let at_unix = timestamp::unix(at);
            EndJson { at: timestamp::rfc3339_of(at_unix), at_unix, why }
        };
        let form = RecordJson {
            blake3: self.hash.map(|hash| Cow::Owned(hash.to_hex().to_string())),
            bytes: self.bytes,
            created_at: Some(Cow::Owned(timestamp::rfc3339_of(seconds))),
            created_unix: seconds,
            ttl_seconds: self.origin.ttl_seconds,
            tool: part(&call.tool),
            call_id: part(&call.call_id),
            arguments: part(&call.arguments),
            chat: self.origin.chat.map(|chat| Cow::Owned(chat.to_string())),
            ended: self.ended.map(end),
            life: self.life,
            day: self.day,
            written,
        };
        let mut out = serde_json::to_vec(&form).expect("strings and numbers always serialize");
        out.push(b'\n');
        out
    }

    /// Parses the form of [`Record::render`]; `None` for anything else.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Record> {
        let form: RecordJson<'_> = serde_json::from_slice(bytes).ok()?;
        let text = |part: Option<Cow<'_, str>>| part.map(Cow::into_owned);
        let hash = match form.blake3 {
            Some(hex) => Some(blake3::Hash::from_hex(hex.as_bytes()).ok()?),
            None => None,
        };
        let chat = match form.chat {
            Some(chat) => Some(Chat::parse(&chat)?),
            None => None,
        };
        let ended = match form.ended {
            Some(end) => Some((timestamp::from_unix(end.at_unix)?, end.why)),
            None => None,
        };
        let call = Call {
            tool: text(form.tool),
            call_id: text(form.call_id),
            arguments: text(form.arguments),
        };
        let origin = Origin { call, chat, ttl_seconds: form.ttl_seconds };
        let created_at = timestamp::from_unix(form.created_unix)?;
        let (bytes, life, day, version) = (form.bytes, form.life, form.day, Version::default());
        Some(Record { hash, bytes, created_at, origin, ended, life, day, version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    fn record(arguments: &str) -> Record {
        let text = |text: &str| Some(text.to_owned());
        Record {
            hash: Some(blake3::hash(b"x")),
            bytes: 1,
            created_at: UNIX_EPOCH + Duration::from_secs(1_700_000_000),
            origin: Origin {
                call: Call {
                    tool: text("a\n\"tool\""),
                    call_id: text("1"),
                    arguments: text(arguments),
                },
                chat: Some(Chat::of("a chat")),
                ttl_seconds: Some(5),
            },
            ended: None,
            life: 0,
            day: None,
            version: Version::default(),
        }
    }

    #[test]
    fn a_record_reads_back() {
        let alive = record("{\"q\":1}");
        let at = alive.created_at + Duration::from_secs(9);
        let expired = alive.ended(at, End::Expired);
        let deleted = alive.ended(at, End::ChatDeleted);
        let unknown = Record::unknown((at, End::Expired));
        let again = Record { life: 3, day: Some(20_000), ..alive.clone() };
        for record in [&alive, &expired, &deleted, &unknown, &again] {
            assert_eq!(Record::parse(&record.render()).as_ref(), Some(record));
        }
        assert_eq!(expired.origin, alive.origin);
        assert_eq!((deleted.origin, deleted.hash), (Origin::default(), alive.hash));
    }

    #[test]
    fn a_record_is_never_too_large_to_be_read() {
        let mut worst = record(&"\u{1}".repeat(100_000));
        worst.origin.call.tool = worst.origin.call.arguments.clone();
        worst.origin.call.call_id = worst.origin.call.arguments.clone();
        let bytes = worst.ended(worst.created_at, End::Expired).render();
        assert!(bytes.len() < RECORD_BYTES, "{}", bytes.len());
        assert!(Record::parse(&bytes).is_some());
    }

    #[test]
    fn a_content_is_kept_by_its_day_and_its_life() {
        let file = |name: &str, life, day| {
            let name = FileName::parse(name).unwrap();
            let file = Record { life, day, ..record("{}") }.file(&name);
            assert_eq!(Record::parse_file(&file), Some((name, life)), "{file}");
            file
        };
        let (call, text) = ("tool_call_1.txt", "tool_text_01ARZ3NDEKTSV4RRFFQ69G5FAV.txt");
        assert_eq!(file(call, 0, None), call);
        assert_eq!(file(call, 2, None), format!("{call}!2"));
        assert_eq!(file(call, 0, Some(20_000)), format!("20000/{call}"));
        assert_eq!(file(text, 1, Some(20_000)), format!("own-lifetime/{text}!1"));
    }

    #[test]
    fn torn_and_foreign_records_are_none() {
        let whole = record("{}").render();
        for end in 0..whole.len() - 1 {
            assert_eq!(Record::parse(&whole[..end]), None);
        }
        let text = String::from_utf8(whole).unwrap();
        for (is, becomes) in [("\"blake3\":\"", "\"blake3\":\"x"), ("\"chat\":\"", "\"chat\":\"x")]
        {
            assert_eq!(Record::parse(text.replace(is, becomes).as_bytes()), None);
        }
    }
}
