//! Offloading of a tool result: large texts move to files and are replaced by descriptors;
//! everything else stays unchanged.

use std::ops::Range;

use chat_history::splice::{Edit, splice};
use raw_json::{self as raw, offset_in, quote};

use super::blocks::{is_one_list, joined_items};
use super::json_eq::repeats;
use crate::interfaces::mcp::edit::{map_member, remove_member};
use crate::interfaces::mcp::message::{member, text};
use crate::service::Service;

/// Maximum length of a call's arguments that a file header keeps, in bytes.
const MAX_ARGUMENT_BYTES: usize = 500;
/// Maximum length of the name of an operation, in characters.
const MAX_OPERATION_CHARS: usize = 200;

/// A call of an upstream tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UpstreamCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments as JSON; `None` if they are longer than [`MAX_ARGUMENT_BYTES`].
    pub arguments: Option<String>,
}

impl UpstreamCall {
    /// Creates a call; `arguments` is JSON.
    pub(crate) fn new(tool: &str, arguments: Option<&str>) -> UpstreamCall {
        let arguments = arguments.filter(|arguments| arguments.len() <= MAX_ARGUMENT_BYTES);
        UpstreamCall { tool: tool.to_owned(), arguments: arguments.map(str::to_owned) }
    }

    fn operation(&self) -> String {
        let name: String = self.tool.chars().take(MAX_OPERATION_CHARS).collect();
        if name.trim().is_empty() { "tool".to_owned() } else { name }
    }
}

/// Offloads the texts of results.
pub(crate) struct ResultOffloader<'a> {
    /// The service that writes the files.
    pub service: &'a Service,
    /// Size in tokens above which a text is offloaded.
    pub threshold: u64,
    /// The tools that guidance may name, as JSON.
    pub reload_tools: &'a str,
}

/// A text that moved to a file.
struct Moved {
    /// The text that the model sees instead.
    shown: String,
    /// The descriptor of the file, JSON.
    descriptor: String,
}

/// A text in a result.
struct TextPart<'a> {
    /// Span of its JSON string in `content`.
    span: Range<usize>,
    literal: &'a str,
}

impl ResultOffloader<'_> {
    /// Replaces large texts by descriptors. Returns `None` if there are none.
    ///
    /// # Errors
    ///
    /// Returns the reason if a large text cannot be written to a file.
    pub(crate) fn result(
        &self,
        result: &str,
        call: &UpstreamCall,
    ) -> Result<Option<String>, String> {
        let structured = member(result, "structuredContent").filter(|value| *value != "null");
        let content = member(result, "content").unwrap_or("[]");
        if let Some(new) = self.offload_block_list(result, content, structured, call)? {
            return Ok(Some(new));
        }
        let parts = text_parts(content);
        let mut edits = Vec::new();
        let mut structured_descriptor = None;
        for part in &parts {
            let Some(moved) = self.moved(part.literal, call)? else { continue };
            edits.push(Edit { span: part.span.clone(), replacement: quote(&moved.shown) });
            if let Some(structured) = structured
                && structured_descriptor.is_none()
                && repeats(structured, &raw::unescape(part.literal).text)
            {
                structured_descriptor = Some(moved.descriptor);
            }
        }
        if let Some(structured) = structured.filter(|_| structured_descriptor.is_none()) {
            structured_descriptor = self.offload_structured(structured, &parts, call)?;
        }
        if edits.is_empty() && structured_descriptor.is_none() {
            return Ok(None);
        }
        let new = map_member(result, "content", |content| Some(splice(content, &edits)));
        let new = new.unwrap_or_else(|| result.to_owned());
        Ok(Some(match structured_descriptor {
            Some(descriptor) => with_structured(new, descriptor),
            None => new,
        }))
    }

    /// Offloads a list with one block per item, if it is large as a whole: one descriptor replaces
    /// all blocks.
    fn offload_block_list(
        &self,
        result: &str,
        content: &str,
        structured: Option<&str>,
        call: &UpstreamCall,
    ) -> Result<Option<String>, String> {
        let is_small = |item: &str| self.is_small(item);
        let list =
            joined_items(content).filter(|list| !is_small(list) && is_one_list(list, is_small));
        let Some(list) = list else { return Ok(None) };
        let repeated = structured.map(|structured| repeats(structured, &list));
        // Structured content with other data needs a file of its own.
        if repeated == Some(false) {
            return Ok(None);
        }
        let Some(moved) = self.moved(&quote(&list), call)? else { return Ok(None) };
        let (descriptor, shown) = (moved.descriptor, quote(&moved.shown));
        let block = format!(r#"[{{"type":"text","text":{shown}}}]"#);
        let new = map_member(result, "content", |_| Some(block));
        Ok(match repeated {
            Some(_) => new.map(|new| with_structured(new, descriptor)),
            None => new,
        })
    }

    /// Offloads structured content that is large and not repeated in the texts. If a small text
    /// repeats it, it is small itself.
    fn offload_structured(
        &self,
        structured: &str,
        parts: &[TextPart<'_>],
        call: &UpstreamCall,
    ) -> Result<Option<String>, String> {
        let small = self.is_small(structured)
            || parts.iter().any(|part| repeats(structured, &raw::unescape(part.literal).text));
        let moved = if small { None } else { self.moved(&quote(structured), call)? };
        Ok(moved.map(|moved| moved.descriptor))
    }

    /// Returns true if the JSON string cannot exceed the threshold: a token has at least one
    /// byte.
    fn is_small(&self, literal: &str) -> bool {
        literal.len() as u64 <= self.threshold
    }

    /// Writes the text to a file. Returns `None` if the text stays.
    fn moved(&self, literal: &str, call: &UpstreamCall) -> Result<Option<Moved>, String> {
        // A lone surrogate has no UTF-8 form and cannot be stored.
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
            let descriptor = answer.metadata("offload").unwrap_or("{}").to_owned();
            return Ok(Some(Moved { shown: answer.answer().to_owned(), descriptor }));
        }
        // A report warns that the answer holds only a part of the text.
        let cut = answer.metadata("report").is_some();
        if cut { Err(failure_reason(answer.metadata("offload"))) } else { Ok(None) }
    }
}

