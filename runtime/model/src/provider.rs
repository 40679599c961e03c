//! Registry of model providers, and the configuration of their clients.

use mcpmark_http::Address;
use rig_core::DynModel;
use rig_core::http_client::HttpClientExt;
use rig_core::operation::Completion;
use rig_core::providers::openai::wire::{self, Auth, Dialect};
use rig_core::providers::openai::{OpenAIConfig, Route};
use rig_core::providers::registry::{Format, ProviderConfig, ProviderId};

use crate::settings::{Api, ModelSettings};
use crate::{OpenError, Secret};

/// Provider that `--model` can name.
#[derive(Debug, Clone, Copy)]
pub struct Provider {
    /// Name before the slash.
    pub name: &'static str,
    /// Environment variable of the API key.
    pub key_variable: &'static str,
    /// True if the provider requires a key at its default base URL.
    pub needs_key: bool,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Interface compatible with OpenAI, with the dialect of the provider.
    OpenAi(&'static Dialect),
    Anthropic,
    Gemini,
}

/// Dialect of Qwen: compatible with OpenAI, apart from options that [`Model`](crate::Model) writes.
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
    /// Returns all providers, sorted by name.
    pub fn all() -> &'static [Self] {
        &PROVIDERS
    }

    /// Returns the provider with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// Returns the default base URL.
    pub fn base_url(&self) -> String {
        self.config("").base_url().to_owned()
    }

    /// Returns the environment variable whose value is sent as the key with these settings; `None` if no key is sent.
    ///
    /// The key of a provider that requires one is sent only to the provider's own hosts. For another host, the settings
    /// must name a variable.
    pub fn key_variable_of<'a>(&self, settings: &'a ModelSettings) -> Option<&'a str> {
        if let Some(named) = &settings.api_key_env {
            return Some(named);
        }
        let elsewhere = settings.base_url.as_ref().filter(|_| self.needs_key);
        if elsewhere.is_some_and(|url| !self.is_own(url)) {
            None
        } else {
            Some(self.key_variable)
        }
    }

    /// Reports whether a URL belongs to the provider's own hosts.
    fn is_own(&self, url: &str) -> bool {
        /// Further hosts of providers, in addition to those of their default base URLs.
        const OTHERS: [(&str, &str); 3] = [
            ("moonshot", "api.moonshot.cn"),
            ("qwen", "dashscope.aliyuncs.com"),
            ("qwen", "dashscope-us.aliyuncs.com"),
        ];
        let Ok(address) = Address::parse(url) else {
            return false;
        };
        let usual = Address::parse(&self.base_url());
        let others = OTHERS.iter().filter(|(name, _)| *name == self.name);
        usual.is_ok_and(|usual| address.is_at(usual.host()))
            || others.into_iter().any(|(_, host)| address.is_at(host))
    }

    /// Returns the id of the provider in the model catalog.
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

    /// Returns the client configuration for these settings.
    pub(crate) fn provider_client(
        &self,
        settings: &ModelSettings,
        key: Option<&Secret>,
    ) -> Result<ProviderClient, OpenError> {
        let mut config = self.config(key.map_or("", Secret::expose));
        if let Some(url) = &settings.base_url {
            let url = url.trim_end_matches('/');
            // The paths of xAI begin with the version, so it is removed from the base URL.
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
                // Most servers compatible with OpenAI have its older interface.
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
        Ok(ProviderClient(config))
    }
}

/// Client configuration of a provider, with its key.
#[derive(Debug, Clone)]
pub(crate) struct ProviderClient(ProviderConfig);

impl ProviderClient {
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

    /// Reports whether the provider has models that take a token budget for thinking instead of an effort.
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

    #[test]
    fn a_key_goes_to_the_hosts_of_its_provider_alone() {
        let sent = |provider: &str, url: Option<&str>, variable: Option<&str>| {
            let settings = ModelSettings {
                base_url: url.map(str::to_owned),
                api_key_env: variable.map(str::to_owned),
                ..ModelSettings::default()
            };
            let provider = Provider::named(provider).unwrap();
            provider.key_variable_of(&settings).map(str::to_owned)
        };
        for provider in Provider::all() {
            let (name, own) = (provider.name, provider.base_url());
            let key = Some(provider.key_variable.to_owned());
            assert_eq!(sent(name, None, None), key, "{name}");
            assert_eq!(sent(name, Some(&own), None), key, "{name}");
            for url in [
                "http://127.0.0.1:8080/v1",
                "https://example.org/v1",
                "https://api.openai.com.example.org",
            ] {
                let elsewhere = key.clone().filter(|_| !provider.needs_key);
                assert_eq!(sent(name, Some(url), None), elsewhere, "{name} {url}");
                let named = sent(name, Some(url), Some("MY_KEY"));
                assert_eq!(named.as_deref(), Some("MY_KEY"), "{name} {url}");
            }
        }
        let openai = Some("OPENAI_API_KEY".to_owned());
        assert_eq!(
            sent("openai", Some("https://eu.api.openai.com/v1"), None),
            openai
        );
        assert!(
            sent(
                "qwen",
                Some("https://dashscope.aliyuncs.com/compatible-mode/v1"),
                None
            )
            .is_some()
        );
        assert!(sent("qwen", Some("https://bucket.aliyuncs.com/v1"), None).is_none());
    }
}
