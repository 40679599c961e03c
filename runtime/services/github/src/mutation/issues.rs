//! Mutations of texts, state, labels, milestones and comments of issues and pull requests.

use super::{MutationError, MutationKind, Mutator};
use crate::hub::{Comment, Issue, State};

impl Mutator<'_> {
    pub(super) fn texts(&mut self, number: u64) -> Result<(), MutationError> {
        let issue = self.issue(number);
        self.add_issue_mutant(
            MutationKind::Title,
            number,
            "a full stop at the end of the title",
            |it| {
                it.title.push('.');
            },
        )?;
        let before = self.start.hub.issues.get(&number);
        let is_new_text = before.is_none_or(|before| before.body != issue.body);
        let body = issue.body.unwrap_or_default();
        let links = body.match_indices('#');
        let linked = links
            .map(|(at, _)| (&body[..at], &body[at + 1..]))
            .find(|(_, rest)| is_new_text && rest.starts_with(|c: char| c.is_ascii_digit()));
        if let Some((head, rest)) = linked {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            let other: u64 = rest[..end].parse().unwrap_or(0u64).saturating_add(1);
            let bodies = [
                ("the first link is gone", format!("{head}{}", &rest[end..])),
                (
                    "the first link names the next issue",
                    format!("{head}#{other}{}", &rest[end..]),
                ),
            ];
            for (what, body) in bodies {
                self.add_issue_mutant(MutationKind::Link, number, what, |it| it.body = Some(body))?;
            }
        }
        Ok(())
    }

    pub(super) fn marks(&mut self, number: u64) -> Result<(), MutationError> {
        let issue = self.issue(number);
        let is_merged = issue
            .pull
            .as_ref()
            .is_some_and(|pull| pull.merged_at.is_some());
        match issue.state {
            State::Open => self.add_issue_mutant(MutationKind::State, number, "closed", |it| {
                it.state = State::Closed;
                it.state_reason = Some("completed".to_owned());
                it.closed_at = Some(it.updated_at);
            })?,
            State::Closed if !is_merged => {
                self.add_issue_mutant(MutationKind::State, number, "still open", |it| {
                    it.state = State::Open;
                    it.state_reason = None;
                    it.closed_at = None;
                })?;
            }
            // As if the commits were pushed without merging the pull request.
            State::Closed => self.add_issue_mutant(
                MutationKind::State,
                number,
                "not merged, still open",
                |it| {
                    it.state = State::Open;
                    it.closed_at = None;
                    it.closed_by = None;
                    if let Some(pull) = &mut it.pull {
                        pull.merged_at = None;
                        pull.merged_by = None;
                        pull.merge_method = None;
                        pull.merge_commit_sha = None;
                    }
                },
            )?,
        }
        if let Some(reason) = issue.state_reason.filter(|_| issue.state == State::Closed) {
            let other = match reason.as_str() {
                "completed" => "not_planned",
                _ => "completed",
            };
            self.add_issue_mutant(
                MutationKind::State,
                number,
                format!("closed as {other}"),
                |it| {
                    it.state_reason = Some(other.to_owned());
                },
            )?;
        }
        if let Some(label) = issue.labels.last() {
            let what = format!("without the label {label:?}");
            self.add_issue_mutant(MutationKind::Labels, number, what, |it| {
                it.labels.pop();
            })?;
        }
        let labels = self.end.hub.labels.values().map(|label| label.name.clone());
        let other = labels.into_iter().find(|name| !issue.labels.contains(name));
        if let Some(other) = other {
            let what = format!("with the label {other:?}");
            self.add_issue_mutant(MutationKind::Labels, number, what, |it| {
                it.labels.push(other)
            })?;
        }
        if issue.milestone.is_some() {
            self.add_issue_mutant(
                MutationKind::Milestone,
                number,
                "without its milestone",
                |it| {
                    it.milestone = None;
                },
            )?;
        }
        Ok(())
    }

    pub(super) fn comments(&mut self, number: u64, others: &[u64]) -> Result<(), MutationError> {
        let issue = self.issue(number);
        let before = self.start.hub.issues.get(&number);
        let old = before.map_or(0, |before| before.comments.len());
        let Some(last) = issue.comments.last().filter(|_| issue.comments.len() > old) else {
            let comment = Comment {
                id: u64::MAX >> 12,
                user: self.end.hub.repository.viewer.clone(),
                body: "Looking into it.".to_owned(),
                created_at: issue.updated_at,
                updated_at: issue.updated_at,
                ..Comment::default()
            };
            return self.add_issue_mutant(
                MutationKind::Comment,
                number,
                "a comment that nobody asked for",
                |it| {
                    it.comments.push(comment);
                },
            );
        };
        self.add_issue_mutant(
            MutationKind::Comment,
            number,
            "without the last comment",
            |it| {
                it.comments.pop();
            },
        )?;
        self.add_issue_mutant(
            MutationKind::Comment,
            number,
            "the last comment differs by a word",
            |it| {
                if let Some(comment) = it.comments.last_mut() {
                    comment.body.push_str(" Probably");
                }
            },
        )?;
        let Some(other) = others.first().copied() else {
            return Ok(());
        };
        let last = last.clone();
        let what = format!("the last comment stands on #{other}");
        self.add_mutant(MutationKind::Comment, format!("#{number}"), what, |world| {
            if let Some(issue) = world.hub.issues.get_mut(&number) {
                issue.comments.pop();
            }
            if let Some(issue) = world.hub.issues.get_mut(&other) {
                issue.comments.push(last);
            }
            Ok(())
        })
    }

    pub(super) fn stray_issue(&mut self) -> Result<(), MutationError> {
        let number = self.end.hub.issues.keys().last().copied().unwrap_or(0) + 1;
        let user = self.end.hub.repository.viewer.clone();
        self.add_mutant(
            MutationKind::StrayIssue,
            format!("#{number}"),
            "added",
            |world| {
                let issue = Issue {
                    number,
                    title: "Notes".to_owned(),
                    user,
                    ..Issue::default()
                };
                world.hub.issues.insert(number, issue);
                Ok(())
            },
        )
    }
}
