//! Certification run of one task: agents that play it, and the verdicts on their final states.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use futures_util::{StreamExt, future, stream};
use mcpmark_agent::{Agent, AnswerOnly, AttemptLimits, Echo, EndKind, ErrorOnly, Nop, Random};
use mcpmark_experiment::{Oracle, Prepared, random_seed};
use mcpmark_journal::Scoring;
use mcpmark_sandbox::{GradeRequest, RunError, Sandbox, Verdict, Verifier, VerifyInput};
use mcpmark_snapshot::{MemoryBlobs, Scratch, ScratchSpace, Snapshot, Store, Tree};
use mcpmark_task::Task;

use crate::certifier::CertifyError;
use crate::layered::Layered;
use crate::play::{Played, play, play_within};
use crate::points::{ANSWER_ONLY_FAILS, ECHO_FAILS, ERROR_ONLY_FAILS};
use crate::report::Check;

/// Certification run of one task.
pub(crate) struct CertificationRun<'a> {
    pub(crate) task: &'a Task,
    pub(crate) prepared: &'a Prepared,
    pub(crate) verifier: &'a Verifier,
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) other: &'a Sandbox,
    pub(crate) second: Verifier,
    pub(crate) store: &'a Arc<Store>,
    pub(crate) scratch: &'a ScratchSpace,
    pub(crate) memory: Arc<MemoryBlobs>,
    pub(crate) checks: Vec<Check>,
    pub(crate) remarks: Vec<String>,
    /// Final states for the comparison of engines, with the name of the agent and its answer.
    pub(crate) played: Vec<(String, Tree, Option<String>)>,
    /// Names of the checks that pass on the starting state.
    pub(crate) held_at_start: Option<Vec<String>>,
    /// Scores of the agents `nop` and `random`, of the best cheat, and of the oracle after a part of its calls.
    pub(crate) scores: BTreeMap<String, f64>,
    /// Number of additional calls in each harmless variant that the verifier accepted.
    pub(crate) variants: BTreeMap<String, u32>,
    /// Problems of the variants that follow another reading of the instruction.
    pub(crate) failed_readings: Vec<String>,
}

/// Number of agents that a certification plays at once, each of which may occupy a slot of the sandbox. Tools of some
/// services wait for most of the time, such as a click in a browser, so there are more of them than cores.
pub const PLAYED_AT_ONCE: usize = 4;
/// Name of the agent that does nothing.
pub(crate) const NOP: &str = "nop";
/// Name of the agent that calls tools at random.
pub(crate) const RANDOM: &str = "random";
/// Name of the best cheat in the scores: a script that does the work and misses a part of the judgement.
const GREEDY: &str = "greedy";

pub(crate) type Judged = Result<Verdict, RunError>;

