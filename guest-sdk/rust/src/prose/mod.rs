//! Texts in the agent's own words, judged by the facts that they state.
//!
//! A text is right if it states what it must, and nothing false, in whatever words. [`Facts`] lists
//! what a text must state, may state and must not state; [`Verifier::check_facts`] turns the list
//! into checks. No model judges: equal texts get equal results.
//!
//! ```
//! use mcpmark_guest::prose::{Fact, Facts, Language, Person};
//! use mcpmark_guest::{Verifier, jiff::civil::date};
//!
//! /// `NOTES.md` tells users about the release.
//! fn verify(task: &mut Verifier) {
//!     let (ana, bo) = (Person::new("Ana Ruiz").handle("aruiz"), Person::new("Bo Lund"));
//!     let notes = task.file("NOTES.md").text().prose();
//!     let facts = Facts::new()
//!         .must("the version", Fact::version("2.4.0"))
//!         .must("merged pull requests", Fact::number(23).about(["pull request", "PR", "merge*"]))
//!         .must("the fixed crash", Fact::reference(118).about(["crash*"]))
//!         .must("who released it", Fact::person(&ana))
//!         .must("no migration", Fact::words(["migrat*", "convert*"]).denied())
//!         .may(Fact::date(date(2025, 3, 14)))
//!         .must_not("the reporter's address", Fact::term(["12 Mill Lane"]))
//!         .people([ana, bo]);
//!     task.check_facts("the notes", &notes, &facts);
//!     task.check("the length of the notes", notes.words_between(20, 150));
//!     task.check("the notes are in English", notes.is_in(Language::English));
//! }
//!
//! use mcpmark_guest::testing::{self, MemoryTree};
//! let failed = |text: &str| {
//!     let end = MemoryTree::from([("NOTES.md", text)]);
//!     let checks = testing::verify(verify, &MemoryTree::default(), &end, None);
//!     checks.into_iter().filter(|check| !check.passed).map(|check| check.detail).collect::<Vec<_>>()
//! };
//! let right = "Ana released v2.4.0 on March 14. With twenty-three merged PRs, it is a large one. The \
//!     crash of #118 is gone, and you do not have to migrate.";
//! assert_eq!(failed(right), Vec::<String>::new());
//! assert_eq!(
//!     failed(&right.replace("twenty-three", "22")),
//!     [
//!         r#"NOTES.md: expected merged pull requests, found "22" for it in "With 22 merged PRs, it is a large one.""#,
//!         r#"NOTES.md: expected no number that is not among the facts, found "22" in "With 22 merged PRs, it is a large one.""#,
//!     ]
//! );
//! ```
//!
//! # What is understood
//!
//! The text is read as Markdown. Headings, paragraphs, items, cells, code and the text in HTML are
//! read; comments and tags are not. A cell is read with its row and with the name of its column.
//!
//! | kind | forms |
//! |---|---|
//! | numbers | `1234`, `1,234`, `1.234`, `1 234`, `2½`, `12k`, `2.5 million`, words up to millions, `a dozen` |
//! | other numbers | `12 %`, `12 percent`, `€12.50`, `12,50 EUR`, `12 euros`, `30 min`, `half an hour`, `3rd`, `10–15` |
//! | dates | `2025-03-01`, `1 March`, `March 1st, 2025`, `1/3/2025`, `01.03.25`, `Sat 1 Mar`, `1–5 March` |
//! | times | `14:30`, `2:30 pm`, `2.30pm`, `14h30`, `1430 hours`, `half past two`, `noon` |
//! | references | `#12`, `GH-12`, `PR 12`, `issues 11 and 12`, URLs of issues, pull requests and commits, commit ids |
//! | people | whole names, first and last names with a capital, handles with and without `@` |
//!
//! Names of months, units and numbers are English. If a form has two readings, such as `1.234`,
//! `1/3/2025` and `2:30`, both are accepted.
//!
//! # What belongs to what
//!
//! A fact with topics ([`Fact::about`]) needs the value that belongs to a topic. In each sentence,
//! values and topics are paired by distance in words, the nearest first, each topic with one value
//! and each value with one topic. Commas, brackets and "and" add to the distance. A sentence without
//! any topic is about what the sentence before it, the line above its list, or its heading is about.
//! Another value of the same kind within four words of a topic is a contradiction, unless
//! [`Fact::besides`] allows it, or the text only compares with it ("up from 11", "more than in May").
//!
//! A value in a range or between alternatives ("14 to 20", "14 or 15") and one that is only a bound
//! ("almost", "more than", "at least", ">") states nothing, unless the fact is [`Fact::roughly`]. "About",
//! "over", "around" and "some" are too often other words, and are not judged.
//!
//! # Negation
//!
//! A phrase ([`Fact::words`]) is negated if "not", "n't", "no", "never", "without", "none", "nobody",
//! "nothing", "neither", "nor", "cannot", "unable", "hardly", "fail to", "instead of" or "rather than"
//! stands at most four words in front of it in the same part of the sentence, in one of its gaps, or
//! with a verb directly behind it ("is not"). "Not only" is none. Everything else is not judged: two
//! negations, doubt ("it is unlikely that"), intent ("should be", "will be", "we tried to"),
//! conditions ("if it was"), questions, and irony. Numbers, dates, references and people are not
//! negated: "not 14 but 15" states both. Phrase facts so that what is wrong needs one of the words
//! above, or is another phrase that is forbidden. A name or a term ([`Fact::term`]) counts whether it
//! is negated or not.
//!
//! # Limits
//!
//! No program understands a text. These false texts pass, and this is what stands against them:
//!
//! - *A list of all candidates*: "14 15 16". Each value that no fact has fails a check of
//!   [`Facts`], two values for one topic contradict each other, and [`Found::words_between`] bounds
//!   the length. Without topics, a number anywhere in the text is a statement.
//! - *Allowed values in wrong roles*: give facts topics wherever two of one kind could be exchanged.
//! - *A list of facts that is no text*: [`Found::is_in`] wants sentences, one common word in ten.
//!   [`Found::section`] judges each section by itself.
//! - *False statements without values*: "the crash was caused by the weather". Only what the facts
//!   name is judged. Forbid phrases that a careless reader would write.
//! - *Relations within a topic*, such as who did what to whom, if [`Fact::before`] and
//!   [`Fact::after`] do not tell them apart.
//! - *Small numbers in words*: "one", "first", "second", "both", "couple", "no" and the like are never
//!   false by themselves.
//! - *Invented names*: a person outside of the roster is only a word, and a name with digits is judged
//!   only if a fact has the same shape (`INC-2042`, `INC-2041`). A handle of no known person fails.
//! - *Numbers inside of paths, names and other URLs than those of issues, pull requests and commits*, such as
//!   `x14`. They state nothing, and are not false.
//! - *Crossed-out text*, which counts as text.
//!
//! These right texts fail: a value that is given by a calculation ("ten more than the 13 of May"), in
//! a language other than English, as a picture, or far from its topic; a true number that no fact
//! has. Allow what a careful writer may add with [`Facts::may`] and [`Facts::literal`]. Write at least
//! twenty texts of your own for each task, and as many with one false fact, and test both with
//! `samples` and `misjudged`.