/// Replaces the structured content of a result by a descriptor. Also removes FastMCP's flag that
/// the content is wrapped in a member `result`, because it describes the old content.
fn with_structured(result: String, descriptor: String) -> String {
    let new = map_member(&result, "structuredContent", |_| Some(descriptor)).unwrap_or(result);
    let unwrapped = map_member(&new, "_meta", |meta| {
        map_member(meta, "fastmcp", |fastmcp| remove_member(fastmcp, "wrap_result"))
    });
    unwrapped.unwrap_or(new)
}

fn failure_reason(offload: Option<&str>) -> String {
    let why = offload.and_then(|offload| member(offload, "why")).and_then(text);
    why.map_or_else(|| "no file could be written".to_owned(), std::borrow::Cow::into_owned)
}

/// Returns the texts of a result: text blocks and text resources.
fn text_parts(content: &str) -> Vec<TextPart<'_>> {
    let blocks = raw::elements(content).unwrap_or_default();
    blocks.into_iter().filter_map(|block| text_part(content, block)).collect()
}

fn text_part<'a>(content: &'a str, block: &'a str) -> Option<TextPart<'a>> {
    let kind = member(block, "type").and_then(text)?;
    let literal = match &*kind {
        "text" => member(block, "text")?,
        "resource" => member(member(block, "resource")?, "text")?,
        _ => return None,
    };
    let start = offset_in(content, literal);
    raw::is_string(literal).then(|| TextPart { span: start..start + literal.len(), literal })
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
            let offloader =
                ResultOffloader { service: &self.service, threshold: 100, reload_tools };
            offloader.result(result, &UpstreamCall::new("list", Some("{}"))).unwrap()
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

    /// Python servers return `list[dict]` in this form.
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

    /// FastMCP's client looks for a member `result` if this flag is set.
    #[test]
    fn the_flag_of_wrapped_content_goes_with_the_content() {
        let folder = Folder::new();
        let meta = r#""_meta":{"fastmcp":{"wrap_result":true,"x":1.10},"y":2}"#;
        let blocks: Vec<String> = (0..200)
            .map(|n| format!(r#"{{"type":"text","text":"{{\"id\":{n},\"x\":1.10}}"}}"#))
            .collect();
        for content in
            [blocks.join(","), format!(r#"{{"type":"text","text":{}}}"#, quote(&records()))]
        {
            let wrapped = format!(
                r#"{{{meta},"content":[{content}],"structuredContent":{{"result":{}}}}}"#,
                records()
            );
            let new = folder.result(&wrapped).unwrap();
            assert!(
                new.starts_with(r#"{"_meta":{"fastmcp":{"x":1.10},"y":2},"content":"#),
                "{new}"
            );
            assert!(new.contains(r#""structuredContent":{"offloaded":true"#), "{new}");
        }
        let large = quote(&"a line of it\n".repeat(500));
        let small = format!(
            r#"{{{meta},"content":[{{"type":"text","text":{large}}}],"structuredContent":{{"result":[1]}}}}"#
        );
        let new = folder.result(&small).unwrap();
        assert!(new.starts_with(&format!("{{{meta}")), "this content stays: {new}");
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
    fn arguments_are_kept_up_to_a_size() {
        let kept = |bytes| UpstreamCall::new("f", Some(&"1".repeat(bytes))).arguments;
        assert!(kept(MAX_ARGUMENT_BYTES).is_some() && kept(MAX_ARGUMENT_BYTES + 1).is_none());
    }

    #[test]
    fn a_resource_that_is_a_text_leaves() {
        let text = quote(&"a line of it\n".repeat(500));
        let result = format!(
            r#"{{"content":[{{"type":"resource","resource":{{"uri":"a:b","text":{text}}}}}]}}"#
        );
        let new = Folder::new().result(&result).unwrap();
        let start =
            r#"{"content":[{"type":"resource","resource":{"uri":"a:b","text":"a line of it"#;
        assert!(new.starts_with(start) && new.contains("(detailed result is stored in "), "{new}");
    }
}
