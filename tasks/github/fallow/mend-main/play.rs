//! Steps of the solution; each wrong solution breaks one rule.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::string;
use mcpmark_guest::serde_json::json;

const BRANCH: &str = "desk/green-again";
const TITLE: &str = "main: as the checks want it";

/// Deviations of wrong solutions.
#[derive(Default)]
pub struct Slips {
    /// Puts whole files back to what they were before they were broken.
    pub reverts_files: bool,
    /// Mends what the first failing steps say alone.
    pub mends_once: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "northmoor", "fallow");
    site.file_at("main", "docs/format.md");
    site.file_at("main", "docs/checks.md");
    let issue = site.issue_titled("main is red");
    let green = last_green(&mut site);
    let asked =
        json!({"workflow_id": "check.yml", "event": "push", "branch": "main", "perPage": 1});
    let run = site.json("list_workflow_runs", &asked)["workflow_runs"][0].take();
    let asked = json!({"run_id": run["id"], "failed_only": true, "return_content": true});
    let logs = site.json("get_job_logs", &asked);
    let mut places: Vec<(String, usize)> = Vec::new();
    for log in logs["logs"].as_array().into_iter().flatten() {
        places.extend(string(&log["logs_content"]).lines().filter_map(place));
    }
    places.sort();
    places.dedup();
    if slips.mends_once {
        places.truncate(1);
    }
    let mut paths: Vec<String> = places.iter().map(|(path, _)| path.clone()).collect();
    paths.dedup();
    let (mut files, mut told) = (Vec::new(), Vec::new());
    for path in paths {
        let text = site.file_at("main", &path).unwrap_or_default();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let wrong: Vec<usize> = places
            .iter()
            .filter(|(it, _)| *it == path)
            .map(|(_, at)| *at)
            .collect();
        if path.ends_with(".csv") {
            let earlier = site.file_of(&green, &path).unwrap_or_default();
            for at in &wrong {
                let id = lines[at - 1].split(',').next().unwrap_or_default();
                let row = earlier.lines().find(|row| row.starts_with(id));
                lines[at - 1] = row.expect("rows are never taken away").to_owned();
            }
            if slips.reverts_files {
                lines = earlier.lines().map(str::to_owned).collect();
            }
        } else {
            for at in &wrong {
                lines[at - 1] = plain(&lines[at - 1]);
            }
        }
        told.push(format!("- {path}: {}", wrong.len()));
        files.push((path, lines.join("\n") + "\n"));
    }
    site.create_branch(BRANCH, "main");
    site.push(BRANCH, TITLE, &files);
    let body = format!("Fixes #{issue}\n\n{}", told.join("\n"));
    let pull = site.open_pull(TITLE, BRANCH, "main", &body);
    site.ask_for_review(pull, "kadeyemi");
    let status = site.json("get_pull_request_status", &json!({"pullNumber": pull}));
    format!("#{pull} is {}.", string(&status["state"]))
}

/// The place that a line of a log names: the path and the line.
fn place(line: &str) -> Option<(String, usize)> {
    let (_, text) = line.split_once(' ')?;
    let mut parts = text.splitn(3, ':');
    let (path, line) = (parts.next()?, parts.next()?);
    Some((path.to_owned(), line.parse().ok()?))
}

/// The commit of the last green run of main.
fn last_green(site: &mut RepoTools<'_>) -> String {
    let asked = json!({"workflow_id": "check.yml", "event": "push", "branch": "main"});
    let runs = site.pages("list_workflow_runs", Some("workflow_runs"), &asked);
    let run = runs.iter().find(|run| run["conclusion"] == "success");
    string(&run.expect("main was green once")["head_sha"]).to_owned()
}

/// A line without its one link.
fn plain(line: &str) -> String {
    let (start, rest) = line.split_once('[').expect("a link begins");
    let (words, rest) = rest.split_once("](").expect("a link has a target");
    let (_, rest) = rest.split_once(')').expect("a link ends");
    format!("{start}{words}{rest}")
}
