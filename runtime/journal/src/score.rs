//! Scores: the part of a task that an attempt has done, from 0 to 1.
//!
//! A check that passes on the starting state earns nothing, because doing nothing passes it. If it fails at the end,
//! the score is 0, because the agent damaged something that had to stay.

use mcpmark_task::ScoreSettings;
use mcpmark_verdict::Check;
use serde::{Deserialize, Serialize};

/// Rule by which a score is computed.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ScoreRule {
    /// Share of all checks that passed. The rule of old grades, and of grades whose baseline is unknown.
    #[default]
    Share,
    /// Weighted share of earned checks among those that can be earned; 0 if a check that passed at the start, or a
    /// gate, fails; 1 if all checks pass.
    Earned,
}

impl ScoreRule {
    /// Returns `share` or `earned`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Earned => "earned",
        }
    }
}

/// Inputs of a score apart from the checks of the verdict. The journal stores them with the grade.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// Score rule.
    pub rule: ScoreRule,
    /// Names of the checks that pass on the starting state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<String>,
    /// Names of checks that fail on the starting state and are missing from this verdict. They count as not earned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Weights and gates of the task.
    #[serde(default, skip_serializing_if = "ScoreSettings::is_default")]
    pub settings: ScoreSettings,
}

impl Scoring {
    /// Returns the scoring of a verdict by earned checks. `start` is the baseline: names of checks and whether they
    /// pass.
    pub fn earned(checks: &[Check], start: &[(String, bool)]) -> Self {
        let held = start.iter().filter(|(_, holds)| *holds);
        let missing = start
            .iter()
            .filter(|(name, holds)| !holds && checks.iter().all(|check| check.name != *name));
        let names = |it: &mut dyn Iterator<Item = &(String, bool)>| {
            it.map(|(name, _)| name.clone()).collect()
        };
        Self {
            rule: ScoreRule::Earned,
            held: names(&mut held.into_iter()),
            missing: names(&mut missing.into_iter()),
            settings: ScoreSettings::default(),
        }
    }

    /// Returns the score of a verdict with these checks, from 0 to 1.
    pub fn score(&self, checks: &[Check]) -> f64 {
        let passed = checks.iter().filter(|check| check.passed).count();
        if self.rule == ScoreRule::Share {
            return passed as f64 / checks.len().max(1) as f64;
        }
        if passed == checks.len() {
            return 1.0;
        }
        if self.forfeits(checks).next().is_some() {
            return 0.0;
        }
        let (mut earned, mut open) = (0, 0);
        for check in checks.iter().filter(|check| !self.held(&check.name)) {
            let weight = self.settings.weight(&check.name);
            open += weight;
            if check.passed {
                earned += weight;
            }
        }
        for name in &self.missing {
            open += self.settings.weight(name);
        }
        // A check that did not pass at the start has failed, so `open` is not 0.
        earned as f64 / open.max(1) as f64
    }

    /// Returns the failed checks that make the score 0: those that passed at the start, and gates.
    pub fn forfeits<'a>(&'a self, checks: &'a [Check]) -> impl Iterator<Item = &'a Check> {
        let failed = checks.iter().filter(|check| !check.passed);
        failed.filter(|check| {
            self.rule == ScoreRule::Earned
                && (self.held(&check.name) || self.settings.is_gate(&check.name))
        })
    }

    /// Reports whether a check passes on the starting state.
    pub fn held(&self, name: &str) -> bool {
        self.held.iter().any(|held| held == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(checks: &[(&str, bool)]) -> Vec<Check> {
        let check = |(name, passed): &(&str, bool)| Check {
            name: (*name).to_owned(),
            passed: *passed,
            detail: String::new(),
        };
        checks.iter().map(check).collect()
    }

    /// Returns the score of a final verdict, given a verdict on the starting state.
    fn earned(start: &[(&str, bool)], end: &[(&str, bool)]) -> f64 {
        weighed(start, end, ScoreSettings::default())
    }

    fn weighed(start: &[(&str, bool)], end: &[(&str, bool)], settings: ScoreSettings) -> f64 {
        let start = start.iter().map(|(name, it)| ((*name).to_owned(), *it));
        let end = checks(end);
        let scoring = Scoring {
            settings,
            ..Scoring::earned(&end, &start.collect::<Vec<_>>())
        };
        scoring.score(&end)
    }

    #[test]
    fn checks_that_held_at_the_start_earn_nothing() {
        let start = [("intact", true), ("table", false), ("letter", false)];
        assert_eq!(earned(&start, &start), 0.0);
        let half = [("intact", true), ("table", true), ("letter", false)];
        assert_eq!(earned(&start, &half), 0.5);
        let all = [("intact", true), ("table", true), ("letter", true)];
        assert_eq!(earned(&start, &all), 1.0);
    }

    #[test]
    fn damage_to_what_had_to_stay_forfeits_everything() {
        let start = [("intact", true), ("table", false), ("letter", false)];
        let end = [("intact", false), ("table", true), ("letter", true)];
        assert_eq!(earned(&start, &end), 0.0);
    }

    #[test]
    fn checks_that_only_one_of_the_verdicts_has_count_as_open() {
        // A verifier that stops at its first failure reports later checks only after that failure is fixed.
        let start = [("table", false)];
        assert_eq!(earned(&start, &[("table", true), ("letter", false)]), 0.5);
        let start = [("table", false), ("letter", false), ("index", false)];
        assert_eq!(
            earned(&start, &[("table", true), ("letter", false)]),
            1.0 / 3.0
        );
        // A check that passed at the start and is missing at the end earns nothing either.
        let start = [("intact", true), ("table", false)];
        assert_eq!(earned(&start, &[("table", false)]), 0.0);
    }

    #[test]
    fn a_verdict_that_passes_has_score_1_and_no_other_has() {
        assert_eq!(earned(&[("intact", true)], &[("intact", true)]), 1.0);
        assert_eq!(
            earned(&[("table", false), ("x", false)], &[("table", true)]),
            1.0
        );
        assert!(earned(&[("table", true)], &[("table", true), ("x", false)]) < 1.0);
    }

    #[test]
    fn weights_and_gates_count() {
        let settings: ScoreSettings = serde_json::from_value(serde_json::json!({
            "weights": {"table": 3}, "gate": ["signed"],
        }))
        .unwrap();
        let start = [("table", false), ("letter", false), ("signed", false)];
        let end = |signed| [("table", true), ("letter", false), ("signed", signed)];
        assert_eq!(weighed(&start, &end(true), settings.clone()), 0.8);
        assert_eq!(weighed(&start, &end(false), settings), 0.0);
    }

    #[test]
    fn a_share_counts_all_checks() {
        let scoring = Scoring::default();
        let half = checks(&[("a", true), ("b", false)]);
        assert_eq!(scoring.score(&half), 0.5);
        assert_eq!(scoring.forfeits(&half).count(), 0);
    }

    #[test]
    fn a_scoring_is_read_back_as_it_was() {
        let end = checks(&[("a", true), ("b", false)]);
        let start = [("a".to_owned(), true), ("c".to_owned(), false)];
        let scoring = Scoring::earned(&end, &start);
        let text = serde_json::to_string(&scoring).unwrap();
        assert_eq!(text, r#"{"rule":"earned","held":["a"],"missing":["c"]}"#);
        assert_eq!(serde_json::from_str::<Scoring>(&text).unwrap(), scoring);
        for wrong in [
            r#"{"rule":"luck"}"#,
            "{}",
            r#"{"rule":"earned","held":[1]}"#,
        ] {
            assert!(serde_json::from_str::<Scoring>(wrong).is_err(), "{wrong}");
        }
    }
}
