//! Preflight: checks of models, external servers and programs before anything is spent.

mod error;
mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::time::Duration;

use mcpmark_external::{External, ServerSpec};
use mcpmark_journal::{AgentKind, AgentSettings, Participant, Spec};
use mcpmark_model::{Conversation, Model, RequestError, RequestErrorKind, ToolSpec};
use mcpmark_service::ToolClash;
use serde_json::json;

pub use self::error::{PreflightError, ProgramError, RefusedRequest};
use crate::ToolFilter;

/// Timeout of the test request to a model.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Delay before a wait is reported.
const QUIET: Duration = Duration::from_secs(1);

/// Lookup of an environment variable.
pub type Variable<'a> = dyn Fn(&str) -> Option<String> + Sync + 'a;

/// Tools of external servers, with the names of their servers.
pub type ExternalTools = BTreeMap<String, String>;

/// Event of a preflight.
#[derive(Debug, Clone, Copy)]
pub enum PreflightEvent<'a> {
    /// The start of a server, or the connection to it, takes longer than a second.
    WaitsForServer(&'a str),
    /// The reply of a model takes longer than a second.
    WaitsForModel(&'a str),
    /// A model did not call the tool of the test request.
    NoToolCall(&'a str),
    /// A model refused the test request for a reason that may be temporary, so the preflight continues.
    Temporary(&'a RefusedRequest),
}

/// Receiver of the events of a preflight.
type Report<'a> = dyn FnMut(PreflightEvent<'_>) + Send + 'a;

/// Models of the participants of a spec that will act.
pub struct ActingModels {
    pub(crate) models: Vec<Option<Model>>,
    acting: BTreeSet<usize>,
}

impl ActingModels {
    /// Opens the models of the participants that will act, given by their indices in the spec. `variable` looks up the
    /// environment variables with their keys.
    ///
    /// # Errors
    ///
    /// Returns an error if a model cannot be opened or does not support the tool calls of its agent, or if a limit on
    /// cost depends on an unknown price.
    pub fn open(
        spec: &Spec,
        acting: &BTreeSet<usize>,
        variable: &Variable<'_>,
    ) -> Result<Self, PreflightError> {
        let mut models = Vec::new();
        for (index, Participant { agent, model, .. }) in spec.participants.iter().enumerate() {
            let model = model.as_ref().filter(|_| acting.contains(&index));
            let Some(model) = model else {
                models.push(None);
                continue;
            };
            let model = Model::open(model, variable)?;
            if *agent == AgentKind::Mcpmark {
                model.check_tools()?;
            }
            models.push(Some(model));
        }
        let limits = &spec.limits;
        if limits.attempt_cost_nano_usd.is_some() || limits.experiment_cost_nano_usd.is_some() {
            for model in models.iter().flatten() {
                if spec.prices.of(model.name()).is_none() {
                    return Err(PreflightError::NoPrice {
                        model: model.name().to_owned(),
                    });
                }
            }
        }
        Ok(Self {
            models,
            acting: acting.clone(),
        })
    }

    /// Returns the participants that will act.
    fn acting<'a>(&'a self, spec: &'a Spec) -> impl Iterator<Item = &'a Participant> {
        let indices = self.acting.iter();
        indices.filter_map(|index| spec.participants.get(*index))
    }

    /// Returns the participants that use a model, each with its model.
    fn asking<'a>(&'a self, spec: &'a Spec) -> impl Iterator<Item = (&'a Model, &'a Participant)> {
        let all = self.models.iter().zip(&spec.participants);
        all.filter_map(|(model, participant)| Some((model.as_ref()?, participant)))
    }

    /// Checks the environment variables of each external server and the programs of agents, and serialises a request to
    /// each model without sending it. `path` is the value of `PATH`.
    ///
    /// # Errors
    ///
    /// Returns an error if a variable or a program is missing, or if a model does not support a setting.
    pub async fn check(
        &self,
        spec: &Spec,
        variable: &Variable<'_>,
        path: &OsStr,
    ) -> Result<(), PreflightError> {
        for (name, server) in Participant::servers(self.acting(spec)) {
            External::check(name, server, variable)?;
        }
        for participant in self.acting(spec) {
            if let Some(command) = &participant.agent_settings.command {
                program::check(command, variable, path)?;
            }
        }
        for (model, participant) in self.asking(spec) {
            let (conversation, tools) = test_request(participant.agent);
            let seed = model.sampling_seed(0);
            if let Err(error) = model.check(&conversation, &tools, seed).await {
                return Err(refused(model, false, error));
            }
        }
        Ok(())
    }

    /// Checks the tool filters of all participants that will act, as far as that is possible without the tools of
    /// external servers. `worlds` contains the tools of each kind of world.
    ///
    /// # Errors
    ///
    /// Returns [`PreflightError::Filter`] for the first filter that is not valid or does not match the tools.
    pub fn check_filters(
        &self,
        spec: &Spec,
        worlds: &[BTreeSet<String>],
    ) -> Result<(), PreflightError> {
        let mut acting = self.acting(spec);
        acting.try_for_each(|one| check_filter(&one.agent_settings, worlds, &ExternalTools::new()))
    }

    /// Starts or contacts each external server, and sends a test request to each model, with a tool if the agent uses
    /// tool calls. Returns the tools of those servers. `worlds` contains the tools of each kind of world.
    ///
    /// # Errors
    ///
    /// Returns an error if a server or a model cannot be used, or if tools clash or do not match their filter.
    pub async fn preflight(
        &self,
        spec: &Spec,
        worlds: &[BTreeSet<String>],
        variable: &Variable<'_>,
        report: &mut Report<'_>,
    ) -> Result<ExternalTools, PreflightError> {
        let all = self.contact_servers(spec, worlds, variable, report).await?;
        for (model, participant) in self.asking(spec) {
            let (conversation, tools) = test_request(participant.agent);
            let asking = model.ask(
                &conversation,
                &tools,
                model.sampling_seed(0),
                REQUEST_TIMEOUT,
            );
            let waits = PreflightEvent::WaitsForModel(model.name());
            let exchange = announced(asking, waits, report).await;
            let error = match exchange.result {
                Ok(answer) if answer.usage.is_none() && spec.limits.counts_usage() => {
                    return Err(PreflightError::NoUsage {
                        model: model.name().to_owned(),
                    });
                }
                Ok(answer) => {
                    if !tools.is_empty() && answer.calls.is_empty() {
                        report(PreflightEvent::NoToolCall(model.name()));
                    }
                    continue;
                }
                Err(error) => error,
            };
            let is_unreachable = matches!(
                error.kind,
                RequestErrorKind::Connection | RequestErrorKind::Timeout
            );
            let settings = participant.model.as_ref().map(|model| &model.settings);
            let is_elsewhere = settings.is_some_and(|settings| settings.base_url.is_some());
            let refusal = RefusedRequest::new(model, is_elsewhere || is_unreachable, error);
            if matches!(
                refusal.error.kind,
                RequestErrorKind::RateLimit | RequestErrorKind::Overloaded
            ) {
                report(PreflightEvent::Temporary(&refusal));
            } else {
                return Err(PreflightError::Refused(Box::new(refusal)));
            }
        }
        Ok(all)
    }

    /// Starts or contacts each external server. Returns their tools.
    async fn contact_servers(
        &self,
        spec: &Spec,
        worlds: &[BTreeSet<String>],
        variable: &Variable<'_>,
        report: &mut Report<'_>,
    ) -> Result<ExternalTools, PreflightError> {
        let mut offered: Vec<((&str, &ServerSpec), Vec<String>)> = Vec::new();
        for (name, server) in Participant::servers(self.acting(spec)) {
            // The server is dropped at the end of the iteration; each attempt starts its own.
            let starting = External::start(name, server, variable);
            let waits = PreflightEvent::WaitsForServer(name);
            let started = announced(starting, waits, report).await?;
            let tools = started.tools().map(|tool| tool.to_string()).collect();
            offered.push(((name, server), tools));
        }
        let mut all = ExternalTools::new();
        for participant in self.acting(spec) {
            let mut external = ExternalTools::new();
            for (name, server) in &participant.agent_settings.servers {
                let own = offered
                    .iter()
                    .filter(|(known, _)| *known == (name.as_str(), server));
                for tool in own.flat_map(|(_, tools)| tools) {
                    if external.insert(tool.clone(), name.clone()).is_some() {
                        return Err(clash(name, tool));
                    }
                }
            }
            for tools in worlds {
                check_clashes(&external, tools)?;
            }
            check_filter(&participant.agent_settings, worlds, &external)?;
            all.extend(external);
        }
        Ok(all)
    }
}

impl RefusedRequest {
    fn new(model: &Model, names_address: bool, error: RequestError) -> Self {
        Self {
            model: model.name().to_owned(),
            base_url: names_address.then(|| model.base_url().to_owned()),
            has_key: model.has_key(),
            error,
        }
    }
}

fn refused(model: &Model, names_address: bool, error: RequestError) -> PreflightError {
    PreflightError::Refused(Box::new(RefusedRequest::new(model, names_address, error)))
}

/// Returns the test request of the preflight. It contains a tool call if the agent uses the provider's tool calls.
fn test_request(agent: AgentKind) -> (Conversation, Vec<ToolSpec>) {
    let system = "This is a check of the connection.";
    if agent != AgentKind::Mcpmark {
        return (Conversation::new(system, "Reply with: ok"), Vec::new());
    }
    let ping = ToolSpec {
        name: "ping".to_owned(),
        description: "Does nothing.".to_owned(),
        input_schema: json!({"type": "object", "properties": {}}),
    };
    let conversation = Conversation::new(system, "Call the tool `ping`, and say nothing else.");
    (conversation, vec![ping])
}

/// Awaits a future, and reports `waits` if it takes longer than [`QUIET`].
async fn announced<T>(
    work: impl Future<Output = T>,
    waits: PreflightEvent<'_>,
    report: &mut Report<'_>,
) -> T {
    let mut work = std::pin::pin!(work);
    match tokio::time::timeout(QUIET, work.as_mut()).await {
        Ok(done) => done,
        Err(_) => {
            report(waits);
            work.await
        }
    }
}

/// Checks that each glob of a tool filter matches a tool and that some tools are left for each kind of world. Skipped
/// if the tools of external servers are not known yet.
fn check_filter(
    settings: &AgentSettings,
    worlds: &[BTreeSet<String>],
    external: &ExternalTools,
) -> Result<(), PreflightError> {
    let filter = ToolFilter::parse(&settings.tools)?;
    if external.is_empty() && !settings.servers.is_empty() {
        return Ok(());
    }
    let with_servers = |tools: &BTreeSet<String>| -> BTreeSet<String> {
        tools.iter().chain(external.keys()).cloned().collect()
    };
    let all = with_servers(&worlds.iter().flatten().cloned().collect());
    filter.check_matches(&all)?;
    for tools in worlds {
        filter.check_left(&with_servers(tools))?;
    }
    Ok(())
}

/// Checks that no external tool has the name of a tool of a world.
///
/// # Errors
///
/// Returns [`PreflightError::Clash`] for the first tool that both have.
pub fn check_clashes(
    external: &ExternalTools,
    tools: &BTreeSet<String>,
) -> Result<(), PreflightError> {
    match external.iter().find(|(tool, _)| tools.contains(*tool)) {
        Some((tool, server)) => Err(clash(server, tool)),
        None => Ok(()),
    }
}

fn clash(server: &str, tool: &str) -> PreflightError {
    PreflightError::Clash {
        server: server.to_owned(),
        clash: ToolClash(tool.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolFilterError;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn external_tools_must_not_have_the_names_of_tools_of_a_world() {
        let external = ExternalTools::from([("search".to_owned(), "web".to_owned())]);
        assert!(check_clashes(&external, &names(&["read", "write"])).is_ok());
        let error = check_clashes(&external, &names(&["read", "search"])).unwrap_err();
        assert!(matches!(&error, PreflightError::Clash { server, .. } if server == "web"));
        assert!(
            error
                .to_string()
                .starts_with("server web: tool \"search\" already exists")
        );
    }

    #[test]
    fn filters_must_match_and_leave_tools_in_each_world() {
        let worlds = [names(&["read", "write"]), names(&["list"])];
        let check = |tools: &[&str], external: &ExternalTools| {
            let settings = AgentSettings {
                tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
                ..AgentSettings::default()
            };
            check_filter(&settings, &worlds, external)
        };
        let none = ExternalTools::new();
        assert!(check(&["!write"], &none).is_ok());
        assert!(matches!(
            check(&["raed"], &none),
            Err(PreflightError::Filter(ToolFilterError::NoMatch { .. }))
        ));
        assert!(matches!(
            check(&["read"], &none),
            Err(PreflightError::Filter(ToolFilterError::NothingLeft { .. }))
        ));
        let external = ExternalTools::from([("search".to_owned(), "web".to_owned())]);
        assert!(check(&["search"], &external).is_ok());
    }

    #[test]
    fn a_refused_request_names_the_address_if_that_may_be_the_cause() {
        let refused = |base_url: Option<&str>| {
            let refused = RefusedRequest {
                model: "openai/gpt-5".to_owned(),
                base_url: base_url.map(str::to_owned),
                has_key: true,
                error: RequestError {
                    kind: RequestErrorKind::Connection,
                    message: "cannot connect".to_owned(),
                    retry_after: None,
                },
            };
            refused.to_string()
        };
        assert_eq!(refused(None), "model openai/gpt-5: cannot connect");
        assert_eq!(
            refused(Some("http://127.0.0.1:1")),
            "model openai/gpt-5 at http://127.0.0.1:1: cannot connect"
        );
    }
}
