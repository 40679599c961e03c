//! Mutants of github worlds, made by the engine of the service: a changed byte of a packed object is not a mistake that
//! an agent can make.

use mcpmark_github::mutation::{Committed, MutationError, MutationKind, Mutator, WorldIo};
use mcpmark_snapshot::Tree;

use crate::{MutableText, MutateError, Mutation, Solved, StateMutant, StateMutator};

/// The title of an issue or pull request differs by one character.
const TITLE: Mutation = Mutation::new("title");
/// An issue is open instead of closed, closed instead of open, or closed with another reason.
const ISSUE_STATE: Mutation = Mutation::new("issue-state");
/// A label is missing, or an unwanted one is added.
const LABELS: Mutation = Mutation::new("labels");
/// The milestone is missing.
const MILESTONE: Mutation = Mutation::new("milestone");
/// A comment is missing, duplicated, changed, or on another issue.
const COMMENT: Mutation = Mutation::new("comment");
/// A text links to another issue, or to none.
const LINK: Mutation = Mutation::new("link");
/// A pull request has another base branch.
const WRONG_BASE: Mutation = Mutation::new("wrong-base");
/// A pull request has another head branch.
const WRONG_HEAD: Mutation = Mutation::new("wrong-head");
/// A pull request was merged with another method.
const MERGE_METHOD: Mutation = Mutation::new("merge-method");
/// An unwanted issue is added.
const STRAY_ISSUE: Mutation = Mutation::new("stray-issue");
/// A file of a branch is missing, or has another path.
const COMMITTED_FILE: Mutation = Mutation::new("committed-file");
/// A branch has an additional commit.
const EXTRA_COMMIT: Mutation = Mutation::new("extra-commit");
/// A branch points to another commit.
const MOVED_BRANCH: Mutation = Mutation::new("moved-branch");
/// A branch is missing.
const MISSING_BRANCH: Mutation = Mutation::new("missing-branch");
/// An unwanted branch is added.
const STRAY_BRANCH: Mutation = Mutation::new("stray-branch");

/// All mutations that are specific to github worlds.
pub(super) const MUTATIONS: &[Mutation] = &[
    TITLE,
    ISSUE_STATE,
    LABELS,
    MILESTONE,
    COMMENT,
    LINK,
    WRONG_BASE,
    WRONG_HEAD,
    MERGE_METHOD,
    STRAY_ISSUE,
    COMMITTED_FILE,
    EXTRA_COMMIT,
    MOVED_BRANCH,
    MISSING_BRANCH,
    STRAY_BRANCH,
];

/// Mutator of a repository with its issues, pull requests and branches.
pub(super) struct RepositoryMutator<'a> {
    mutator: Mutator<'a>,
    committed: Vec<Committed>,
}

impl<'a> RepositoryMutator<'a> {
    pub(super) fn new(solved: Solved<'a>) -> Result<Self, MutationError> {
        let io = WorldIo {
            blobs: solved.blobs,
            store: solved.store,
            scratch: solved.scratch,
        };
        let mutator = Mutator::new(solved.start, solved.end, io)?;
        Ok(Self {
            committed: mutator.committed()?,
            mutator,
        })
    }
}

impl StateMutator for RepositoryMutator<'_> {
    fn mutants(&mut self) -> Result<Vec<StateMutant>, MutateError> {
        let mutants = self.mutator.mutants().map_err(MutateError::new)?;
        let mutants = mutants.into_iter().map(|it| StateMutant {
            mutation: mutation(it.kind),
            place: it.target,
            what: it.description,
            tree: it.tree,
        });
        Ok(mutants.collect())
    }

    fn texts(&self) -> Result<Vec<MutableText>, MutateError> {
        let texts = self.committed.iter().map(|file| MutableText {
            place: format!("{}:{}", file.branch, file.path),
            path: file.path.clone(),
            before: file.before.clone(),
            text: file.text.clone(),
        });
        Ok(texts.collect())
    }

    fn with_text(&self, index: usize, text: &str) -> Result<Tree, MutateError> {
        let file = self.committed.get(index);
        let file = file.ok_or_else(|| MutateError::new(format!("text {index} does not exist")))?;
        self.mutator.rewritten(file, text).map_err(MutateError::new)
    }
}

fn mutation(kind: MutationKind) -> Mutation {
    match kind {
        MutationKind::Title => TITLE,
        MutationKind::State => ISSUE_STATE,
        MutationKind::Labels => LABELS,
        MutationKind::Milestone => MILESTONE,
        MutationKind::Comment => COMMENT,
        MutationKind::Link => LINK,
        MutationKind::Base => WRONG_BASE,
        MutationKind::Head => WRONG_HEAD,
        MutationKind::MergeMethod => MERGE_METHOD,
        MutationKind::StrayIssue => STRAY_ISSUE,
        MutationKind::File => COMMITTED_FILE,
        MutationKind::EditInput => Mutation::EDIT_INPUT,
        MutationKind::DeleteInput => Mutation::DELETE_INPUT,
        MutationKind::MoveInput => Mutation::MOVE_INPUT,
        MutationKind::StrayFile => Mutation::STRAY_FILE,
        MutationKind::ExtraCommit => EXTRA_COMMIT,
        MutationKind::MovedBranch => MOVED_BRANCH,
        MutationKind::MissingBranch => MISSING_BRANCH,
        MutationKind::StrayBranch => STRAY_BRANCH,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_distinct_and_of_no_general_mutation() {
        let all = MUTATIONS.iter().chain(Mutation::GENERAL);
        let names: BTreeSet<&str> = all.map(|it| it.as_str()).collect();
        assert_eq!(names.len(), MUTATIONS.len() + Mutation::GENERAL.len());
    }
}
