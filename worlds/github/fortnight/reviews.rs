//! Who was asked to look at what is open, and what they said.

use std::collections::BTreeMap;

use github_chronicle::{Commit, Git, Hub, Stamp};

use crate::project::FORTNIGHT;

/// Keeps in mind what each commit stands on, and when it was made.
pub struct Ancestry<'a, G> {
    git: &'a mut G,
    parents: BTreeMap<String, (String, i64)>,
}

impl<'a, G: Git> Ancestry<'a, G> {
    pub fn new(git: &'a mut G) -> Self {
        Self {
            git,
            parents: BTreeMap::new(),
        }
    }

    /// The commit so many steps below another one.
    fn below(&self, commit: &str, steps: usize) -> String {
        (0..steps).fold(commit.to_owned(), |commit, _| {
            self.parents[&commit].0.clone()
        })
    }
}

impl<G: Git> Git for Ancestry<'_, G> {
    fn commit(&mut self, commit: Commit) -> String {
        let parent = commit.parents.first().cloned().unwrap_or_default();
        let time = commit.committer.time;
        let id = self.git.commit(commit);
        self.parents.insert(id.clone(), (parent, time));
        id
    }

    fn branch(&mut self, name: &str, commit: &str) {
        self.git.branch(name, commit);
    }

    fn tag(&mut self, name: &str, commit: &str, tagger: &Stamp, message: &str) {
        self.git.tag(name, commit, tagger, message);
    }

    fn pull_head(&mut self, number: u64, commit: &str) {
        self.git.pull_head(number, commit);
    }
}

const APPROVED: &str = "APPROVED";
const CHANGES: &str = "CHANGES_REQUESTED";
const COMMENTED: &str = "COMMENTED";

