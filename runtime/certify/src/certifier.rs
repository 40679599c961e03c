use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{Glob, GlobSet, GlobSetBuilder};
use mcpmark_agent::{Agent, EndKind, Nop, Oracle, Random};
use mcpmark_experiment::{PrepareError, Prepared, Workshop, random_seed};
use mcpmark_sandbox::{GradeRequest, LoadError, RunError, Sandbox, Verdict, Verifier, VerifyInput};
use mcpmark_snapshot::{
    Blobs, CaptureError, Digest, MemoryBlobs, Scratch, Snapshot, Store, Tree, diff,
};
use mcpmark_task::build::{BuildEvent, Builder};
use mcpmark_task::{GuestSource, Library, Mutation, Task};
use similar::TextDiff;

use crate::lint;
use crate::mutation::{Mutant, Solved, mutants};
use crate::play::{Played, chain, play};
use crate::report::{Check, Mutants, Report, Survivor};
use crate::sources_digest;

/// The share of mutants that a verifier must reject.
const LEAST_SCORE: f64 = 0.95;
/// Mutants that both engines judge.
const CROSSED: usize = 12;
/// Survivors that a report shows.
const SHOWN: usize = 50;

/// Examines tasks.
pub struct Certifier<'a> {
    /// Where tasks and worlds lie.
    pub library: &'a Library,
    /// Builds guests.
    pub builder: &'a mut Builder,
    /// Runs guests.
    pub sandbox: &'a Sandbox,
    /// Runs verifiers on the other engine.
    pub other: &'a Sandbox,
    /// Keeps states.
    pub store: &'a Arc<Store>,
    /// Where private copies of worlds are made.
    pub scratch: &'a Path,
    /// Hears what is being built.
    pub report: &'a mut dyn FnMut(BuildEvent),
}

/// Why a task cannot be examined at all.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// The task is not valid.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A guest of the task does not fit the contract.
    #[error("task {task}: the {guest} {source}")]
    Guest {
        /// The task.
        task: String,
        /// Which guest.
        guest: String,
        /// What is wrong with it.
        source: Box<LoadError>,
    },
    /// The sources cannot be read.
    #[error("task {task}: {source}")]
    Sources {
        /// The task.
        task: String,
        /// What is wrong with them.
        source: Box<CaptureError>,
    },
    /// A freedom names files by something that is no glob.
    #[error("task {task}: key \"freedoms\": {source}")]
    Glob {
        /// The task.
        task: String,
        /// What is wrong with it.
        source: Box<globset::Error>,
    },
    /// The host failed.
    #[error("the host failed: {0}")]
    Host(String),
}

impl CertifyError {
    /// Whether the host is to blame, and not the task.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Prepare(error) => error.is_infrastructure(),
            Self::Guest { source, .. } => source.is_infrastructure(),
            Self::Host(_) => true,
            Self::Sources { .. } | Self::Glob { .. } => false,
        }
    }
}

impl Certifier<'_> {
    /// Examines one task.
    ///
    /// # Errors
    ///
    /// When it cannot be examined; a task that is found wanting is a [`Report`].
    pub async fn certify(&mut self, task: &Task) -> Result<Report, CertifyError> {
        let mut prepared = self.prepare(task)?;
        let prepared_task = prepared.pop().ok_or_else(no_task)?;
        let again = self.prepare(task)?.pop().ok_or_else(no_task)?;
        let cheats = self.cheats(task)?;
        let second = self.second_verifier(task)?;
        let sources = sources_digest(task, self.store).map_err(|source| CertifyError::Sources {
            task: task.id.to_string(),
            source: Box::new(source),
        })?;
        let task_id = task.id.to_string();
        let mut examination = Examination {
            task,
            prepared: &prepared_task,
            sandbox: self.sandbox,
            other: self.other,
            second,
            store: self.store,
            scratch: self.scratch,
            memory: Arc::new(MemoryBlobs::new()),
            checks: Vec::new(),
            played: Vec::new(),
        };
        examination.check(
            "setting up twice gives the same world",
            prepared_task.start.digest == again.start.digest,
            prepared_task.start.digest.to_string(),
        );
        let start = examination.snapshot(&prepared_task.start.tree);
        let (documents, remarks) = lint::documents(task, &start);
        examination.checks.extend(documents);
        let solved = examination.agents(&cheats).await;
        let mutants = match solved {
            Some(solved) => examination.solved(solved).await?,
            None => Mutants::default(),
        };
        Ok(Report {
            task: task_id,
            sources,
            world: prepared_task.start.digest,
            verifier: prepared_task.verifier.digest(),
            checks: examination.checks,
            remarks,
            mutants,
        })
    }

    fn prepare(&mut self, task: &Task) -> Result<Vec<Prepared>, CertifyError> {
        let mut workshop = Workshop {
            library: self.library,
            builder: self.builder,
            sandbox: self.sandbox,
            store: self.store,
            report: self.report,
        };
        Ok(workshop.prepare(std::slice::from_ref(task))?)
    }

    /// The wrong solutions, each ready to be played.
    fn cheats(&mut self, task: &Task) -> Result<Vec<(String, Oracle)>, CertifyError> {
        let parameters = serde_json::Value::Object(task.meta.parameters.clone());
        let parameters = mcpmark_task::canonical_json(&parameters);
        let mut cheats = Vec::new();
        for (name, source) in &task.cheats {
            let bytes = self.component(source)?;
            let solution = self.sandbox.solution(&bytes);
            let solution = solution.map_err(|source| CertifyError::Guest {
                task: task.id.to_string(),
                guest: format!("cheat {name}"),
                source: Box::new(source),
            })?;
            let oracle = Oracle::new(self.sandbox.clone(), solution, parameters.clone());
            cheats.push((name.clone(), oracle));
        }
        Ok(cheats)
    }

    fn second_verifier(&mut self, task: &Task) -> Result<Verifier, CertifyError> {
        let bytes = self.component(&task.verifier)?;
        let verifier = self.other.verifier(&bytes);
        verifier.map_err(|source| CertifyError::Guest {
            task: task.id.to_string(),
            guest: "verifier".to_owned(),
            source: Box::new(source),
        })
    }

    fn component(&mut self, source: &GuestSource) -> Result<Vec<u8>, CertifyError> {
        let built = self
            .builder
            .build(std::slice::from_ref(source), self.report);
        let built = built.map_err(PrepareError::from)?;
        let path: PathBuf = built.into_iter().next().ok_or_else(no_task)?.path;
        Ok(std::fs::read(&path).map_err(|source| PrepareError::Read { path, source })?)
    }
}

