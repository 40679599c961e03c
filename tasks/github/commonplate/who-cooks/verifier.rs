//! The list, made again from the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Commit, Pull};
use mcpmark_guest::serde_json::Value;

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "back-page";
const FILE: &str = "docs/cooks.md";

struct Line {
    title: String,
    cook: String,
    added: String,
    pull: Option<u64>,
    corrected: usize,
}

fn verify(task: &mut Verifier) {
    let lines = lines(task);
    let message = "docs: who brought which recipe";
    let tip = task.check_one_commit((BRANCH, "main"), message, [FILE]);
    let file = tip.file(FILE);
    let mut expected = String::from(
        "# Who brought which recipe\n\n\
         | Title | Cook | Added | Pull request | Corrected |\n|---|---|---|---|---|\n",
    );
    for (at, line) in lines.iter().enumerate() {
        let pull = line.pull.map_or("-".to_owned(), |it| format!("#{it}"));
        let text = format!(
            "| {} | {} | {} | {pull} | {} |",
            line.title, line.cook, line.added, line.corrected
        );
        task.check(
            format!("the line of {}", line.title),
            file.text().line(5 + at).equals(&text),
        );
        expected.push_str(&format!("{text}\n"));
    }
    let corrections: usize = lines.iter().map(|it| it.corrected).sum();
    expected.push_str(&format!(
        "\n{} recipes, {corrections} corrections.\n",
        lines.len()
    ));
    task.check("the file to the last byte", file.equals(&expected));
    task.nothing_else_moved(&Allowed {
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn lines(task: &Verifier) -> Vec<Line> {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let pulls = task.start().pulls().required();
    let merged: Vec<&Pull> = pulls.iter().filter(|it| it.merged_at.is_some()).collect();
    let log = repository.log("main").required();
    let users = task.start().file("users.json").json().required();
    let paths = main.files("recipes").required();
    let mut lines: Vec<Line> = paths
        .iter()
        .map(|path| {
            let text = main.file(path).text().required();
            let title = text.lines().find_map(|line| line.strip_prefix("title: "));
            let title = title.expect("each recipe has a title").to_owned();
            let name = format!("Add {}", title.to_lowercase());
            let pull = merged.iter().find(|it| it.issue.title == name);
            let begin = format!("{title}: ");
            let corrected = merged.iter().filter(|it| {
                let is_correction = it.issue.labels.iter().any(|label| label == "correction");
                is_correction && it.issue.title.starts_with(&begin)
            });
            let (cook, added) = match pull {
                Some(pull) => (pull.issue.user.clone(), day(pull)),
                None => first(&log, &title, &users),
            };
            Line {
                corrected: corrected.count(),
                pull: pull.map(|it| it.issue.number),
                title,
                cook,
                added,
            }
        })
        .collect();
    lines.sort_by(|one, other| one.title.cmp(&other.title));
    lines
}

fn day(pull: &Pull) -> String {
    let at = pull.merged_at.as_deref().unwrap_or_default();
    at.chars().take(10).collect()
}

/// Who wrote the oldest commit that has a recipe of this title, and when.
fn first(log: &[Commit], title: &str, users: &Value) -> (String, String) {
    let line = format!("title: {title}\n");
    let has = |commit: &&Commit| {
        let paths = commit.files("recipes").get().cloned().unwrap_or_default();
        paths
            .iter()
            .any(|path| commit.file(path).text().required().contains(&line))
    };
    let commit = log.iter().rev().find(has).expect("it came somehow");
    let author = commit.author();
    let users = users.as_array().into_iter().flatten();
    let user = users
        .clone()
        .find(|it| it["email"] == author.email.as_str())
        .expect("authors are users");
    let day = mcpmark_guest::jiff::Timestamp::from_second(author.time).expect("a time");
    (
        user["login"].as_str().unwrap_or_default().to_owned(),
        day.strftime("%Y-%m-%d").to_string(),
    )
}
