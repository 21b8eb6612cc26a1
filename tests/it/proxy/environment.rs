//! The environment of the server that the proxy starts: what a program needs to run,
//! and what the command line names.

use std::collections::BTreeMap;

use super::client::{refused, refused_with};

const OURS: [(&str, &str); 9] = [
    ("UNBURDEN_SERVER__TOKEN", "a-token-that-nobody-else-has"),
    ("UNBURDEN_LLM__API_KEY", "k1"),
    ("UNBURDEN_TENANTS__A__TOKEN", "k2"),
    ("OPENAI_API_KEY", "k3"),
    ("AWS_SECRET_ACCESS_KEY", "k4"),
    ("HTTPS_PROXY", "http://me:k5@127.0.0.1:1"),
    ("LD_AUDIT_OF_NOBODY", "k6"),
    ("PASSED", "as it is here"),
    ("SHELL", "() { :; }; echo k7"),
];

/// What a program behind the proxy has, by name.
fn environment(flags: &[&str]) -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let script = format!("env > {}", seen.display());
    let arguments =
        [flags, &["--root", folder.path().to_str().unwrap(), "--", "sh", "-c", &script]];
    let (_, said) = refused_with(&arguments.concat(), |command| {
        command.envs(OURS);
        command.envs([
            ("LC_TIME", "C"),
            ("TZ", "UTC"),
            ("XDG_CONFIG_HOME", "/x"),
            ("TERM", "dumb"),
        ]);
    });
    let seen = std::fs::read_to_string(seen).unwrap_or_else(|_| panic!("{said}"));
    let pair = |line: &str| {
        let (name, value) = line.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    };
    // What a shell makes up itself.
    let own = |name: &str| ["PWD", "OLDPWD", "SHLVL", "_"].contains(&name);
    seen.lines().filter_map(pair).filter(|(name, _)| !own(name)).collect()
}

#[test]
fn the_server_gets_what_programs_need_and_no_secret() {
    let seen = environment(&[]);
    for (name, _) in OURS {
        assert_eq!(seen.get(name), None, "{name}");
    }
    for name in ["PATH", "LC_TIME", "TZ", "XDG_CONFIG_HOME", "TERM"] {
        assert!(seen.contains_key(name), "{name}: {seen:?}");
    }
    let known = |name: &str| {
        ["PATH", "HOME", "LANG", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "USER"].contains(&name)
            || name.starts_with("LC_")
            || name.starts_with("XDG_")
    };
    let others: Vec<&String> = seen.keys().filter(|name| !known(name)).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn the_command_line_names_what_else_it_gets() {
    let seen = environment(&[
        "--env",
        "PASSED",
        "--env",
        "MINE=a=b c",
        "--env",
        "EMPTY=",
        "--env",
        "TZ=X",
    ]);
    assert_eq!(seen["PASSED"], "as it is here");
    assert_eq!(seen["MINE"], "a=b c");
    assert_eq!(seen["EMPTY"], "");
    assert_eq!(seen["TZ"], "X");
    assert_eq!(seen.get("OPENAI_API_KEY"), None);
}

#[test]
fn what_is_no_variable_is_told_at_the_start() {
    for (arguments, sentence) in [
        (
            ["--env", "NO_SUCH_VARIABLE_HERE", "--", "cat"],
            "--env \"NO_SUCH_VARIABLE_HERE\" is not set here; accepted is the name of a variable that is, or NAME=VALUE",
        ),
        (
            ["--env", "=x", "--", "cat"],
            "--env \"\" is not a variable name; accepted is NAME or NAME=VALUE",
        ),
        (["--env", "A=SECRET", "--url", "http://127.0.0.1:1"], "--env is for a command"),
    ] {
        let (status, said) = refused(&arguments);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(sentence) && !said.contains("SECRET"), "{said}");
    }
}