fn no_task() -> CertifyError {
    CertifyError::Host("nothing was built".to_owned())
}

/// One task under examination.
struct Examination<'a> {
    task: &'a Task,
    prepared: &'a Prepared,
    sandbox: &'a Sandbox,
    other: &'a Sandbox,
    second: Verifier,
    store: &'a Arc<Store>,
    scratch: &'a Path,
    memory: Arc<MemoryBlobs>,
    checks: Vec<Check>,
    /// Final states, for the comparison of the engines.
    played: Vec<(String, Tree, Option<String>)>,
}

type Judged = Result<Verdict, RunError>;

impl Examination<'_> {
    fn check(&mut self, name: impl Into<String>, passed: bool, detail: impl Into<String>) {
        self.checks.push(Check {
            name: name.into(),
            passed,
            detail: detail.into(),
        });
    }

    fn snapshot(&self, tree: &Tree) -> Snapshot {
        let blobs = Layered {
            memory: Arc::clone(&self.memory),
            store: Arc::clone(self.store),
        };
        Snapshot::new(tree.clone(), Arc::new(blobs))
    }

    fn input(&self, tree: &Tree, answer: Option<&str>) -> VerifyInput {
        let start = self.snapshot(&self.prepared.start.tree);
        VerifyInput {
            answer: answer
                .filter(|_| self.prepared.judged_on.answer)
                .map(str::to_owned),
            parameters: self.prepared.parameters.clone(),
            ..VerifyInput::new(start, self.snapshot(tree))
        }
    }

    fn judge(&self, tree: &Tree, answer: Option<&str>) -> Judged {
        let input = self.input(tree, answer);
        let Prepared {
            verifier,
            verifier_limits,
            ..
        } = self.prepared;
        self.sandbox.verify(verifier, input, verifier_limits).result
    }

    fn judge_elsewhere(&self, tree: &Tree, answer: Option<&str>) -> Judged {
        let input = self.input(tree, answer);
        let limits = &self.prepared.verifier_limits;
        self.other.verify(&self.second, input, limits).result
    }

    async fn play(&self, agent: &dyn Agent, scratch: &Path) -> Result<Played, String> {
        play(self.prepared, agent, self.store, scratch).await
    }

    /// Everybody has a try. Returns what the oracle left, where it passed.
    async fn agents(&mut self, cheats: &[(String, Oracle)]) -> Option<Played> {
        let solved = self.oracle().await;
        let seed = random_seed(&self.prepared.id, 1);
        let random = Random::new(seed);
        let mut others: Vec<(String, String, &dyn Agent)> = vec![
            ("doing nothing fails".into(), "nop".into(), &Nop),
            (
                "calling tools by chance fails".into(),
                "random".into(),
                &random,
            ),
        ];
        for (name, cheat) in cheats {
            others.push((format!("cheat {name} fails"), name.clone(), cheat));
        }
        for (name, who, agent) in others {
            let played = match self.play(agent, self.scratch).await {
                Ok(played) => played,
                Err(reason) => {
                    self.check(name, false, reason);
                    continue;
                }
            };
            let judged = self.judge(&played.tree, played.answer.as_deref());
            let is_meant = matches!(&judged, Ok(verdict) if !verdict.passed());
            // One that stumbles over its tools fails for another reason than its own.
            let is_over = who == "random" || played.end.kind == EndKind::Completed;
            let detail = if is_over {
                format!("{}; {}", told(&judged), calls(played.tool_calls))
            } else {
                played.end.to_string()
            };
            self.check(name, is_meant && is_over, detail);
            self.played.push((who, played.tree, played.answer));
        }
        solved
    }

    async fn oracle(&mut self) -> Option<Played> {
        const PASSES: &str = "the oracle passes";
        let Some(solution) = &self.prepared.solution else {
            self.check(PASSES, false, "there is no solution for it to play");
            return None;
        };
        let oracle = Oracle::new(
            self.sandbox.clone(),
            solution.clone(),
            self.prepared.parameters.clone(),
        );
        let played = match self.play(&oracle, self.scratch).await {
            Ok(played) => played,
            Err(reason) => {
                self.check(PASSES, false, reason);
                return None;
            }
        };
        let judged = self.judge(&played.tree, played.answer.as_deref());
        let passed = matches!(&judged, Ok(verdict) if verdict.passed());
        let detail = format!(
            "{}; {}, {}",
            told(&judged),
            calls(played.tool_calls),
            played.end
        );
        self.check(PASSES, passed, detail);

        let elsewhere = match Scratch::new(self.scratch) {
            Ok(elsewhere) => self.play(&oracle, elsewhere.path()).await,
            Err(error) => Err(error.to_string()),
        };
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

    /// What needs a solved world: leaks, mutants, and both engines on all of it.
    async fn solved(&mut self, solved: Played) -> Result<Mutants, CertifyError> {
        let answer = solved
            .answer
            .as_deref()
            .filter(|_| self.prepared.judged_on.answer);
        let start = self.snapshot(&self.prepared.start.tree);
        let end = self.snapshot(&solved.tree);
        let changes = diff(&start.tree, &end.tree);
        let leak = lint::leaks(self.task, &start, &end, &changes, answer);
        self.checks.push(leak);

        let made = mutants(
            &Solved {
                start: &start.tree,
                end: &end.tree,
                answer,
                blobs: &*end.blobs,
            },
            &self.memory,
        )
        .map_err(|error| CertifyError::Host(error.to_string()))?;
        let freedoms = self.freedoms()?;
        let verdicts = self.judge_all(&made)?;
        let summary = self.count(&made, &verdicts, &freedoms);

        let step = made.len().div_ceil(CROSSED).max(1);
        for mutant in made.iter().step_by(step) {
            let name = format!("{} {}", mutant.mutation, mutant.path);
            self.played
                .push((name, mutant.tree.clone(), mutant.answer.clone()));
        }
        self.engines();
        Ok(summary)
    }

    fn engines(&mut self) {
        let differs = self.played.iter().find_map(|(name, tree, answer)| {
            let (here, there) = (
                self.judge(tree, answer.as_deref()),
                self.judge_elsewhere(tree, answer.as_deref()),
            );
            (!is_same(&here, &there))
                .then(|| format!("{name}: {} and {}", told(&here), told(&there)))
        });
        let count = self.played.len();
        let detail = differs.clone().unwrap_or_else(|| format!("{count} states"));
        self.check(
            "both engines give the same verdicts",
            differs.is_none(),
            detail,
        );
    }

    /// Judges all mutants, on all cores.
    fn judge_all(&self, mutants: &[Mutant]) -> Result<Vec<Judged>, CertifyError> {
        let requests: Vec<GradeRequest> = mutants
            .iter()
            .map(|mutant| GradeRequest {
                verifier: self.prepared.verifier.clone(),
                input: self.input(&mutant.tree, mutant.answer.as_deref()),
                limits: self.prepared.verifier_limits,
            })
            .collect();
        let runs = self.sandbox.grade_many(requests, None);
        let runs = runs.map_err(|error| CertifyError::Host(error.to_string()))?;
        Ok(runs.map(|run| run.result).collect())
    }

    /// The declared freedoms with the globs of their files.
    fn freedoms(&self) -> Result<Vec<(Mutation, Option<GlobSet>)>, CertifyError> {
        let wrong = |source| CertifyError::Glob {
            task: self.task.id.to_string(),
            source: Box::new(source),
        };
        let mut freedoms = Vec::new();
        for freedom in &self.task.meta.freedoms {
            let mut globs = GlobSetBuilder::new();
            for path in &freedom.paths {
                globs.add(Glob::new(path).map_err(wrong)?);
            }
            let globs = globs.build().map_err(wrong)?;
            freedoms.push((
                freedom.mutation,
                (!freedom.paths.is_empty()).then_some(globs),
            ));
        }
        Ok(freedoms)
    }

    fn count(
        &mut self,
        made: &[Mutant],
        verdicts: &[Judged],
        freedoms: &[(Mutation, Option<GlobSet>)],
    ) -> Mutants {
        let mut summary = Mutants::default();
        let mut used = vec![false; freedoms.len()];
        let mut faults = 0;
        let mut mutations: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
        for (mutant, judged) in made.iter().zip(verdicts) {
            let free = freedoms.iter().position(|(mutation, globs)| {
                *mutation == mutant.mutation
                    && globs
                        .as_ref()
                        .is_none_or(|globs| globs.is_match(&mutant.path))
            });
            let accepted = matches!(judged, Ok(verdict) if verdict.passed());
            let rejected = matches!(judged, Ok(verdict) if !verdict.passed());
            faults += usize::from(judged.is_err());
            let is_right = match free {
                Some(index) => {
                    used[index] = true;
                    summary.free += 1;
                    summary.accepted += usize::from(accepted);
                    accepted
                }
                None => {
                    let counts = mutations.entry(mutant.mutation.as_str()).or_default();
                    counts.0 += 1;
                    counts.1 += usize::from(rejected);
                    rejected
                }
            };
            if !is_right && summary.survivors.len() < SHOWN {
                summary.survivors.push(survivor(mutant, judged));
            }
        }
        summary.made = mutations.values().map(|counts| counts.0).sum();
        summary.rejected = mutations.values().map(|counts| counts.1).sum();
        summary.mutations = mutations;

        let score = summary.score();
        self.check(
            "near misses are rejected",
            score >= LEAST_SCORE,
            format!(
                "{} of {} mutants, {:.1} %; at least {:.0} % must be",
                summary.rejected,
                summary.made,
                score * 100.0,
                LEAST_SCORE * 100.0
            ),
        );
        self.check(
            "the verifier judges every near miss",
            faults == 0,
            format!("{faults} faults"),
        );
        let unused: Vec<_> = freedoms
            .iter()
            .zip(&used)
            .filter(|(_, used)| !**used)
            .map(|((mutation, _), _)| mutation.as_str())
            .collect();
        let mut detail = format!("{} of {} mutants accepted", summary.accepted, summary.free);
        if !unused.is_empty() {
            detail.push_str(&format!("; no mutant shows: {}", unused.join(", ")));
        }
        self.check(
            "what is free is accepted",
            summary.accepted == summary.free && unused.is_empty(),
            detail,
        );
        summary
    }
}

