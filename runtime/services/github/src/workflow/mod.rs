//! Workflow files and their triggers.

mod glob;
mod yaml;

use serde_json::Value;

/// Directory of workflow files.
pub(crate) const FOLDER: &str = ".github/workflows";

/// Maximum size of a workflow file in bytes, as on GitHub. Larger files are invalid.
const MAX_BYTES: usize = 512 * 1024;

/// Maximum number of changed paths that path filters consider. GitHub has the same limit for files.
pub(crate) const MAX_PATHS: usize = 300;

/// Workflow file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Workflow {
    /// Path in the repository.
    pub(crate) path: String,
    /// Content as JSON. `None` if the file is not a valid workflow.
    pub(crate) file: Option<Value>,
}

/// Event on which workflows may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TriggerEvent<'a> {
    /// Name of the event: `push`, `pull_request` or `workflow_dispatch`.
    pub(crate) event: &'a str,
    /// Pushed branch, or base of the pull request.
    pub(crate) branch: &'a str,
    /// Action on a pull request: `opened`, `reopened` or `synchronize`. Empty otherwise.
    pub(crate) action: &'a str,
    /// Changed files. `None` if they are not known; then every path filter matches.
    pub(crate) paths: Option<&'a [String]>,
}

/// Returns true if a path is that of a workflow file.
pub(crate) fn is_workflow(path: &str) -> bool {
    let name = path
        .strip_prefix(FOLDER)
        .and_then(|it| it.strip_prefix('/'));
    name.is_some_and(|name| {
        !name.contains('/') && (name.ends_with(".yml") || name.ends_with(".yaml"))
    })
}

impl Workflow {
    pub(crate) fn read(path: &str, bytes: &[u8]) -> Self {
        let file = std::str::from_utf8(bytes)
            .ok()
            .filter(|text| text.len() <= MAX_BYTES)
            .and_then(|text| yaml::parse(text).ok())
            .filter(is_complete);
        Self {
            path: path.to_owned(),
            file,
        }
    }

    /// Name of the workflow, which defaults to its path.
    pub(crate) fn name(&self) -> &str {
        let name = self.file.as_ref().and_then(|file| file["name"].as_str());
        name.unwrap_or(&self.path)
    }

    /// Returns true if the workflow can be started manually.
    pub(crate) fn is_dispatched(&self) -> bool {
        self.trigger("workflow_dispatch").is_some()
    }

    /// Labels of the runner that a job requests. The job is given by its name or key. `None` if it requests none, or
    /// uses an expression that can only be evaluated at run time.
    pub(crate) fn runner_labels(&self, job: &str) -> Option<Vec<String>> {
        let jobs = self.file.as_ref()?["jobs"].as_object()?;
        let named = jobs.values().find(|it| it["name"] == job);
        let asked = &named.or_else(|| jobs.get(job))?["runs-on"];
        let asked = asked.get("labels").unwrap_or(asked);
        let labels = match asked {
            Value::String(one) => vec![one.clone()],
            Value::Array(all) => all
                .iter()
                .map(|it| it.as_str().map(str::to_owned))
                .collect::<Option<_>>()?,
            _ => return None,
        };
        let is_known = |label: &String| !label.contains("${{");
        labels.iter().all(is_known).then_some(labels)
    }

    /// Configuration of an event under `on`. Null if the event is only named.
    fn trigger(&self, event: &str) -> Option<&Value> {
        match &self.file.as_ref()?["on"] {
            Value::String(name) => (name == event).then_some(&Value::Null),
            Value::Array(names) => {
                let named = names.iter().any(|name| name == event);
                named.then_some(&Value::Null)
            }
            Value::Object(events) => events.get(event),
            _ => None,
        }
    }

    /// Returns true if the trigger for an event has a path filter.
    pub(crate) fn looks_at_paths(&self, event: &str) -> bool {
        let trigger = self.trigger(event);
        let has = |key: &str| trigger.is_some_and(|trigger| trigger.get(key).is_some());
        has("paths") || has("paths-ignore")
    }

    /// Returns true if the workflow runs on an event. An invalid workflow runs on each push, and fails.
    pub(crate) fn runs_on(&self, event: &TriggerEvent<'_>) -> bool {
        if self.file.is_none() {
            return event.event == "push";
        }
        let Some(trigger) = self.trigger(event.event) else {
            return false;
        };
        let patterns = |key: &str| -> Option<Vec<String>> {
            match trigger.get(key)? {
                Value::String(one) => Some(vec![one.clone()]),
                Value::Array(all) => {
                    let texts = all.iter().filter_map(Value::as_str);
                    Some(texts.map(str::to_owned).collect())
                }
                _ => None,
            }
        };
        let steps = &mut glob::Steps::default();
        let takes_branch = patterns("branches")
            .is_none_or(|all| glob::takes(&all, event.branch, steps))
            && patterns("branches-ignore")
                .is_none_or(|all| !glob::takes(&all, event.branch, steps));
        // With filters for tags but none for branches, pushes to branches are ignored.
        let for_tags = event.event == "push"
            && ["tags", "tags-ignore"]
                .iter()
                .any(|key| trigger.get(key).is_some())
            && ["branches", "branches-ignore"]
                .iter()
                .all(|key| trigger.get(key).is_none());
        let any = |takes: &mut dyn FnMut(&str) -> bool| {
            let paths = event.paths.map(|paths| paths.iter().take(MAX_PATHS));
            paths.is_none_or(|mut paths| paths.any(|path| takes(path)))
        };
        let takes_paths = match (patterns("paths"), patterns("paths-ignore")) {
            (Some(all), _) => any(&mut |path| glob::takes(&all, path, steps)),
            (None, Some(all)) => any(&mut |path| !glob::takes(&all, path, steps)),
            (None, None) => true,
        };
        let types = patterns("types");
        let takes_action = event.event != "pull_request"
            || types.is_none_or(|all| all.iter().any(|it| it == event.action));
        takes_branch && !for_tags && takes_paths && takes_action
    }
}

