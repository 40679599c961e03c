//! The damage, found again in the repository of the starting world.

mod facts;
#[path = "../../links.rs"]
mod links;
#[path = "../../roles.rs"]
mod roles;

use mcpmark_guest::github::{Allowed, Commit, GitChangeKind, Issue, Pull};
use mcpmark_guest::prose::{Language, Person};
use mcpmark_guest::serde_json::Value;
use mcpmark_guest::{Condition, Found, Verifier};

use crate::facts::{Kept, Story, degrees_belong, explanation, roles_belong, shortened};
use crate::links::links_agree;

mcpmark_guest::verifier!(verify);

const ISSUE: &str = "Everything from the oven is pale";
/// Labels that say of a pull request what `docs/releasing.md` wants to know.
const LABELS: [&str; 2] = ["change", "correction"];

/// A recipe whose oven the damage lowered.
struct Lowered {
    path: String,
    title: String,
    before: u32,
    after: u32,
    now: u32,
    /// Login of the cook who wants it as it is.
    kept_by: Option<String>,
    /// The commit by which the cook set it, and the pull request that it came from.
    set_in: (Option<String>, Option<u64>),
}

fn verify(task: &mut Verifier) {
    let main = task.start().repository().branch("main").required();
    let issues = task.start().issues();
    let issue = issues.one("the issue", |it| it.title == ISSUE).required();
    let (damage, commit, lowered) = damage(task, &main, &issue);
    let mended = || lowered.iter().filter(|it| it.kept_by.is_none());
    let kept = || lowered.iter().filter(|it| it.kept_by.is_some());
    assert!(
        mended().count() > 3 && kept().count() > 3,
        "there is nothing to decide in this world"
    );

    let pull = task.new_pull();
    let head = pull.get().map(|it| it.head.clone()).unwrap_or_default();
    let is_new =
        pull.exists().passed() && !task.start().repository().branch(&head).exists().passed();
    task.check(
        "the pull request goes from a new branch into main",
        pull.goes(&head, "main")
            .and(pull.is_open())
            .and(Condition::when(
                is_new,
                "expected a branch that was not there",
            )),
    );
    // Without a pull request there is no branch to judge.
    let tip = match pull.get() {
        Ok(pull) => task.repository().branch(&pull.head),
        Err(reason) => Found::new("the branch", Err(reason)),
    };
    task.check(
        "its commits begin at main",
        tip.satisfies(|_| task.added(&head, "main").are_straight_on(&main)),
    );
    let ovens = |all: Vec<&Lowered>, degrees: fn(&Lowered) -> u32| {
        Condition::all(all.into_iter().map(|it| {
            tip.satisfies(|tip| {
                Condition::equal(&Some(degrees(it)), &oven(tip, &it.path)).at(&it.path)
            })
        }))
    };
    task.check(
        "the lowered ovens are back",
        ovens(mended().collect(), |it| it.before),
    );
    task.check(
        "the ovens that cooks decided on stay",
        ovens(kept().collect(), |it| it.now),
    );
    let changed = tip.try_map(|tip| {
        let changes = tip.changes_since(&main);
        let paths = changes.get()?.iter().map(|it| it.path.clone());
        Ok(paths.collect::<Vec<String>>())
    });
    let mut paths: Vec<&str> = mended().map(|it| it.path.as_str()).collect();
    paths.sort_unstable();
    task.check("no other file differs from main", changed.equal(&paths));
    let others = mended().map(|it| {
        let text = main.file(&it.path).text().required();
        let expected = with_oven(&text, it.after, it.before);
        tip.file(&it.path).equals(&expected)
    });
    task.check(
        "nothing else in these recipes differs",
        Condition::all(others),
    );

    let closes = pull.satisfies(|it| Condition::equal(&vec![issue.number], &it.closes));
    task.check("merging it closes the issue", closes);
    task.check(
        "its author is asked for a review",
        pull.map(|it| it.requested_reviewers.clone())
            .equal_in_any_order(&[damage.issue.user.clone()]),
    );
    let plain = pull.map(|it| {
        let mut it = it.clone();
        it.issue
            .labels
            .retain(|label| !LABELS.contains(&label.as_str()));
        it
    });
    task.check(
        "nothing else is said of the pull request",
        plain.is_only_proposed(),
    );
    let own = pull.get().map(|it| it.issue.number).unwrap_or_default();
    task.check(
        "what its text refers to is there",
        pull.body()
            .prose()
            .references_exist_in(&task.end())
            .and(links_agree(&pull.body())),
    );

    let story = story(task, (&issue, &damage, &commit), &lowered, own);
    let comment = said(task, &issue);
    let short = comment.map(|text| shortened(&story, text));
    let prose = short.prose();
    task.check_facts("the comment", &prose, &explanation(&story));
    task.check("the comment: its degrees", degrees_belong(&story, &prose));
    task.check(
        "the comment: what is put right and what stays",
        short.satisfies(|text| roles_belong(&story, text)),
    );
    task.check(
        "the comment: its links",
        links_agree(&comment).and(prose.commits_exist_in(&task.start().repository())),
    );
    task.check("the comment: its length", prose.words_between(20, 150));
    task.check("the comment: its language", prose.is_in(Language::English));
    let issue_now = task.end().issue(issue.number);
    let others = issue_now.map(|now| {
        let mut now = now.clone();
        now.comments.truncate(issue.comments.len());
        now
    });
    let count = issue_now.comments().count_is(issue.comments.len() + 1);
    task.check(
        "the issue has one more comment and is otherwise as it was",
        others.is_like(&issue).and(count),
    );
    let branches: &[&str] = if is_new { &[&head] } else { &[] };
    task.nothing_else_moved(&Allowed {
        touched: vec![issue.number],
        new_pulls: 1,
        branches,
        ..Allowed::default()
    });
}