mod blocks;
mod calendar;
mod compare;
mod fact;
mod facts;
mod forms;
mod judge;
mod language;
mod lex;
mod literals;
mod people;
mod phrase;
mod qualify;
mod read;
mod runs;
#[cfg(not(target_arch = "wasm32"))]
mod samples;
mod stray;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;

use blocks::{Block, BlockKind, blocks};
pub use fact::Fact;
pub use facts::Facts;
use judge::Judge;
pub use language::Language;
use lex::{Kind, Lexed, lex};
pub use people::Person;
use read::{Mention, What, mentions};
#[cfg(not(target_arch = "wasm32"))]
pub use samples::{Sample, misjudged, samples};
use stray::Stray;

#[cfg(doc)]
use crate::Verifier;
use crate::condition::show;
use crate::github::Repository;
use crate::{Condition, Found, Tree};

/// Maximum length of a text, in bytes. It bounds the cost of a judgement.
const MAX_LENGTH: usize = 64 * 1024;

/// A text in the writer's own words, with the values and names that it states.
#[derive(Clone, Debug)]
pub struct Prose {
    blocks: Vec<Block>,
    lexed: Lexed,
    mentions: Vec<Mention>,
}

impl Prose {
    /// Reads a text as Markdown, which plain text is too.
    ///
    /// # Errors
    /// Returns a message if the text has more than 64 KiB.
    pub fn read(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!(
                "expected at most {MAX_LENGTH} bytes of text, found {}",
                text.len()
            ));
        }
        Ok(Self::of(blocks(text)))
    }

    fn of(blocks: Vec<Block>) -> Self {
        let lexed = lex(&blocks);
        let mentions = mentions(&lexed);
        Self {
            blocks,
            lexed,
            mentions,
        }
    }

    /// Returns the number of words. Numbers, names and addresses count as one word each.
    pub fn word_count(&self) -> usize {
        let is_word = |token: &&lex::Token| {
            let is_echo =
                self.blocks[self.lexed.sentences[token.sentence].block].kind == BlockKind::Cell;
            !is_echo && !matches!(token.kind, Kind::Mark(_))
        };
        self.lexed.tokens.iter().filter(is_word).count()
    }

    /// Returns the texts of the headings. A paragraph in bold alone is no heading.
    pub fn headings(&self) -> Vec<&str> {
        let headings = self
            .blocks
            .iter()
            .filter(|block| matches!(block.kind, BlockKind::Heading(_)));
        headings.map(|block| block.text.trim()).collect()
    }

    /// Returns the first section whose heading fits one of the names, with its heading: up to the next
    /// heading of the same or a higher level.
    ///
    /// A heading fits if it is the name, in any case, or has it as its first words.
    pub fn section<S: AsRef<str>>(&self, names: &[S]) -> Option<Prose> {
        let fits = |block: &Block| {
            let text = heading_words(&block.text);
            let is_name = |name: &S| {
                let name = heading_words(name.as_ref());
                !name.is_empty() && text.starts_with(&name)
            };
            names.iter().any(is_name)
        };
        let level = |block: &Block| match block.kind {
            BlockKind::Heading(level) => Some(level),
            _ => None,
        };
        let start = self
            .blocks
            .iter()
            .position(|block| level(block).is_some() && fits(block))?;
        let own = level(&self.blocks[start])?;
        let rest = &self.blocks[start + 1..];
        let is_end = |block: &Block| level(block).is_some_and(|next| next <= own);
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        Some(Self::of(self.blocks[start..=start + end].to_vec()))
    }

    fn quote(&self, mention: &Mention) -> String {
        judge::quote(self, mention.first)
    }
}

