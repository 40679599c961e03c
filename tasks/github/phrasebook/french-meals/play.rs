//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{number, string};
use mcpmark_guest::serde_json::{Value, json};

const TITLE: &str = "fr: meals as one says it in a hut";
const PATH: &str = "handbook/fr/meals.md";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes the numbers of the French page on main.
    pub keeps_old_numbers: bool,
    /// Leaves the new issue at the end of the plan.
    pub puts_last: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "stonepine", "phrasebook");
    let pulls = site.pulls("open");
    let pull = pulls.iter().find(|it| string(&it["title"]) == TITLE);
    let pull = pull.expect("it is open");
    let (id, branch) = (number(&pull["number"]), string(&pull["head"]["ref"]));
    let (commits, own) = (site.commits("main"), site.commits(branch));
    let is_on_main = |it: &Value| commits.iter().any(|known| known["sha"] == it["sha"]);
    let left = own
        .iter()
        .find(|it| is_on_main(it))
        .expect("it left main somewhere");
    let left = string(&left["sha"]);

    let page =
        |site: &mut RepoTools<'_>, at: &str, path: &str| site.file_at(at, path).unwrap_or_default();
    let before = site.file_of(left, PATH).unwrap_or_default();
    let proposed = page(&mut site, branch, PATH);
    let current = page(&mut site, "main", PATH);
    let source = page(&mut site, "main", "handbook/en/meals.md");
    let numbers = if slips.keeps_old_numbers {
        &current
    } else {
        &source
    };
    let (from, to) = (head(&current, "follows: "), head(&source, "revision: "));
    let mut after = String::new();
    let lines = before
        .lines()
        .zip(proposed.lines())
        .zip(current.lines())
        .zip(numbers.lines());
    for (((before, proposed), current), numbers) in lines {
        let words = if before == proposed {
            current
        } else {
            proposed
        };
        let line = if current.starts_with("follows: ") {
            format!("follows: {to}")
        } else if words.starts_with("- ") {
            words.replacen(value(words), value(numbers), 1)
        } else {
            words.to_owned()
        };
        after += &format!("{line}\n");
    }

    let write = |site: &mut RepoTools<'_>, message: &str, text: String| {
        site.push(branch, message, &[(PATH.to_owned(), text)]);
    };
    write(&mut site, "fr: meals as on main", current);
    site.text("update_pull_request_branch", &json!({"pullNumber": id}));
    write(&mut site, &format!("fr: meals up to revision {to}"), after);

    let by = overtaker(&mut site, &commits, left);
    site.comment(id, &format!("Overtaken by #{by}."));
    let review = json!({"pullNumber": id, "event": "APPROVE", "body": "Read."});
    site.text("create_and_submit_pull_request_review", &review);
    site.merge(
        id,
        "squash",
        &format!("{TITLE} (#{id})"),
        &format!("Follows revision {to}."),
    );
    let merged = site.json("list_commits", &json!({"sha": "main", "perPage": 1}));
    let commit = &string(&merged[0]["sha"])[..10];
    let body = format!("Bring `{PATH}` from revision {from} to {to}.");
    let part = plan(&mut site, &body, slips);
    site.comment(part, &format!("Done in {commit} by #{id}."));
    site.update_issue(
        part,
        &json!({"state": "closed", "state_reason": "completed"}),
    );
    format!("#{id} is merged.")
}

/// The pull request that changed the page on main since a commit: its title names the page.
fn overtaker(site: &mut RepoTools<'_>, commits: &[Value], left: &str) -> u64 {
    for pull in site.pulls("closed") {
        let id = string(&pull["merge_commit_sha"]);
        let position = |id: &str| commits.iter().position(|it| string(&it["sha"]) == id);
        let is_younger = match (position(id), position(left)) {
            (Some(merged), Some(left)) => merged < left,
            _ => false,
        };
        if pull["merged_at"].is_null() || !is_younger {
            continue;
        }
        let number = number(&pull["number"]);
        let files = site.pages(
            "get_pull_request_files",
            None,
            &json!({"pullNumber": number}),
        );
        if files.iter().any(|it| string(&it["filename"]) == PATH) {
            return number;
        }
    }
    panic!("nobody overtook it")
}

/// Opens the issue of the page below the plan, and gives its number.
fn plan(site: &mut RepoTools<'_>, body: &str, slips: &Slips) -> u64 {
    let plan = site.issue_titled("French before the season");
    let details = site.json("get_issue", &json!({"issue_number": plan}));
    let made = site.json(
        "create_issue",
        &json!({
            "title": "fr: meals", "body": body, "labels": ["lang: fr"], "assignees": ["cmorel"],
            "milestone": details["milestone"]["number"],
        }),
    );
    let made = string(&made["url"]).rsplit('/').next();
    let made: u64 = made.and_then(|it| it.parse().ok()).expect("its number");
    let id = site.json("get_issue", &json!({"issue_number": made}))["id"].take();
    let parts = site.json(
        "list_sub_issues",
        &json!({"issue_number": plan, "per_page": 100}),
    );
    let asked = json!({"issue_number": plan, "sub_issue_id": id});
    site.text("add_sub_issue", &asked);
    let mut parts = parts.as_array().into_iter().flatten();
    let next = parts.find(|it| string(&it["title"]) > "fr: meals");
    if let Some(next) = next.filter(|_| !slips.puts_last) {
        let asked = json!({"issue_number": plan, "sub_issue_id": id, "before_id": next["id"]});
        site.text("reprioritize_sub_issue", &asked);
    }
    made
}

/// The number at a key of the head of a page.
fn head(text: &str, key: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    let value = line.and_then(|it| it.parse().ok());
    value.expect("a page has its revision")
}

/// The number or time in a line.
fn value(line: &str) -> &str {
    let is_digit = |it: char| it.is_ascii_digit();
    match (line.find(is_digit), line.rfind(is_digit)) {
        (Some(first), Some(last)) => &line[first..=last],
        _ => "",
    }
}
