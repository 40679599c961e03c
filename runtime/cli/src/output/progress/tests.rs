use std::time::Duration;

use mcpmark_experiment::journal::{AttemptKey, ModelSpending};
use mcpmark_experiment::{Cost, Planned, Progress};

use super::Display;
use super::labels::ModelLabels;

fn planned(position: usize, model: &str, settings: &str) -> Planned {
    Planned {
        position,
        task: 0,
        participant: position,
        key: AttemptKey {
            task: "s/w/t".into(),
            agent: "mcpmark".into(),
            agent_settings: "{}".into(),
            model: Some(model.into()),
            model_settings: settings.into(),
            k: 1,
        },
    }
}

fn without_model(position: usize, agent: &str) -> Planned {
    let mut planned = planned(position, "", "{}");
    planned.key.agent = agent.into();
    planned.key.model = None;
    planned
}

#[test]
fn models_are_called_by_what_tells_them_apart() {
    let high = "{\"reasoning-effort\":\"high\"}";
    let hot = "{\"reasoning-effort\":\"high\",\"temperature\":1.0}";
    let low = "{\"reasoning-effort\":\"low\"}";
    let plan = [
        planned(0, "a/one", high),
        planned(1, "a/two", "{}"),
        planned(2, "a/two", low),
        planned(3, "a/three", high),
        planned(4, "a/three", hot),
    ];
    let labels = ModelLabels::of(&plan);
    let names = |labels: &ModelLabels, plan: &[Planned]| -> Vec<String> {
        let names = plan.iter().map(|one| labels.get(one.participant));
        names.flatten().cloned().collect()
    };
    let alone = [without_model(0, "nop")];
    assert_eq!(names(&ModelLabels::of(&alone), &alone), [""; 0]);
    let baselines = [without_model(0, "nop"), without_model(1, "random")];
    let called = names(&ModelLabels::of(&baselines), &baselines);
    assert_eq!(called, ["nop", "random"]);
    let mut react = planned(1, "a/one", "{}");
    react.key.agent = "react".into();
    let agents = [planned(0, "a/one", "{}"), react, without_model(2, "nop")];
    let called = names(&ModelLabels::of(&agents), &agents);
    assert_eq!(called, ["a/one, mcpmark", "a/one, react", "nop"]);
    let names = names(&labels, &plan);
    let [one, two, low] = ["a/one", "a/two (default)", "a/two (low)"].map(str::to_owned);
    let three = [format!("a/three {high}"), format!("a/three {hot}")];
    assert_eq!(names, [one, two, low, three[0].clone(), three[1].clone()]);
}

#[test]
fn temporary_failures_cost_nothing_and_efforts_are_listed_separately() {
    let low = "{\"reasoning-effort\":\"low\"}";
    let plan = [planned(0, "a/m", "{}"), planned(1, "a/m", low)];
    let display = Display::new(&plan, &plan, &[], &[], false);
    let ids = ["1", "2"];
    for (id, one) in ids.iter().zip(&plan) {
        display.show(Progress::Started {
            attempt: (*id).to_owned(),
            task: one.key.task.to_string(),
            participant: one.participant,
            k: 1,
        });
    }
    let dollar = Cost::from_usd("1").unwrap();
    display.show(Progress::Asked {
        attempt: "2".to_owned(),
        turn: 1,
        tokens: None,
        cost: Some(dollar),
    });
    let state = display.state.lock().unwrap();
    let line = |name: &str| state.models[name].line(name, Duration::ZERO);
    assert_eq!(
        line("a/m (default)"),
        "a/m (default)  0/1 done, 0 passed, 0 failed"
    );
    assert_eq!(
        line("a/m (low)"),
        "a/m (low)  0/1 done, 0 passed, 0 failed, 1.00 USD"
    );
}

#[test]
fn a_model_stands_where_all_its_tries_have_brought_it() {
    let plan = [planned(0, "a/m", "{}"), planned(1, "a/n", "{}")];
    let spent = |model: &str, usd, unknown| ModelSpending {
        agent: "mcpmark".to_owned(),
        agent_settings: "{}".to_owned(),
        model: model.to_owned(),
        model_settings: "{}".to_owned(),
        known: Cost::from_usd(usd).unwrap(),
        unknown,
    };
    let spending = [spent("a/m", "7.50", 0), spent("a/n", "1", 2)];
    let display = Display::new(&plan, &plan, &[], &spending, false);
    let state = display.state.lock().unwrap();
    let line = |name: &str| state.models[name].line(name, Duration::ZERO);
    assert_eq!(line("a/m"), "a/m  0/1 done, 0 passed, 0 failed, 7.50 USD");
    assert_eq!(line("a/n"), "a/n  0/1 done, 0 passed, 0 failed, 1.00 USD+");
}
