//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, string};
use mcpmark_guest::serde_json::json;

const BRANCH: &str = "desk/lost-sign";
const ISSUE: &str = "Which releases lose the sign of a difference?";
const NAMES: [&str; 2] = ["lib/fortnight/span.rb", "lib/fortnight/interval.rb"];

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes a release that has not the name of today for right.
    pub new_name_only: bool,
    /// Judges by the first release that has the mistake and the first on main that has it no more.
    pub trusts_the_first_fix: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    let tags = site.pages("list_tags", None, &json!({}));
    let mut releases: Vec<(Vec<u64>, String, String)> = tags
        .iter()
        .map(|tag| {
            let version = string(&tag["name"]).trim_start_matches('v').to_owned();
            let parts = version.split('.').filter_map(|it| it.parse().ok());
            (parts.collect(), version, string(&tag["name"]).to_owned())
        })
        .collect();
    releases.sort();
    let mut text =
        String::from("# The lost sign\n\n| Release | Day | File | Sign |\n|---|---|---|---|\n");
    let mut lost: Vec<&str> = Vec::new();
    for (parts, version, tag) in &releases {
        let found = NAMES
            .iter()
            .find_map(|name| Some((*name, site.file_at(&format!("refs/tags/{tag}"), name)?)));
        let (name, code) = found.expect("a release has one of the two");
        let mut is_lost = loses_the_sign(&code);
        if slips.new_name_only && name != NAMES[0] {
            is_lost = false;
        }
        if slips.trusts_the_first_fix {
            is_lost = (&[2, 1, 0][..]..&[3, 2, 0][..]).contains(&&parts[..]);
        }
        if is_lost {
            lost.push(version);
        }
        let page = site.json("list_commits", &json!({"sha": tag, "perPage": 1}));
        let day = &string(&page[0]["commit"]["author"]["date"])[..10];
        let sign = if is_lost { "lost" } else { "kept" };
        text.push_str(&format!("| {version} | {day} | {name} | {sign} |\n"));
    }
    text.push_str(&format!(
        "\n{} of {} releases lose the sign.\n",
        lost.len(),
        releases.len()
    ));
    site.create_branch(BRANCH, "main");
    let file = ("docs/lost-sign.md".to_owned(), text);
    site.push(BRANCH, "docs: which releases lose the sign", &[file]);
    let issue = site.issue_titled(ISSUE);
    let found = site.json("get_issue", &json!({"issue_number": issue}));
    let mut names = labels(&found);
    names.push("confirmed".to_owned());
    site.update_issue(issue, &json!({"labels": names}));
    site.comment(issue, &format!("Lost in {}.", lost.join(", ")));
    format!("{} releases lose the sign.", lost.len())
}

/// Whether the method `-` takes a difference without its sign.
fn loses_the_sign(code: &str) -> bool {
    let method = code.split("def -(other)").nth(1).unwrap_or_default();
    let body = method.split("\n    end").next().unwrap_or_default();
    body.contains(".abs")
}
