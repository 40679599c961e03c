//! Steps of the solution; each wrong solution breaks one rule.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

/// Deviations of wrong solutions.
#[derive(Default)]
pub struct Slips {
    /// Takes the beginning of the outage for that of each job.
    pub takes_the_first_red_run: bool,
    /// Names who merged instead of who wrote.
    pub names_who_merged: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "northmoor", "fallow");
    site.file_at("main", "docs/checks.md");
    let issue = site.issue_titled("main is red");
    let asked = json!({"workflow_id": "check.yml", "event": "push", "branch": "main"});
    let runs = site.pages("list_workflow_runs", Some("workflow_runs"), &asked);
    // The newest first, as far as they are red without a break.
    let red: Vec<&Value> = runs
        .iter()
        .take_while(|run| run["conclusion"] == "failure")
        .collect();
    let mut failed: Vec<Vec<String>> = Vec::new();
    for run in &red {
        let list = site.json(
            "list_workflow_jobs",
            &json!({"run_id": run["id"], "filter": "latest"}),
        );
        let jobs = list["jobs"]["jobs"].as_array().cloned().unwrap_or_default();
        let jobs = jobs.iter().filter(|it| it["conclusion"] == "failure");
        failed.push(jobs.map(|it| string(&it["name"]).to_owned()).collect());
    }
    let mut names = failed[0].clone();
    names.sort();
    let (mut lines, mut authors) = (Vec::new(), Vec::<String>::new());
    for name in names {
        let row = failed.iter().take_while(|it| it.contains(&name)).count();
        let row = if slips.takes_the_first_red_run {
            red.len()
        } else {
            row
        };
        let run = red[row - 1];
        let sha = string(&run["head_sha"]);
        let commit = site.commit(sha);
        let login = if slips.names_who_merged {
            string(&run["actor"]["login"]).to_owned()
        } else {
            string(&commit["author"]["login"]).to_owned()
        };
        lines.push(format!(
            "| {name} | {} | {login} | {} | {} | {row} |",
            &sha[..7],
            number(&run["run_number"]),
            &string(&run["created_at"])[..10]
        ));
        if !authors.contains(&login) {
            authors.push(login);
        }
    }
    let mut text = format!(
        "# What broke main\n\n| Job | Commit | Author | Run | Since | Red runs |\n|---|---|---|---|---|---|\n{}\n",
        lines.join("\n")
    );
    text.push_str("\n## Red runs\n\n");
    for (run, names) in red.iter().zip(&failed).rev() {
        let mut names = names.clone();
        names.sort();
        text.push_str(&format!("- {}: {}\n", run["run_number"], names.join(", ")));
    }
    site.create_branch("desk/broken", "main");
    site.push(
        "desk/broken",
        "docs: what broke main",
        &[("docs/broken.md".to_owned(), text)],
    );
    let made = site.open_pull(
        "docs: what broke main",
        "desk/broken",
        "main",
        &format!("For #{issue}"),
    );
    site.ask_for_review(made, "kadeyemi");
    let whole = site.json("get_issue", &json!({"issue_number": issue}));
    let mut all = labels(&whole);
    all.push("red".to_owned());
    site.update_issue(issue, &json!({"labels": all, "assignees": authors}));
    lines.join("; ")
}
