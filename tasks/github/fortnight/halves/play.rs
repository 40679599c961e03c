//! Steps of the solution; each wrong solution breaks one rule.

#[path = "../patching.rs"]
mod patching;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::json;

const BRANCH: &str = "revert-halves";
const ISSUE: &str = "Half a minute is rounded down since 3.4.0";
const ROUND: &str = "lib/fortnight/round.rb";

/// Deviations of wrong solutions.
#[derive(Default)]
pub struct Slips {
    /// Takes back what is in the library only.
    pub leaves_the_test: bool,
    /// Puts the files back as they were.
    pub copies_old_files: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    let issue = site.issue_titled(ISSUE);
    let (commit, parent) = culprit(&mut site);
    let pulls = site.pulls("closed");
    let pull = pulls.iter().find(|it| it["merge_commit_sha"] == *commit);
    let pull = pull.expect("it came by a pull request");
    let number = number(&pull["number"]);

    let changed = site.commit(&commit);
    let mut files = Vec::new();
    for file in changed["files"].as_array().into_iter().flatten() {
        let path = string(&file["filename"]);
        if slips.leaves_the_test && path.starts_with("test/") {
            continue;
        }
        let before = site.file_of(&parent, path).expect("it was there");
        let after = site.file_of(&commit, path).expect("it is there");
        let now = site.file_at("main", path).expect("it is still there");
        let text = if slips.copies_old_files {
            before
        } else {
            patching::patched(&now, &patching::changes(&after, &before))
        };
        files.push((path.to_owned(), text));
    }
    let title = format!("Revert \"{}\"", string(&pull["title"]));
    site.create_branch(BRANCH, "main");
    let message = format!("{title}\n\nThis reverts commit {commit}.");
    site.push(BRANCH, &message, &files);
    let body = format!("Fixes #{issue}\n\nReverts #{number}, which came with 3.4.0.");
    let own = site.open_pull(&title, BRANCH, "main", &body);
    let whole = site.json("get_pull_request", &json!({"pullNumber": number}));
    let author = string(&whole["user"]["login"]);
    let merger = string(&whole["merged_by"]["login"]);
    site.update_pull(own, &json!({"reviewers": [author, merger]}));

    site.comment(number, &format!("Taken back in #{own}."));
    let closed = closed_by(string(&whole["body"]));
    site.update_issue(closed, &json!({"state": "open"}));
    site.comment(
        closed,
        &format!("Open again, because #{number} is taken back in #{own}."),
    );
    let found = site.json("get_issue", &json!({"issue_number": issue}));
    let mut names = labels(&found);
    names.push("regression".to_owned());
    site.update_issue(issue, &json!({"labels": names, "assignees": [author]}));
    format!("#{number} is taken back in #{own}.")
}

/// The commit on main that goes down at a half, and the one below it.
fn culprit(site: &mut RepoTools<'_>) -> (String, String) {
    let goes_up = |site: &mut RepoTools<'_>, commit: &str| {
        let text = site.file_of(commit, ROUND).expect("it is there");
        text.contains("rest * 2 >= size")
    };
    let earlier = site.commits("v3.3.0");
    let mut log = site.commits("v3.4.0");
    log.retain(|it| earlier.iter().all(|other| other["sha"] != it["sha"]));
    let ids: Vec<&str> = log.iter().map(|it| string(&it["sha"])).collect();
    // The youngest that goes up, and all above it go down.
    let (mut down, mut up) = (0, ids.len());
    while down + 1 < up {
        let middle = (down + up) / 2;
        if goes_up(site, ids[middle]) {
            up = middle;
        } else {
            down = middle;
        }
    }
    let parents = &log[down]["parents"];
    let parent = match parents[0]["sha"].as_str() {
        Some(parent) => parent.to_owned(),
        None => ids[up].to_owned(),
    };
    (ids[down].to_owned(), parent)
}

/// The issue that a text closes.
fn closed_by(text: &str) -> u64 {
    let rest = text.strip_prefix("Closes #").expect("it closes an issue");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("issues are numbered")
}