fn survivor(mutant: &Mutant, judged: &Judged) -> Survivor {
    let diff = mutant.texts.as_ref().map(|(before, after)| {
        TextDiff::from_lines(before, after)
            .unified_diff()
            .context_radius(1)
            .to_string()
    });
    Survivor {
        mutation: mutant.mutation.as_str(),
        path: mutant.path.clone(),
        what: mutant.what.clone(),
        verdict: match judged {
            Ok(verdict) if verdict.passed() => "accepted".to_owned(),
            Ok(_) => "rejected".to_owned(),
            Err(error) => chain(error),
        },
        diff: diff.unwrap_or_default(),
    }
}

/// Whether two judgements are equal: verdicts to the byte, faults by their kind, since each engine
/// words them in its own way.
fn is_same(one: &Judged, other: &Judged) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(RunError::Fault(one)), Err(RunError::Fault(other))) => one.kind == other.kind,
        _ => false,
    }
}

fn told(judged: &Judged) -> String {
    match judged {
        Ok(verdict) => {
            let passed = verdict.checks().iter().filter(|check| check.passed);
            format!("{} of {} checks", passed.count(), verdict.checks().len())
        }
        Err(error) => format!("not judged: {error}"),
    }
}

fn calls(count: u32) -> String {
    match count {
        1 => "1 call".to_owned(),
        count => format!("{count} calls"),
    }
}

/// Blobs of mutants in memory, all others in the store.
struct Layered {
    memory: Arc<MemoryBlobs>,
    store: Arc<Store>,
}

impl Layered {
    fn of(&self, digest: &Digest) -> &dyn Blobs {
        if self.memory.contains(digest) {
            &*self.memory
        } else {
            &*self.store
        }
    }
}

impl Blobs for Layered {
    fn read(&self, digest: &Digest) -> io::Result<Vec<u8>> {
        self.of(digest).read(digest)
    }

    fn read_range(&self, digest: &Digest, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.of(digest).read_range(digest, offset, length)
    }

    fn contains(&self, digest: &Digest) -> bool {
        self.of(digest).contains(digest)
    }
}
