//! `/lro_extract`: queries of a file of records.

mod named_files;

use std::cell::Cell;

use serde::Serialize;
use serde_json::value::RawValue;

use super::failure::Failure;
use super::state::Service;
use crate::envelope::Answer;
use crate::params::{Member, Params, checked};
use crate::reading::extract::answer::Extracted;
use crate::reading::extract::request::{ELSEWHERE, Extract, ExtractQuery, ExtractQueryError};
use crate::reading::extract::{Means, RecordFile, extract, extract_start};
use token_count::Tokenizer;

#[derive(Serialize)]
struct Group {
    value: Box<RawValue>,
    count: u64,
}

impl Service {
    /// `POST /lro_extract`.
    pub fn lro_extract(&self, body: &[u8]) -> Result<Answer, Failure> {
        let body = checked(body, Extract::FIELDS, ELSEWHERE)?;
        let params = Params::parse(&body)?;
        let path = String::read(&params, &Extract::file_path)?;
        let asked = ExtractQuery::read(&params).map_err(|error| match error {
            ExtractQueryError::Param(error) => Failure::Param(error),
            ExtractQueryError::Query(error) => Failure::Extract(error.into()),
        })?;
        let max_tokens = self.reload.ceiling(Option::read(&params, &Extract::max_tokens)?);
        let at = self.readable("file_path", &path)?;
        let statement = match &asked {
            ExtractQuery::Sql(statement) => statement.sql.as_ref(),
            _ => "",
        };
        let (names, further) = self.named_files(&at, statement)?;
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        let is_sql = matches!(asked, ExtractQuery::Sql(_));
        // A worker starts while a local file is read. It must not wait for one on the network.
        let starts = is_sql && self.roots.objects().is_none();
        let started = Cell::new(starts.then(|| self.workers.start()).flatten());
        let (workers, limits) = (self.workers.as_ref(), &self.extract);
        let means = Means { workers, limits, count: &count, started };
        let is_page = matches!(&asked, ExtractQuery::Query(query) if query.is_page());
        let from_start = |start: &str| extract_start(start, &asked, max_tokens, &means);
        let from_start = is_page.then_some(&from_start as _);
        let bytes = self.extract.file_bytes;
        let done = self.with_start("file_path", &at, bytes, from_start, |content| {
            let file = RecordFile { content, path: at.spelled(), names: names.clone() };
            self.with_further(&further, &[file], &mut |files| {
                Ok(extract(files, &asked, max_tokens, &means)?)
            })
        })?;
        Ok(answer(done))
    }
}

fn answer(done: Extracted) -> Answer {
    let mut answer = Answer::text(done.answer);
    answer.put("count", &done.count);
    answer.put("records_total", &done.records_total);
    if let Some(records) = &done.records {
        answer.put_json("records", format!("[{}]", records.join(",")));
    }
    if let Some(groups) = done.groups {
        let group = |group: record_files::query::Group| {
            let value = RawValue::from_string(group.value).ok()?;
            Some(Group { value, count: group.count })
        };
        answer.put("groups", &groups.into_iter().filter_map(group).collect::<Vec<_>>());
    }
    if let Some(columns) = &done.columns {
        answer.put("columns", columns);
    }
    if let Some(rows) = &done.rows {
        answer.put_json("rows", format!("[{}]", rows.join(",")));
    }
    let ids = [("present", &done.present), ("absent", &done.absent), ("excluded", &done.excluded)];
    for (name, ids) in ids {
        if let Some(ids) = ids {
            answer.put_json(name, format!("[{}]", ids.join(",")));
        }
    }
    answer.put("truncated", &done.truncated);
    answer.put("next_offset", &done.next_offset);
    answer.put("complete", &done.complete);
    if !done.notes.is_empty() {
        answer.put("notes", &done.notes);
    }
    answer
}