/// Returns the folded words of a heading.
fn heading_words(text: &str) -> Vec<String> {
    let block = Block {
        kind: BlockKind::Text,
        text: text.to_owned(),
    };
    let tokens = lex(&[block]).tokens.into_iter();
    tokens
        .filter(|token| !matches!(token.kind, Kind::Mark(_)))
        .map(|token| token.fold)
        .collect()
}

impl Found<String> {
    /// Reads the text as prose, to judge it by the facts that it states.
    pub fn prose(&self) -> Found<Prose> {
        self.try_map(|text| Prose::read(text))
    }
}

impl Found<Prose> {
    /// Checks that the text states a fact.
    pub fn states(&self, fact: &Fact) -> Condition {
        self.satisfies(|prose| facts::states(&Judge::new(prose, &[], &[fact], &[]), 0))
    }

    /// Checks that the text does not state a fact, such as private data.
    pub fn does_not_state(&self, fact: &Fact) -> Condition {
        self.satisfies(|prose| facts::lacks(&Judge::new(prose, &[], &[], &[fact]), fact))
    }

    /// Checks that the text states no numbers, percentages and amounts except those of the facts.
    pub fn numbers_are_among(&self, facts: &[&Fact]) -> Condition {
        self.has_no_stray(Stray::Number, facts)
    }

    /// Checks that the text states no dates, weekdays and times except those of the facts.
    pub fn times_are_among(&self, facts: &[&Fact]) -> Condition {
        self.has_no_stray(Stray::Time, facts)
    }

    /// Checks that the text has no issues, commits, versions, names with digits and e-mail addresses
    /// except those of the facts. Names with digits are judged if a fact has the same shape.
    pub fn references_are_among(&self, facts: &[&Fact]) -> Condition {
        self.has_no_stray(Stray::Reference, facts)
    }

    /// Checks that the text names no people of a roster except those of the facts, and has no handles of
    /// others.
    pub fn people_are_among(&self, roster: &[Person], facts: &[&Fact]) -> Condition {
        self.satisfies(|prose| {
            facts::no_stray(&Judge::new(prose, roster, facts, &[]), Stray::Person, &[])
        })
    }

    fn has_no_stray(&self, kind: Stray, facts: &[&Fact]) -> Condition {
        self.satisfies(|prose| facts::no_stray(&Judge::new(prose, &[], facts, &[]), kind, &[]))
    }

    /// Checks that each issue and pull request that the text refers to is one of these numbers.
    pub fn references_exist(&self, numbers: &[u64]) -> Condition {
        let known: BTreeSet<u64> = numbers.iter().copied().collect();
        self.satisfies(|prose| {
            let missing = prose.mentions.iter().find(|mention| {
                let number = match &mention.what {
                    What::Reference(number) => Some(*number),
                    What::Url => compare::numbered(&prose.lexed.tokens[mention.first].fold),
                    _ => None,
                };
                number.is_some_and(|number| !known.contains(&number))
            });
            exist(prose, missing, "issue or pull request")
        })
    }