/// Returns true if a file has the required parts of a workflow: events and jobs.
fn is_complete(file: &Value) -> bool {
    let has_events = matches!(
        &file["on"],
        Value::String(_) | Value::Array(_) | Value::Object(_)
    );
    let jobs = file["jobs"].as_object();
    has_events && jobs.is_some_and(|jobs| !jobs.is_empty() && jobs.values().all(Value::is_object))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workflow(on: &str) -> Workflow {
        let text = format!("name: check\non: {on}\njobs:\n  a:\n    steps: []\n");
        Workflow::read(".github/workflows/check.yml", text.as_bytes())
    }

    fn push<'a>(branch: &'a str, paths: &'a [String]) -> TriggerEvent<'a> {
        TriggerEvent {
            event: "push",
            branch,
            action: "",
            paths: Some(paths),
        }
    }

    #[test]
    fn events_are_taken_in_each_form() {
        for on in [
            "push",
            "[push, pull_request]",
            "{push: , workflow_dispatch: }",
        ] {
            assert!(workflow(on).runs_on(&push("main", &[])), "{on}");
        }
        assert!(!workflow("pull_request").runs_on(&push("main", &[])));
        assert!(workflow("{workflow_dispatch: }").is_dispatched());
        assert!(!workflow("push").is_dispatched());
    }

    #[test]
    fn branches_paths_and_types_narrow_them() {
        let paths = ["docs/a.md".to_owned()];
        let on = workflow("{push: {branches: [main, 'release/*']}}");
        assert!(on.runs_on(&push("release/1", &paths)) && !on.runs_on(&push("topic", &paths)));
        let on = workflow("{push: {branches-ignore: 'release/**'}}");
        assert!(!on.runs_on(&push("release/1", &paths)) && on.runs_on(&push("topic", &paths)));
        assert!(!workflow("{push: {paths: ['data/**']}}").runs_on(&push("main", &paths)));
        assert!(!workflow("{push: {paths-ignore: ['docs/**']}}").runs_on(&push("main", &paths)));
        assert!(!workflow("{push: {tags: ['v*']}}").runs_on(&push("main", &paths)));
        let unknown = TriggerEvent {
            paths: None,
            ..push("main", &paths)
        };
        for on in [
            "{push: {paths: ['data/**']}}",
            "{push: {paths-ignore: ['docs/**']}}",
        ] {
            assert!(
                workflow(on).looks_at_paths("push") && workflow(on).runs_on(&unknown),
                "{on}"
            );
        }
        assert!(!workflow("{push: , pull_request: {paths: a}}").looks_at_paths("push"));
        let reopened = TriggerEvent {
            event: "pull_request",
            branch: "main",
            action: "reopened",
            paths: Some(&paths),
        };
        assert!(workflow("pull_request").runs_on(&reopened));
        assert!(!workflow("{pull_request: {types: [opened]}}").runs_on(&reopened));
        assert!(!workflow("{pull_request: {branches: [next]}}").runs_on(&reopened));
    }

    #[test]
    fn runners_are_those_that_jobs_ask_for() {
        let text = "on: push\njobs:\n  a: {runs-on: ubuntu-24.04}\n  b: {name: Bee, runs-on: [self-hosted, linux]}\n  \
                    c: {runs-on: {group: big, labels: large}}\n  d: {runs-on: '${{ matrix.os }}'}\n  e: {steps: []}\n";
        let workflow = Workflow::read(".github/workflows/x.yml", text.as_bytes());
        let labels = |job| workflow.runner_labels(job).map(|it| it.join(" "));
        assert_eq!(labels("a").as_deref(), Some("ubuntu-24.04"));
        assert_eq!(labels("Bee").as_deref(), Some("self-hosted linux"));
        assert_eq!(labels("c").as_deref(), Some("large"));
        for job in ["d", "e", "f"] {
            assert_eq!(labels(job), None, "{job}");
        }
    }

    #[test]
    fn an_invalid_workflow_fails_on_each_push() {
        for text in [
            "on: push\n",
            "jobs: {a: {}}\n",
            "on: [push\n",
            "a",
            "on: push\njobs: {}\n",
        ] {
            let broken = Workflow::read(".github/workflows/x.yml", text.as_bytes());
            assert!(broken.file.is_none(), "{text}");
            assert!(broken.runs_on(&push("any", &[])));
            assert_eq!(broken.name(), ".github/workflows/x.yml");
        }
        assert!(is_workflow(".github/workflows/a.yaml"));
        assert!(
            !is_workflow(".github/workflows/a/b.yml") && !is_workflow(".github/workflows/a.md")
        );
    }
}
