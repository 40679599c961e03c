//! The providers by name, and how each is reached.

use rig_core::DynModel;
use rig_core::http_client::HttpClientExt;
use rig_core::operation::Completion;
use rig_core::providers::openai::wire::{self, Auth, Dialect};
use rig_core::providers::openai::{OpenAIConfig, Route};
use rig_core::providers::registry::{Format, ProviderConfig, ProviderId};

use crate::settings::{Api, ModelSettings};
use crate::{OpenError, Secret};

/// A provider that `--model` can name.
#[derive(Debug, Clone, Copy)]
pub struct Provider {
    /// The name before the slash.
    pub name: &'static str,
    /// The environment variable that holds its key.
    pub key_variable: &'static str,
    /// Whether it asks for a key at its usual place.
    pub needs_key: bool,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// One that speaks like OpenAI, with its peculiarities.
    OpenAi(&'static Dialect),
    Anthropic,
    Gemini,
}

/// Qwen has an interface of OpenAI's form, with options of its own, which [`Model`](crate::Model)
/// writes.
static QWEN: Dialect = Dialect::gateway(
    "qwen",
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    "DASHSCOPE_API_KEY",
);

const fn of(
    name: &'static str,
    key_variable: &'static str,
    needs_key: bool,
    kind: Kind,
) -> Provider {
    Provider {
        name,
        key_variable,
        needs_key,
        kind,
    }
}

static PROVIDERS: [Provider; 12] = [
    of("anthropic", "ANTHROPIC_API_KEY", true, Kind::Anthropic),
    of(
        "deepseek",
        "DEEPSEEK_API_KEY",
        true,
        Kind::OpenAi(&wire::DEEPSEEK),
    ),
    of("gemini", "GEMINI_API_KEY", true, Kind::Gemini),
    of("groq", "GROQ_API_KEY", true, Kind::OpenAi(&wire::GROQ)),
    of(
        "llamacpp",
        "LLAMACPP_API_KEY",
        false,
        Kind::OpenAi(&wire::LLAMACPP),
    ),
    of(
        "mistral",
        "MISTRAL_API_KEY",
        true,
        Kind::OpenAi(&wire::MISTRAL),
    ),
    of(
        "moonshot",
        "MOONSHOT_API_KEY",
        true,
        Kind::OpenAi(&wire::MOONSHOT),
    ),
    of(
        "ollama",
        "OLLAMA_API_KEY",
        false,
        Kind::OpenAi(&wire::OLLAMA),
    ),
    of(
        "openai",
        "OPENAI_API_KEY",
        true,
        Kind::OpenAi(&wire::OPENAI),
    ),
    of(
        "openrouter",
        "OPENROUTER_API_KEY",
        true,
        Kind::OpenAi(&wire::OPENROUTER),
    ),
    of("qwen", "DASHSCOPE_API_KEY", true, Kind::OpenAi(&QWEN)),
    of(
        "xai",
        "XAI_API_KEY",
        true,
        Kind::OpenAi(&rig_core::providers::xai::DIALECT),
    ),
];

impl Provider {
    /// All of them, by name.
    pub fn all() -> &'static [Self] {
        &PROVIDERS
    }

    /// The provider of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// Where its interface is, unless a base URL is given.
    pub fn base_url(&self) -> String {
        self.config("").base_url().to_owned()
    }

    /// The name under which the catalog of models files it.
    pub(crate) fn catalog(&self) -> Option<ProviderId> {
        match self.kind {
            Kind::OpenAi(dialect) => ProviderId::catalog(dialect.name),
            Kind::Anthropic => ProviderId::new("anthropic", Format::Anthropic),
            Kind::Gemini => ProviderId::catalog(rig_core::providers::gemini::PROVIDER_NAME),
        }
    }

    fn config(&self, key: &str) -> ProviderConfig {
        use rig_core::providers::{anthropic, gemini};
        match self.kind {
            Kind::OpenAi(dialect) => ProviderConfig::OpenAi(OpenAIConfig::with_key(dialect, key)),
            Kind::Anthropic => ProviderConfig::Anthropic(anthropic::AnthropicConfig::new(key)),
            Kind::Gemini => ProviderConfig::Gemini(gemini::GeminiConfig::new(key)),
        }
    }

    /// How its interface is reached with these settings.
    pub(crate) fn reach(
        &self,
        settings: &ModelSettings,
        key: Option<&Secret>,
    ) -> Result<Reach, OpenError> {
        let mut config = self.config(key.map_or("", Secret::expose));
        if let Some(url) = &settings.base_url {
            let url = url.trim_end_matches('/');
            // xAI's paths begin with the version.
            let url = match self.name {
                "xai" => url.strip_suffix("/v1").unwrap_or(url),
                _ => url,
            };
            config = config.with_base_url(url);
        }
        if let ProviderConfig::OpenAi(openai) = &mut config {
            let route = match (settings.api, &settings.base_url) {
                (Some(Api::Chat), _) => Some(Route::Chat),
                (Some(Api::Responses), _) => Some(Route::Responses),
                // Servers that speak like OpenAI know its older interface first of all.
                (None, Some(_)) if self.name == "openai" => Some(Route::Chat),
                (None, _) => None,
            };
            if let Some(route) = route {
                *openai = openai.clone().with_route(route);
            }
            if key.is_none() {
                openai.auth = Auth::OptionalBearer;
            }
        } else if settings.api.is_some() {
            return Err(OpenError::Api {
                provider: self.name,
            });
        }
        Ok(Reach(config))
    }
}

/// A provider's interface, with its key.
#[derive(Debug, Clone)]
pub(crate) struct Reach(ProviderConfig);

impl Reach {
    pub(crate) fn model(
        &self,
        name: &str,
        http: impl HttpClientExt + 'static,
    ) -> DynModel<Completion> {
        match self.0.clone() {
            ProviderConfig::OpenAi(config) => config.connect(http).completion(name).erase(),
            ProviderConfig::Anthropic(config) => config.connect(http).completion(name).erase(),
            ProviderConfig::Gemini(config) => config.connect(http).completion(name).erase(),
        }
    }

    /// Whether it has models that take a budget of thinking and no effort.
    pub(crate) fn takes_budgets(&self) -> bool {
        matches!(
            self.0,
            ProviderConfig::Anthropic(_) | ProviderConfig::Gemini(_)
        )
    }

    pub(crate) fn is_anthropic(&self) -> bool {
        matches!(self.0, ProviderConfig::Anthropic(_))
    }

    pub(crate) fn is_qwen(&self) -> bool {
        matches!(&self.0, ProviderConfig::OpenAi(config) if config.dialect.name == QWEN.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_found_by_name_and_stand_in_order() {
        assert!(PROVIDERS.is_sorted_by_key(|provider| provider.name));
        for provider in Provider::all() {
            assert_eq!(Provider::named(provider.name).unwrap().name, provider.name);
            assert!(provider.base_url().starts_with("http"), "{}", provider.name);
        }
        assert!(Provider::named("nobody").is_none());
    }
}
