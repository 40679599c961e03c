//! What a task leaves free: mutations of a solved world that its verifier must accept.

use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::document::Document;

macro_rules! mutations {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// A way in which a solved world is spoilt to see whether the verifier notices.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Mutation {
            $($(#[$doc])* $variant,)*
        }

        impl Mutation {
            /// All of them, what is done to outputs first.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name used in `meta.json` and in reports.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

mutations! {
    /// An output is deleted, or a directory with all its outputs.
    Delete "delete",
    /// An output is empty.
    Empty "empty",
    /// The end of an output is missing.
    Truncate "truncate",
    /// An output stands in another directory.
    WrongDirectory "wrong-directory",
    /// An output has another name.
    WrongName "wrong-name",
    /// An output, or a line of it, is what it was at the start; or what was removed is back.
    Stale "stale",
    /// A line is missing.
    DropLine "drop-line",
    /// A line stands there twice.
    DuplicateLine "duplicate-line",
    /// Two lines that follow each other are swapped.
    SwapLines "swap-lines",
    /// All lines after the first are in reverse order.
    ReverseLines "reverse-lines",
    /// A line is there that nobody asked for.
    StrayLine "stray-line",
    /// A blank line is there that nobody asked for.
    BlankLine "blank-line",
    /// A number is off by one, or by one in its last place.
    Number "number",
    /// A date is off by a day.
    Date "date",
    /// A word begins with a capital and should not, or should and does not.
    Case "case",
    /// Two fields of a line are swapped.
    SwapFields "swap-fields",
    /// An item of a JSON array or object is missing.
    DropItem "drop-item",
    /// An element of a JSON array stands there twice.
    DuplicateItem "duplicate-item",
    /// Two elements of a JSON array, or the values of two keys, are swapped.
    SwapItems "swap-items",
    /// A JSON object has a key that nobody asked for.
    StrayItem "stray-item",
    /// The keys of JSON objects stand in another order.
    KeyOrder "key-order",
    /// The same JSON with other white space.
    JsonLayout "json-layout",
    /// The newline at the end is missing, or there is one too many.
    FinalNewline "final-newline",
    /// A blank is added at the end of a line.
    TrailingSpace "trailing-space",
    /// Lines end with CRLF instead of LF, or the other way round.
    LineEnds "line-ends",
    /// A byte order mark stands at the start.
    ByteOrderMark "byte-order-mark",
    /// The title of an issue or a pull request differs by a character.
    Title "title",
    /// An issue is open that should be closed, or the other way round, or closed for another reason.
    IssueState "issue-state",
    /// A label is missing, or one is there that should not be.
    Labels "labels",
    /// The milestone is missing.
    Milestone "milestone",
    /// A comment is missing, too many, other, or on another issue.
    Comment "comment",
    /// A text links to another issue, or to none.
    Link "link",
    /// A pull request goes into another branch.
    WrongBase "wrong-base",
    /// A pull request comes from another branch.
    WrongHead "wrong-head",
    /// A pull request was merged in another way.
    MergeMethod "merge-method",
    /// An issue is there that nobody asked for.
    StrayIssue "stray-issue",
    /// A file of a branch is missing, or stands at another path.
    CommittedFile "committed-file",
    /// A branch has a commit more.
    ExtraCommit "extra-commit",
    /// A branch stands at another commit.
    MovedBranch "moved-branch",
    /// A branch is missing.
    MissingBranch "missing-branch",
    /// A branch is there that nobody asked for.
    StrayBranch "stray-branch",
    /// What was to stay as it is was edited.
    EditInput "edit-input",
    /// What was to stay as it is was deleted.
    DeleteInput "delete-input",
    /// What was to stay as it is was moved.
    MoveInput "move-input",
    /// A file that may be executed may not be any more.
    Executable "executable",
    /// A file is there that nobody asked for.
    StrayFile "stray-file",
    /// An empty directory is there that nobody asked for.
    StrayDirectory "stray-directory",
    /// There is no answer, or an empty one.
    NoAnswer "no-answer",
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Mutation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL
            .iter()
            .copied()
            .find(|mutation| mutation.as_str() == text)
            .ok_or_else(|| {
                let known: Vec<_> = Self::ALL.iter().map(|known| known.as_str()).collect();
                Error::Name {
                    text: text.to_owned(),
                    what: "mutation",
                    reason: format!("the mutations are {}", known.join(", ")),
                }
            })
    }
}

/// A mutation that changes nothing about whether the task is solved. The verifier must accept
/// it: what is called free is tested like what is called wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freedom {
    /// What may be done.
    pub mutation: Mutation,
    /// To which files, as globs; to all where empty. The answer is called `answer`.
    pub paths: Vec<String>,
    /// Which words of the instruction leave it free.
    pub reason: String,
}

/// Reads the key `freedoms`.
pub(crate) fn freedoms(document: &Document) -> Result<Vec<Freedom>, Error> {
    document
        .objects("freedoms")?
        .into_iter()
        .map(|object| {
            object.refuse_unknown(&["mutation", "paths", "reason"])?;
            let mutation = object.required(
                "mutation",
                object.string("mutation")?,
                "the name of a mutation",
            )?;
            Ok(Freedom {
                mutation: mutation
                    .parse()
                    .map_err(|error: Error| object.wrong("mutation", error.to_string()))?,
                paths: object.strings("paths")?.unwrap_or_default(),
                reason: object.required(
                    "reason",
                    object.string("reason")?,
                    "the words of the instruction that leave it free",
                )?,
            })
        })
        .collect()
}