impl CertificationRun<'_> {
    pub(crate) fn check(
        &mut self,
        name: impl Into<String>,
        passed: bool,
        detail: impl Into<String>,
    ) {
        self.checks.push(Check {
            name: name.into(),
            passed,
            detail: detail.into(),
        });
    }

    pub(crate) fn snapshot(&self, tree: &Tree) -> Snapshot {
        let blobs = Layered {
            memory: Arc::clone(&self.memory),
            store: Arc::clone(self.store),
        };
        Snapshot::new(tree.clone(), Arc::new(blobs))
    }

    pub(crate) fn input(&self, tree: &Tree, answer: Option<&str>) -> VerifyInput {
        let start = self.snapshot(&self.prepared.start.tree);
        VerifyInput {
            answer: answer
                .filter(|_| self.prepared.judged_on.answer)
                .map(str::to_owned),
            parameters: self.prepared.parameters.clone(),
            ..VerifyInput::new(start, self.snapshot(tree))
        }
    }

    pub(crate) fn judge(&self, tree: &Tree, answer: Option<&str>) -> Judged {
        let input = self.input(tree, answer);
        let limits = &self.prepared.verifier_limits;
        self.sandbox.verify(self.verifier, input, limits).result
    }

    /// Grades many states in parallel on all cores, with the given sandbox and verifier.
    pub(crate) fn judge_all<'s>(
        &self,
        (sandbox, verifier): (&Sandbox, &Verifier),
        states: impl Iterator<Item = (&'s Tree, Option<&'s str>)>,
    ) -> io::Result<Vec<Judged>> {
        let requests: Vec<GradeRequest> = states
            .map(|(tree, answer)| GradeRequest {
                verifier: verifier.clone(),
                input: self.input(tree, answer),
                limits: self.prepared.verifier_limits,
            })
            .collect();
        let runs = sandbox.grade_many(requests, None)?;
        Ok(runs.map(|run| run.result).collect())
    }

    pub(crate) async fn play(
        &self,
        agent: &dyn Agent,
        scratch: &ScratchSpace,
    ) -> Result<Played, String> {
        play(self.prepared, agent, self.store, scratch).await
    }

    /// Plays agents, several at once, and returns the results in the order of the agents.
    pub(crate) async fn play_all(&self, agents: &[&dyn Agent]) -> Vec<Result<Played, String>> {
        let limits = self.prepared.attempt_limits;
        self.play_all_within(agents, limits).await
    }

    /// Plays agents under other limits than those of attempts, several at once.
    pub(crate) async fn play_all_within(
        &self,
        agents: &[&dyn Agent],
        limits: AttemptLimits,
    ) -> Vec<Result<Played, String>> {
        let plays = agents
            .iter()
            .map(|agent| play_within(self.prepared, *agent, self.store, self.scratch, limits));
        stream::iter(plays).buffered(PLAYED_AT_ONCE).collect().await
    }

    /// Runs all agents and cheats, and the variants of the oracle: the harmless ones and those of the task. Returns the
    /// result of the oracle if it passed.
    pub(crate) async fn agents(
        &mut self,
        cheats: &[(String, Oracle)],
        variants: &[(String, Oracle)],
    ) -> Option<Played> {
        let solved = self.oracle().await;
        let seed = random_seed(&self.prepared.id, 1);
        let random = Random::new(seed);
        let answer_only = solved.as_ref().map(|solved| {
            let answer = solved.answer.clone();
            AnswerOnly::new(answer.unwrap_or_default())
        });
        let mut others: Vec<(String, String, &dyn Agent)> = vec![
            ("doing nothing fails".into(), NOP.into(), &Nop),
            (
                "calling tools by chance fails".into(),
                RANDOM.into(),
                &random,
            ),
            (ECHO_FAILS.into(), "echo".into(), &Echo),
            (ERROR_ONLY_FAILS.into(), "error-only".into(), &ErrorOnly),
        ];
        if let Some(answer_only) = &answer_only {
            others.push((ANSWER_ONLY_FAILS.into(), "answer-only".into(), answer_only));
        }
        for (name, cheat) in cheats {
            // A cheat may have the name of an agent, and must not be treated as that agent.
            let who = format!("cheat {name}");
            others.push((format!("{who} fails"), who, cheat));
        }
        let agents: Vec<&dyn Agent> = others.iter().map(|(_, _, agent)| *agent).collect();
        let played = self.play_all(&agents).await;
        let mut start: Option<Vec<(String, bool)>> = None;
        for ((name, who, _), played) in others.into_iter().zip(played) {
            // If the solution changes nothing, its answer is all that the task requires.
            if name == ANSWER_ONLY_FAILS && !self.acts(solved.as_ref()) {
                continue;
            }
            let played = match played {
                Ok(played) => played,
                Err(reason) => {
                    self.check(name, false, reason);
                    continue;
                }
            };
            let judged = self.judge(&played.tree, played.answer.as_deref());
            if let (NOP, Ok(verdict)) = (&*who, &judged) {
                let checks = verdict.checks();
                let held = checks.iter().filter(|check| check.passed);
                self.held_at_start = Some(held.map(|check| check.name.clone()).collect());
                let checks = checks.iter().map(|it| (it.name.clone(), it.passed));
                start = Some(checks.collect());
            }
            if let (Some(rung), Ok(verdict), Some(start)) = (rung_of(&who), &judged, &start) {
                let score = self.score(verdict, start);
                let best = self.scores.entry(rung.to_owned()).or_default();
                *best = best.max(score);
            }
            let is_meant = matches!(&judged, Ok(verdict) if !verdict.passed());
            // A cheat that ends with a tool error fails for another reason than its wrong solution.
            let is_over = who == RANDOM || played.end.kind == EndKind::Completed;
            let detail = if is_over {
                let passes = matches!(&judged, Ok(verdict) if verdict.passed());
                let passes = if passes { "it passes, " } else { "" };
                format!("{passes}{}; {}", told(&judged), calls(played.tool_calls))
            } else {
                played.end.to_string()
            };
            self.check(name, is_meant && is_over, detail);
            self.played.push((who, played.tree, played.answer));
        }
        if let Some(solved) = &solved {
            self.harmless_variants(solved).await;
            self.variants_of_task(solved, variants).await;
            self.ladder(solved, start.as_deref()).await;
        }
        solved
    }

    /// Reports whether the oracle leaves another state than the agent that does nothing.
    fn acts(&self, solved: Option<&Played>) -> bool {
        let idle = self.played.iter().find(|(who, ..)| who == NOP);
        let idle = idle.map(|(_, tree, _)| tree.digest());
        idle != solved.map(|solved| solved.tree.digest())
    }

    /// Returns the score of a verdict by earned checks, given the checks on the starting state.
    pub(crate) fn score(&self, verdict: &Verdict, start: &[(String, bool)]) -> f64 {
        let scoring = Scoring {
            settings: self.prepared.score.clone(),
            ..Scoring::earned(verdict.checks(), start)
        };
        scoring.score(verdict.checks())
    }

    async fn oracle(&mut self) -> Option<Played> {
        const PASSES: &str = "the oracle passes";
        let Some(solution) = &self.prepared.solution else {
            self.check(PASSES, false, "the task has no solution");
            return None;
        };
        let oracle = Oracle::new(
            self.sandbox.clone(),
            solution.clone(),
            self.prepared.parameters.clone(),
        );
        let in_another_directory = async {
            let elsewhere = Scratch::new(self.scratch.parent());
            let elsewhere = elsewhere.map_err(|error| error.to_string())?;
            let copied = ScratchSpace::plain(elsewhere.path());
            self.play(&oracle, &copied).await
        };
        let here = self.play(&oracle, self.scratch);
        let (played, elsewhere) = future::join(here, in_another_directory).await;
        let played = match played {
            Ok(played) => played,
            Err(reason) => {
                self.check(PASSES, false, reason);
                return None;
            }
        };
        let judged = self.judge(&played.tree, played.answer.as_deref());
        if let Ok(verdict) = &judged {
            self.score_settings(verdict);
        }
        let passed = matches!(&judged, Ok(verdict) if verdict.passed());
        let detail = format!(
            "{}{}; {}, {}",
            told(&judged),
            failed(&judged),
            calls(played.tool_calls),
            played.end
        );
        self.check(PASSES, passed, detail);

        let same = elsewhere.map(|other| {
            let is_same =
                other.tree.digest() == played.tree.digest() && other.answer == played.answer;
            (is_same, format!("state {}", other.tree.digest()))
        });
        let (unmoved, detail) = same.unwrap_or_else(|reason| (false, reason));
        self.check("another directory changes nothing", unmoved, detail);

        let repeats = (0..3).map(|_| self.judge(&played.tree, played.answer.as_deref()));
        let is_stable = repeats.into_iter().all(|again| is_same(&again, &judged));
        self.check("grading again gives the same verdict", is_stable, "3 times");
        self.played.push((
            "oracle".to_owned(),
            played.tree.clone(),
            played.answer.clone(),
        ));
        passed.then_some(played)
    }

    /// Checks that the score settings of the task name existing checks of the verifier.
    fn score_settings(&mut self, verdict: &Verdict) {
        let settings = &self.task.meta.score;
        if settings.is_default() {
            return;
        }
        let is_there = |name: &str| verdict.checks().iter().any(|check| check.name == name);
        let unknown: Vec<String> = settings
            .names()
            .filter(|name| !is_there(name))
            .map(|name| format!("{name:?}"))
            .collect();
        let detail = if unknown.is_empty() {
            format!(
                "{} of {} checks",
                settings.names().count(),
                verdict.checks().len()
            )
        } else {
            format!(
                "the verifier does not have the check {}",
                unknown.join(", ")
            )
        };
        self.check(
            "\"score\" names checks of the verifier",
            unknown.is_empty(),
            detail,
        );
    }

    pub(crate) fn engines(&mut self) -> Result<(), CertifyError> {
        let all = |engine| {
            let states = self.played.iter();
            let states = states.map(|(_, tree, answer)| (tree, answer.as_deref()));
            let judged = self.judge_all(engine, states);
            judged.map_err(|error| CertifyError::Host(error.to_string()))
        };
        let here = all((self.sandbox, self.verifier))?;
        let there = all((self.other, &self.second))?;
        let pairs = here.iter().zip(&there).zip(&self.played);
        let differs = pairs
            .filter(|((here, there), _)| !is_same(here, there))
            .map(|((here, there), (name, ..))| {
                format!("{name}: {} and {}", told(here), told(there))
            })
            .next();
        let count = self.played.len();
        let detail = differs.clone().unwrap_or_else(|| format!("{count} states"));
        self.check(
            "both engines give the same verdicts",
            differs.is_none(),
            detail,
        );
        Ok(())
    }
}

