//! The list, made again from the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::Allowed;
use mcpmark_guest::serde_json::Value;

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/branches";
const FILE: &str = "docs/branches.md";

fn verify(task: &mut Verifier) {
    let lines = lines(task);
    assert!(lines.len() > 8, "there are too few branches in this world");
    let message = "docs: branches that were left behind";
    let tip = task.check_one_commit((BRANCH, "main"), message, [FILE]);
    let file = tip.file(FILE);
    let mut expected = String::from(
        "# Branches\n\n| Branch | Pull request | State | Own commits | Author |\n\
         |---|---|---|---|---|\n",
    );
    for (at, line) in lines.iter().enumerate() {
        task.check(
            format!("line {} of the table", at + 1),
            file.text().line(5 + at).equals(line),
        );
        expected.push_str(&format!("{line}\n"));
    }
    let is_done = |line: &&String| line.contains(" | merged | ") || line.contains(" | closed | ");
    let done = lines.iter().filter(is_done).count();
    expected.push_str(&format!("\n{} branches, {done} may go.\n", lines.len()));
    task.check("the file to the last byte", file.equals(&expected));
    task.nothing_else_moved(&Allowed {
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn lines(task: &Verifier) -> Vec<String> {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let pulls = task.start().pulls().required();
    let users = task.start().file("users.json").json().required();
    let mut names = repository.branches().required();
    names.retain(|name| name != "main" && !name.starts_with("release/"));
    names.sort();
    let line = |name: &String| {
        let pull = pulls.iter().find(|it| it.head == *name);
        let pull = pull.expect("each branch was made for a pull request");
        let state = match (&pull.merged_at, pull.issue.state.as_str(), pull.draft) {
            (Some(_), _, _) => "merged",
            (None, "closed", _) => "closed",
            (None, _, true) => "draft",
            (None, _, false) => "open",
        };
        let own = repository.log_since(name, &main).required().len();
        let tip = repository.branch(name).required();
        let author = login(&users, &tip.author().email);
        format!(
            "| {name} | #{} | {state} | {own} | {author} |",
            pull.issue.number
        )
    };
    names.iter().map(line).collect()
}

fn login<'a>(users: &'a Value, email: &str) -> &'a str {
    let mut users = users.as_array().into_iter().flatten();
    let user = users.find(|it| it["email"] == email);
    user.and_then(|it| it["login"].as_str())
        .expect("authors are users")
}
