//! Names of participants in the display.

use std::collections::HashMap;

use mcpmark_experiment::Planned;
use mcpmark_experiment::journal::{AttemptKey, ModelSpending};
use mcpmark_experiment::report::program;

/// Names of participants by their index in the spec. A single participant without a model has no name.
pub(super) struct ModelLabels {
    names: HashMap<usize, String>,
    indices: HashMap<ParticipantKey, usize>,
}

/// Identity of a participant: agent, its settings, model, its settings.
type ParticipantKey = (String, String, Option<String>, String);

fn participant_key(key: &AttemptKey) -> ParticipantKey {
    (
        key.agent.to_string(),
        key.agent_settings.to_string(),
        key.model.as_deref().map(str::to_owned),
        key.model_settings.to_string(),
    )
}

impl ModelLabels {
    /// Names all participants. If a model acts with several settings, its name is extended by the reasoning effort, the
    /// agent, both, or all settings, until it is unique.
    pub(super) fn of(plan: &[Planned]) -> Self {
        let mut indices = HashMap::new();
        let mut last = None;
        for Planned {
            participant, key, ..
        } in plan
        {
            // Consecutive entries mostly have the same participant, so the search is skipped for them.
            if last != Some(participant) && !indices.values().any(|known| known == participant) {
                indices.insert(participant_key(key), *participant);
            }
            last = Some(participant);
        }
        let plain = |who: &ParticipantKey| match (&who.2, program(&who.1)) {
            (Some(model), _) => model.clone(),
            (None, Some(program)) => format!("{} {program}", who.0),
            (None, None) => who.0.clone(),
        };
        let by_effort = |who: &ParticipantKey| {
            let settings: serde_json::Value = serde_json::from_str(&who.3).unwrap_or_default();
            let effort = settings["reasoning-effort"].as_str().unwrap_or("default");
            match &who.2 {
                Some(model) => format!("{model} ({effort})"),
                None => plain(who),
            }
        };
        let by_agent = |who: &ParticipantKey| format!("{}, {}", plain(who), who.0);
        let by_both = |who: &ParticipantKey| format!("{}, {}", by_effort(who), who.0);
        let by_model = |who: &ParticipantKey| format!("{} {}", plain(who), who.3);
        let forms: [&dyn Fn(&ParticipantKey) -> String; 5] =
            [&plain, &by_effort, &by_agent, &by_both, &by_model];
        let name = |own: &ParticipantKey| {
            let alone = forms.iter().find(|form| {
                let name = form(own);
                indices.keys().filter(|other| form(other) == name).count() == 1
            });
            match alone {
                Some(form) => form(own),
                None => format!("{} {} {}", by_agent(own), own.1, own.3),
            }
        };
        let has_name = |own: &&ParticipantKey| own.2.is_some() || indices.len() > 1;
        let names = indices.iter().filter(|(own, _)| has_name(own));
        Self {
            names: names.map(|(own, index)| (*index, name(own))).collect(),
            indices,
        }
    }

    /// Returns the name of a participant by its index.
    pub(super) fn get(&self, participant: usize) -> Option<&String> {
        self.names.get(&participant)
    }

    /// Returns the name of the participant that caused a spending.
    pub(super) fn of_spending(&self, spent: &ModelSpending) -> Option<&String> {
        let who = (
            spent.agent.clone(),
            spent.agent_settings.clone(),
            Some(spent.model.clone()),
            spent.model_settings.clone(),
        );
        self.get(*self.indices.get(&who)?)
    }
}
