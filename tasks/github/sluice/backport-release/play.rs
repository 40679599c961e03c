//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::{Value, json};

use crate::patch;
use mcpmark_guest::github::{RepoTools, number, string};

const BASE: &str = "release/2.1";
const BRANCH: &str = "backport/2.1.3";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes whole files as main has them after the fix.
    pub copies_files: bool,
    /// Leaves the tests where they are.
    pub leaves_tests: bool,
}

struct Fix {
    number: u64,
    title: String,
    commit: String,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "lowfield", "sluice");
    site.file_at("main", "docs/releasing.md");
    let fixes = waiting(&mut site);
    site.create_branch(BRANCH, BASE);
    for fix in &fixes {
        let files = changed(&mut site, fix, slips);
        let commit = site.json(
            "get_commit",
            &json!({"sha": fix.commit, "include_diff": false}),
        );
        let message = string(&commit["commit"]["message"]).trim_end();
        let message = format!("{message}\n\n(cherry picked from commit {})", fix.commit);
        site.push(BRANCH, &message, &files);
    }
    release(&mut site, &fixes);
    let numbers: Vec<String> = fixes.iter().map(|fix| format!("#{}", fix.number)).collect();
    let listed = match numbers.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => numbers.concat(),
    };
    let pull = site.open_pull(
        "Release 2.1.3",
        BRANCH,
        BASE,
        &format!("Backports {listed}."),
    );
    site.ask_for_review(pull, "icalder");
    for fix in &fixes {
        site.comment(fix.number, &format!("Backported in #{pull}."));
    }
    format!("Release 2.1.3 is prepared in #{pull}.")
}

/// The fixes that are not on the release branch, in the order in which they were merged.
fn waiting(site: &mut RepoTools<'_>) -> Vec<Fix> {
    let there: Vec<String> = site
        .pages("list_commits", None, &json!({"sha": BASE}))
        .iter()
        .map(|it| string(&it["commit"]["message"]).to_owned())
        .collect();
    let pulls = site.pages(
        "list_pull_requests",
        None,
        &json!({"state": "closed", "base": "main"}),
    );
    let mut fixes: Vec<(String, Fix)> = pulls
        .iter()
        .filter(|pull| !pull["merged_at"].is_null() && has_label(pull))
        .map(|pull| {
            let fix = Fix {
                number: number(&pull["number"]),
                title: string(&pull["title"]).to_owned(),
                commit: string(&pull["merge_commit_sha"]).to_owned(),
            };
            (string(&pull["merged_at"]).to_owned(), fix)
        })
        .filter(|(_, fix)| {
            let trailer = format!("cherry picked from commit {}", fix.commit);
            !there.iter().any(|message| message.contains(&trailer))
        })
        .collect();
    fixes.sort_by(|one, other| one.0.cmp(&other.0));
    fixes.into_iter().map(|(_, fix)| fix).collect()
}

fn has_label(pull: &Value) -> bool {
    let mut labels = pull["labels"].as_array().into_iter().flatten();
    labels.any(|label| string(&label["name"]) == "backport 2.1")
}

/// The files of the release branch as a fix leaves them.
fn changed(site: &mut RepoTools<'_>, fix: &Fix, slips: &Slips) -> Vec<(String, String)> {
    let diff = site.text("get_pull_request_diff", &json!({"pullNumber": fix.number}));
    let mut files = Vec::new();
    for file in patch::read(&diff) {
        if slips.leaves_tests && file.path.starts_with("tests/") {
            continue;
        }
        // The module had another name until after 2.1.
        let old_name = file.path.replace("weather.py", "meteo.py");
        let path = match site.file_at(BRANCH, &file.path) {
            Some(_) => file.path.clone(),
            None => old_name,
        };
        let Some(before) = site.file_at(BRANCH, &path) else {
            continue;
        };
        let after = if slips.copies_files {
            site.file_of(&fix.commit, &file.path).unwrap_or_default()
        } else {
            file.hunks.iter().fold(before, |text, hunk| {
                patch::apply(&text, hunk)
                    .unwrap_or_else(|| panic!("a hunk of {path} has no place on the branch"))
            })
        };
        files.push((path, after));
    }
    files
}

fn release(site: &mut RepoTools<'_>, fixes: &[Fix]) {
    let version = site
        .file_at(BRANCH, "sluice/__init__.py")
        .expect("the version is there")
        .replace("\"2.1.2\"", "\"2.1.3\"");
    let log = site
        .file_at(BRANCH, "CHANGELOG.md")
        .expect("the change log is there");
    let entries: String = fixes
        .iter()
        .map(|fix| format!("- {} (#{})\n", fix.title, fix.number))
        .collect();
    let section = format!("## 2.1.3 - 2025-03-03\n\n### Fixed\n\n{entries}\n");
    let log = log.replacen("## 2.1.2", &format!("{section}## 2.1.2"), 1);
    let files = [
        ("sluice/__init__.py".to_owned(), version),
        ("CHANGELOG.md".to_owned(), log),
    ];
    site.push(BRANCH, "Release 2.1.3", &files);
}
