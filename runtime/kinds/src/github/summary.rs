//! Summary of a repository: branches, recent history, open issues and pull requests.

use mcpmark_github::GitError;
use mcpmark_github::git::{Commit, Filter, ObjectId};
use mcpmark_github::hub::{Issue, State};
use mcpmark_github::world::Opened;
use serde_json::{Value, json};

use crate::summary::columns;
use crate::{Block, Cell, Summary};

/// Maximum number of commits, issues and pull requests to show, for each of the three.
const SHOWN: usize = 20;

/// Returns the summary of the repository of a world.
pub(super) fn summary(opened: &Opened) -> Result<Summary, GitError> {
    let mut blocks = vec![Block::Heading(Cell::bold(name(opened))), branches(opened)?];
    history(opened, &mut blocks)?;
    let (pulls, issues) = parted(opened);
    open("issue", &issues, &mut blocks);
    open("pull request", &pulls, &mut blocks);
    Ok(Summary {
        key: "repository",
        value: value(opened)?,
        blocks,
        // Only git reads these files.
        opaque: &[".git"],
    })
}

/// Formats a number with its noun in the singular or plural.
fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Returns the JSON summary of a repository, with all branches and all open issues and pull requests.
fn value(opened: &Opened) -> Result<Value, GitError> {
    let mut branches = Vec::new();
    for (name, tip) in opened.git.refs_below("refs/heads/") {
        let title = opened.git.commit(tip)?.title().to_owned();
        branches.push(json!({"name": name, "sha": tip.to_string(), "title": title}));
    }
    let (pulls, issues) = parted(opened);
    let of = |all: Vec<&Issue>| -> Vec<Value> { all.into_iter().filter_map(open_value).collect() };
    Ok(json!({
        "name": name(opened),
        "default_branch": opened.hub.repository.default_branch,
        "commits": commits(opened)?,
        "branches": branches,
        "issues": of(issues),
        "pulls": of(pulls),
    }))
}

/// Returns the JSON summary of an issue or pull request, or `None` if it is closed.
fn open_value(issue: &Issue) -> Option<Value> {
    let mut value = json!({
        "number": issue.number,
        "title": issue.title,
        "user": issue.user,
        "labels": issue.labels,
    });
    if let Some(pull) = &issue.pull {
        value["head"] = pull.head.clone().into();
        value["base"] = pull.base.clone().into();
    }
    (issue.state == State::Open).then_some(value)
}

fn name(opened: &Opened) -> String {
    let repository = &opened.hub.repository;
    format!("{}/{}", repository.owner, repository.name)
}

/// Splits the issues of the hub into pull requests and plain issues, in this order.
fn parted(opened: &Opened) -> (Vec<&Issue>, Vec<&Issue>) {
    let all = opened.hub.issues.values();
    all.partition(|it| it.pull.is_some())
}

/// Returns the number of commits of the default branch, or 0 if the branch does not exist.
fn commits(opened: &Opened) -> Result<usize, GitError> {
    let git = &opened.git;
    match git.branch(&opened.hub.repository.default_branch) {
        Some(tip) => Ok(git.log(tip, &Filter::default(), 0, usize::MAX)?.len()),
        None => Ok(0),
    }
}

fn branches(opened: &Opened) -> Result<Block, GitError> {
    let mut rows = Vec::new();
    for (name, tip) in opened.git.refs_below("refs/heads/") {
        let commit = opened.git.commit(tip)?;
        rows.push(vec![
            if name == opened.hub.repository.default_branch {
                Cell::bold(name)
            } else {
                Cell::plain(name)
            },
            Cell::dim(tip.to_hex_with_len(7).to_string()),
            Cell::dim(commit.title()),
        ]);
    }
    Ok(Block::Table {
        columns: columns(&["branch", "tip", "~"]),
        rows,
    })
}

/// Appends the latest commits of all branches, with a drawing of the commit graph.
fn history(opened: &Opened, blocks: &mut Vec<Block>) -> Result<(), GitError> {
    let git = &opened.git;
    let tips: Vec<ObjectId> = git.refs_below("refs/heads/").map(|(_, tip)| tip).collect();
    let mut shown = Vec::new();
    for id in git.newest_first(tips, [])?.take(SHOWN) {
        shown.push(git.commit(id?)?);
    }
    blocks.push(Block::Heading(Cell::dim(format!(
        "{} on the default branch",
        count(commits(opened)?, "commit")
    ))));
    let mut lanes = GraphColumns::default();
    for commit in &shown {
        blocks.push(Block::Line(vec![
            Cell::plain(format!("{}  ", lanes.draw(commit))),
            Cell::dim(commit.id.to_hex_with_len(7).to_string()),
            Cell::plain(format!(" {} ", commit.title())),
            Cell::dim(commit.author.name.clone()),
        ]));
    }
    Ok(())
}

