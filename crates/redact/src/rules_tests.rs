//! Each rule finds its format and ignores look-alikes. The secrets are made up, and assembled from
//! parts so that repository scanners do not report this file as a leak.

use std::collections::BTreeSet;

use super::super::Redact;
use super::*;

/// Returns `length` made-up letters and digits that look random.
fn random(length: usize) -> String {
    let letters = b"q7Zr2KfX9mWc4TnB6vYh1JpL8sDg3GdRk5VtN0xCwEaMzQbHuFyPjSiUeAo";
    (0..length).map(|n| char::from(letters[(n * 17 + n / 5) % letters.len()])).collect()
}

fn hex(length: usize) -> String {
    (0..length).map(|n| char::from(b"3fa85c0e91d274b6"[(n * 7 + n / 3) % 16])).collect()
}

fn capitals(length: usize) -> String {
    random(length * 3).to_ascii_uppercase().chars().take(length).collect()
}

/// Examples: a rule's name, the text before the secret, the secret, and the text after it.
fn positives() -> Vec<(&'static str, String, String, String)> {
    let of = |rule, before: &str, secret: String, after: &str| {
        (rule, before.to_owned(), secret, after.to_owned())
    };
    let pem = |kind: &str, line_end: &str| {
        let body = [random(64), random(64), random(24)].join(line_end);
        format!("-----BEGIN {kind}-----{line_end}{body}{line_end}-----END {kind}-----")
    };
    let jwt =
        || ["ey", "JhbGciOiJIUzI1NiJ9", ".ey", "JzdWIiOiIxMjM0In0", ".", &random(43)].concat();
    vec![
        of("private-key", "key:\n", pem("RSA PRIVATE KEY", "\n"), "\nnext"),
        of("private-key", "\"private_key\": \"", pem("PRIVATE KEY", "\\n"), "\\n\", \"a\": 1"),
        of("private-key", "", pem("OPENSSH PRIVATE KEY", "\r\n"), "\r\n"),
        of("private-key", "", pem("PGP PRIVATE KEY BLOCK", "\n"), ""),
        of("aws-access-key", "id=", ["AK", "IA", &capitals(16)].concat(), " ok"),
        of("aws-access-key", "a\\n", ["AS", "IA", &capitals(16)].concat(), "\\n"),
        of("aws-secret-key", "aws_secret_access_key = ", random(40), "\n"),
        of("aws-secret-key", "\"SecretAccessKey\": \"", random(40), "\","),
        of("aws-secret-key", "\\\"SessionToken\\\": \\\"", random(300), "\\\"}"),
        of("github-token", "remote: ", ["gh", "p_", &random(36)].concat(), "\n"),
        of("github-token", "x", ["github", "_pat_", &random(82)].concat(), "'"),
        of("gitlab-token", "", ["gl", "pat-", &random(20)].concat(), " "),
        of("slack-token", "", ["xo", "xb-", "123456789012-", &random(24)].concat(), ""),
        of(
            "slack-webhook",
            "https://hooks.slack.com/services/",
            "T0/B1/".to_owned() + &random(24),
            "",
        ),
        of("stripe-key", "k: ", ["sk_", "live_", &random(24)].concat(), ";"),
        of("stripe-key", "", ["wh", "sec_", &random(32)].concat(), ""),
        of("anthropic-key", "", ["sk-", "ant-api03-", &random(90), "AA"].concat(), "\""),
        of("openai-key", "", ["sk-", "proj-", &random(60)].concat(), ""),
        of("openai-key", "\\t", ["sk-", &random(48)].concat(), ""),
        of("google-key", "?key=", ["AI", "za", &random(35)].concat(), "&x"),
        of("google-token", "", ["GOC", "SPX-", &random(28)].concat(), ""),
        of("azure-key", "AccountName=a;AccountKey=", random(86) + "==", ";Endpoint"),
        of("azure-signature", "&sig=", random(43) + "%3D", "&se=1"),
        of("url-signature", "?a=1&X-Amz-Signature=", hex(64), "&x=1"),
        of("url-signature", "{\"x-amz-signature\": \"", hex(64), "\"}"),
        of("url-signature", "a=1\\u0026X-Goog-Signature=", hex(512), "\""),
        of("url-signature", "Expires=1&Signature=", random(172) + "__", "&Key-Pair-Id=APKA"),
        of("url-signature", "id=1&amp;Signature=", random(27) + "%3D", "&amp;Expires=1"),
        of("url-signature", "%3Fid%3D1%26Signature%3D", random(27) + "%3D", "%26Expires%3D1"),
        of("azure-secret", "", ["a1B8", "Q~", &random(34)].concat(), ""),
        of("npm-token", "//registry/:_authToken=", ["np", "m_", &random(36)].concat(), "\n"),
        of("npm-token", "_auth=", hex(32), "\n"),
        of("pypi-token", "", ["py", "pi-AgEIcHlwaS5vcmc", &random(120)].concat(), ""),
        of("huggingface-token", "", ["h", "f_", &random(34)].concat(), ""),
        of("sendgrid-key", "", ["S", "G.", &random(22), ".", &random(43)].concat(), ""),
        of("twilio-key", "", ["S", "K", &hex(32)].concat(), ""),
        of("telegram-token", "/bot ", ["123456789", ":AA", &random(33)].concat(), "/get"),
        of(
            "discord-token",
            "",
            ["MT", &random(22), ".", &random(6), ".", &random(27)].concat(),
            "",
        ),
        of("discord-webhook", "discord.com/api/webhooks/123456789012345678/", random(68), ""),
        of("digitalocean-token", "", ["dop", "_v1_", &hex(64)].concat(), ""),
        of("vault-token", "", ["hv", "s.", &random(90)].concat(), ""),
        of("age-key", "", ["AGE-SECRET", "-KEY-1", &capitals(58)].concat(), ""),
        of("jwt", "cookie=", jwt(), "; Path"),
        of("jwt", "%3D", jwt(), "%26"),
        of("password-hash", "bob:", ["$apr1$", &random(8), "$", &random(22)].concat(), "\n"),
        of("private-key", "{\"kty\":\"RSA\",\"p\":\"", random(171), "\",\"e\":\"AQAB\"}"),
        of("private-key", "{\"kty\":\"RSA\",\"q\":\"", random(171), "\",\"e\":\"AQAB\"}"),
        of("authorization", "Authorization: Basic ", "dXNlcjpwYXNz".to_owned(), "\r\n"),
        of("authorization", "\\\"authorization\\\": \\\"Token ", hex(20), "\\\""),
        of("bearer-token", "-H 'x: Bearer ", random(30), "'"),
        of("url-password", "postgres://app:", "s3cr:et!".to_owned(), "@db:5432/x"),
        of("url-password", "https:\\/\\/u:", "p4ss".to_owned(), "@host"),
        of("url-password", "redis://:", "hunter2x".to_owned(), "@r"),
        of("curl-user", "curl -s -u admin:", "tr0ub4dor".to_owned(), " http://h"),
        of("assigned-secret", "password = \"", "correct horse 7".to_owned(), "\""),
        of("assigned-secret", "{\"password\":\"", "pa\\\"s\\\"word1".to_owned(), "\"}"),
        of("assigned-secret", "{\\\"password\\\":\\\"", "pass\\\\\\\"word1".to_owned(), "\\\"}"),
        of("assigned-secret", "DB_PASSWORD='", "my pass with spaces9".to_owned(), "'"),
        of("assigned-secret", "{\"password\": \"", "my pass with spaces9".to_owned(), "\"}"),
        of("assigned-secret", "password: \"", "a horse on 4battery".to_owned(), "\""),
        of(
            "form-password",
            "<input type=\"password\" name=p value='",
            "s3cr3t pwd".to_owned(),
            "'>",
        ),
        of(
            "form-password",
            "<INPUT value=\\\"",
            "swordfish".to_owned(),
            "\\\" type=\\\"password\\\">",
        ),
        of("assigned-secret", "DB_PASSWORD=", "hunter2!x".to_owned(), "\nUSER=a"),
        of("assigned-secret", "export API_KEY=", hex(32), "\n"),
        of("assigned-secret", "api_key: str = '", random(24), "'"),
        of("assigned-secret", "mysql --password ", "Tr0ub4dor&3"[..9].to_owned(), " -h"),
        of("assigned-secret", "<clientSecret>", random(24), "</clientSecret>"),
        of("assigned-secret", "?access_token=", random(24), "&x=1"),
        of("assigned-secret", "headers.set(\"X-Api-Key\", \"", random(24), "\")"),
        of("assigned-secret", "'client_secret' => '", random(24), "'"),
        of("assigned-secret", "os.environ[\"TOKEN\"] = \"", random(24), "\""),
    ]
}

