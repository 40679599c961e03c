//! Serialised form of a [`Spec`], with the upgrade of the older form that had no participants.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::Spec;

/// Keys of the older form, in which an experiment had one agent.
const OF_ONE_AGENT: [&str; 3] = ["agent", "agent_settings", "models"];

impl Serialize for Spec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut stored = Map::deserialize(deserializer)?;
        upgrade(&mut stored).map_err(D::Error::custom)?;
        let spec = Self::deserialize(Value::Object(stored)).map_err(D::Error::custom)?;
        spec.check_steps().map_err(D::Error::custom)?;
        Ok(spec)
    }
}

/// Replaces the keys of the older form by participants, one for each model.
fn upgrade(stored: &mut Map<String, Value>) -> Result<(), String> {
    if stored.contains_key("participants") {
        return match OF_ONE_AGENT.iter().find(|key| stored.contains_key(**key)) {
            Some(key) => Err(format!(
                "expected either `participants` or `{key}`, found both"
            )),
            None => Ok(()),
        };
    }
    let [agent, settings, models] = OF_ONE_AGENT.map(|key| stored.remove(key));
    let agent = agent.ok_or("missing key `participants`")?;
    let settings = settings.unwrap_or_else(|| json!({}));
    let models = match models {
        Some(Value::Array(models)) if !models.is_empty() => models,
        Some(Value::Array(_)) | None => vec![Value::Null],
        Some(_) => return Err("`models` is not a list".to_owned()),
    };
    let participants = models
        .into_iter()
        .map(|model| json!({"agent": agent, "agent_settings": settings, "model": model}))
        .collect();
    stored.insert("participants".to_owned(), participants);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgentKind;

    #[test]
    fn specs_of_one_agent_keep_their_plan() {
        let stored = json!({
            "tasks": ["s/w/a", "s/w/b"],
            "agent": "react",
            "agent_settings": {"retries": 3},
            "models": [
                {"name": "openai/a", "settings": {"reasoning-effort": "low"}},
                {"name": "openai/b", "settings": {}},
            ],
            "attempts": 2,
        });
        let spec: Spec = serde_json::from_value(stored).unwrap();
        let plan: Vec<_> = spec
            .plan()
            .into_iter()
            .map(|planned| {
                let key = planned.key;
                let model = key.model.unwrap();
                assert_eq!(
                    (&*key.agent, &*key.agent_settings),
                    ("react", "{\"retries\":3}")
                );
                format!("{} {} {} {}", key.task, model, key.model_settings, key.k)
            })
            .collect();
        assert_eq!(
            plan,
            [
                "s/w/a openai/a {\"reasoning-effort\":\"low\"} 1",
                "s/w/a openai/b {} 1",
                "s/w/b openai/a {\"reasoning-effort\":\"low\"} 1",
                "s/w/b openai/b {} 1",
                "s/w/a openai/a {\"reasoning-effort\":\"low\"} 2",
                "s/w/a openai/b {} 2",
                "s/w/b openai/a {\"reasoning-effort\":\"low\"} 2",
                "s/w/b openai/b {} 2",
            ]
        );
        let stored = json!({"tasks": ["s/w/a"], "agent": "nop", "models": [], "attempts": 1});
        let spec: Spec = serde_json::from_value(stored).unwrap();
        assert_eq!(spec.participants.len(), 1);
        assert_eq!(spec.participants[0].agent, AgentKind::Nop);
        assert_eq!(spec.participants[0].model, None);
    }

    #[test]
    fn a_spec_without_participants_or_with_two_forms_is_refused() {
        for (stored, told) in [
            (
                json!({"tasks": [], "attempts": 1}),
                "missing key `participants`",
            ),
            (
                json!({"tasks": [], "attempts": 1, "agent": "nop", "participants": []}),
                "either `participants` or `agent`",
            ),
            (
                json!({"tasks": [], "attempts": 1, "agent": "nop", "models": 3}),
                "`models` is not a list",
            ),
        ] {
            let error = serde_json::from_value::<Spec>(stored).unwrap_err();
            assert!(error.to_string().contains(told), "{error}");
        }
    }
}
