//! Approval of imported plans: the actions of a plan that a user must accept before an experiment is continued.

use std::fmt;
use std::path::{Path, PathBuf};

use mcpmark_model::{ModelSpec, Provider};
use mcpmark_server_spec::{ServerSpec, ServerTransport};
use mcpmark_snapshot::Digest;

use crate::{ExperimentRow, Spec, TaskSource};

/// Number of characters of the code that accepts a plan.
const CODE_CHARS: usize = 12;

/// Action of a plan beyond attempts of tasks and their grades. The texts come from the plan and are not sanitised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanAction {
    /// Starts an external server.
    StartServer {
        /// Name of the server.
        name: String,
        /// Program and arguments.
        command: Vec<String>,
        /// Environment variables whose values the program gets.
        variables: Vec<String>,
    },
    /// Contacts an external server.
    ContactServer {
        /// Name of the server.
        name: String,
        /// Address of the server.
        url: String,
        /// Environment variables whose values are sent.
        variables: Vec<String>,
    },
    /// Runs the program of an agent.
    RunAgent {
        /// Program and arguments.
        command: Vec<String>,
        /// Environment variables whose values the program gets.
        variables: Vec<String>,
    },
    /// Sends requests to a model. This includes models at the default address of their provider, because requests cost
    /// money and contain data of the tasks.
    SendRequests {
        /// Name of the model, as `provider/name`.
        model: String,
        /// Address, unless it is the default of the provider.
        base_url: Option<String>,
        /// Environment variables whose values are sent.
        variables: Vec<String>,
    },
    /// Reads tasks and states.
    ReadTasks {
        /// Path or reference of the tasks.
        tasks: PathBuf,
        /// Directory of the starting states.
        states: Option<PathBuf>,
    },
}

impl PlanAction {
    /// Returns the distinct actions of a plan. `source` is the location of the tasks according to the plan, unless it
    /// is overridden. It is an action only if `may_exist` returns true for its path.
    pub fn of_plan(
        spec: &Spec,
        source: Option<&TaskSource>,
        may_exist: impl Fn(&Path) -> bool,
    ) -> Vec<Self> {
        let servers = spec.servers().into_iter();
        let servers = servers.map(|(name, server)| Self::use_server(name, server));
        let agents = spec.participants.iter();
        let agents = agents.filter_map(|one| one.agent_settings.command.as_ref());
        let agents = agents.map(|command| Self::RunAgent {
            command: command.command.clone(),
            variables: command.env.clone(),
        });
        let models = spec.models().map(Self::send_requests);
        let tasks = source.and_then(|source| Self::read_tasks(source, may_exist));
        let mut actions = Vec::new();
        for action in servers.chain(agents).chain(models).chain(tasks) {
            // Several participants may use the same model.
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        actions
    }

    fn use_server(name: &str, server: &ServerSpec) -> Self {
        let name = name.to_owned();
        match &server.transport {
            ServerTransport::Program { command, env } => Self::StartServer {
                name,
                command: command.clone(),
                variables: env.clone(),
            },
            ServerTransport::Http(server) => {
                let headers = server.headers().map(|(_, variable)| variable);
                let variables = server.bearer().into_iter().chain(headers);
                Self::ContactServer {
                    name,
                    url: server.url().to_owned(),
                    variables: variables.map(str::to_owned).collect(),
                }
            }
        }
    }

    fn send_requests(model: &ModelSpec) -> Self {
        let provider = model.name.split_once('/').map(|(provider, _)| provider);
        let key = provider.and_then(Provider::named);
        let key = key.and_then(|provider| provider.key_variable_of(&model.settings));
        let headers = model.settings.headers.values().map(String::as_str);
        Self::SendRequests {
            model: model.name.clone(),
            base_url: model.settings.base_url.clone(),
            variables: key.into_iter().chain(headers).map(str::to_owned).collect(),
        }
    }

    fn read_tasks(source: &TaskSource, may_exist: impl Fn(&Path) -> bool) -> Option<Self> {
        may_exist(&source.tasks).then(|| Self::ReadTasks {
            tasks: source.tasks.clone(),
            states: source.states.clone(),
        })
    }
}

/// Describes the action as the predicate of a sentence, such as `start server "x": …`.
impl fmt::Display for PlanAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StartServer {
                name,
                command,
                variables,
            } => {
                let command = Command(command);
                write!(f, "start server {name:?}: {command}{}", Values(variables))
            }
            Self::ContactServer {
                name,
                url,
                variables,
            } => write!(f, "contact server {name:?} at {url}{}", Values(variables)),
            Self::RunAgent { command, variables } => {
                write!(f, "run the agent {}{}", Command(command), Values(variables))
            }
            Self::SendRequests {
                model,
                base_url,
                variables,
            } => {
                write!(f, "send requests to model {model} ")?;
                match base_url {
                    Some(url) => write!(f, "at {url}")?,
                    None => f.write_str("at its provider's address")?,
                }
                write!(f, "{}", Values(variables))
            }
            Self::ReadTasks { tasks, states } => {
                write!(f, "read tasks from {}", tasks.display())?;
                match states {
                    Some(states) => write!(f, ", and states from {}", states.display()),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Words of a command in quotes.
struct Command<'a>(&'a [String]);

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(f, "{space}{word:?}")?;
        }
        Ok(())
    }
}