#[test]
fn each_rule_finds_its_format_and_nothing_beside_it() {
    for (rule, before, secret, after) in positives() {
        let text = format!("{before}{secret}{after}");
        let shown = Redact::Secrets.text(text.as_str());
        assert_eq!(shown, format!("{before}[redacted: {rule}]{after}"), "{text}");
    }
}

/// Look-alikes that are not secrets: hashes, ids, images, code, templates.
#[test]
fn what_only_looks_like_one_is_shown() {
    let image = format!("data:image/png;base64,{}", random(4_000));
    let integrity = format!("\"integrity\": \"sha512-{}==\"", random(86));
    let commit = format!("commit {}\nAuthor: A <a@example.com>", hex(40));
    let checksum = format!("checksum = \"{}\"", hex(64));
    let digest = format!("image@sha256:{}", hex(64));
    for text in [
        image.as_str(),
        &integrity,
        &commit,
        &checksum,
        &digest,
        "id: 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
        "if line == \"-----BEGIN RSA PRIVATE KEY-----\" and not end(\"-----END RSA PRIVATE KEY-----\")",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 user@host",
        "password = getpass.getpass()\ntoken = tokens[0]\nsecret = config.secret2",
        "api_key=os.environ[\"OPENAI_API_KEY\"], password=settings.db_password2)",
        "fn token(&self) -> Token { self.token.clone() }  // token: String, secret: &str",
        "password: ${DB_PASSWORD}\ntoken: ${{ secrets.GITHUB_TOKEN }}\nkey: <YOUR_API_KEY>",
        "Authorization: Bearer $TOKEN\nAuthorization: Bearer <token>\nBearer authentication required",
        "{\"prompt_tokens\": 12345678, \"token\": 12345678, \"total_tokens\": 99999999}",
        "{\"token_type\": \"bearer\", \"password\": null, \"secret\": \"string\", \"type\": \"password\"}",
        "{\"nextPageToken\": \"CAUQAA8x7Yz1\", \"next_page_token\": \"eT9x8s7d6f5g\", \"sync_token\": \"a1b2c3d4e5\"}",
        "token_file: /run/secrets/token1\ntoken: /var/run/secrets/token1\nPWD=/home/user1\nOLDPWD=/tmp",
        "https://example.com:8080/@user and git@github.com:org/repo and http://user@host/",
        "https://example.com/oauth/token?x=1, see token: https://example.com/v2/token",
        "postgres://user:${PASSWORD}@host and mysql://root:****@db and s://u:{pw}@h",
        "from sklearn import svm  # sk-learn, task-force, risk-averse-management-of-everything-2",
        "<div class=\"sk-admin-panel-container-wrapper\"> hf_hub_download npm_config_registry",
        "the password is required; the token was: expired. First pass: 12345678 of 3",
        "{\"password\": \"must have 8 characters\"} DB_PASSWORD=\"must be 8-64 characters of UTF-8\"",
        "{\"password\": \"encrypted with AES256\"} {\"password\": \"not the one of user bob12\"}",
        "?X-Amz-SignedHeaders=host&X-Amz-Signature=<signature>&Signature=SIGNATURE signature=base64",
        "{\"kty\":\"RSA\",\"n\":\"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAt\",\"p\":\"x\",\"q\":\"a search\"}",
        "<input type=\"password\" value=\"{{ form.pw2 }}\"><input type=\"text\" value=\"hunter2!x\">",
        "<input type=\"password\" value=\"\"><input value=\"Password\" type=\"password\">",
        "SKILLS SG.1 eyJ AKIA ghp_ xoxb glpat- sk_live_ AIza npm_ pypi- Bearer Basic",
    ] {
        assert_eq!(Redact::Secrets.text(text), text);
    }
}

/// `rules.toml` keeps its promises: keywords in lower case, ids that are valid in marks.
#[test]
fn the_file_of_rules_is_in_form() {
    let ids: BTreeSet<&str> = RULES.rules.iter().map(|ready| ready.rule.id.as_str()).collect();
    assert!(ids.len() >= 80, "{} formats", ids.len());
    for CompiledRule { rule, regex, .. } in &RULES.rules {
        let id = &rule.id;
        assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{id}");
        assert!(rule.keywords.iter().all(|word| *word == word.to_ascii_lowercase()), "{id}");
        assert!(!rule.description.is_empty(), "{id}");
        assert!(rule.secret_group.is_none_or(|group| group < regex.captures_len()), "{id}");
        assert!(!regex.is_match(""), "{id}");
    }
}
