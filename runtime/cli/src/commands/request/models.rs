//! Models of a request, and the options that apply only to models.

use mcpmark_model::{Api, ModelSettings, ModelSpec, Pace};

use super::config_file::{File, FileModel};
use crate::args::RunArgs;
use crate::error::CommandError;
use crate::output;

/// Returns the given options that apply only to models.
pub(super) fn of_models(args: &RunArgs) -> Vec<&'static str> {
    let (models, limits) = (&args.models, &args.limits);
    let flags = [
        ("--base-url", !models.base_url.is_empty()),
        ("--api-key-env", !models.api_key_env.is_empty()),
        ("--header", !models.header.is_empty()),
        ("--extra-body", models.extra_body.is_some()),
        ("--api", models.api.is_some()),
        ("--reasoning-effort", models.reasoning_effort.is_some()),
        ("--temperature", models.temperature.is_some()),
        ("--top-p", models.top_p.is_some()),
        ("--max-output-tokens", models.max_output_tokens.is_some()),
        ("--sampling-seed", models.sampling_seed.is_some()),
        ("--compact-at", models.compact_at.is_some()),
        ("--system-prompt", models.system_prompt.is_some()),
        ("--tools", !models.tools.is_empty()),
        ("--max-result-bytes", models.max_result_bytes.is_some()),
        ("--retries", models.retries.is_some()),
        ("--prices", models.prices.is_some()),
        ("--max-model-calls", models.max_model_calls.is_some()),
        ("--max-calls", models.max_calls.is_some()),
        (
            "--requests-per-minute",
            models.requests_per_minute.is_some(),
        ),
        ("--limit-input-tokens", limits.limit_input_tokens.is_some()),
        (
            "--limit-output-tokens",
            limits.limit_output_tokens.is_some(),
        ),
        ("--limit-attempt-cost", limits.limit_attempt_cost.is_some()),
        ("--limit-cost", limits.limit_cost.is_some()),
        ("--limit-tokens", limits.limit_tokens.is_some()),
    ];
    let given = flags.into_iter().filter(|(_, given)| *given);
    given.map(|(flag, _)| flag).collect()
}

/// Values of an option that is given once for all models, or once for each.
struct Paired<'a>(&'a [String]);

impl<'a> Paired<'a> {
    fn of(flag: &str, values: &'a [String], models: usize) -> Result<Self, CommandError> {
        match values.len() {
            0 | 1 => Ok(Self(values)),
            given if given == models => Ok(Self(values)),
            given => Err(CommandError::usage(format!(
                "{flag} is given {given} times for {}; give it once for all models, or once per model in the same order",
                output::count(models, "model")
            ))),
        }
    }

    fn get(&self, model: usize) -> Option<String> {
        let index = if self.0.len() == 1 { 0 } else { model };
        self.0.get(index).cloned()
    }
}

/// Returns the models of the command line, or by default those of the file. Settings on the command line apply to all
/// models.
pub(super) fn models(args: &RunArgs, file: &File) -> Result<Vec<ModelSpec>, CommandError> {
    let given = &args.models;
    let mut models: Vec<ModelSpec> = if given.model.is_empty() {
        let read = |model: &FileModel| {
            let table = toml::Value::Table(model.settings.clone());
            let settings = table.try_into::<ModelSettings>();
            let settings = settings.map_err(|error| {
                CommandError::usage(format!("model {}: {}", model.name, error.message()))
            })?;
            Ok(ModelSpec {
                name: model.name.clone(),
                settings,
                pace: Pace {
                    max_calls: model.max_calls,
                    requests_per_minute: model.requests_per_minute,
                },
            })
        };
        file.models
            .iter()
            .map(read)
            .collect::<Result<_, CommandError>>()?
    } else {
        let named = given.model.iter();
        named
            .map(|name| ModelSpec {
                name: name.clone(),
                settings: ModelSettings::default(),
                pace: Pace::default(),
            })
            .collect()
    };
    let count = models.len();
    let base_url = Paired::of("--base-url", &given.base_url, count)?;
    let api_key_env = Paired::of("--api-key-env", &given.api_key_env, count)?;
    for (index, model) in models.iter_mut().enumerate() {
        let pace = &mut model.pace;
        pace.max_calls = given.max_calls.or(pace.max_calls);
        pace.requests_per_minute = given.requests_per_minute.or(pace.requests_per_minute);
        for (name, number) in [
            ("max-calls", pace.max_calls),
            ("requests-per-minute", pace.requests_per_minute),
        ] {
            if number == Some(0) {
                let message = format!("model {}: {name} is 0, but must be at least 1", model.name);
                return Err(CommandError::usage(message));
            }
        }
        let settings = &mut model.settings;
        settings.base_url = base_url.get(index).or(settings.base_url.take());
        settings.api_key_env = api_key_env.get(index).or(settings.api_key_env.take());
        settings.headers.extend(given.header.iter().cloned());
        settings
            .extra_body
            .extend(given.extra_body.clone().unwrap_or_default());
        settings.temperature = given.temperature.or(settings.temperature);
        settings.top_p = given.top_p.or(settings.top_p);
        settings.max_output_tokens = given.max_output_tokens.or(settings.max_output_tokens);
        settings.sampling_seed = given.sampling_seed.or(settings.sampling_seed);
        if let Some(effort) = &given.reasoning_effort {
            settings.reasoning_effort = Some(effort.parse().map_err(CommandError::usage)?);
        }
        match given.api.as_deref() {
            Some("chat") => settings.api = Some(Api::Chat),
            Some(_) => settings.api = Some(Api::Responses),
            None => {}
        }
    }
    for (index, model) in models.iter().enumerate() {
        let same = |other: &ModelSpec| other.name == model.name && other.settings == model.settings;
        if models[..index].iter().any(same) {
            let message = format!("model {} is named twice with the same settings", model.name);
            return Err(CommandError::usage(message));
        }
    }
    Ok(models)
}
