//! Lets everything happen in the order of time: issues, commits, reviews, merges, releases.

use std::collections::BTreeMap;

use mcpmark_guest::Random;

use crate::code::Code;
use crate::git::{Git, Line, Stamp};
use crate::hub::{Hub, Merged, Pull, Thread};
use crate::plan::Timed;
use crate::project::Project;
use crate::releases::Shipping;
use crate::talk::Talk;
use crate::time::{HOUR, working};
use crate::work::{Report, Way};

/// What happens, the number of the piece of work or talk, and which of its parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Report,
    ReportComment(usize),
    Step(usize),
    Open,
    Remark(usize),
    Review,
    Finish,
    Talk,
    TalkComment(usize),
    TalkEnd,
    Release,
    Patch(usize),
}

pub(crate) struct History<'a, G, C: Code> {
    pub(crate) project: &'a Project,
    pub(crate) git: &'a mut G,
    pub(crate) hub: Hub,
    pub(crate) main: Line<C>,
    works: &'a [Timed<C::Edit>],
    talks: &'a [Talk],
    /// The branches of the pieces of work that are going on.
    lines: BTreeMap<usize, Line<C>>,
    reports: BTreeMap<usize, u64>,
    pulls: BTreeMap<usize, u64>,
    talk_numbers: BTreeMap<&'a str, u64>,
    /// What a piece of work became: its pull request and its commit on main, by its id.
    names: BTreeMap<&'a str, (u64, String)>,
    reviewers: Vec<usize>,
    pub(crate) shipping: Shipping<C>,
    kept: Vec<bool>,
}

/// Runs the whole history, and leaves the branches and tags behind.
pub fn run<G: Git, C: Code>(
    project: &Project,
    git: &mut G,
    random: &mut Random,
    works: &[Timed<C::Edit>],
    talks: &[Talk],
) -> Hub {
    let mut history = History::<G, C> {
        project,
        git,
        hub: Hub::default(),
        main: Line::default(),
        works,
        talks,
        lines: BTreeMap::new(),
        reports: BTreeMap::new(),
        pulls: BTreeMap::new(),
        talk_numbers: BTreeMap::new(),
        names: BTreeMap::new(),
        reviewers: works
            .iter()
            .map(|_| random.below(project.team.len() as u64 - 1) as usize)
            .collect(),
        shipping: Shipping::default(),
        // Whose branch nobody deleted.
        kept: works.iter().map(|_| random.chance(1, 40)).collect(),
    };
    for (time, index, what) in events(project, works, talks) {
        history.happen(time, index, what);
    }
    history.leave_branches();
    history.hub
}

fn events<E>(project: &Project, works: &[Timed<E>], talks: &[Talk]) -> Vec<(i64, usize, What)> {
    let mut events = Vec::new();
    for (index, timed) in works.iter().enumerate() {
        let work = &timed.work;
        if let Some(report) = &work.report {
            events.push((timed.reported, index, What::Report));
            for number in 0..report.comments.len() {
                let after = HOUR * (1 + number as i64) / 4;
                events.push((timed.reported + after, index, What::ReportComment(number)));
            }
        }
        if work.way == Way::Direct {
            events.push((timed.finished, index, What::Finish));
            continue;
        }
        for (number, at) in timed.steps.iter().enumerate() {
            events.push((*at, index, What::Step(number)));
        }
        events.push((timed.opened, index, What::Open));
        for number in 0..work.remarks.len() {
            let at = timed.opened + 600 + 900 * number as i64;
            events.push((at, index, What::Remark(number)));
        }
        if work.way != Way::Draft {
            events.push((timed.reviewed, index, What::Review));
        }
        if !matches!(work.way, Way::Open | Way::Draft) {
            events.push((timed.finished, index, What::Finish));
        }
    }
    for (index, talk) in talks.iter().enumerate() {
        let at = project.day(talk.day) + 9 * HOUR + 420 * index as i64;
        events.push((at, index, What::Talk));
        for number in 0..talk.report.comments.len() {
            let at = working(at + 5 * HOUR * (1 + number as i64));
            events.push((at, index, What::TalkComment(number)));
        }
        if let Some(closing) = &talk.closing {
            let at = working(at + closing.after * 24 * HOUR + HOUR);
            events.push((at, index, What::TalkEnd));
        }
    }
    for (index, release) in project.releases.iter().enumerate() {
        events.push((
            working(project.day(release.day) + 10 * HOUR),
            index,
            What::Release,
        ));
        for (number, (_, on)) in release.patches.iter().enumerate() {
            events.push((
                working(project.day(*on) + 11 * HOUR),
                index,
                What::Patch(number),
            ));
        }
    }
    events.sort_by_key(|(time, index, what)| (*time, *what, *index));
    events
}

