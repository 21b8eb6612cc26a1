//! Tests the comparison of claims with their sources.

use super::{Polarity, Verdict};

#[test]
fn a_claim_is_compared_with_its_source() {
    for (claim, source, verdict) in [
        ("All tests pass", "3 tests failed", Verdict::Opposite),
        ("58 passed and 3 failed", "3 failed, 58 passed", Verdict::Neutral),
        ("Tests pass", "0 failed", Verdict::Agrees),
        ("The file is missing", "the file does not exist", Verdict::Agrees),
        ("Touch the schema", "Never touch the schema", Verdict::Opposite),
        ("The parser supports tabs", "The parser does not support tabs", Verdict::Denied),
        ("不要修改表结构", "可以修改表结构", Verdict::Opposite),
        ("测试通过", "测试失败", Verdict::Opposite),
        ("Remove the table", "Keep the table", Verdict::Opposite),
        ("Update the log", "don't forget to update the log", Verdict::Neutral),
        ("moment を取り除く", "moment は package.json に残しておいて", Verdict::Opposite),
        ("旧接口必须保留", "迁移完成后旧接口还要留着", Verdict::Agrees),
        ("README의 첫 줄만 고친다", "오늘은 README의 첫 문장만 고쳐 주세요", Verdict::Neutral),
        ("Копия на удалённом сервере", "Сохраняй копию на сервере", Verdict::Neutral),
        ("Delete nothing in it", "don't delete anything in it", Verdict::Agrees),
        ("right to left", "left to right", Verdict::Opposite),
        ("The code first, the analysis later", "Analysis first, then code", Verdict::Opposite),
        ("Aa, not Bb1", "rename Aa to Bb1", Verdict::Opposite),
        ("The work is not finished", "Finished the work", Verdict::Opposite),
        ("Leave the job alone", "set it to 0, but leave the job alone", Verdict::Neutral),
        (
            "`npm-start-service` has to run before the database migration",
            "The database migration MUST run before the npm-start-service command",
            Verdict::Opposite,
        ),
        ("Ask before a restart", "don't restart it without asking me", Verdict::Neutral),
        ("Restart without asking", "don't restart it without asking me", Verdict::Denied),
        ("With the names of tenants", "names of tenants must not appear", Verdict::Denied),
        ("Split 50 to 50", "split it 30 to 70, not 50 to 50", Verdict::Opposite),
        ("Split 30 to 70, not 50 to 50", "split it 30 to 70, not 50 to 50", Verdict::Neutral),
        ("Indent with spaces", "indent with tabs, not spaces", Verdict::Opposite),
        ("Write with phone, not with mail", "write with mail, not with phone", Verdict::Opposite),
        ("Write with mail, not with phone", "write with mail, not with phone", Verdict::Neutral),
    ] {
        assert_eq!(Polarity::of(claim).against(&Polarity::of(source)), verdict, "{claim}");
    }
}
