//! Certification of tasks from published corpora, whose verifiers are third-party Python scripts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcpmark_agent::{Agent, Nop, Random};
use mcpmark_experiment::{Oracle, Outcome, Prepared, capture_state, random_seed};
use mcpmark_grading::{Graded, Judge, ScriptJudge};
use mcpmark_sandbox::{Sandbox, ScriptInput};
use mcpmark_service::error_chain;
use mcpmark_snapshot::{Digest, MemoryBlobs, ScratchSpace, Snapshot, Store, Tree};
use serde::Serialize;

use crate::layered::Layered;
use crate::mutation::{Mutant, Solved, mutants};
use crate::native::{self, Ran, Said};
use crate::play::play;
use crate::printed::is_one_of;
use crate::report::Check;

/// Maximum number of mutants that are graded for each task. Each takes as long as a Python program.
const MAX_MUTANTS: usize = 48;
/// Maximum number of mutants that native Python also grades.
const COMPARED: usize = 8;
/// Maximum number of native runs of a script, to detect output that varies between runs.
const RUNS: usize = 8;
/// Maximum number of accepted mutants that a report lists.
const SHOWN: usize = 5;

/// Certifier of tasks whose verifiers are scripts.
pub struct PublishedExaminer<'a> {
    /// Sandbox that runs guests.
    pub sandbox: &'a Sandbox,
    /// Store of states.
    pub store: &'a Arc<Store>,
    /// Directories for private copies of worlds.
    pub scratch: &'a ScratchSpace,
    /// Directory with final states that must pass, each in a subdirectory named by the id of its task. A file of that
    /// name with the suffix `.answer` contains the agent's last message.
    pub solved: Option<&'a Path>,
    /// Runs scripts with the Python of this machine as well, outside the sandbox.
    pub against_python: bool,
}

/// Result of the certification of a published task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedReport {
    /// Id of the task.
    pub task: String,
    /// Digest of the script.
    pub verifier: Digest,
    /// Digest of the starting state.
    pub world: Digest,
    /// Conditions that were checked, in order.
    pub checks: Vec<Check>,
    /// Remarks for the author that are not failures.
    pub remarks: Vec<String>,
    /// Number of mutants that were graded. It is 0 if no passing state is known.
    pub mutants: usize,
    /// Number of mutants that the verifier rejected.
    pub rejected: usize,
    /// Number of states that native Python also graded.
    pub compared: usize,
}

impl PublishedReport {
    /// Reports whether all checks passed.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.passed)
    }
}

/// Final state and last message, with the name of the agent or mutant that they come from.
struct Left {
    who: String,
    tree: Tree,
    answer: Option<String>,
}

struct PublishedCertificationRun<'a> {
    examiner: &'a PublishedExaminer<'a>,
    prepared: &'a Prepared,
    judge: &'a ScriptJudge,
    memory: Arc<MemoryBlobs>,
    report: PublishedReport,
    left: Vec<Left>,
}

impl PublishedExaminer<'_> {
    /// Checks that native Python is available, if [`against_python`](Self::against_python) is set.
    ///
    /// # Errors
    ///
    /// Returns the missing requirement.
    pub fn check_python(&self) -> Result<(), String> {
        if self.against_python {
            native::check()
        } else {
            Ok(())
        }
    }

    /// Certifies one task. Returns `None` if its verifier is not a script.
    pub async fn examine(&self, prepared: &Prepared) -> Option<PublishedReport> {
        let Judge::Script(judge) = &prepared.judge else {
            return None;
        };
        let mut run = PublishedCertificationRun {
            examiner: self,
            prepared,
            judge,
            memory: Arc::new(MemoryBlobs::new()),
            report: PublishedReport {
                task: prepared.id.to_string(),
                verifier: prepared.judge.digest(),
                world: prepared.start.digest,
                checks: Vec::new(),
                remarks: Vec::new(),
                mutants: 0,
                rejected: 0,
                compared: 0,
            },
            left: Vec::new(),
        };
        run.others().await;
        let solved = run.solved().await;
        if let Some(solved) = solved {
            run.near_misses(&solved);
        }
        run.again();
        if self.against_python {
            run.compare();
        }
        Some(run.report)
    }
}

