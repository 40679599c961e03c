//! Checks main, the pull requests that wait, and the runs on their new heads.

#[path = "../mending.rs"]
mod mending;
#[path = "../runs.rs"]
mod runs;
mod told;

use mcpmark_guest::content;
use mcpmark_guest::github::{Allowed, Comment, Commit, Issue, Pull, Repository};
use mcpmark_guest::prose::Fact;
use mcpmark_guest::{Condition, Found, Tree, Verifier};

use crate::told::{Broken, Wrong};

mcpmark_guest::verifier!(verify);

const ISSUE: &str = "main is red";
/// The head of the pull request whose author wants its branch left alone. Another one has taken that back.
const LEFT_ALONE: &str = "peas-labels";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let mended = mending::mended(&repository, &main);
    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world");
    let (before, after) = (runs::runs(&task.start()), runs::runs(&task.end()));
    let new = task.new_pull();
    let tip = check_main(task, &main, &mended, &after);
    let branch = check_mend(task, &new, &tip, issue, &after);

    let mut pulls = task.start().pulls().required();
    pulls.retain(|it| it.issue.state == "open" && !it.draft && it.head != LEFT_ALONE);
    pulls.sort_by_key(|it| it.issue.number);
    let all: Vec<Option<Broken>> = pulls
        .iter()
        .map(|it| broken(task, it, issue, &new, &after))
        .collect();
    let red = all.iter().flatten().count();
    assert!(
        red > 1 && red + 1 < pulls.len(),
        "there is nothing to tell apart"
    );
    let mut numbers = Vec::new();
    for (pull, broken) in pulls.iter().zip(&all) {
        let others: Vec<&Broken> = all
            .iter()
            .flatten()
            .filter(|it| broken.as_ref().is_none_or(|own| own.id != it.id))
            .collect();
        let head = check_head(
            task,
            pull,
            &tip,
            &expected(&repository, &main, &mended, pull),
        );
        numbers.push(last_run(&after, &head));
        check_told(task, pull, &head, broken.as_ref(), &others, &after);
    }
    // A pull request that is not up to date yet has no new run, which is the business of another check.
    let last = before.last().map(|it| it.number);
    numbers.retain(|number| *number > last);
    let in_order = Condition::when(
        numbers.is_sorted(),
        format!(
            "expected their new runs in the order of the pull requests, found the runs {numbers:?}"
        ),
    );
    task.check("the longest waiting was first", in_order);
    task.check("what has run is as it was", runs::are_kept(&before, &after));
    task.check(
        "new runs ran once and have their logs",
        runs::new_are_whole(&before, &after),
    );
    let mut touched: Vec<u64> = pulls.iter().map(|it| it.issue.number).collect();
    touched.push(issue.number);
    let mut branches: Vec<&str> = pulls.iter().map(|it| it.head.as_str()).collect();
    branches.extend(["main", branch.as_str()]);
    branches.retain(|it| !it.is_empty());
    task.nothing_else_moved(&Allowed {
        touched,
        new_pulls: 1,
        branches: &branches,
        ..Allowed::default()
    });
}

/// Checks what was merged into main, and returns its commit.
fn check_main(
    task: &mut Verifier,
    main: &Commit,
    mended: &[mending::Mended],
    after: &[runs::Run],
) -> Found<Commit> {
    let commits = task.added("main", "main");
    let is_one = commits.count_is(1).and(commits.are_straight_on(main));
    task.check("one commit on main", is_one);
    let tip = task.repository().branch("main");
    let paths: Vec<&str> = mended.iter().map(|it| it.path.as_str()).collect();
    task.check("main has nothing else", tip.changed_only(&paths));
    for it in mended {
        let mut text = content::edited(&main.file(&it.path).text().required());
        for (before, after) in &it.changed {
            text = text.replace(before, after);
        }
        task.check(
            format!("{} on main", it.path),
            tip.file(&it.path).content_is(text),
        );
    }
    let is_green = tip.satisfies(|tip| {
        let said = runs::last_on(after, tip.id(), "push");
        Condition::when(
            said == Some(true),
            "expected a run of the checks on it that succeeded",
        )
    });
    task.check("main is green", is_green);
    tip
}

