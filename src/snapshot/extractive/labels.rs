//! The few words that the summariser adds to its extracts.

use crate::snapshot::text::language::Language;

/// Labels in one language.
pub(super) struct Labels {
    pub(super) latest_request: &'static str,
    pub(super) later: &'static str,
    pub(super) asked: &'static str,
    pub(super) stated: &'static str,
    pub(super) answered: &'static str,
    pub(super) exit: &'static str,
    pub(super) ok: &'static str,
    pub(super) failed: &'static str,
    pub(super) lines: &'static str,
    pub(super) no_result: &'static str,
    pub(super) whole_result: &'static str,
    pub(super) open: &'static str,
    pub(super) plan: &'static str,
    pub(super) last_said: &'static str,
    /// Labels of operations on files, indexed by [`FileOp`](super::file_op::FileOp).
    pub(super) ops: [&'static str; 8],
}

impl Labels {
    pub(super) fn of(language: Language) -> Labels {
        match language {
            Language::Chinese => CHINESE,
            _ => ENGLISH,
        }
    }
}

/// Labels of all languages: an earlier summary may have those of another one.
pub(super) const LANGUAGES: [&Labels; 2] = [&ENGLISH, &CHINESE];

/// Labels of the latest request in all languages.
pub(super) const LATEST: [&str; 2] = [ENGLISH.latest_request, CHINESE.latest_request];

/// Labels of the last statement in all languages.
pub(super) const LAST_SAID: [&str; 2] = [ENGLISH.last_said, CHINESE.last_said];

const ENGLISH: Labels = Labels {
    latest_request: "Latest request:",
    later: "Later:",
    asked: "Asked:",
    stated: "Said:",
    answered: "Answer:",
    exit: "exit",
    ok: "ok",
    failed: "failed",
    lines: "lines",
    no_result: "no result yet",
    whole_result: "whole result:",
    open: "Open:",
    plan: "Plan:",
    last_said: "Last said:",
    ops: ["found", "opened", "run", "read", "edited", "written", "created", "deleted"],
};

const CHINESE: Labels = Labels {
    latest_request: "最新请求：",
    later: "后来：",
    asked: "提问：",
    stated: "说明：",
    answered: "回答：",
    exit: "退出码",
    ok: "成功",
    failed: "失败",
    lines: "行",
    no_result: "尚无结果",
    whole_result: "完整结果：",
    open: "未解决：",
    plan: "计划：",
    last_said: "最后说明：",
    ops: ["已找到", "已打开", "已运行", "已读", "已改", "已写", "已建", "已删"],
};