impl<'a, G: Git, C: Code> History<'a, G, C> {
    fn happen(&mut self, now: i64, index: usize, what: What) {
        match what {
            What::Report => {
                if let Some(report) = &self.works[index].work.report {
                    let number = self.open_report(report, report.body.clone(), now);
                    self.reports.insert(index, number);
                }
            }
            What::ReportComment(part) => {
                if let Some(report) = &self.works[index].work.report {
                    let (by, text) = &report.comments[part];
                    self.hub.comment(self.reports[&index], by, text, now);
                }
            }
            What::Step(part) => self.step(index, part, now),
            What::Open => self.open_pull(index, now),
            What::Remark(part) => {
                let (by, text) = &self.works[index].work.remarks[part];
                self.hub.comment(self.pulls[&index], by, text, now);
            }
            What::Review => self.review(index, now),
            What::Finish => self.finish(index, now),
            What::Talk => {
                let talk = &self.talks[index];
                let body = self.fill(&talk.report.body, None);
                let number = self.open_report(&talk.report, body, now);
                let name = if talk.id.is_empty() {
                    &talk.report.title
                } else {
                    talk.id
                };
                self.talk_numbers.insert(name, number);
            }
            What::TalkComment(part) => {
                let (by, text) = &self.talks[index].report.comments[part];
                let text = self.fill(text, None);
                let number = self.talk_number(index);
                self.hub.comment(number, by, &text, now);
            }
            What::TalkEnd => {
                let number = self.talk_number(index);
                if let Some(closing) = &self.talks[index].closing {
                    self.hub
                        .close(number, closing.by, Some(closing.reason), now);
                    let repeated = self.talk_numbers.get(closing.repeats).copied();
                    self.hub.thread(number).duplicate_of = repeated;
                }
            }
            What::Release => self.release(&self.project.releases[index], now),
            What::Patch(part) => self.patch(&self.project.releases[index], part, now),
        }
    }

    fn talk_number(&self, index: usize) -> u64 {
        let talk = &self.talks[index];
        let name = if talk.id.is_empty() {
            talk.report.title.as_str()
        } else {
            talk.id
        };
        self.talk_numbers[name]
    }

    fn open_report(&mut self, report: &Report, body: String, now: i64) -> u64 {
        let project = self.project;
        let milestone = project.milestones.iter().position(|it| {
            let until = it.end.map_or(i64::MAX, |end| project.day(end));
            report.assignee.is_some() && (project.day(it.begin)..until).contains(&now)
        });
        self.hub.open(Thread {
            title: report.title.clone(),
            body,
            user: report.by.to_owned(),
            labels: report
                .labels
                .iter()
                .map(|&label| label.to_owned())
                .collect(),
            assignees: report
                .assignee
                .iter()
                .map(|&login| login.to_owned())
                .collect(),
            milestone: milestone.map(|index| index as u64 + 1),
            created: now,
            ..Thread::default()
        })
    }

    /// A text with its numbers and ids.
    fn fill(&self, text: &str, issue: Option<u64>) -> String {
        let mut text = match issue {
            Some(number) => text.replace("{issue}", &number.to_string()),
            None => text.to_owned(),
        };
        for (id, (pull, commit)) in &self.names {
            text = text
                .replace(&format!("{{#{id}}}"), &pull.to_string())
                .replace(&format!("{{sha:{id}}}"), commit);
        }
        for (id, number) in &self.talk_numbers {
            text = text.replace(&format!("{{issue:{id}}}"), &number.to_string());
        }
        assert!(
            !text.contains('{'),
            "{text:?} speaks of what is not there yet"
        );
        text
    }

    fn step(&mut self, index: usize, part: usize, now: i64) {
        let work = &self.works[index].work;
        let message = self.fill(&work.steps[part].message, None);
        let stamp = Stamp::new(self.project.person(work.author), now);
        let line = self.lines.entry(index).or_insert_with(|| self.main.clone());
        line.commit(
            self.git,
            &work.steps[part].edits,
            None,
            stamp.clone(),
            stamp,
            format!("{message}\n"),
        );
    }

    /// The own issue of a piece of work, where its text has a word that closes it.
    fn closed_by(&self, index: usize) -> Option<u64> {
        let body = &self.works[index].work.body;
        let closes = ["Fixes", "Closes"].map(|word| body.contains(&format!("{word} #{{issue}}")));
        let issue = self.reports.get(&index).copied();
        issue.filter(|_| closes.contains(&true))
    }