/// The text of the comment that the agent added to the issue.
fn said(task: &Verifier, issue: &Issue) -> Found<String> {
    let new = task.end().issue(issue.number).comments().map(|comments| {
        let before = issue.comments.len().min(comments.len());
        comments[before..].to_vec()
    });
    new.text_by(&task.viewer())
}

fn story(
    task: &Verifier,
    (issue, damage, commit): (&Issue, &Pull, &Commit),
    lowered: &[Lowered],
    own: u64,
) -> Story {
    let users = task.start().file("users.json").json().required();
    let users: Vec<Value> = users.as_array().cloned().unwrap_or_default();
    let person = |login: &str| {
        let user = users.iter().find(|it| it["login"] == login);
        let name = user.and_then(|it| it["name"].as_str());
        Person::new(name.unwrap_or(login)).handle(login)
    };
    let people = users.iter().filter(|it| it["type"] == "User");
    let people = people.filter_map(|it| it["login"].as_str()).map(person);
    let kept = lowered.iter().filter_map(|it| {
        Some(Kept {
            title: it.title.clone(),
            degrees: [it.before, it.after, it.now],
            cook: person(it.kept_by.as_deref()?),
            set_in: it.set_in.clone(),
        })
    });
    let mended = lowered.iter().filter(|it| it.kept_by.is_none());
    let spoke = issue
        .comments
        .iter()
        .map(|it| &it.user)
        .chain([&issue.user]);
    Story {
        issue: issue.number,
        damage: damage.issue.number,
        commit: commit.id().to_owned(),
        day: damage
            .merged_at
            .as_deref()
            .and_then(|it| it.get(..10)?.parse().ok())
            .expect("it was merged on a day"),
        culprit: person(&damage.issue.user),
        own,
        mended: mended
            .map(|it| (it.title.clone(), [it.before, it.after]))
            .collect(),
        kept: kept.collect(),
        mentionable: spoke.map(|login| person(login)).collect(),
        people: people.collect(),
    }
}