    /// Checks that each issue and pull request that the text refers to exists in a github world.
    pub fn references_exist_in(&self, tree: &Tree) -> Condition {
        let (issues, pulls) = (tree.issues(), tree.pulls());
        match (issues.get(), pulls.get()) {
            (Ok(issues), Ok(pulls)) => {
                let pulls = pulls.iter().map(|pull| pull.issue.number);
                let numbers: Vec<u64> = issues
                    .iter()
                    .map(|issue| issue.number)
                    .chain(pulls)
                    .collect();
                self.references_exist(&numbers)
            }
            (Err(reason), _) | (_, Err(reason)) => Condition::fail(reason),
        }
    }

    /// Checks that each commit id in the text is the start of one of these.
    pub fn commits_exist<S: AsRef<str>>(&self, ids: &[S]) -> Condition {
        self.commits(|found| ids.iter().any(|id| id.as_ref().starts_with(found)))
    }

    /// Checks that each commit id in the text, whole or short, is one of a repository.
    pub fn commits_exist_in(&self, repository: &Repository) -> Condition {
        self.commits(|found| {
            repository
                .commit(found)
                .get()
                .is_ok_and(|commit| commit.id().starts_with(found))
        })
    }

    fn commits(&self, is_known: impl Fn(&str) -> bool) -> Condition {
        self.satisfies(|prose| {
            let missing = prose.mentions.iter().find(|mention| {
                let fold = &prose.lexed.tokens[mention.first].fold;
                let id = match &mention.what {
                    What::Commit => Some(fold.as_str()),
                    What::Url => compare::commit_of(fold),
                    _ => None,
                };
                id.is_some_and(|id| !is_known(id))
            });
            exist(prose, missing, "commit")
        })
    }

    /// Checks that each path in the text is one of these, or the end of one. Paths are names in code
    /// spans with a slash or an extension, and others with a slash and an extension.
    pub fn paths_exist<S: AsRef<str>>(&self, paths: &[S]) -> Condition {
        let mut known = BTreeSet::new();
        for path in paths {
            let path = words::fold(path.as_ref());
            // The path with its directories, and each of its ends.
            known.extend(
                path.match_indices('/')
                    .map(|(at, _)| path[at + 1..].to_owned()),
            );
            known.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
            known.insert(path);
        }
        self.satisfies(|prose| {
            let missing = prose.mentions.iter().find(|mention| {
                let path = prose.lexed.tokens[mention.first]
                    .fold
                    .trim_start_matches("./")
                    .trim_end_matches('/');
                matches!(mention.what, What::Path { is_sure: true }) && !known.contains(path)
            });
            exist(prose, missing, "file or directory")
        })
    }

    /// Checks that each path in the text is that of a file or a directory of a tree.
    pub fn paths_exist_in(&self, tree: &Tree) -> Condition {
        match tree.walk("").get() {
            Ok(entries) => {
                let paths: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
                self.paths_exist(&paths)
            }
            Err(reason) => Condition::fail(reason),
        }
    }

    /// Returns the section below the first heading that begins with one of the names, in any case.
    pub fn section<S: AsRef<str>>(&self, names: &[S]) -> Found<Prose> {
        let first = names.first().map_or("", AsRef::as_ref);
        self.part(&format!("section {first:?}"), |prose| {
            prose.section(names).ok_or_else(|| {
                format!("there is no such heading among {}", show(&prose.headings()))
            })
        })
    }

    /// Checks that the text has from `least` to `most` words.
    pub fn words_between(&self, least: usize, most: usize) -> Condition {
        self.satisfies(|prose| {
            let count = prose.word_count();
            Condition::when(
                (least..=most).contains(&count),
                format!("expected {least} to {most} words, found {count}"),
            )
        })
    }

    /// Checks that the text is in a language: one word in ten is among its most common ones, and no
    /// other language has as many.
    pub fn is_in(&self, language: Language) -> Condition {
        self.satisfies(|prose| {
            let words = prose.lexed.tokens.iter().filter(|token| token.kind == Kind::Word && !token.in_code);
            let words: Vec<&str> = words.map(|token| token.fold.as_str()).take(5_000).collect();
            let counts = language::counts(words.iter().copied());
            let own = counts.iter().find(|(it, _)| *it == language).map_or(0, |(_, count)| *count);
            let other = counts.iter().find(|(it, _)| *it != language).map_or(0, |(_, count)| *count);
            let least = (words.len() / 10).max(2);
            Condition::when(
                own >= least && own > other,
                format!(
                    "expected {language:?} sentences, found {own} common words of it among {} (at least {least} needed), and {other} of another language",
                    words.len()
                ),
            )
        })
    }
}

fn exist(prose: &Prose, missing: Option<&Mention>, noun: &str) -> Condition {
    match missing {
        None => Condition::pass(format!("each {noun} exists")),
        Some(mention) => Condition::fail(format!(
            "expected each {noun} to exist, found {} in {}",
            show(mention.written(&prose.lexed)),
            prose.quote(mention)
        )),
    }
}