/// What somebody said, and how many commits have been pushed since.
type Said = (&'static str, &'static str, &'static str, usize);

/// The branch, who is asked at present, and what was said so far.
type Looked = (&'static str, &'static [&'static str], &'static [Said]);

const LOOKED: [Looked; 20] = [
    (
        "words-fi",
        &[],
        &[(
            "llindqvist",
            CHANGES,
            "There is no case for it in the tests.",
            1,
        )],
    ),
    (
        "format-narrow",
        &[],
        &[
            ("kbanerjee", APPROVED, "Fits on mine.", 0),
            ("moakes", COMMENTED, "Mine is too old to try it.", 0),
        ],
    ),
    (
        "docs-payroll",
        &[],
        &[(
            "moakes",
            CHANGES,
            "Nobody may take this for advice on the law. Say so.",
            0,
        )],
    ),
    ("stopwatch", &[], &[("tsato", APPROVED, "", 1)]),
    ("calendar-school", &[], &[]),
    ("cy-mutations", &[], &[]),
    ("recur-easter", &[], &[]),
    ("bench", &[], &[]),
    ("docs-errors", &[], &[]),
    (
        "spans-json",
        &[],
        &[
            ("tsato", CHANGES, "As a text or as a number?", 0),
            ("tsato", APPROVED, "As a number, then.", 0),
            ("tsato", COMMENTED, "Thank you for your patience.", 0),
        ],
    ),
    (
        "compare-ratio",
        &[],
        &[
            ("tsato", CHANGES, "Where is the test?", 2),
            ("idrummond", CHANGES, "What is twice as long as nothing?", 0),
        ],
    ),
    (
        "words-fortnight",
        &["moakes"],
        &[
            ("tsato", APPROVED, "At last.", 1),
            (
                "idrummond",
                CHANGES,
                "Two of what? Say that they are weeks.",
                1,
            ),
        ],
    ),
    ("time-zones", &["jferreira"], &[]),
    ("round-quarter", &[], &[]),
    ("words-nl-be", &[], &[]),
    ("rubocop", &[], &[]),
    (
        "docs-names",
        &[],
        &[(
            "moakes",
            COMMENTED,
            "It was three, but nobody would have believed it.",
            0,
        )],
    ),
    ("test-helper", &[], &[]),
    (
        "ranges",
        &[],
        &[("tsato", COMMENTED, "I need an evening for this.", 0)],
    ),
    (
        "winter-sweep",
        &[],
        &[(
            "moakes",
            CHANGES,
            "These are three things. Divide it, please, as docs/contributing.md says.",
            0,
        )],
    ),
];

/// Who said on a pull request that they are on leave: the branch, who, and what. The clock of the world is at the
/// 28th of April, so that one of them is back.
const ON_LEAVE: [(&str, &str, &str); 2] = [
    (
        "words-fi",
        "llindqvist",
        "I am on leave until 5 May. Kiran stands in for me.",
    ),
    (
        "words-fortnight",
        "idrummond",
        "I am on leave until 22 April. João stands in for me.",
    ),
];

/// Labels that say whose turn it is, or was.
const TURNS: [(&str, &str); 6] = [
    ("docs-payroll", "needs review"),
    ("spans-json", "needs work"),
    ("words-fortnight", "needs work"),
    ("compare-ratio", "needs work"),
    ("stopwatch", "ready"),
    ("winter-sweep", "needs work"),
];

/// What reviewers ask for before something is merged.
const WISHES: [&str; 7] = [
    "There is no case for it in the tests.",
    "Does this not change what we read today?",
    "Please say in the message where it was seen.",
    "The line belongs one further up, they are in the order of their units.",
    "Another name, please. This one says nothing.",
    "What happens with nothing at all?",
    "I would like an example that is longer than a day.",
];

/// Gives each review that asked for changes before a merge its own words.
fn vary(hub: &mut Hub) {
    let wanted = FORTNIGHT.replies.contested[0];
    for thread in &mut hub.threads {
        let at = thread.number as usize % WISHES.len();
        let reviews = thread.pull.iter_mut().flat_map(|pull| &mut pull.reviews);
        for review in reviews.filter(|it| it["body"] == wanted) {
            review["body"] = WISHES[at].into();
        }
    }
}

/// Puts in place who has looked at what, and what they said.
pub fn arrange<G: Git>(hub: &mut Hub, git: &Ancestry<'_, G>) {
    vary(hub);
    for (branch, asked, said) in LOOKED {
        let open = hub.threads.iter_mut().find(|it| {
            let is_it = it.pull.as_ref().is_some_and(|pull| pull.head == branch);
            is_it && it.closed.is_none()
        });
        let Some(thread) = open else {
            panic!("no open pull request comes from {branch}");
        };
        for (_, label) in TURNS.iter().filter(|(it, _)| *it == branch) {
            thread.labels.push((*label).to_owned());
        }
        let number = thread.number;
        let opened = thread.created;
        let most = said.iter().map(|it| it.3).max().unwrap_or(0);
        let head = hub.pull(number).head_sha.clone();
        if most > 0 {
            // It was opened with the first commits, and the others were pushed later.
            hub.thread(number).created = git.parents[&git.below(&head, most)].1 + 240;
        }
        let created = hub.thread(number).created;
        hub.thread(number).updated = opened.max(created);
        let pull = hub.pull(number);
        pull.reviews.clear();
        pull.requested = asked.iter().map(|&login| login.to_owned()).collect();
        for (at, (by, state, text, behind)) in said.iter().enumerate() {
            let commit = git.below(&head, *behind);
            let time = match *behind {
                0 => opened + 1_900 * (1 + at as i64),
                _ => git.parents[&commit].1 + 540 + 60 * at as i64,
            };
            hub.review(number, by, text, state, time);
            if let Some(review) = hub.pull(number).reviews.last_mut() {
                review["commit_id"] = commit.into();
            }
        }
        for (_, by, text) in ON_LEAVE.iter().filter(|(it, _, _)| *it == branch) {
            hub.comment(number, by, text, FORTNIGHT.day(836) + 9 * 3_600);
        }
    }
}