/// The pull request that lowered the most ovens, with its commit.
fn damage(task: &Verifier, main: &Commit, issue: &Issue) -> (Pull, Commit, Vec<Lowered>) {
    let repository = task.start().repository();
    let pulls = task.start().pulls().required();
    let found = pulls.into_iter().filter_map(|pull| {
        let commit = repository
            .commit(pull.merge_commit_sha.as_ref()?)
            .required();
        let parent = repository.commit(commit.parents().first()?).required();
        let paths = lowered_by(&parent, &commit);
        Some((pull, commit, parent, paths))
    });
    let (pull, commit, parent, paths) = found
        .max_by_key(|(.., paths)| paths.len())
        .expect("there are pull requests");
    let lowered = paths.into_iter().map(|path| {
        let text = main.file(&path).text().required();
        let title = value(&text, "title").unwrap_or_default().to_owned();
        let degrees = |commit: &Commit| oven(commit, &path).expect("it has an oven");
        let (before, after, now) = (degrees(&parent), degrees(&commit), degrees(main));
        let (kept_by, commit) = if now == after {
            (wish(task, issue, &title, &path), None)
        } else {
            let (login, commit) = setter(task, &path, after);
            (Some(login), Some(commit))
        };
        let name = format!("{title}: {now} degrees");
        let pulls = task.start().pulls().required();
        let pull = pulls.iter().find(|it| it.issue.title == name);
        let set_in = (commit, pull.map(|it| it.issue.number));
        Lowered {
            path,
            title,
            before,
            after,
            now,
            kept_by,
            set_in,
        }
    });
    let lowered = lowered.collect();
    (pull, commit, lowered)
}

fn lowered_by(parent: &Commit, commit: &Commit) -> Vec<String> {
    let changes = commit.changes().required().into_iter();
    let is_lower = |path: &String| match (oven(parent, path), oven(commit, path)) {
        (Some(before), Some(after)) => after < before,
        _ => false,
    };
    let modified = changes.filter(|change| change.kind == GitChangeKind::Modified);
    let recipes = modified
        .map(|change| change.path)
        .filter(|path| path.starts_with("recipes/"));
    recipes.filter(is_lower).collect()
}

/// The cook who wrote a recipe, if they say on the issue that it stays as it is.
fn wish(task: &Verifier, issue: &Issue, title: &str, path: &str) -> Option<String> {
    let words = format!("{} stays", title.to_lowercase());
    let comment = issue.comments.iter().find(|it| it.body.contains(&words))?;
    let added = format!("Add {}", title.to_lowercase());
    let pulls = task.start().pulls().required();
    let wrote = pulls.iter().find(|it| it.issue.title == added);
    let wrote = wrote.unwrap_or_else(|| panic!("nobody added {path}"));
    (wrote.issue.user == comment.user).then(|| comment.user.clone())
}

/// The author and the id of the newest commit that gave a recipe another oven than the damage left.
fn setter(task: &Verifier, path: &str, after: u32) -> (String, String) {
    let repository = task.start().repository();
    let log = repository.log_of("main", path).required();
    // The author of a merge commit is who merged.
    let set = log.iter().find(|commit| match commit.parents() {
        [parent] => {
            let parent = repository.commit(parent).required();
            oven(&parent, path) == Some(after) && oven(commit, path) != Some(after)
        }
        _ => false,
    });
    let set = set.expect("somebody set the oven");
    let users = task.start().file("users.json").json().required();
    let mut users = users.as_array().into_iter().flatten();
    let user = users.find(|it| it["email"] == set.author().email.as_str());
    let user = user.expect("authors are users");
    let login = user["login"].as_str().unwrap_or_default();
    (login.to_owned(), set.id().to_owned())
}

fn with_oven(text: &str, old: u32, new: u32) -> String {
    text.replacen(&format!("\noven: {old}\n"), &format!("\noven: {new}\n"), 1)
}

/// The oven of a recipe at a commit.
fn oven(commit: &Commit, path: &str) -> Option<u32> {
    let text = commit.file(path).text();
    value(text.get().ok()?, "oven")?.parse().ok()
}

fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
}
