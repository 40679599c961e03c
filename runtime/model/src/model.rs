//! Opened model, and its requests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcpmark_http::{Address, Secrets, client};
use rig_core::catalog::Catalog;
use rig_core::completion::{
    CompletionRequest, Effort as RigEffort, GenerationOptions, Reasoning, ToolDefinition,
};
use rig_core::error::ProviderError;
use rig_core::message::ToolName;
use serde_json::{Map, Value};

use crate::additions::{self, Additions};
use crate::http::RecordingClient;
use crate::provider::ProviderClient;
use crate::{
    Answer, Conversation, Effort, ModelSpec, OpenError, Provider, RequestError, RequestErrorKind,
    Secret,
};

/// Maximum timeout of one request.
pub const REQUEST_TIME: Duration = Duration::from_secs(900);

/// Opened model, to which requests can be sent.
#[derive(Debug, Clone)]
pub struct Model {
    spec: ModelSpec,
    name: String,
    base_url: String,
    provider_client: ProviderClient,
    has_key: bool,
    secrets: Secrets,
    additions: Arc<Additions>,
    client: reqwest::Client,
    images: bool,
    context: Option<u64>,
}

/// Tool in the form for models.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Name of the tool.
    pub name: String,
    /// Description of the tool.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
}

/// Exchange with a provider: one request and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelExchange {
    /// Reply, or the error of the request.
    pub result: Result<Answer, RequestError>,
    /// Duration.
    pub elapsed: Duration,
    /// SHA-256 of the request body, in hexadecimal; `None` if no request could be written.
    pub request_digest: Option<String>,
    /// Reply as the provider sent it, with secrets removed: JSON, or a string if it is not JSON.
    pub raw: Option<Value>,
}

impl ModelExchange {
    /// Reports whether a request was written.
    fn is_written(&self) -> bool {
        self.result.is_ok() || self.request_digest.is_some()
    }

    /// Reports whether the model does not support a setting.
    fn is_unsupported(&self) -> bool {
        let unsupported = |error: &RequestError| error.kind == RequestErrorKind::Unsupported;
        self.result.as_ref().is_err_and(unsupported)
    }
}

/// Error of a request, before or after it was passed to the client.
enum Failed {
    Sent(ProviderError),
    Unsent(RequestError),
}

