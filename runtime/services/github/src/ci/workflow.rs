//! What a workflow file says of when it runs.

use serde_json::Value;

use super::{glob, yaml};

/// Where workflow files lie.
pub(crate) const FOLDER: &str = ".github/workflows";

/// Larger files are no workflows, as on GitHub.
const LARGEST: usize = 512 * 1024;

/// The most files that differ of which the paths are looked at, as on GitHub.
pub(super) const MOST_PATHS: usize = 300;

/// A workflow file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Workflow {
    /// Its path in the repository.
    pub(crate) path: String,
    /// What it says; none where it is no workflow.
    pub(super) file: Option<Value>,
}

/// An event that workflows may run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Occasion<'a> {
    /// `push`, `pull_request` or `workflow_dispatch`.
    pub(super) event: &'a str,
    /// The branch that was pushed to, or the base of the pull request.
    pub(super) branch: &'a str,
    /// What happened to a pull request: `opened`, `reopened` or `synchronize`; empty otherwise.
    pub(super) action: &'a str,
    /// The files that differ, as far as they are known. Any may where they are not.
    pub(super) paths: Option<&'a [String]>,
}

/// Whether a path is one of a workflow.
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
            .filter(|text| text.len() <= LARGEST)
            .and_then(|text| yaml::parse(text).ok())
            .filter(is_complete);
        Self {
            path: path.to_owned(),
            file,
        }
    }

    /// Its name; its path where it has none.
    pub(crate) fn name(&self) -> &str {
        let name = self.file.as_ref().and_then(|file| file["name"].as_str());
        name.unwrap_or(&self.path)
    }

    /// Whether it can be run by hand.
    pub(crate) fn is_dispatched(&self) -> bool {
        self.trigger("workflow_dispatch").is_some()
    }

    /// The labels of the runner that a job asks for, by the name or the key of the job; none where it asks for none,
    /// or by an expression that is only known while it runs.
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

    /// What it says of an event; null where it only names it.
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

    /// Whether it depends on the files that differ whether it runs on an event.
    pub(super) fn looks_at_paths(&self, event: &str) -> bool {
        let trigger = self.trigger(event);
        let has = |key: &str| trigger.is_some_and(|trigger| trigger.get(key).is_some());
        has("paths") || has("paths-ignore")
    }

    /// Whether it runs on an event. One that is no workflow runs on each push, and fails.
    pub(super) fn runs_on(&self, occasion: &Occasion<'_>) -> bool {
        if self.file.is_none() {
            return occasion.event == "push";
        }
        let Some(trigger) = self.trigger(occasion.event) else {
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
            .is_none_or(|all| glob::takes(&all, occasion.branch, steps))
            && patterns("branches-ignore")
                .is_none_or(|all| !glob::takes(&all, occasion.branch, steps));
        // Where nothing is said of branches but something of tags, pushes to branches do not count.
        let for_tags = occasion.event == "push"
            && ["tags", "tags-ignore"]
                .iter()
                .any(|key| trigger.get(key).is_some())
            && ["branches", "branches-ignore"]
                .iter()
                .all(|key| trigger.get(key).is_none());
        let any = |takes: &mut dyn FnMut(&str) -> bool| {
            let paths = occasion.paths.map(|paths| paths.iter().take(MOST_PATHS));
            paths.is_none_or(|mut paths| paths.any(|path| takes(path)))
        };
        let takes_paths = match (patterns("paths"), patterns("paths-ignore")) {
            (Some(all), _) => any(&mut |path| glob::takes(&all, path, steps)),
            (None, Some(all)) => any(&mut |path| !glob::takes(&all, path, steps)),
            (None, None) => true,
        };
        let types = patterns("types");
        let takes_action = occasion.event != "pull_request"
            || types.is_none_or(|all| all.iter().any(|it| it == occasion.action));
        takes_branch && !for_tags && takes_paths && takes_action
    }
}

/// Whether a file has what each workflow needs: when it runs, and jobs.
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

    fn push<'a>(branch: &'a str, paths: &'a [String]) -> Occasion<'a> {
        Occasion {
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
        let unknown = Occasion {
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
        let reopened = Occasion {
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
    fn what_is_no_workflow_fails_on_each_push() {
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
