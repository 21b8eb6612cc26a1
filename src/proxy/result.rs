//! The result of one call: large texts of it become files and descriptors, all
//! else stays as it is.

use std::ops::Range;

use chat_history::raw::{self, offset_in};
use chat_history::splice::{Edit, quote, splice};

use super::blocks::list;
use super::edit::changed;
use super::message::{member, text};
use super::same::repeats;
use crate::service::Service;

/// Longest arguments of a call that its file keeps, in bytes.
const QUERY: usize = 500;
/// Longest name of an operation, in characters.
const OPERATION: usize = 200;

/// A call of a tool of the upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments, JSON; None where they are long.
    pub arguments: Option<String>,
}

impl Call {
    /// A call with these arguments, JSON.
    pub fn new(tool: &str, arguments: Option<&str>) -> Call {
        let arguments = arguments.filter(|arguments| arguments.len() <= QUERY);
        Call { tool: tool.to_owned(), arguments: arguments.map(str::to_owned) }
    }

    fn operation(&self) -> String {
        let name: String = self.tool.chars().take(OPERATION).collect();
        if name.trim().is_empty() { "tool".to_owned() } else { name }
    }
}

/// What results are made into files with.
pub struct Materialiser<'a> {
    /// Writes the files.
    pub service: &'a Service,
    /// Above this a text leaves, in tokens.
    pub threshold: u64,
    /// The tools that guidance may name, JSON.
    pub reload_tools: &'a str,
}

/// A text of the result.
struct Part<'a> {
    /// Where its literal stands in `content`.
    span: Range<usize>,
    literal: &'a str,
}