/// Names of environment variables whose values are used.
struct Values<'a>(&'a [String]);

impl fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, ", with the values of {}", self.0.join(", "))
    }
}

/// Refusals of the plan of an imported experiment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportedPlanError {
    /// The plan was not accepted.
    #[error(
        "experiment {experiment:?} was imported, and its plan was not accepted; the code {code} accepts it"
    )]
    NotAccepted {
        /// Name of the experiment.
        experiment: String,
        /// Actions of the plan, which the user must see before accepting it.
        actions: Vec<PlanAction>,
        /// Code that accepts exactly these actions.
        code: String,
    },
    /// Tasks would be read from a location that only the plan names.
    #[error("experiment {experiment:?} was imported, and this would {action}")]
    ReadsTasks {
        /// Name of the experiment.
        experiment: String,
        /// Reading of the tasks.
        action: PlanAction,
    },
}

impl ExperimentRow {
    /// Refuses to continue an imported experiment until its plan is accepted with the `code` of the refusal. `source`
    /// is the location of the tasks according to the plan, unless it is overridden. `may_exist` reports whether tasks
    /// can be at a location. Returns true if the experiment is imported and no part of its plan is left to accept.
    ///
    /// # Errors
    ///
    /// Returns [`ImportedPlanError::NotAccepted`] if the plan has actions and `code` is not theirs.
    pub fn check_plan(
        &self,
        spec: &Spec,
        source: Option<&TaskSource>,
        code: Option<&str>,
        may_exist: impl Fn(&Path) -> bool,
    ) -> Result<bool, ImportedPlanError> {
        if !self.is_foreign() {
            return Ok(false);
        }
        // A location that does not exist now may exist later, so it is not accepted yet.
        let is_settled = source.is_none_or(|source| may_exist(&source.tasks));
        let actions = PlanAction::of_plan(spec, source, may_exist);
        if actions.is_empty() {
            return Ok(is_settled);
        }
        let expected = acceptance_code(&actions);
        if code == Some(expected.as_str()) {
            return Ok(is_settled);
        }
        Err(ImportedPlanError::NotAccepted {
            experiment: self.name.clone(),
            actions,
            code: expected,
        })
    }

    /// Returns the location of the experiment's tasks according to its plan.
    ///
    /// # Errors
    ///
    /// Returns [`ImportedPlanError::ReadsTasks`] if the experiment is imported and tasks may exist there.
    pub fn task_source<'a>(
        &self,
        spec: &'a Spec,
        may_exist: impl Fn(&Path) -> bool,
    ) -> Result<Option<&'a TaskSource>, ImportedPlanError> {
        let source = spec.published.as_ref();
        let action = source
            .filter(|_| self.is_foreign())
            .and_then(|source| PlanAction::read_tasks(source, may_exist));
        match action {
            Some(action) => Err(ImportedPlanError::ReadsTasks {
                experiment: self.name.clone(),
                action,
            }),
            None => Ok(source),
        }
    }
}

