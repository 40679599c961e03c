//! Steps of the solution; each wrong solution breaks one rule.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::string;
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "desk/outages";
const TITLE: &str = "docs: when main was red";

/// Deviations of wrong solutions.
#[derive(Default)]
pub struct Slips {
    /// Names the jobs of the first red run alone.
    pub looks_at_first_runs: bool,
    /// Leaves out what has not ended.
    pub leaves_out_the_last: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "northmoor", "fallow");
    site.file_at("main", "docs/checks.md");
    let issues = site.issues("OPEN");
    let issue = issues
        .iter()
        .find(|it| string(&it["title"]) == "How often were the checks red?")
        .expect("the issue is open");
    let asked = json!({"workflow_id": "check.yml", "event": "push", "branch": "main"});
    let mut runs = site.pages("list_workflow_runs", Some("workflow_runs"), &asked);
    runs.reverse();
    let is_red = |run: &Value| run["conclusion"] == "failure";
    let mut text = String::from(
        "# Outages\n\n| From | Until | Runs | Jobs | Broke | Mended |\n|---|---|---|---|---|---|\n",
    );
    let (mut outages, mut red, mut at) = (0, 0, 0);
    while at < runs.len() {
        if !is_red(&runs[at]) {
            at += 1;
            continue;
        }
        let first = at;
        let mut jobs: Vec<String> = Vec::new();
        while at < runs.len() && is_red(&runs[at]) {
            if at == first || !slips.looks_at_first_runs {
                let asked = json!({"run_id": runs[at]["id"], "filter": "latest"});
                let list = site.json("list_workflow_jobs", &asked);
                let failed = list["jobs"]["jobs"].as_array().cloned().unwrap_or_default();
                let failed = failed.iter().filter(|it| is_red(it));
                jobs.extend(failed.map(|it| string(&it["name"]).to_owned()));
            }
            at += 1;
        }
        jobs.sort();
        jobs.dedup();
        let (until, mended) = match runs.get(at) {
            Some(run) => (
                &string(&run["created_at"])[..10],
                &string(&run["head_sha"])[..7],
            ),
            None if slips.leaves_out_the_last => break,
            None => ("-", "-"),
        };
        outages += 1;
        red += at - first;
        text.push_str(&format!(
            "| {} | {until} | {} | {} | {} | {mended} |\n",
            &string(&runs[first]["created_at"])[..10],
            at - first,
            jobs.join(", "),
            &string(&runs[first]["head_sha"])[..7]
        ));
    }
    text.push_str(&format!("\n{outages} outages, {red} red runs.\n"));
    site.create_branch(BRANCH, "main");
    site.push(BRANCH, TITLE, &[("docs/outages.md".to_owned(), text)]);
    let body = format!("Closes #{}", issue["number"]);
    let pull = site.open_pull(TITLE, BRANCH, "main", &body);
    site.ask_for_review(pull, string(&issue["user"]["login"]));
    format!("{outages} outages are listed in #{pull}.")
}
