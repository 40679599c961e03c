//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "gratin-for-twelve-2";
const TITLE: &str = "Potato gratin for twelve";
const FILE: &str = "recipes/potato-gratin.md";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes the file as the old branch has it.
    pub copies_file: bool,
    /// Makes one commit of all.
    pub squashes: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "sallow-street", "commonplate");
    let pulls = site.pulls("open");
    let old = pulls.iter().find(|it| string(&it["title"]) == TITLE);
    let old = old.expect("it is open");
    let head = string(&old["head"]["ref"]);
    let main = site.commits("main");
    let log = site.commits(head);
    let is_on_main = |commit: &&Value| main.iter().any(|it| it["sha"] == commit["sha"]);
    let base = log.iter().find(is_on_main).expect("it left main somewhere");
    let mut commits: Vec<&Value> = log.iter().take_while(|it| !is_on_main(it)).collect();
    commits.reverse();

    site.create_branch(BRANCH, "main");
    let mut text = site.file_at("main", FILE).expect("the gratin is there");
    let mut before = read(&mut site, base);
    for (at, commit) in commits.iter().enumerate() {
        let after = read(&mut site, commit);
        text = if slips.copies_file {
            after.clone()
        } else {
            replace(&text, &before, &after)
        };
        before = after;
        let is_last = at + 1 == commits.len();
        if !slips.squashes || is_last {
            let message = string(&commit["commit"]["message"]);
            site.push(BRANCH, message, &[(FILE.to_owned(), text.clone())]);
        }
    }

    let merger = culprit(&mut site, &main);
    let (number, author) = (number(&old["number"]), string(&old["user"]["login"]));
    let body = format!("{}\n\nTakes the place of #{number}.", string(&old["body"]));
    let own = site.open_pull(TITLE, BRANCH, "main", &body);
    site.update_pull(own, &json!({"reviewers": [author, merger]}));
    site.comment(number, &format!("#{own} takes the place of this."));
    site.update_pull(number, &json!({"state": "closed"}));
    let issue = string(&old["body"]).trim_start_matches("Fixes #");
    let issue = issue.lines().next().and_then(|it| it.parse().ok());
    site.update_issue(
        issue.expect("it fixes an issue"),
        &json!({"assignees": [author]}),
    );
    format!("#{own} takes the place of #{number}.")
}

/// The gratin at a commit.
fn read(site: &mut RepoTools<'_>, commit: &Value) -> String {
    let text = site.file_of(string(&commit["sha"]), FILE);
    text.expect("the gratin is there")
}

/// The lines that were replaced, in a text that may have another value for a key.
fn replace(text: &str, before: &str, after: &str) -> String {
    let mut text = text.to_owned();
    let lines = before.lines().zip(after.lines());
    for (old, new) in lines.filter(|(old, new)| old != new) {
        let line = match old.split_once(": ") {
            Some((key, _)) if !text.contains(&format!("{old}\n")) => {
                let begin = format!("{key}: ");
                text.lines()
                    .find(|line| line.starts_with(&begin))
                    .map(str::to_owned)
            }
            _ => Some(old.to_owned()),
        };
        let line = line.expect("the line has its place");
        text = text.replacen(&format!("{line}\n"), &format!("{new}\n"), 1);
    }
    text
}

/// Who merged the pull request that changed last for how many the gratin is.
fn culprit(site: &mut RepoTools<'_>, main: &[Value]) -> String {
    let is_about_it = |commit: &&Value| string(&commit["commit"]["message"]).contains("gratin");
    let mut younger: Option<(&Value, String)> = None;
    for commit in main.iter().filter(is_about_it) {
        let text = read(site, commit);
        let serves = text.lines().find(|line| line.starts_with("serves: "));
        let serves = serves.unwrap_or_default().to_owned();
        match younger {
            Some((changed, now)) if now != serves => {
                let pulls = site.pulls("closed");
                let pull = pulls
                    .iter()
                    .find(|it| it["merge_commit_sha"] == changed["sha"]);
                let number = number(&pull.expect("it came by a pull request")["number"]);
                let pull = site.json("get_pull_request", &json!({"pullNumber": number}));
                return string(&pull["merged_by"]["login"]).to_owned();
            }
            _ => younger = Some((commit, serves)),
        }
    }
    panic!("nobody changed for how many it is")
}