    /// Someone of the team, but not the author.
    fn reviewer(&self, index: usize) -> &'static str {
        let author = self.works[index].work.author;
        let mut others = self.project.team.iter().filter(|it| it.login != author);
        others
            .nth(self.reviewers[index])
            .map_or(self.project.releaser().login, |it| it.login)
    }

    fn open_pull(&mut self, index: usize, now: i64) {
        let work = &self.works[index].work;
        let body = self.fill(&work.body, self.reports.get(&index).copied());
        let requested = match work.way {
            Way::Draft => Vec::new(),
            _ => vec![self.reviewer(index).to_owned()],
        };
        let number = self.hub.open(Thread {
            title: work.title.clone(),
            body,
            user: work.author.to_owned(),
            labels: work.labels.iter().map(|&label| label.to_owned()).collect(),
            created: now,
            pull: Some(Pull {
                head: work.branch.clone(),
                head_sha: self.lines[&index].tip.clone(),
                base_sha: self.main.tip.clone(),
                is_draft: work.way == Way::Draft,
                closes: self.closed_by(index).into_iter().collect(),
                requested,
                ..Pull::default()
            }),
            ..Thread::default()
        });
        self.pulls.insert(index, number);
        if !work.id.is_empty() {
            let commit = self.lines[&index].tip.clone();
            self.names.insert(&work.id, (number, commit));
        }
    }

    fn review(&mut self, index: usize, now: i64) {
        let (number, by) = (self.pulls[&index], self.reviewer(index));
        let work = &self.works[index].work;
        let replies = self.project.replies;
        let state = match work.way {
            Way::Open if work.is_approved => ("APPROVED", ""),
            Way::Open if work.is_contested => ("CHANGES_REQUESTED", replies.refused),
            Way::Open => ("COMMENTED", replies.waiting),
            Way::Closed => ("COMMENTED", replies.doubtful),
            _ if work.is_contested => {
                let earlier = now - HOUR / 3;
                let [text, after] = replies.contested;
                self.hub
                    .review(number, by, text, "CHANGES_REQUESTED", earlier);
                ("APPROVED", after)
            }
            _ => ("APPROVED", ""),
        };
        self.hub.review(number, by, state.1, state.0, now);
    }

    fn finish(&mut self, index: usize, now: i64) {
        let timed = &self.works[index];
        let work = &timed.work;
        let author = Stamp::new(self.project.person(work.author), now);
        if work.way == Way::Direct {
            for step in &work.steps {
                let message = format!("{}\n", step.message);
                self.main.commit(
                    self.git,
                    &step.edits,
                    None,
                    author.clone(),
                    author.clone(),
                    message,
                );
            }
            return;
        }
        let number = self.pulls[&index];
        if work.way == Way::Closed {
            self.hub.close(number, work.author, None, now);
            return;
        }
        let by = self.reviewer(index);
        self.hub.pull(number).base_sha = self.main.tip.clone();
        let (method, commit) = self.merge(index, number, by, now);
        self.hub.close(number, by, None, now);
        self.hub.pull(number).merged = Some(Merged {
            at: now,
            by: by.to_owned(),
            method,
            commit: commit.clone(),
        });
        if let Some(issue) = self.closed_by(index) {
            self.hub.close(issue, by, Some("completed"), now);
        }
        self.shipping.merged(work, number, commit.clone());
        if !work.id.is_empty() {
            self.names.insert(&work.id, (number, commit));
        }
    }

    /// Brings a branch into main, and gives the method and the last commit.
    fn merge(&mut self, index: usize, number: u64, by: &str, now: i64) -> (&'static str, String) {
        let timed = &self.works[index];
        let work = &timed.work;
        let author = self.project.person(work.author);
        let merger = Stamp::new(self.project.person(by), now);
        match work.way {
            Way::Merge => {
                let tip = self.lines[&index].tip.clone();
                let branch = &work.branch;
                let message = format!(
                    "Merge pull request #{number} from {}/{branch}\n\n{}\n",
                    self.project.owner, work.title
                );
                let commit = self.main.commit(
                    self.git,
                    work.edits(),
                    Some(&tip),
                    merger,
                    Stamp::site(now),
                    message,
                );
                ("merge", commit)
            }
            Way::Squash => {
                let mut message = format!("{} (#{number})\n", work.title);
                if let [step] = work.steps.as_slice() {
                    let text = self.fill(&step.message, None);
                    if let Some((_, rest)) = text.split_once("\n\n") {
                        message.push_str(&format!("\n{rest}\n"));
                    }
                } else {
                    message.push('\n');
                    for step in &work.steps {
                        message.push_str(&format!("* {}\n", step.message));
                    }
                }
                let commit = self.main.commit(
                    self.git,
                    work.edits(),
                    None,
                    Stamp::new(author, now),
                    Stamp::site(now),
                    message,
                );
                ("squash", commit)
            }
            _ => {
                let mut commit = String::new();
                for (step, at) in work.steps.iter().zip(&timed.steps) {
                    commit = self.main.commit(
                        self.git,
                        &step.edits,
                        None,
                        Stamp::new(author, *at),
                        merger.clone(),
                        format!("{}\n", step.message),
                    );
                }
                ("rebase", commit)
            }
        }
    }

    fn leave_branches(&mut self) {
        for thread in &mut self.hub.threads {
            if let Some(pull) = &mut thread.pull {
                // The base of what is open is wherever main is.
                if thread.closed.is_none() {
                    pull.base_sha = self.main.tip.clone();
                }
                self.git.pull_head(thread.number, &pull.head_sha);
            }
        }
        self.git.branch("main", &self.main.tip);
        for (name, line) in self.shipping.branches() {
            self.git.branch(name, &line.tip);
        }
        for (index, line) in &self.lines {
            let work = &self.works[*index].work;
            let stays = match work.way {
                Way::Open | Way::Draft => true,
                Way::Closed => !work.branch.starts_with(self.project.cleared),
                _ => self.kept[*index],
            };
            if stays {
                self.git.branch(&work.branch, &line.tip);
            }
        }
    }
}
