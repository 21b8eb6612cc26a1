//! The settings of a request that have no effect because of its other settings.

use crate::pipeline::settings::{Mode, Settings};

/// Returns a warning for each setting without effect for which `is_given` returns true.
pub(crate) fn idle_settings(
    settings: &Settings,
    is_given: &dyn Fn(&'static str) -> bool,
) -> Vec<String> {
    let mode = settings.mode();
    let has_target = settings.target_tokens.is_some();
    let compact = "`context_manage_mode` \"compact\" makes no snapshots";
    let targeted = "`target_tokens` is met without delay";
    let idle = [
        ("max_loss", mode == Mode::Compact, compact),
        ("group_token_threshold", mode == Mode::Compact, compact),
        ("low_water_ratio", mode == Mode::Compact && !has_target, compact),
        ("compact_ratio_threshold", mode != Mode::Auto, "`context_manage_mode` is not \"auto\""),
        ("rewrite_when_saved_ratio", has_target, targeted),
        ("cache", has_target, targeted),
        (
            "cache",
            !has_target && settings.rewrite_when_saved_ratio == 0.0,
            "without `rewrite_when_saved_ratio` nothing is delayed",
        ),
        ("preview_char_length", is_given("preview_tokens"), "`preview_tokens` wins"),
        ("descriptor", !settings.materialize, "with `materialize` false no records move"),
    ];
    let idle = idle.into_iter().filter(|(name, is_idle, _)| *is_idle && is_given(name));
    idle.map(|(name, _, why)| format!("`{name}` has no effect: {why}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    fn warnings(given: &str) -> Vec<String> {
        let body = format!("{{\"store_dir\":\"/s\"{given}}}");
        let params = Params::parse(body.as_bytes()).unwrap();
        let settings = Settings::from_params(&params).unwrap();
        idle_settings(&settings, &|name| params.raw(name).is_some())
    }

    #[test]
    fn a_setting_without_effect_is_told() {
        let all = r#","context_manage_mode":"compact","max_loss":0.1,"group_token_threshold":9,
            "low_water_ratio":0.5,"compact_ratio_threshold":0.5,"cache":"cold",
            "preview_tokens":1,"preview_char_length":1,"materialize":false,"descriptor":"full""#;
        assert_eq!(warnings(all).len(), 7);
        let targeted = r#","target_tokens":9,"rewrite_when_saved_ratio":0.5,"cache":"cold""#;
        let why = "has no effect: `target_tokens` is met without delay";
        assert_eq!(
            warnings(targeted),
            ["rewrite_when_saved_ratio", "cache"].map(|name| format!("`{name}` {why}"))
        );
    }

    #[test]
    fn a_setting_with_effect_is_not() {
        for body in [
            "",
            r#","context_manage_mode":"compact","target_tokens":9,"low_water_ratio":0.5"#,
            r#","rewrite_when_saved_ratio":0.5,"cache":"cold","max_loss":0.1,"descriptor":"full",
                "compact_ratio_threshold":0.5,"preview_char_length":1,"group_token_threshold":9"#,
        ] {
            assert_eq!(warnings(body), Vec::<String>::new(), "{body}");
        }
    }
}
