//! The parts of jq that are not supported: they show or change the process, depend on the clock
//! or the machine, or read other input than the records.

/// Returns why `name`, a function or a variable with `$`, is not supported; None if it is.
pub(super) fn reason(name: &str) -> Option<&'static str> {
    Some(match name {
        "env" | "$ENV" => "the environment is not visible to a filter",
        "halt" | "halt_error" => "a filter cannot stop the worker; use `empty` or `error`",
        "input" | "inputs" => "records come one by one as `.`; with `slurp: true`, `.[]` are all",
        "input_filename" | "input_line_number" => "the filter sees records, not a file",
        "debug" | "stderr" | "debug_empty" | "stderr_empty" => "a filter has one output",
        "now" => "answers do not depend on the clock; compare with a date as text or number",
        "localtime" | "strflocaltime" => "there is no local time; use `gmtime` or `strftime`",
        "tobytes" => "there are no byte strings",
        "get_search_list" | "modulemeta" | "$__prog_args" | "$__loc__" => "there are no modules",
        "builtins" => "there is no list of functions",
        _ => return None,
    })
}
