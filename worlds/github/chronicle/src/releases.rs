//! Releases of main and of the release branches, and their change log.

use std::collections::BTreeMap;

use crate::code::Code;
use crate::git::{Git, Line, Stamp};
use crate::history::History;
use crate::project::Release;
use crate::time::date;
use crate::work::{Section, Work};

/// What was merged.
#[derive(Clone)]
struct Landed<E> {
    title: String,
    number: u64,
    commit: String,
    section: Section,
    backport: Option<&'static str>,
    author: &'static str,
    edits: Vec<E>,
}

/// What is merged and not released, and the release branches.
pub(crate) struct Shipping<C: Code> {
    landed: Vec<Landed<C::Edit>>,
    released: usize,
    branches: BTreeMap<String, Line<C>>,
}

impl<C: Code> Default for Shipping<C> {
    fn default() -> Self {
        Self {
            landed: Vec::new(),
            released: 0,
            branches: BTreeMap::new(),
        }
    }
}

impl<C: Code> Shipping<C> {
    pub(crate) fn merged(&mut self, work: &Work<C::Edit>, number: u64, commit: String) {
        self.landed.push(Landed {
            title: work.title.clone(),
            number,
            commit,
            section: work.section,
            backport: work.backport,
            author: work.author,
            edits: work.edits().cloned().collect(),
        });
    }

    pub(crate) fn branches(&self) -> &BTreeMap<String, Line<C>> {
        &self.branches
    }
}

/// The name of the branch of a release: `release/2.1` for 2.1.0.
fn branch_of(number: &str) -> String {
    let minor = number.rsplit_once('.').map_or(number, |(minor, _)| minor);
    format!("release/{minor}")
}

/// A section of the change log.
fn section<'a, E: 'a>(
    number: &str,
    now: i64,
    landed: impl Iterator<Item = &'a Landed<E>> + Clone,
) -> String {
    let mut text = format!("## {number} - {}\n", date(now));
    for (kind, heading) in [
        (Section::Added, "Added"),
        (Section::Changed, "Changed"),
        (Section::Fixed, "Fixed"),
    ] {
        let entries: String = landed
            .clone()
            .filter(|it| it.section == kind)
            .map(|it| format!("- {} (#{})\n", it.title, it.number))
            .collect();
        if !entries.is_empty() {
            text.push_str(&format!("\n### {heading}\n\n{entries}"));
        }
    }
    text
}

impl<G: Git, C: Code> History<'_, G, C> {
    pub(crate) fn release(&mut self, release: &Release, now: i64) {
        let number = release.number;
        let fresh = &self.shipping.landed[self.shipping.released..];
        let text = section(number, now, fresh.iter());
        self.shipping.released = self.shipping.landed.len();
        let stamp = Stamp::new(self.project.releaser(), now);
        let commit = self.main.commit(
            self.git,
            &[C::release(number, &text)],
            None,
            stamp.clone(),
            stamp,
            format!("Release {number}\n"),
        );
        self.publish(number, "main", &commit, &text, now);
        if release.branches {
            let line = self.main.clone();
            self.shipping.branches.insert(branch_of(number), line);
        }
    }

    pub(crate) fn patch(&mut self, release: &Release, part: usize, now: i64) {
        let (number, _) = release.patches[part];
        let branch = branch_of(number);
        let taken: Vec<Landed<C::Edit>> = self
            .shipping
            .landed
            .iter()
            .filter(|it| it.backport == Some(number))
            .cloned()
            .collect();
        assert!(!taken.is_empty(), "{number} would be empty");
        let Some(line) = self.shipping.branches.get_mut(&branch) else {
            panic!("there is no {branch}");
        };
        for (index, it) in taken.iter().enumerate() {
            let (title, pull, commit) = (&it.title, it.number, &it.commit);
            let message = format!("{title} (#{pull})\n\n(cherry picked from commit {commit})\n");
            line.commit(
                self.git,
                &it.edits,
                None,
                Stamp::new(
                    self.project.person(it.author),
                    now - 1800 + 60 * index as i64,
                ),
                Stamp::new(self.project.releaser(), now - 1800 + 60 * index as i64),
                message,
            );
        }
        let text = section(number, now, taken.iter());
        let stamp = Stamp::new(self.project.releaser(), now);
        let commit = line.commit(
            self.git,
            &[C::release(number, &text)],
            None,
            stamp.clone(),
            stamp,
            format!("Release {number}\n"),
        );
        self.publish(number, &branch, &commit, &text, now);
    }

    fn publish(&mut self, number: &str, target: &str, commit: &str, text: &str, now: i64) {
        let stamp = Stamp::new(self.project.releaser(), now + 60);
        let tag = format!("v{number}");
        self.git.tag(
            &tag,
            commit,
            &stamp,
            &format!("{} {number}\n", self.project.name),
        );
        let notes = text.split_once("\n\n").map_or("", |(_, notes)| notes);
        self.hub
            .release(self.project, number, target, notes, now + 120);
    }
}