impl Materialiser<'_> {
    /// The result with descriptors for what is large; None where nothing is. An
    /// error is the reason why something large could not be made a file.
    pub fn result(&self, result: &str, call: &Call) -> Result<Option<String>, String> {
        let structured = member(result, "structuredContent").filter(|value| *value != "null");
        let content = member(result, "content").unwrap_or("[]");
        if let Some(new) = self.in_one(result, content, structured, call)? {
            return Ok(Some(new));
        }
        let parts = parts(content);
        let mut edits = Vec::new();
        let mut instead = None;
        for part in &parts {
            let Some(descriptor) = self.descriptor(part.literal, call)? else { continue };
            if let Some(structured) = structured
                && instead.is_none()
                && repeats(structured, &raw::unescape(part.literal).text)
            {
                instead = Some(descriptor.clone());
            }
            edits.push(Edit { span: part.span.clone(), replacement: quote(&descriptor) });
        }
        if let Some(structured) = structured.filter(|_| instead.is_none()) {
            instead = self.of_structured(structured, &parts, call)?;
        }
        if edits.is_empty() && instead.is_none() {
            return Ok(None);
        }
        let new = changed(result, "content", |content| Some(splice(content, &edits)));
        let new = new.unwrap_or_else(|| result.to_owned());
        let Some(instead) = instead else { return Ok(Some(new)) };
        Ok(changed(&new, "structuredContent", |_| Some(instead)))
    }

    /// The result of a list whose items are a block each, and large together: one
    /// descriptor stands for all of them.
    fn in_one(
        &self,
        result: &str,
        content: &str,
        structured: Option<&str>,
        call: &Call,
    ) -> Result<Option<String>, String> {
        let Some(list) = list(content) else { return Ok(None) };
        let repeated = structured.map(|structured| repeats(structured, &list));
        // Structured content that says something else needs a file of its own.
        if repeated == Some(false) {
            return Ok(None);
        }
        let Some(descriptor) = self.descriptor(&quote(&list), call)? else { return Ok(None) };
        let block = format!(r#"[{{"type":"text","text":{}}}]"#, quote(&descriptor));
        let new = changed(result, "content", |_| Some(block));
        let instead = |new: String| match repeated {
            Some(_) => changed(&new, "structuredContent", |_| Some(descriptor)).unwrap_or(new),
            None => new,
        };
        Ok(new.map(instead))
    }

    /// What stands for structured content that is large and says something else
    /// than the texts. What a small text says too is small itself.
    fn of_structured(
        &self,
        structured: &str,
        parts: &[Part<'_>],
        call: &Call,
    ) -> Result<Option<String>, String> {
        let small = self.is_small(structured)
            || parts.iter().any(|part| repeats(structured, &raw::unescape(part.literal).text));
        if small { Ok(None) } else { self.descriptor(&quote(structured), call) }
    }

    /// No token is less than a byte.
    fn is_small(&self, literal: &str) -> bool {
        literal.len() as u64 <= self.threshold
    }

    /// The descriptor of the file that the text went to; None where it stays.
    fn descriptor(&self, literal: &str, call: &Call) -> Result<Option<String>, String> {
        // What has no UTF-8 form has no file.
        if self.is_small(literal) || !raw::unescape(literal).exact {
            return Ok(None);
        }
        let query = call.arguments.as_deref().map(|query| format!(r#","query":{}"#, quote(query)));
        let body = [
            r#"{"operation":"#,
            &quote(&call.operation()),
            r#","threshold_tokens":"#,
            &self.threshold.to_string(),
            r#","reload_tools":"#,
            self.reload_tools,
            query.as_deref().unwrap_or_default(),
            r#","content":"#,
            literal,
            "}",
        ]
        .concat();
        let answer = self.service.offload_result(body.as_bytes()).map_err(|f| f.to_string())?;
        if answer.metadata("file").is_some() {
            return Ok(Some(answer.answer().to_owned()));
        }
        // The warning that only a part of the text is in the answer.
        let cut = answer.metadata("report").is_some();
        if cut { Err(reason(answer.metadata("offload"))) } else { Ok(None) }
    }
}

fn reason(offload: Option<&str>) -> String {
    let why = offload.and_then(|offload| member(offload, "why")).and_then(text);
    why.map_or_else(|| "no file could be written".to_owned(), std::borrow::Cow::into_owned)
}

/// The texts of a result's content: text blocks, and resources that are texts.
fn parts(content: &str) -> Vec<Part<'_>> {
    let blocks = raw::elements(content).unwrap_or_default();
    blocks.into_iter().filter_map(|block| part(content, block)).collect()
}

fn part<'a>(content: &'a str, block: &'a str) -> Option<Part<'a>> {
    let kind = member(block, "type").and_then(text)?;
    let literal = match &*kind {
        "text" => member(block, "text")?,
        "resource" => member(member(block, "resource")?, "text")?,
        _ => return None,
    };
    let start = offset_in(content, literal);
    raw::is_string(literal).then(|| Part { span: start..start + literal.len(), literal })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    struct Folder {
        service: Service,
        _folder: tempfile::TempDir,
    }

    impl Folder {
        fn new() -> Folder {
            let folder = tempfile::tempdir().unwrap();
            let mut config = Config::default();
            config.store.roots = vec![folder.path().display().to_string()];
            Folder { service: Service::open(&config).unwrap(), _folder: folder }
        }

        fn result(&self, result: &str) -> Option<String> {
            let reload_tools = r#"["read_file","lro_extract"]"#;
            let materialiser =
                Materialiser { service: &self.service, threshold: 100, reload_tools };
            materialiser.result(result, &Call::new("list", Some("{}"))).unwrap()
        }
    }

    fn records() -> String {
        let all: Vec<String> = (0..200).map(|n| format!(r#"{{"id":{n},"x":1.10}}"#)).collect();
        format!("[{}]", all.join(","))
    }

    #[test]
    fn a_large_text_leaves_and_the_rest_stays() {
        let text = quote(&records());
        let image = r#"{"type":"image","data":"QUJD","mimeType":"image/png"}"#;
        let result = format!(
            r#"{{"a":1.10,"content":[{image},{{"type":"text","x":1,"text":{text},"annotations":{{}}}},{{"type":"text","text":"small"}}],"isError":false,"structuredContent":{{"result":{}}}}}"#,
            records()
        );
        let new = Folder::new().result(&result).unwrap();
        assert!(new.starts_with(&format!(r#"{{"a":1.10,"content":[{image},{{"type":"text","x":1,"text":"{{\"offloaded\":true"#)), "{new}");
        assert!(new.contains(r#","annotations":{}},{"type":"text","text":"small"}],"isError":false,"structuredContent":{"offloaded":true"#), "{new}");
        assert!(new.len() < result.len());
    }

    /// What a server of Python's makes of `list[dict]`.
    #[test]
    fn a_list_with_a_block_an_item_leaves_as_one() {
        let folder = Folder::new();
        let blocks: Vec<String> = (0..200)
            .map(|n| format!(r#"{{"type":"text","text":"{{\n  \"id\": {n},\n  \"x\": 1.10\n}}"}}"#))
            .collect();
        let content = blocks.join(",");
        let both = format!(
            r#"{{"content":[{content}],"structuredContent":{{"result":{}}},"isError":false}}"#,
            records()
        );
        let new = folder.result(&both).unwrap();
        let one = r#"{"content":[{"type":"text","text":"{\"offloaded\":true"#;
        assert!(new.starts_with(one), "{new}");
        assert!(new.contains(r#"\"count\":200"#), "{new}");
        assert!(new.contains(r#""}],"structuredContent":{"offloaded":true"#), "{new}");
        assert!(new.ends_with(r#","isError":false}"#));
        let alone = folder.result(&format!(r#"{{"content":[{content}]}}"#)).unwrap();
        assert!(alone.starts_with(one) && alone.ends_with(r#""}]}"#), "{alone}");
        let other = format!(r#"{{"content":[{content}],"structuredContent":{{"page":1}}}}"#);
        assert_eq!(folder.result(&other), None, "the data says something else");
    }

    #[test]
    fn large_structured_content_leaves_by_itself() {
        let result = format!(
            r#"{{"content":[{{"type":"text","text":"200 rows"}}],"structuredContent":{{"rows":{}}}}}"#,
            records()
        );
        let new = Folder::new().result(&result).unwrap();
        let kept = r#"{"content":[{"type":"text","text":"200 rows"}],"structuredContent":{"offloaded":true"#;
        assert!(new.starts_with(kept), "{new}");
    }

    #[test]
    fn what_is_small_or_no_text_stays() {
        let folder = Folder::new();
        let data = "QUJD".repeat(1_000);
        for stays in [
            r#"{"content":[{"type":"text","text":"small"}],"structuredContent":{"a":1}}"#
                .to_owned(),
            format!(
                r#"{{"content":[{{"type":"image","data":"{data}"}},{{"type":"resource","resource":{{"blob":"{data}"}}}}]}}"#
            ),
            format!(r#"{{"content":[{{"type":"text","text":"\ud800{data}"}}]}}"#),
            r#"{"task":{"taskId":"1"}}"#.to_owned(),
            "[1]".to_owned(),
        ] {
            assert_eq!(folder.result(&stays), None, "{stays}");
        }
    }

    #[test]
    fn a_resource_that_is_a_text_leaves() {
        let text = quote(&"a line of it\n".repeat(500));
        let result = format!(
            r#"{{"content":[{{"type":"resource","resource":{{"uri":"a:b","text":{text}}}}}]}}"#
        );
        let new = Folder::new().result(&result).unwrap();
        assert!(
            new.starts_with(r#"{"content":[{"type":"resource","resource":{"uri":"a:b","text":"{"#),
            "{new}"
        );
    }
}