/// Returns the code that accepts exactly these actions.
fn acceptance_code(actions: &[PlanAction]) -> String {
    let lines = actions.iter().map(|action| {
        // An action stays one line, so that different lists have different texts.
        let line = action.to_string();
        let line = line.replace('\\', "\\\\").replace('\n', "\\n");
        format!("\n  {line}")
    });
    let text: String = lines.collect();
    Digest::of(text.as_bytes()).hex()[..CODE_CHARS].to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn experiment(imported_ms: Option<i64>) -> ExperimentRow {
        ExperimentRow {
            id: "id".to_owned(),
            name: "e".to_owned(),
            created_ms: 1,
            imported_ms,
            accepted_ms: None,
            spec: String::new(),
            attempts: 0,
            graded: 0,
            passed: 0,
        }
    }

    fn spec(participants: Value) -> Spec {
        let participants = serde_json::from_value(participants).unwrap();
        Spec::new(vec!["t".to_owned()], participants)
    }

    fn everything() -> Spec {
        let model = json!({"name": "openai/gpt-5"});
        spec(json!([
            {"agent": "mcpmark", "model": model},
            {"agent": "react", "model": model, "agent_settings": {"servers": {
                "a": {"command": ["sh", "-c", "x y"], "env": ["A", "B"]},
                "b": {"url": "http://127.0.0.1:9/mcp", "bearer": "TOKEN"},
            }}},
            {"agent": "command", "agent_settings": {"command": {"command": ["agent"]}}},
        ]))
    }

    fn source(tasks: &str) -> TaskSource {
        TaskSource {
            tasks: tasks.into(),
            states: Some("/states".into()),
            bundle: None,
        }
    }

    #[test]
    fn every_action_is_listed_once() {
        let source = source("/tasks");
        let actions = PlanAction::of_plan(&everything(), Some(&source), |_| true);
        let lines: Vec<String> = actions.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "start server \"a\": \"sh\" \"-c\" \"x y\", with the values of A, B",
                "contact server \"b\" at http://127.0.0.1:9/mcp, with the values of TOKEN",
                "run the agent \"agent\"",
                "send requests to model openai/gpt-5 at its provider's address, with the values of OPENAI_API_KEY",
                "read tasks from /tasks, and states from /states",
            ]
        );
    }

    #[test]
    fn only_the_code_of_the_listed_actions_accepts_an_imported_plan() {
        let spec = everything();
        let foreign = experiment(Some(1));
        let check = |code: Option<&str>| foreign.check_plan(&spec, None, code, |_| true);
        let Err(ImportedPlanError::NotAccepted { actions, code, .. }) = check(None) else {
            panic!("the plan was accepted");
        };
        assert_eq!((actions.len(), code.len()), (4, CODE_CHARS));
        assert!(check(Some("000000000000")).is_err());
        assert_eq!(check(Some(&code)), Ok(true));
        let more = source("/tasks");
        let with_tasks = foreign.check_plan(&spec, Some(&more), Some(&code), |_| true);
        assert!(with_tasks.is_err());
        let own = experiment(None);
        assert_eq!(own.check_plan(&spec, None, None, |_| true), Ok(false));
    }

    #[test]
    fn a_location_without_tasks_is_neither_refused_nor_settled() {
        let foreign = experiment(Some(1));
        let mut spec = spec(json!([{"agent": "nop"}]));
        assert_eq!(foreign.check_plan(&spec, None, None, |_| false), Ok(true));
        let place = source("/tasks");
        let check = |exists: bool| foreign.check_plan(&spec, Some(&place), None, |_| exists);
        assert_eq!(check(false), Ok(false));
        assert!(check(true).is_err());
        spec.published = Some(place.clone());
        assert_eq!(foreign.task_source(&spec, |_| false), Ok(Some(&place)));
        let error = foreign.task_source(&spec, |_| true).unwrap_err();
        assert_eq!(
            error.to_string(),
            "experiment \"e\" was imported, and this would read tasks from /tasks, and states from /states"
        );
        let own = experiment(None);
        assert_eq!(own.task_source(&spec, |_| true), Ok(Some(&place)));
    }

    #[test]
    fn a_line_break_in_a_name_is_not_taken_for_another_action() {
        let send = |model: &str| PlanAction::SendRequests {
            model: model.to_owned(),
            base_url: None,
            variables: Vec::new(),
        };
        let suffix = " at its provider's address\n  send requests to model b";
        let one = [send(&format!("a{suffix}"))];
        let two = [send("a"), send("b")];
        assert_ne!(acceptance_code(&one), acceptance_code(&two));
    }
}
