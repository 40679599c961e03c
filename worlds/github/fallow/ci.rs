//! Runs the workflow of the repository on a commit.

mod checks;

use mcpmark_guest::serde_json::Value;
use mcpmark_guest::{Condition, Verifier};

use crate::checks::{Files, Step};

mcpmark_guest::verifier!(verify);

/// Larger files are not read: none of the register is.
const LARGEST: u64 = 1 << 20;

fn verify(task: &mut Verifier) {
    let event = task.parameters();
    let mut files = Files::new();
    for entry in task.end().walk("").required() {
        let kept = matches!(entry.path.rsplit_once('.'), Some((_, "csv" | "md" | "txt")));
        // Anything else counts as being there, which is what links ask.
        let text = if kept && entry.size <= LARGEST {
            task.end()
                .file(entry.path.clone())
                .plain_text()
                .get()
                .ok()
                .cloned()
        } else {
            None
        };
        files.insert(entry.path, text.unwrap_or_default());
    }
    for outcome in checks::run(&steps(&event["workflow"]["file"]), &files) {
        let condition = if outcome.passed {
            Condition::pass(outcome.output)
        } else {
            Condition::fail(outcome.output)
        };
        task.check(outcome.name, condition);
    }
}

/// The steps of a workflow file, job by job. A job without any has one that does nothing.
fn steps(file: &Value) -> Vec<Step> {
    let mut all = Vec::new();
    for (id, job) in file["jobs"].as_object().into_iter().flatten() {
        let before = all.len();
        let title = job["name"].as_str().unwrap_or(id);
        for step in job["steps"].as_array().into_iter().flatten() {
            let command = step["run"].as_str().map(str::to_owned);
            let uses = step["uses"].as_str().unwrap_or("step");
            let name = step["name"].as_str().or(command.as_deref()).unwrap_or(uses);
            all.push(Step {
                job: title.to_owned(),
                name: name.to_owned(),
                command,
            });
        }
        if all.len() == before {
            all.push(Step {
                job: title.to_owned(),
                name: "nothing to do".to_owned(),
                command: None,
            });
        }
    }
    all
}