/// Checks the pull request that mended main and the issue that it closed. Returns its branch.
fn check_mend(
    task: &mut Verifier,
    new: &Found<Pull>,
    tip: &Found<Commit>,
    issue: &Issue,
    after: &[runs::Run],
) -> String {
    let branch = new.map(|it| it.head.clone());
    let branch = branch.get().cloned().unwrap_or_default();
    let goes = new.satisfies(|it| {
        let is_right = it.head.starts_with("desk/") && it.base == "main" && !it.draft;
        Condition::when(
            is_right,
            format!(
                "expected a branch desk/... into main, found {} into {}",
                it.head, it.base
            ),
        )
    });
    let says = new.body().prose().states(&Fact::reference(issue.number));
    let exist = new.body().prose().references_exist_in(&task.end());
    task.check("main was mended through a pull request", goes);
    task.check(
        "the pull request closes the issue",
        new.closes(issue.number).and(says).and(exist),
    );
    task.check("the pull request is squashed", new.is_merged_by("squash"));
    let end = task.end();
    let head = end.repository().branch(&branch);
    let is_green = new.satisfies(|it| {
        let said = runs::last_on(after, &it.head_sha, "pull_request");
        let green = Condition::when(
            said == Some(true),
            "expected a run of the checks on its head that succeeded",
        );
        let same = head.satisfies(|head| {
            let has_tree = tip.get().is_ok_and(|tip| head.has_tree_of(tip));
            Condition::when(
                head.id() == it.head_sha && has_tree,
                "expected its branch to hold what was merged",
            )
        });
        green.and(same)
    });
    task.check("the checks of its branch were green", is_green);

    let viewer = task.viewer();
    let mut closed = issue.clone();
    closed.state = "closed".to_owned();
    closed.state_reason = Some("completed".to_owned());
    closed.closed_by = Some(viewer);
    let by_merge = new.satisfies(|it| {
        let merged = it.merged_at.as_deref();
        let at = closed_at(&end, issue.number);
        Condition::when(
            merged.is_some() && merged == at.as_deref(),
            format!("expected it to be closed by the merge, found it closed at {at:?} and the merge at {merged:?}"),
        )
    });
    let found = task.end().issue(issue.number);
    task.check(
        "the issue is closed by the merge",
        found.is_closed_as("completed").and(by_merge),
    );
    let rest = found.map(|found| Issue {
        state: closed.state.clone(),
        state_reason: closed.state_reason.clone(),
        closed_by: closed.closed_by.clone(),
        ..found.clone()
    });
    task.check(
        "the issue is otherwise as it was",
        rest.is_shown_as(&closed),
    );
    branch
}

/// When an issue was closed.
fn closed_at(tree: &Tree, number: u64) -> Option<String> {
    let document = tree.file("issues.json").json().get().ok()?.clone();
    let issue = document
        .as_array()?
        .iter()
        .find(|it| it["number"] == number)?;
    issue["closed_at"].as_str().map(str::to_owned)
}

/// Checks that the head of a pull request is its old one with the mended main merged into it. Returns its id, empty if
/// the branch is gone.
fn check_head(
    task: &mut Verifier,
    pull: &Pull,
    tip: &Found<Commit>,
    files: &[(String, String)],
) -> String {
    let old = task.start().repository().branch(&pull.head).required();
    let head = task.repository().branch(&pull.head);
    let merged = head.satisfies(|head: &Commit| {
        let parents = [Some(old.id()), tip.get().ok().map(Commit::id)];
        let found: Vec<Option<&str>> = head.parents().iter().map(|it| Some(it.as_str())).collect();
        Condition::equal(&parents.as_slice(), &found.as_slice())
    });
    let files = files
        .iter()
        .map(|(path, text)| head.file(path).equals(text));
    let id = head.get().map(|it| it.id().to_owned()).unwrap_or_default();
    let found = task.end().pull(pull.issue.number);
    let is_head = found.satisfies(|it| Condition::equal(&id, &it.head_sha));
    let all = merged.and(Condition::all(files)).and(is_head);
    task.check(
        format!("#{} is up to date with main", pull.issue.number),
        all,
    );
    id
}

/// The number of the last run on a head.
fn last_run(runs: &[runs::Run], head: &str) -> Option<u64> {
    runs.iter()
        .rfind(|it| it.is_of_head(head))
        .map(|it| it.number)
}