impl PublishedCertificationRun<'_> {
    fn check(&mut self, name: &str, passed: bool, detail: impl Into<String>) {
        self.report.checks.push(Check {
            name: name.to_owned(),
            passed,
            detail: detail.into(),
        });
    }

    fn snapshot(&self, tree: &Tree) -> Snapshot {
        let blobs = Layered {
            memory: Arc::clone(&self.memory),
            store: Arc::clone(self.examiner.store),
        };
        Snapshot::new(tree.clone(), Arc::new(blobs))
    }

    fn grade(&self, tree: &Tree, answer: Option<&str>) -> Graded {
        let answer = answer.map(str::to_owned);
        let limits = &self.prepared.verifier_limits;
        self.judge
            .grade(self.examiner.sandbox, self.snapshot(tree), answer, limits)
    }

    async fn play(&mut self, who: &str, agent: &dyn Agent) -> Result<Left, String> {
        let PublishedExaminer { store, scratch, .. } = self.examiner;
        let played = play(self.prepared, agent, store, scratch).await?;
        Ok(Left {
            who: who.to_owned(),
            tree: played.tree,
            answer: played.answer,
        })
    }

    /// Checks that agents that should fail do not pass.
    async fn others(&mut self) {
        const NOTHING: &str = "doing nothing fails";
        let is_there = self.prepared.start.service().is_some();
        let random = Random::new(random_seed(&self.prepared.id, 1));
        let agents: [(&str, &str, &dyn Agent); 2] = [
            (NOTHING, "nop", &Nop),
            ("calling tools by chance fails", "random", &random),
        ];
        for (name, who, agent) in agents {
            let left = if is_there {
                self.play(who, agent).await
            } else if name == NOTHING {
                Ok(Left {
                    who: who.to_owned(),
                    tree: self.prepared.start.tree.clone(),
                    answer: None,
                })
            } else {
                continue;
            };
            match left {
                Ok(left) => {
                    let outcome = self.grade(&left.tree, left.answer.as_deref()).outcome;
                    self.check(name, outcome.passed() == Some(false), told(&outcome));
                    self.left.push(left);
                }
                Err(reason) => self.check(name, false, reason),
            }
        }
    }

    /// Checks a state that should pass: the final state of the solution, or otherwise a given state.
    async fn solved(&mut self) -> Option<Left> {
        let solution = self.prepared.solution.clone();
        let (name, left) = match (solution, self.given()) {
            (Some(solution), _) => {
                let parameters = self.prepared.parameters.clone();
                let oracle = Oracle::new(self.examiner.sandbox.clone(), solution, parameters);
                ("the oracle passes", self.play("oracle", &oracle).await)
            }
            (None, Some(given)) => ("the given final state passes", given),
            (None, None) => {
                let remark = "no state that passes is known: there is neither a solution next to the script nor a final state";
                self.report.remarks.push(remark.to_owned());
                return None;
            }
        };
        match left {
            Ok(left) => {
                let outcome = self.grade(&left.tree, left.answer.as_deref()).outcome;
                let passed = outcome.passed() == Some(true);
                self.check(name, passed, told(&outcome));
                if passed {
                    return Some(left);
                }
                self.left.push(left);
            }
            Err(reason) => self.check(name, false, reason),
        }
        None
    }

    fn given(&self) -> Option<Result<Left, String>> {
        let id = self.prepared.id.to_string();
        let dir = self.examiner.solved?.join(&id);
        if !dir.is_dir() {
            return None;
        }
        let answer = PathBuf::from(format!("{}.answer", dir.display()));
        let answer = std::fs::read_to_string(answer).ok();
        let captured = capture_state(
            &dir,
            &self.prepared.start,
            &self.prepared.session_limits,
            self.examiner.store,
        );
        Some(match captured {
            Ok(tree) => Ok(Left {
                who: "given".to_owned(),
                tree,
                answer,
            }),
            Err(error) => Err(error_chain(&error)),
        })
    }

    /// Grades mutants. Published tasks do not declare freedoms, so accepted mutants are remarks and not failures.
    fn near_misses(&mut self, solved: &Left) {
        let (start, end) = (
            self.snapshot(&self.prepared.start.tree),
            self.snapshot(&solved.tree),
        );
        let made = mutants(
            &Solved {
                start: &start.tree,
                end: &end.tree,
                answer: solved.answer.as_deref(),
                blobs: &*end.blobs,
            },
            &self.memory,
        );
        let made = match made {
            Ok(made) => made,
            Err(error) => return self.check("near misses are made", false, error.to_string()),
        };
        let step = made.len().div_ceil(MAX_MUTANTS).max(1);
        let judged: Vec<&Mutant> = made.iter().step_by(step).collect();
        let mut accepted = Vec::new();
        let mut broken = 0;
        for mutant in &judged {
            let outcome = self.grade(&mutant.tree, mutant.answer.as_deref()).outcome;
            match outcome.passed() {
                Some(true) => accepted.push(format!(
                    "{} {}: {}",
                    mutant.mutation.as_str(),
                    mutant.path,
                    mutant.what
                )),
                Some(false) => self.report.rejected += 1,
                None => broken += 1,
            }
        }
        self.report.mutants = judged.len();
        self.check(
            "the script judges every near miss",
            broken == 0,
            format!("{broken} faults"),
        );
        for line in accepted.iter().take(SHOWN) {
            self.report.remarks.push(format!("passes: {line}"));
        }
        if accepted.len() > SHOWN {
            let more = accepted.len() - SHOWN;
            self.report.remarks.push(format!("passes: {more} more"));
        }
        let step = judged.len().div_ceil(COMPARED).max(1);
        let compared = judged.iter().step_by(step).map(|mutant| Left {
            who: format!("{} {}", mutant.mutation.as_str(), mutant.path),
            tree: mutant.tree.clone(),
            answer: mutant.answer.clone(),
        });
        self.left.push(Left {
            who: solved.who.clone(),
            tree: solved.tree.clone(),
            answer: solved.answer.clone(),
        });
        self.left.extend(compared);
    }

    fn again(&mut self) {
        let differs = self.left.iter().find(|left| {
            let grade = || {
                let graded = self.grade(&left.tree, left.answer.as_deref());
                (graded.outcome, graded.printed)
            };
            grade() != grade()
        });
        let detail = match differs {
            Some(left) => format!("results differ for {}", left.who),
            None => format!("{} states", self.left.len()),
        };
        let same = differs.is_none();
        self.check(
            "grading again gives the same verdict and output",
            same,
            detail,
        );
    }

    /// Reports whether the output of native Python varies between runs, and the sandboxed output differs only in the
    /// varying parts. For example, the iteration order of a set differs between processes.
    fn wavers(&self, input: &ScriptInput, first: &Said, here: &Said) -> bool {
        let parent = self.examiner.scratch.parent();
        let mut said = vec![first.clone()];
        for _ in 1..RUNS {
            if let Ok(Ran::Said(again)) = native::run(input, parent) {
                said.push(again);
            }
            let printed: Vec<&str> = said.iter().map(|it| it.stdout.as_str()).collect();
            if printed.iter().any(|other| *other != first.stdout)
                && said.iter().any(|other| other.exit_code == here.exit_code)
                && is_one_of(&here.stdout, &printed)
            {
                return true;
            }
        }
        false
    }

    fn compare(&mut self) {
        let mut differences = Vec::new();
        let mut compared = 0;
        for left in &self.left {
            let snapshot = self.snapshot(&left.tree);
            let graded = self.grade(&left.tree, left.answer.as_deref());
            let input = self.judge.input(snapshot, left.answer.clone());
            let native = match native::run(&input, self.examiner.scratch.parent()) {
                Ok(Ran::Said(said)) => said,
                Ok(Ran::Lacks(line)) => {
                    let remark = format!("cannot run the script with native Python: {line}");
                    return self.report.remarks.push(remark);
                }
                Err(reason) => {
                    differences.push(format!("{}: {reason}", left.who));
                    continue;
                }
            };
            compared += 1;
            let here = match &graded.printed {
                Some(printed) => Said::new(
                    printed.exit_code.map(i32::from),
                    &String::from_utf8_lossy(&printed.stdout),
                ),
                None => Said::new(None, ""),
            };
            if here != native && self.wavers(&input, &native, &here) {
                let remark = format!(
                    "the output of native Python differs between runs: {}",
                    left.who
                );
                self.report.remarks.push(remark);
            } else if here != native {
                differences.push(format!("{}: {}", left.who, difference(&here, &native)));
            }
        }
        self.report.compared = compared;
        let detail = match differences.first() {
            Some(first) => format!("{} of {} states: {first}", differences.len(), compared),
            None => format!("{compared} states"),
        };
        self.check(
            "native Python says the same",
            differences.is_empty(),
            detail,
        );
    }
}

/// Describes the first difference between two runs.
fn difference(here: &Said, native: &Said) -> String {
    if here.exit_code != native.exit_code {
        let code = |code: Option<i32>| code.map_or("none".to_owned(), |code| code.to_string());
        return format!(
            "the exit code is {} in the sandbox and {} with native Python",
            code(here.exit_code),
            code(native.exit_code)
        );
    }
    let mut lines = here.stdout.lines().zip(native.stdout.lines());
    match lines.find(|(here, native)| here != native) {
        Some((here, native)) => format!("{here:?} in the sandbox, {native:?} with native Python"),
        None => "the numbers of lines differ".to_owned(),
    }
}

fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Graded { verdict, .. } => {
            let passed = verdict.checks().iter().filter(|check| check.passed);
            format!("{} of {} checks", passed.count(), verdict.checks().len())
        }
        Outcome::StateFault(fault) | Outcome::VerifierFault(fault) => {
            format!("not judged: {fault}")
        }
        Outcome::InfraError(reason) | Outcome::InvalidTask(reason) => {
            format!("not judged: {reason}")
        }
        Outcome::HeldBack(_) => "not judged: its verifier is held back".to_owned(),
        Outcome::Cancelled => "not judged: cancelled".to_owned(),
    }
}