/// Appends the newest open issues or pull requests.
fn open(noun: &str, all: &[&Issue], blocks: &mut Vec<Block>) {
    let open: Vec<&&Issue> = all.iter().filter(|it| it.state == State::Open).collect();
    blocks.push(Block::Heading(Cell::dim(format!(
        "{} open, {} closed",
        count(open.len(), noun),
        all.len() - open.len()
    ))));
    for issue in open.iter().rev().take(SHOWN) {
        let branches = issue.pull.as_deref();
        let branches = branches.map(|it| format!("  {} -> {}", it.head, it.base));
        blocks.push(Block::Line(vec![
            Cell::plain(format!("#{:<4} {}", issue.number, issue.title)),
            Cell::dim(branches.unwrap_or_default()),
        ]));
    }
    if open.len() > SHOWN {
        let more = format!("… {} more", open.len() - SHOWN);
        blocks.push(Block::Line(vec![Cell::plain(more)]));
    }
}

/// Columns of the commit graph. Each occupied lane waits for a parent of a commit that was drawn earlier.
#[derive(Default)]
struct GraphColumns(Vec<Option<ObjectId>>);

impl GraphColumns {
    /// Draws the row of a commit as `*`. Lanes that end in the commit are joined to it from the right with `╯`, and
    /// lanes that start at it branch off to the right with `╮`.
    fn draw(&mut self, commit: &Commit) -> String {
        let waiting = |lane: &Option<ObjectId>| *lane == Some(commit.id);
        let own = match self.0.iter().position(waiting) {
            Some(own) => own,
            None => self.free(),
        };
        let before: Vec<bool> = self.0.iter().map(Option::is_some).collect();
        let mut ends = Vec::new();
        for (place, lane) in self.0.iter_mut().enumerate() {
            if place != own && waiting(lane) {
                *lane = None;
                ends.push(place);
            }
        }
        self.0[own] = commit.parents.first().copied();
        let mut begins = Vec::new();
        for parent in commit.parents.iter().skip(1) {
            let known = self.0.iter().position(|lane| *lane == Some(*parent));
            let place = known.unwrap_or_else(|| self.free());
            self.0[place] = Some(*parent);
            begins.push(place);
        }
        let last = ends.iter().chain(&begins).copied().max().unwrap_or(own);
        let mut row = String::new();
        for place in 0..self.0.len() {
            let was = before.get(place).copied().unwrap_or(false);
            let (ended, begun) = (ends.contains(&place), begins.contains(&place));
            let within = place > own && place < last;
            row += match (place == own, ended, begun, was) {
                (true, ..) => "*",
                (_, true, true, _) | (_, false, true, true) => "┤",
                (_, true, false, _) => "╯",
                (_, false, true, false) => "╮",
                (_, false, false, true) if within => "┼",
                (_, false, false, true) => "│",
                (_, false, false, false) if within => "─",
                _ => " ",
            };
            row += if place >= own && place < last {
                "─"
            } else {
                " "
            };
        }
        while self.0.last().is_some_and(Option::is_none) {
            self.0.pop();
        }
        row.trim_end().to_owned()
    }

    /// Returns the index of a free lane, and adds one if all are occupied.
    fn free(&mut self) -> usize {
        match self.0.iter().position(Option::is_none) {
            Some(place) => place,
            None => {
                self.0.push(None);
                self.0.len() - 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_github::git::Identity;

    use super::*;

    fn commit(id: u8, parents: &[u8]) -> Commit {
        let id_of = |byte: u8| ObjectId::from([byte; 20]);
        let who = Identity {
            name: String::new(),
            email: String::new(),
            seconds: 0,
            offset: 0,
        };
        Commit {
            id: id_of(id),
            tree: id_of(0),
            parents: parents.iter().copied().map(id_of).collect(),
            author: who.clone(),
            committer: who,
            message: String::new(),
        }
    }

    #[test]
    fn merges_and_forks_are_drawn() {
        let mut lanes = GraphColumns::default();
        let history = [
            commit(7, &[6, 5]),
            commit(6, &[4]),
            commit(8, &[4]),
            commit(5, &[4]),
            commit(4, &[3]),
            commit(3, &[]),
        ];
        let rows: Vec<String> = history.iter().map(|it| lanes.draw(it)).collect();
        assert_eq!(rows, ["*─╮", "* │", "│ │ *", "│ * │", "*─╯─╯", "*"]);
    }
}
