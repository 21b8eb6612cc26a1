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
    pub(super) found: &'static str,
    pub(super) read: &'static str,
    pub(super) written: &'static str,
    pub(super) edited: &'static str,
    pub(super) created: &'static str,
    pub(super) deleted: &'static str,
    pub(super) run: &'static str,
    pub(super) opened: &'static str,
}

impl Labels {
    pub(super) fn of(language: Language) -> Labels {
        match language {
            Language::Chinese => CHINESE,
            _ => ENGLISH,
        }
    }
}

/// Beginnings of the label of the latest request, in every language.
pub(super) const LATEST: [&str; 2] = [ENGLISH.latest_request, CHINESE.latest_request];

/// The same of what was said last.
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
    found: "found",
    read: "read",
    written: "written",
    edited: "edited",
    created: "created",
    deleted: "deleted",
    run: "run",
    opened: "opened",
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
    found: "已找到",
    read: "已读",
    written: "已写",
    edited: "已改",
    created: "已建",
    deleted: "已删",
    run: "已运行",
    opened: "已打开",
};
