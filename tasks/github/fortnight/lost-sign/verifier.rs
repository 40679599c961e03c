//! The releases, judged again in the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment};
use mcpmark_guest::jiff::Timestamp;

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/lost-sign";
const FILE: &str = "docs/lost-sign.md";
const ISSUE: &str = "Which releases lose the sign of a difference?";
const NAMES: [&str; 2] = ["lib/fortnight/span.rb", "lib/fortnight/interval.rb"];

struct Release {
    version: String,
    line: String,
    is_lost: bool,
}

fn verify(task: &mut Verifier) {
    let releases = releases(task);
    let lost: Vec<&str> = releases
        .iter()
        .filter(|it| it.is_lost)
        .map(|it| it.version.as_str())
        .collect();
    assert!(
        lost.len() > 3 && lost.len() + 3 < releases.len(),
        "there is nothing to decide"
    );
    let message = "docs: which releases lose the sign";
    let tip = task.check_one_commit((BRANCH, "main"), message, [FILE]);
    let file = tip.file(FILE);
    let mut expected =
        String::from("# The lost sign\n\n| Release | Day | File | Sign |\n|---|---|---|---|\n");
    for (at, release) in releases.iter().enumerate() {
        task.check(
            format!("the line of {}", release.version),
            file.text().line(5 + at).equals(&release.line),
        );
        expected.push_str(&format!("{}\n", release.line));
    }
    let (some, all) = (lost.len(), releases.len());
    expected.push_str(&format!("\n{some} of {all} releases lose the sign.\n"));
    task.check("the page to the last byte", file.equals(&expected));

    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let mut issue = issue.expect("the issue is in this world").clone();
    issue.labels.push("confirmed".to_owned());
    issue.comments.push(Comment {
        user: task.viewer(),
        body: format!("Lost in {}.", lost.join(", ")),
    });
    task.check(
        "the issue is confirmed and answered",
        task.end().issue(issue.number).is_like(&issue),
    );
    task.nothing_else_moved(&Allowed {
        touched: vec![issue.number],
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn releases(task: &Verifier) -> Vec<Release> {
    let repository = task.start().repository();
    let mut tags = repository.tags().required();
    tags.sort_by_key(|tag| numbers(tag));
    let release = |tag: &String| {
        let commit = repository.tag(tag).required();
        let time = Timestamp::from_second(commit.author().time).expect("commits have a time");
        let day = time.strftime("%Y-%m-%d");
        let name = NAMES
            .into_iter()
            .find(|name| commit.file(name).exists().passed());
        let name = name.expect("a release has one of the two");
        let is_lost = loses_the_sign(&commit.file(name).text().required());
        let sign = if is_lost { "lost" } else { "kept" };
        let version = tag.trim_start_matches('v').to_owned();
        Release {
            line: format!("| {version} | {day} | {name} | {sign} |"),
            version,
            is_lost,
        }
    };
    tags.iter().map(release).collect()
}

fn numbers(tag: &str) -> Vec<u64> {
    let parts = tag.trim_start_matches('v').split('.').map(str::parse);
    parts
        .collect::<Result<_, _>>()
        .expect("versions are numbers")
}

/// Whether the line below the head of the method `-` drops the sign.
fn loses_the_sign(code: &str) -> bool {
    let mut lines = code
        .lines()
        .skip_while(|line| !line.contains("def -(other)"));
    let body = lines.nth(1).expect("spans are subtracted");
    body.contains(".abs")
}
