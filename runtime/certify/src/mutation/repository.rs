//! Mutants of github worlds: the service's engine spoils them, since a byte of a packed object
//! that changed is no mistake that an agent can make. Committed texts are spoilt as those of folders.

use std::path::Path;
use std::sync::Arc;

use mcpmark_github::spoil::{Places, SpoilError, Spoiler, Wrong};
use mcpmark_snapshot::{MemoryBlobs, Store};
use mcpmark_task::Mutation;

use super::{MOST, Making, Mutant, Solved, spoilt_texts};

/// Makes the mutants of a solved world; their new bytes go to the store, those of answers nowhere.
pub(crate) fn mutants(
    solved: &Solved<'_>,
    store: &Store,
    scratch: &Path,
    memory: &Arc<MemoryBlobs>,
) -> Result<Vec<Mutant>, SpoilError> {
    let places = Places {
        blobs: solved.blobs,
        store,
        scratch,
    };
    let mut making = Making {
        solved,
        memory,
        mutants: Vec::new(),
    };
    let mut spoiler = Spoiler::new(solved.start, solved.end, places)?;
    for spoilt in spoiler.spoil()? {
        making.mutants.push(Mutant {
            mutation: mutation(spoilt.wrong),
            path: spoilt.place,
            what: spoilt.what,
            tree: spoilt.tree,
            answer: solved.answer.map(str::to_owned),
            texts: None,
        });
    }
    let files = spoiler.committed()?;
    let most = MOST.div_ceil(files.len().max(1));
    for file in &files {
        for spoilt in spoilt_texts(&file.path, &file.text, file.before.as_deref(), most) {
            making.mutants.push(Mutant {
                mutation: spoilt.mutation,
                path: format!("{}:{}", file.branch, file.path),
                what: spoilt.what,
                tree: spoiler.rewritten(file, &spoilt.text)?,
                answer: solved.answer.map(str::to_owned),
                texts: Some((file.text.clone(), spoilt.text)),
            });
        }
    }
    making.answers();
    Ok(making.finish())
}

fn mutation(wrong: Wrong) -> Mutation {
    match wrong {
        Wrong::Title => Mutation::Title,
        Wrong::State => Mutation::IssueState,
        Wrong::Labels => Mutation::Labels,
        Wrong::Milestone => Mutation::Milestone,
        Wrong::Comment => Mutation::Comment,
        Wrong::Link => Mutation::Link,
        Wrong::Base => Mutation::WrongBase,
        Wrong::Head => Mutation::WrongHead,
        Wrong::MergeMethod => Mutation::MergeMethod,
        Wrong::StrayIssue => Mutation::StrayIssue,
        Wrong::File => Mutation::CommittedFile,
        Wrong::EditInput => Mutation::EditInput,
        Wrong::DeleteInput => Mutation::DeleteInput,
        Wrong::MoveInput => Mutation::MoveInput,
        Wrong::StrayFile => Mutation::StrayFile,
        Wrong::ExtraCommit => Mutation::ExtraCommit,
        Wrong::MovedBranch => Mutation::MovedBranch,
        Wrong::MissingBranch => Mutation::MissingBranch,
        Wrong::StrayBranch => Mutation::StrayBranch,
    }
}
