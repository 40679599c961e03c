//! What a project is: its people, its labels and when it releases.

use crate::time::DAY;

#[derive(Clone, Copy, Debug)]
pub struct Person {
    pub login: &'static str,
    pub name: &'static str,
    pub email: &'static str,
    pub bio: &'static str,
}

impl Person {
    pub const fn new(
        login: &'static str,
        name: &'static str,
        email: &'static str,
        bio: &'static str,
    ) -> Self {
        Self {
            login,
            name,
            email,
            bio,
        }
    }
}

/// A release of the main branch. Days are counted from the first.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    pub number: &'static str,
    pub day: i64,
    /// Whether a release branch begins there.
    pub branches: bool,
    /// Releases of that branch: the number and the day.
    pub patches: &'static [(&'static str, i64)],
}

impl Release {
    pub const fn new(number: &'static str, day: i64) -> Self {
        Self {
            number,
            day,
            branches: false,
            patches: &[],
        }
    }

    /// Begins a release branch, on which there are these releases.
    #[must_use]
    pub const fn branch(mut self, patches: &'static [(&'static str, i64)]) -> Self {
        self.branches = true;
        self.patches = patches;
        self
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Milestone {
    pub title: &'static str,
    pub begin: i64,
    /// None while it is open.
    pub end: Option<i64>,
}

/// What reviewers write.
#[derive(Clone, Copy, Debug)]
pub struct Replies {
    /// Asks for changes of what stays open.
    pub refused: &'static str,
    /// On what stays open.
    pub waiting: &'static str,
    /// On what is closed without a merge.
    pub doubtful: &'static str,
    /// Asks for changes of what is merged later, and what is said then.
    pub contested: [&'static str; 2],
}

#[derive(Clone, Copy, Debug)]
pub struct Project {
    pub owner: &'static str,
    /// The name of the owner for people.
    pub organisation: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub topics: &'static [&'static str],
    /// Midnight in UTC of the first day, in seconds since 1970; a Monday.
    pub first_day: i64,
    /// Those who commit. The first one releases.
    pub team: &'static [Person],
    /// Logins of those who open issues and never commit.
    pub others: &'static [&'static str],
    /// Whom the tools act as.
    pub viewer: Person,
    /// Name, colour and meaning.
    pub labels: &'static [(&'static str, &'static str, &'static str)],
    pub milestones: &'static [Milestone],
    pub releases: &'static [Release],
    pub replies: Replies,
    /// How the names of branches begin that are deleted when their pull request is closed without a merge.
    pub cleared: &'static str,
}

impl Project {
    /// The first second of a day.
    pub fn day(&self, number: i64) -> i64 {
        self.first_day + number * DAY
    }

    /// A member of the team.
    ///
    /// # Panics
    /// When there is no such member: only they commit.
    pub fn person(&self, login: &str) -> &Person {
        match self.team.iter().find(|person| person.login == login) {
            Some(person) => person,
            None => panic!("{login} is not of the team"),
        }
    }

    /// Who merges by default, and releases.
    pub fn releaser(&self) -> &Person {
        &self.team[0]
    }
}
