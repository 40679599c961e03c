//! What main must be, and what the runs on the new heads say.

#[path = "../mending.rs"]
mod mending;
#[path = "../runs.rs"]
mod runs;

use mcpmark_guest::github::{Allowed, Commit, Pull, Repository};
use mcpmark_guest::{Condition, Verifier};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/green-again";
const TITLE: &str = "main: as the checks want it";
const ISSUE: &str = "main is red";

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let mended = mending::mended(&repository, &main);
    let viewer = task.viewer();

    let paths: Vec<&str> = mended.iter().map(|it| it.path.as_str()).collect();
    let proposed = task.check_one_commit((BRANCH, "main"), TITLE, &paths);
    for it in &mended {
        let found = proposed.file(&it.path).equals(&it.after);
        task.check(format!("{} as it is proposed", it.path), found);
    }
    let commits = task.added("main", "main");
    task.check("one commit on main", commits.count_is(1));
    task.check("it stands on main", commits.are_straight_on(&main));
    let tip = commits.nth(0);
    task.check("it changes what it should alone", tip.changed_only(&paths));
    for it in &mended {
        task.check(it.path.clone(), tip.file(&it.path).equals(&it.after));
    }
    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world");
    let new = task.new_pull();
    let said = new.satisfies(|it| {
        let right = it.issue.title == TITLE
            && it.issue.body == format!("Fixes #{}", issue.number)
            && (it.head.as_str(), it.base.as_str()) == (BRANCH, "main")
            && it.is_plain()
            && it.requested_reviewers.is_empty();
        Condition::when(
            right,
            format!("expected another pull request, found {it:?}"),
        )
    });
    task.check("the pull request that mends main", said);
    task.check("it is squashed", new.is_merged_by("squash"));
    let number = new.get().map(|it| it.issue.number).unwrap_or_default();
    task.check(
        "the message of the merge",
        tip.message_is(&format!("{TITLE} (#{number})")),
    );
    let mut closed = issue.clone();
    closed.state = "closed".to_owned();
    closed.state_reason = Some("completed".to_owned());
    closed.closed_by = Some(viewer);
    task.check(
        "the issue is closed",
        task.end().issue(issue.number).is_like(&closed),
    );

    let after = runs::runs(&task.end());
    runs::check_kept(task);
    let is_green = runs::last_on(
        &after,
        tip.get().map(Commit::id).unwrap_or_default(),
        "push",
    );
    task.check(
        "main is green",
        Condition::when(
            is_green == Some(true),
            "expected a run of the checks on it that succeeded",
        ),
    );
    let mut pulls = task.start().pulls().required();
    pulls.retain(|it| it.issue.state == "open" && !it.draft);
    let (mut touched, mut branches) = (vec![issue.number], vec!["main", BRANCH]);
    let mut red = 0;
    for pull in &pulls {
        let number = pull.issue.number;
        touched.push(number);
        branches.push(&pull.head);
        let old = repository.branch(&pull.head).required();
        let is_red = !mending::has_right_rows(&old);
        red += usize::from(is_red);
        let head = task.repository().branch(&pull.head);
        let brought = head.satisfies(|head: &Commit| {
            let parents = [Some(old.id()), tip.get().ok().map(Commit::id)];
            let found: Vec<Option<&str>> =
                head.parents().iter().map(|it| Some(it.as_str())).collect();
            Condition::equal(&parents.as_slice(), &found.as_slice())
        });
        task.check(format!("#{number} is up to date"), brought);
        let message = format!("Merge branch 'main' into {}", pull.head);
        task.check(
            format!("the message of #{number}"),
            head.message_is(&message),
        );
        for (path, text) in expected(&repository, &main, &mended, pull) {
            task.check(
                format!("{path} of #{number}"),
                head.file(&path).equals(&text),
            );
        }
        let sha = head.get().map(|it| it.id().to_owned()).unwrap_or_default();
        let ran = runs::last_on(&after, &sha, "pull_request");
        task.check(
            format!("the checks of #{number} ran"),
            Condition::when(
                ran == Some(!is_red),
                format!("expected a run that says {}", !is_red),
            ),
        );
        let mut wanted = pull.clone();
        wanted.head_sha = sha;
        let label = if is_red { "red" } else { "green" };
        wanted.issue.labels.push(label.to_owned());
        task.check(
            format!("#{number} is {label} and otherwise as it was"),
            task.end().pull(number).is(wanted),
        );
    }
    assert!(
        red > 1 && red + 1 < pulls.len(),
        "there is nothing to tell apart"
    );
    task.nothing_else_moved(&Allowed {
        touched,
        new_pulls: 1,
        branches: &branches,
        ..Allowed::default()
    });
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
