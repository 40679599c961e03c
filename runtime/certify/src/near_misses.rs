//! Near misses: mutants of the solved world, which the verifier must reject.

use std::collections::{BTreeMap, BTreeSet};

use globset::{Glob, GlobSet, GlobSetBuilder};
use mcpmark_kinds::Mutation;
use mcpmark_service::error_chain;
use mcpmark_snapshot::diff;
use mcpmark_task::MutationName;
use similar::TextDiff;

use crate::certification_run::{CertificationRun, Judged};
use crate::certifier::CertifyError;
use crate::lint;
use crate::mutation::{Mutant, Solved, mutants, mutants_of_service};
use crate::play::Played;
use crate::report::{Mutants, Survivor};

/// Minimum share of mutants that a verifier must reject. It must also reject at least one mutant of each mutation.
const LEAST_SCORE: f64 = 0.95;
/// Maximum number of mutants that both engines grade.
const CROSSED: usize = 6;
/// Maximum number of survivors in a report.
const SHOWN: usize = 50;

/// Mutation that a task declares as a freedom, with the globs of the affected files. `None` means all files.
pub(crate) type FreeMutation = (Mutation, Option<GlobSet>);

impl CertificationRun<'_> {
    /// Runs the checks that need a solved world: leaks of the answer, mutants, and the comparison of engines.
    pub(crate) async fn solved(
        &mut self,
        played: Played,
        freedoms: &[FreeMutation],
        strings: Option<&BTreeSet<String>>,
    ) -> Result<Mutants, CertifyError> {
        let answer = played
            .answer
            .as_deref()
            .filter(|_| self.prepared.judged_on.answer);
        let start = self.snapshot(&self.prepared.start.tree);
        let end = self.snapshot(&played.tree);
        let changes = diff(&start.tree, &end.tree);
        let (leak, remarks) = lint::leaks(self.task, &start, &end, &changes, answer);
        self.checks.push(leak);
        self.remarks.extend(remarks);

        if let Ok(verdict) = self.judge(&played.tree, answer) {
            let names: Vec<String> = verdict.checks().iter().map(|it| it.name.clone()).collect();
            self.citations(&names)?;
        }
        self.readings()?;

        let solved = Solved {
            start: &start.tree,
            end: &end.tree,
            answer,
            blobs: &*end.blobs,
        };
        let host = |error: &dyn std::error::Error| CertifyError::Host(error.to_string());
        let states = mcpmark_kinds::Solved {
            start: solved.start,
            end: solved.end,
            blobs: solved.blobs,
            store: self.store,
            scratch: self.scratch.parent(),
        };
        let mutator = match &self.prepared.start.kind {
            Some(kind) => kind.mutator(states).map_err(|error| host(&error))?,
            None => None,
        };
        let made = match mutator {
            Some(mut mutator) => mutants_of_service(&solved, &mut *mutator, &self.memory)
                .map_err(|error| host(&error))?,
            None => mutants(&solved, &self.memory).map_err(|error| host(&error))?,
        };
        let states = made.iter().map(|it| (&it.tree, it.answer.as_deref()));
        let verdicts = self
            .judge_all((self.sandbox, self.verifier), states)
            .map_err(|error| CertifyError::Host(error.to_string()))?;
        let summary = self.count(&made, &verdicts, freedoms);
        self.expected_values(&played, strings, verdicts.iter().flatten());

        let step = made.len().div_ceil(CROSSED).max(1);
        for mutant in made.iter().step_by(step) {
            let name = format!("{} {}", mutant.mutation, mutant.path);
            self.played
                .push((name, mutant.tree.clone(), mutant.answer.clone()));
        }
        self.engines()?;
        Ok(summary)
    }

    /// Parses the declared freedoms with their globs. Invalid freedoms result in a failed check.
    pub(crate) fn freedoms(&mut self) -> Vec<FreeMutation> {
        let task = self.task;
        let read: Result<Vec<_>, String> = task
            .meta
            .freedoms
            .iter()
            .map(|freedom| Ok((self.mutation(&freedom.mutation)?, globs(&freedom.paths)?)))
            .collect();
        read.unwrap_or_else(|problem| {
            self.check("the freedoms can be read", false, problem);
            Vec::new()
        })
    }

    /// Returns the mutation with this name, from the general ones or those of the task's service.
    fn mutation(&self, name: &MutationName) -> Result<Mutation, String> {
        let kind = self.prepared.start.kind.as_ref();
        let own = kind.map_or(&[][..], |kind| kind.mutations());
        let known = || Mutation::GENERAL.iter().chain(own).copied();
        let found = known().find(|mutation| mutation.as_str() == name.as_str());
        found.ok_or_else(|| {
            let known: Vec<_> = known().map(Mutation::as_str).collect();
            format!(
                "unknown mutation \"{name}\"; expected one of {}",
                known.join(", ")
            )
        })
    }

    fn count(
        &mut self,
        made: &[Mutant],
        verdicts: &[Judged],
        freedoms: &[FreeMutation],
    ) -> Mutants {
        let mut summary = Mutants::default();
        let mut used = vec![false; freedoms.len()];
        let mut faults = 0;
        let mut rejections = Vec::new();
        let mut mutations: BTreeMap<String, (usize, usize)> = BTreeMap::new();
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
                    let counts = mutations
                        .entry(mutant.mutation.as_str().to_owned())
                        .or_default();
                    counts.0 += 1;
                    counts.1 += usize::from(rejected);
                    if let (true, Ok(verdict)) = (rejected, judged) {
                        rejections.push((mutant, verdict));
                    }
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
            score.is_none_or(|score| score >= LEAST_SCORE),
            match score {
                Some(score) => format!(
                    "{} of {} mutants, {:.1} %; expected at least {:.0} %",
                    summary.rejected,
                    summary.made,
                    score * 100.0,
                    LEAST_SCORE * 100.0
                ),
                None => "no mutation applies to the solved world".to_owned(),
            },
        );
        let overlooked: Vec<&str> = summary
            .mutations
            .iter()
            .filter(|(_, (_, rejected))| *rejected == 0)
            .map(|(mutation, _)| mutation.as_str())
            .collect();
        let detail = match &overlooked[..] {
            [] => format!("{} mutations", summary.mutations.len()),
            overlooked => format!(
                "no mutant is rejected of: {}; reject them in the verifier, or declare the mutation \
                 under \"freedoms\"",
                overlooked.join(", ")
            ),
        };
        self.check(
            "each kind of near miss is noticed",
            overlooked.is_empty(),
            detail,
        );
        self.check(
            "the verifier judges every near miss",
            faults == 0,
            format!("{faults} faults"),
        );
        self.intended(&rejections);
        let unused: Vec<_> = freedoms
            .iter()
            .zip(&used)
            .filter(|(_, used)| !**used)
            .map(|((mutation, _), _)| mutation.as_str())
            .collect();
        let mut detail = format!("{} of {} mutants accepted", summary.accepted, summary.free);
        if !unused.is_empty() {
            detail.push_str(&format!("; no mutant of: {}", unused.join(", ")));
        }
        self.check(
            "what is free is accepted",
            summary.accepted == summary.free && unused.is_empty(),
            detail,
        );
        summary
    }
}

/// Builds the globs of a freedom. Returns `None` if there are no globs, which means all files.
fn globs(paths: &[String]) -> Result<Option<GlobSet>, String> {
    let mut globs = GlobSetBuilder::new();
    for path in paths {
        globs.add(Glob::new(path).map_err(|error| error.to_string())?);
    }
    let globs = globs.build().map_err(|error| error.to_string())?;
    Ok((!paths.is_empty()).then_some(globs))
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
            Err(error) => error_chain(error),
        },
        diff: diff.unwrap_or_default(),
    }
}