impl Model {
    /// Opens a model. `variable` looks up an environment variable. No request is sent.
    ///
    /// # Errors
    ///
    /// Returns an error if the provider is unknown, its key is missing, or a setting is invalid.
    pub fn open(
        spec: &ModelSpec,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, OpenError> {
        let (provider, name) = spec
            .name
            .split_once('/')
            .filter(|(provider, name)| !provider.is_empty() && !name.is_empty())
            .ok_or_else(|| OpenError::Name(spec.name.clone()))?;
        let provider = Provider::named(provider).ok_or_else(|| OpenError::Provider {
            name: provider.to_owned(),
        })?;
        let settings = &spec.settings;
        settings.check()?;
        let key_variable = provider.key_variable_of(settings);
        let key = key_variable.and_then(&variable);
        let key = key.filter(|key| !key.trim().is_empty());
        if key
            .as_ref()
            .is_some_and(|key| !additions::is_sendable(key.trim()))
        {
            return Err(OpenError::Key {
                model: spec.name.clone(),
                variable: key_variable.unwrap_or_default().to_owned(),
            });
        }
        let key = key.map(|key| Secret::new(key.trim()));
        let usual = provider.needs_key && settings.base_url.is_none();
        if key.is_none() && (usual || settings.api_key_env.is_some()) {
            return Err(OpenError::NoKey {
                model: spec.name.clone(),
                variable: key_variable.unwrap_or_default().to_owned(),
                provider: provider.name,
            });
        }
        let base = settings
            .base_url
            .clone()
            .unwrap_or_else(|| provider.base_url());
        let (additions, mut secrets) =
            Additions::read(&spec.name, settings, key.is_some(), &variable)?;
        secrets.extend(key.clone());
        let sent = key_variable.filter(|_| key.is_some());
        let local = check_url(
            &base,
            sent.or_else(|| settings.headers.values().next().map(|it| &**it)),
        )?;
        let known = provider
            .catalog()
            .filter(|_| settings.base_url.is_none())
            .and_then(|id| Catalog::builtin().get(id, name));
        let client = client(!local).map_err(|error| OpenError::Client(error.to_string()))?;
        Ok(Self {
            spec: spec.clone(),
            name: name.to_owned(),
            base_url: base,
            provider_client: provider.provider_client(settings, key.as_ref())?,
            has_key: key.is_some(),
            secrets: Secrets::new(&secrets),
            additions: Arc::new(additions),
            client,
            images: settings
                .images
                .unwrap_or_else(|| known.is_some_and(|known| known.input.image)),
            context: known.and_then(|known| known.context_window).map(u64::from),
        })
    }

    /// Returns the name, as `provider/name`.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Returns the base URL.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Reports whether a key is sent.
    pub fn has_key(&self) -> bool {
        self.has_key
    }

    /// Reports whether the model is shown images.
    pub fn takes_images(&self) -> bool {
        self.images
    }

    /// Returns the size of the context in tokens, if it is known.
    pub fn context(&self) -> Option<u64> {
        self.context
    }

    /// Checks that the model catalog does not list the model as one without tool calls.
    ///
    /// # Errors
    ///
    /// Returns an error if the catalog says that the model does not call tools.
    pub fn check_tools(&self) -> Result<(), OpenError> {
        let provider = self.spec.name.split('/').next().and_then(Provider::named);
        let known = provider
            .filter(|_| self.spec.settings.base_url.is_none())
            .and_then(Provider::catalog)
            .and_then(|id| Catalog::builtin().get(id, &self.name));
        match known {
            Some(known) if !known.tools => Err(OpenError::NoTools(self.spec.name.clone())),
            _ => Ok(()),
        }
    }

    /// Returns the sampling seed of the attempt with a number, if the settings have a sampling seed.
    pub fn sampling_seed(&self, attempt: u64) -> Option<u64> {
        // All providers accept 31 bits.
        let drawn = |seed: u64| (seed ^ attempt) & 0x7fff_ffff;
        self.spec.settings.sampling_seed.map(drawn)
    }

    /// Writes the request of [`ask`](Self::ask) without sending it.
    ///
    /// # Errors
    ///
    /// Returns an error if the request cannot be written, in general because the model does not support a setting.
    pub async fn check(
        &self,
        conversation: &Conversation,
        tools: &[ToolSpec],
        seed: Option<u64>,
    ) -> Result<(), RequestError> {
        let recorder = || RecordingClient::dry(Arc::clone(&self.additions));
        let exchange = self.by(recorder, conversation, tools, seed).await;
        match (exchange.request_digest, exchange.result) {
            (None, Err(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Requests the next reply, without retries and with the timeout `time`.
    pub async fn ask(
        &self,
        conversation: &Conversation,
        tools: &[ToolSpec],
        seed: Option<u64>,
        time: Duration,
    ) -> ModelExchange {
        let recorder = || {
            let (client, secrets) = (self.client.clone(), self.secrets.clone());
            RecordingClient::new(client, time, secrets, Arc::clone(&self.additions))
        };
        self.by(recorder, conversation, tools, seed).await
    }

    async fn by(
        &self,
        recorder: impl Fn() -> RecordingClient,
        conversation: &Conversation,
        tools: &[ToolSpec],
        seed: Option<u64>,
    ) -> ModelExchange {
        let effort = self.spec.settings.reasoning_effort;
        let written = |reasoning| self.request(conversation, tools, reasoning, seed);
        let mut exchange = self.send(written(effort.map(reasoning)), recorder()).await;
        if exchange.is_written() {
            return exchange;
        }
        // The library knows the models that take a budget for thinking instead of an effort, and returns the error
        // while it writes the request. Nothing was sent.
        let tokens = effort
            .and_then(budget)
            .filter(|_| self.provider_client.takes_budgets() && exchange.is_unsupported());
        let thinking = match tokens {
            Some(tokens) => {
                let budget = Reasoning::Budget { tokens };
                let again = self.send(written(Some(budget)), recorder()).await;
                // If the model takes neither, the first error explains the problem.
                if !again.is_unsupported() {
                    exchange = again;
                }
                Some(budget)
            }
            None => effort.map(reasoning),
        };
        if exchange.is_written() || !self.provider_client.is_anthropic() {
            return exchange;
        }
        // A dry run with a token limit for the reply shows if the limit is the only problem.
        let room = u64::from(tokens.unwrap_or(0)) + 1;
        let with_room = written(thinking).map(|mut request| {
            request.max_tokens = Some(room);
            request
        });
        if !self
            .send(with_room, RecordingClient::dry(Arc::clone(&self.additions)))
            .await
            .is_written()
        {
            return exchange;
        }
        let message = match (self.spec.settings.max_output_tokens, tokens, effort) {
            (None, _, _) => {
                "the maximum length of a reply of this model is unknown, but Anthropic requires \
                             it; give --max-output-tokens"
                    .to_owned()
            }
            (Some(given), Some(tokens), Some(effort)) => format!(
                "effort {effort} requires a budget of {tokens} tokens for thinking, but the limit of a \
                 reply is {given}; give --max-output-tokens above {tokens}, or choose a lower effort"
            ),
            _ => return exchange,
        };
        exchange.result = Err(RequestError::new(RequestErrorKind::BadRequest, message));
        exchange
    }

    async fn send(
        &self,
        request: Result<CompletionRequest, RequestError>,
        recorder: RecordingClient,
    ) -> ModelExchange {
        let model = self.provider_client.model(&self.name, recorder.clone());
        let began = Instant::now();
        let called = match request {
            Ok(request) => model.call(request).await.map_err(Failed::Sent),
            Err(error) => Err(Failed::Unsent(error)),
        };
        let elapsed = began.elapsed();
        let recorded = recorder.recorded();
        let result = match called {
            Ok(response) => Ok(Answer::read(&response)),
            Err(Failed::Sent(error)) => Err(RequestError::read(&error, &recorded, &self.secrets)),
            Err(Failed::Unsent(error)) => Err(error),
        };
        let raw = recorded.body.map(|body| {
            serde_json::from_slice(&body)
                .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&body).into_owned()))
        });
        ModelExchange {
            result,
            elapsed,
            request_digest: recorded.request_digest,
            raw,
        }
    }

    fn request(
        &self,
        conversation: &Conversation,
        tools: &[ToolSpec],
        effort: Option<Reasoning>,
        seed: Option<u64>,
    ) -> Result<CompletionRequest, RequestError> {
        let settings = &self.spec.settings;
        let mut request = CompletionRequest::new("");
        request.chat_history = conversation.to_send();
        for tool in tools {
            let name = ToolName::new(tool.name.clone()).map_err(|_| {
                RequestError::new(RequestErrorKind::BadRequest, "a tool has no name")
            })?;
            request.tools.push(ToolDefinition::new(
                name,
                tool.description.clone(),
                tool.input_schema.clone(),
            ));
        }
        request.temperature = settings.temperature;
        request.max_tokens = settings.max_output_tokens;
        request.accept_unknown_finish_reasons = true;
        if self.provider_client.is_qwen() {
            request.additional_params = Some(self.qwen_options(seed));
            return Ok(request);
        }
        let mut options = GenerationOptions::new();
        if let Some(effort) = effort {
            options = options.reasoning(effort);
        }
        if let Some(top_p) = settings.top_p {
            options = options.top_p(top_p);
        }
        if let Some(seed) = seed {
            options = options.seed(seed);
        }
        request.options = options;
        Ok(request)
    }

    /// Returns options in the form of Qwen, to which the library does not map them.
    fn qwen_options(&self, seed: Option<u64>) -> Value {
        let settings = &self.spec.settings;
        let mut options = Map::new();
        if let Some(effort) = settings.reasoning_effort {
            let tokens = budget(effort);
            options.insert("enable_thinking".to_owned(), tokens.is_some().into());
            options.extend(tokens.map(|tokens| ("thinking_budget".to_owned(), tokens.into())));
        }
        options.extend(
            settings
                .top_p
                .map(|top_p| ("top_p".to_owned(), top_p.into())),
        );
        options.extend(seed.map(|seed| ("seed".to_owned(), seed.into())));
        Value::Object(options)
    }
}

fn reasoning(effort: Effort) -> Reasoning {
    match effort {
        Effort::None => Reasoning::Off,
        Effort::Minimal => RigEffort::Minimal.into(),
        Effort::Low => RigEffort::Low.into(),
        Effort::Medium => RigEffort::Medium.into(),
        Effort::High => RigEffort::High.into(),
    }
}

/// Returns the token budget for thinking, for models that take a budget instead of an effort.
fn budget(effort: Effort) -> Option<u32> {
    match effort {
        Effort::None => None,
        Effort::Minimal | Effort::Low => Some(1024),
        Effort::Medium => Some(4096),
        Effort::High => Some(16384),
    }
}

/// Validates a base URL, and reports whether its host is this machine. The value of `key_variable` is sent with each
/// request, so an unencrypted URL of another machine is refused if it is set.
fn check_url(text: &str, key_variable: Option<&str>) -> Result<bool, OpenError> {
    let address = Address::parse(text).map_err(|error| OpenError::BaseUrl {
        url: error.shown,
        reason: error.reason,
    })?;
    match key_variable {
        Some(variable) if address.is_unencrypted() => Err(OpenError::BaseUrl {
            url: text.to_owned(),
            reason: format!(
                "the value of {variable} would be sent unencrypted over the network; use https, or unset the variable"
            ),
        }),
        _ => Ok(address.is_local()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelSettings;

    fn open(name: &str, settings: ModelSettings, key: Option<&str>) -> Result<Model, OpenError> {
        let spec = ModelSpec {
            name: name.to_owned(),
            settings,
            pace: crate::Pace::default(),
        };
        Model::open(&spec, |_| key.map(str::to_owned))
    }

    #[test]
    fn invalid_requests_are_refused_before_anything_is_sent() {
        let none = ModelSettings::default;
        let at = |url: &str| ModelSettings {
            base_url: Some(url.to_owned()),
            ..none()
        };
        let message = |result: Result<Model, OpenError>| result.unwrap_err().to_string();
        assert_eq!(
            message(open("gpt-5", none(), Some("k"))),
            "invalid model name \"gpt-5\": expected provider/name, such as openai/gpt-5"
        );
        let unknown = message(open("opnai/gpt-5", none(), Some("k")));
        assert!(
            unknown.contains("expected one of anthropic, deepseek"),
            "{unknown}"
        );
        let keyless = message(open("openai/gpt-5", none(), None));
        assert!(keyless.contains("OPENAI_API_KEY is not set"), "{keyless}");
        for url in ["ftp://x/", "127.0.0.1:80", "http://a:b@127.0.0.1/v1"] {
            let wrong = message(open("openai/x", at(url), None));
            assert!(wrong.contains("is not a valid base URL"), "{wrong}");
        }
        open("openai/x", at("http://10.0.0.1/v1"), Some("sk-1234567")).unwrap();
        let named = ModelSettings {
            api_key_env: Some("MY_KEY".to_owned()),
            ..at("http://10.0.0.1/v1")
        };
        let clear = message(open("openai/x", named.clone(), Some("sk-1234567")));
        assert!(
            clear.contains("the value of MY_KEY would be sent unencrypted"),
            "{clear}"
        );
        let unset = message(open("openai/x", named, None));
        assert!(unset.contains("MY_KEY is not set"), "{unset}");
        let typed = ModelSettings {
            api_key_env: Some("sk-typed".to_owned()),
            ..none()
        };
        let typed = message(open("openai/x", typed, None));
        assert!(
            typed.contains("not the key") && !typed.contains("sk-typed"),
            "{typed}"
        );
        assert!(!clear.contains("sk-1234567"), "{clear}");
        for url in [
            "http://127.0.0.1:8080/v1",
            "http://[::1]/v1",
            "https://example.org/v1",
        ] {
            open("openai/x", at(url), Some("sk-1234567")).unwrap();
        }
        let hot = ModelSettings {
            temperature: Some(9.0),
            ..none()
        };
        assert_eq!(
            message(open("openai/gpt-5", hot, Some("k"))),
            "temperature is 9; expected a number from 0 to 2"
        );
        let api = ModelSettings {
            api: Some(crate::Api::Chat),
            ..none()
        };
        let no_choice = message(open("anthropic/x", api, Some("k")));
        assert!(no_choice.contains("has only one interface"), "{no_choice}");
    }

    #[test]
    fn additions_that_cannot_be_sent_are_refused() {
        let with = |header: &str, variable: &str| ModelSettings {
            headers: [(header.to_owned(), variable.to_owned())].into(),
            base_url: Some("http://127.0.0.1/v1".to_owned()),
            ..ModelSettings::default()
        };
        let message = |settings, value| open("openai/x", settings, value).unwrap_err().to_string();
        for (header, variable, expected) in [
            ("X Team", "TEAM", "the name is not valid"),
            ("Content-Type", "TEAM", "the client sets this header"),
            ("X-Team", "sk-typed-12", "not the value itself"),
        ] {
            let said = message(with(header, variable), Some("value"));
            assert!(
                said.contains(expected) && !said.contains("sk-typed"),
                "{said}"
            );
        }
        let team = with("X-Team", "TEAM");
        assert_eq!(
            message(team.clone(), None),
            "openai/x: the environment variable TEAM is not set, but the header X-Team requires its value"
        );
        assert!(message(team.clone(), Some("a\nb")).contains("the value of TEAM cannot be sent"));
        let keyed = ModelSettings {
            api_key_env: Some("MY_KEY".to_owned()),
            ..with("Authorization", "TEAM")
        };
        assert!(
            message(keyed, Some("v")).contains("the key of the provider is sent in this header")
        );
        open("openai/x", with("Authorization", "TEAM"), Some("Basic abc")).unwrap();
        let far = ModelSettings {
            base_url: Some("http://10.0.0.1/v1".to_owned()),
            ..team.clone()
        };
        assert!(
            message(far, Some("value")).contains("the value of TEAM would be sent unencrypted")
        );
        let model = open("openai/x", team, Some("team-canary")).unwrap();
        assert!(!format!("{model:?}").contains("canary") && !model.has_key());
        let mut twice = with("X-Team", "TEAM");
        twice.headers.insert("x-team".to_owned(), "TEAM".to_owned());
        assert!(message(twice, Some("v")).contains("it is given twice"));
        for field in ["messages", "model", "stream", "tools", "input", "contents"] {
            let body = serde_json::json!({field: true});
            let settings = ModelSettings {
                extra_body: body.as_object().unwrap().clone(),
                ..ModelSettings::default()
            };
            let said = message(settings, Some("k"));
            assert!(
                said.contains(&format!("cannot add the field {field:?}")),
                "{said}"
            );
        }
    }

    #[test]
    fn a_model_shows_no_key() {
        let model = open(
            "openai/gpt-5",
            ModelSettings::default(),
            Some("sk-canary-1"),
        )
        .unwrap();
        assert!(!format!("{model:?}").contains("canary"));
    }
}