/// Returns the name of the rung of the ladder that an agent stands for. Agents that cannot act on the task have none.
fn rung_of(agent: &str) -> Option<&str> {
    match agent {
        NOP | RANDOM => Some(agent),
        _ if agent.starts_with("cheat ") => Some(GREEDY),
        _ => None,
    }
}

/// Reports whether two results are equal. Verdicts are compared completely, faults only by kind, because each engine
/// has its own messages.
fn is_same(one: &Judged, other: &Judged) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(RunError::Fault(one)), Err(RunError::Fault(other))) => one.kind == other.kind,
        _ => false,
    }
}

pub(crate) fn told(judged: &Judged) -> String {
    match judged {
        Ok(verdict) => {
            let passed = verdict.checks().iter().filter(|check| check.passed);
            format!("{} of {} checks", passed.count(), verdict.checks().len())
        }
        Err(error) => format!("not judged: {error}"),
    }
}

/// Lists the names of failed checks, up to a limit.
pub(crate) fn failed(judged: &Judged) -> String {
    const SHOWN: usize = 5;
    let checks = judged.iter().flat_map(Verdict::checks);
    let names: Vec<String> = checks
        .filter(|check| !check.passed)
        .map(|check| format!("{:?}", check.name))
        .collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if names.is_empty() {
        String::new()
    } else {
        format!(
            "; failed: {}{more}",
            names[..names.len().min(SHOWN)].join(", ")
        )
    }
}

fn calls(count: u32) -> String {
    match count {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_sandbox::{Check, Limits};

    use super::*;

    fn judged(passed: &[bool]) -> Judged {
        let checks = passed.iter().enumerate().map(|(number, passed)| Check {
            name: format!("check {number}"),
            passed: *passed,
            detail: String::new(),
        });
        Ok(Verdict::new(checks.collect(), &Limits::default()).unwrap())
    }

    #[test]
    fn failed_checks_are_named() {
        assert_eq!(failed(&judged(&[true, true])), "");
        assert_eq!(
            failed(&judged(&[true, false, false])),
            "; failed: \"check 1\", \"check 2\""
        );
        let many = failed(&judged(&[false; 8]));
        assert!(many.ends_with("\"check 4\" and 3 more"), "{many}");
    }
}