/// Checks the run, the label and the comment of a pull request.
fn check_told(
    task: &mut Verifier,
    pull: &Pull,
    head: &str,
    broken: Option<&Broken>,
    others: &[&Broken],
    after: &[runs::Run],
) {
    let number = pull.issue.number;
    let said = runs::last_on(after, head, "pull_request");
    let wanted = broken.is_none();
    let ran = Condition::when(
        said == Some(wanted),
        format!("expected a run with success {wanted}, found {said:?}"),
    );
    task.check(format!("the checks of #{number} ran"), ran);
    let label = if broken.is_some() { "red" } else { "green" };
    let found = task.end().pull(number);
    let mut labels: Vec<&str> = pull.issue.labels.iter().map(String::as_str).collect();
    labels.push(label);
    task.check(
        format!("#{number} has the label {label}"),
        found.issue().labels_are(&labels),
    );
    let mut expected = pull.clone();
    expected.head_sha = head.to_owned();
    if let Some(broken) = broken {
        let text = new_comment(task, pull);
        for (name, condition) in told::told(&text, broken, others) {
            task.check(format!("the comment on #{number}: {name}"), condition);
        }
    }
    let rest = found.map(|found| {
        let mut found = found.clone();
        found.issue.labels.clone_from(&pull.issue.labels);
        found.head_sha = head.to_owned();
        if broken.is_some() {
            found.issue.comments.clone_from(&pull.issue.comments);
        }
        found
    });
    task.check(
        format!("#{number} is otherwise as it was"),
        rest.is_shown_as(&expected),
    );
}

/// The text of the only comment that is new, by the viewer.
fn new_comment(task: &Verifier, pull: &Pull) -> Found<String> {
    let viewer = task.viewer();
    let before = &pull.issue.comments;
    task.end().pull(pull.issue.number).try_map(|found| {
        let found = &found.issue.comments;
        if found.get(..before.len()) != Some(before.as_slice()) {
            return Err("expected the earlier comments as they were".to_owned());
        }
        match &found[before.len()..] {
            [Comment { user, body }] if *user == viewer => Ok(body.clone()),
            [] => Err("there is no new comment".to_owned()),
            [other] => Err(format!(
                "expected a comment by {viewer}, found one by {}",
                other.user
            )),
            more => Err(format!("expected one new comment, found {}", more.len())),
        }
    })
}

/// The row of a pull request that breaks a rule.
fn broken(
    task: &Verifier,
    pull: &Pull,
    issue: &Issue,
    new: &Found<Pull>,
    after: &[runs::Run],
) -> Option<Broken> {
    let repository = task.start().repository();
    let head = repository.branch(&pull.head).required();
    let main = repository.branch("main").required();
    let base = repository.merge_base(&head, &main).required();
    let names = head.file("names.txt").text().required();
    for change in head.changes_since(&base).required() {
        if !change.path.ends_with(".csv") {
            continue;
        }
        let (old, text) = (
            base.file(&change.path).text().required(),
            head.file(&change.path).text().required(),
        );
        for (at, (before, row)) in old
            .lines()
            .zip(text.lines())
            .enumerate()
            .filter(|(_, (before, row))| before != row)
        {
            let (was, is): (Vec<&str>, Vec<&str>) =
                (before.split(',').collect(), row.split(',').collect());
            let wrong = if !names.lines().any(|it| it == is[1]) {
                Wrong::Name {
                    cell: is[1].to_owned(),
                    before: was[1].to_owned(),
                }
            } else if !mending::is_day(is[2]) {
                Wrong::Day {
                    cell: is[2].to_owned(),
                    before: was[2].parse().expect("it was a day"),
                }
            } else {
                continue;
            };
            let mut related = vec![issue.number, pull.issue.number];
            related.extend(new.get().ok().map(|it| it.issue.number));
            return Some(Broken {
                path: change.path,
                line: at as u64 + 1,
                id: is[0].to_owned(),
                wrong,
                related,
                runs: after
                    .iter()
                    .filter(|it| it.branch == pull.head)
                    .map(|it| it.number)
                    .collect(),
            });
        }
    }
    None
}

/// The files that main or a pull request changed, as they are when both are one: pull requests of this world
/// change whole rows, and no two the same.
fn expected(
    repository: &Repository,
    main: &Commit,
    mended: &[mending::Mended],
    pull: &Pull,
) -> Vec<(String, String)> {
    let head = repository.branch(&pull.head).required();
    let base = repository.merge_base(&head, main).required();
    let changes = head.changes_since(&base).required();
    let mut all: Vec<(String, String)> = mended
        .iter()
        .map(|it| (it.path.clone(), it.after.clone()))
        .collect();
    for change in changes {
        let theirs = head.file(&change.path).text().required();
        let place = all.iter().position(|(path, _)| *path == change.path);
        let ours = match place {
            Some(at) => Some(all.remove(at).1),
            None => main.file(&change.path).text().get().ok().cloned(),
        };
        let Some(ours) = ours else {
            all.push((change.path, theirs));
            continue;
        };
        let before = base.file(&change.path).text().required();
        let mut text = ours;
        for (old, new) in before
            .lines()
            .zip(theirs.lines())
            .filter(|(old, new)| old != new)
        {
            text = text.replacen(&format!("{old}\n"), &format!("{new}\n"), 1);
        }
        all.push((change.path, text));
    }
    all
}
