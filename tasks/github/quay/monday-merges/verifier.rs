//! What was ready, found again in the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, GitChangeKind, Pull, Repository};

mcpmark_guest::verifier!(verify);

/// What becomes of a pull request.
enum Fate {
    Merged { approved_by: String },
    Told(&'static str),
}

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let mut pulls = task.start().pulls().required();
    pulls.retain(|it| it.issue.state == "open" && !it.draft && it.base == "main" && is_ready(it));
    pulls.sort_by_key(|it| it.issue.number);
    let fates: Vec<(&Pull, Fate)> = pulls
        .iter()
        .map(|pull| (pull, fate(&repository, &main, pull)))
        .collect();
    let is_merged = |(_, fate): &&(&Pull, Fate)| matches!(fate, Fate::Merged { .. });
    let merged: Vec<&(&Pull, Fate)> = fates.iter().filter(is_merged).collect();
    assert!(
        merged.len() > 1 && merged.len() + 2 < fates.len(),
        "there is nothing to decide"
    );

    let commits = task.added("main", "main");
    task.check("a commit for each merge", commits.count_is(merged.len()));
    task.check(
        "they stand on main in a line",
        commits.are_straight_on(&main),
    );
    let viewer = task.viewer();
    for (at, (pull, fate)) in merged.iter().enumerate() {
        let Fate::Merged { approved_by } = fate else {
            continue;
        };
        let number = pull.issue.number;
        let commit = commits.nth(at);
        let title = &pull.issue.title;
        let message = format!("{title} (#{number})\n\nReviewed-by: {approved_by}");
        task.check(
            format!("the message of #{number}"),
            commit.message_is(&message),
        );
        let head = repository.branch(&pull.head).required();
        let base = repository.merge_base(&head, &main).required();
        let changes = head.changes_since(&base).required();
        let paths: Vec<&str> = changes.iter().map(|it| it.path.as_str()).collect();
        task.check(
            format!("the files of #{number}"),
            commit.changed_only(&paths),
        );
        for path in &paths {
            let expected = head.file(path).text().required();
            task.check(
                format!("{path} of #{number}"),
                commit.file(path).equals(&expected),
            );
        }
        let found = task.end().pull(number);
        task.check(
            format!("#{number} is squashed"),
            found.is_merged_by("squash"),
        );
        let mut expected = without_label(pull);
        expected.issue.state = "closed".to_owned();
        expected.issue.closed_by = Some(viewer.clone());
        expected.merge_method = Some("squash".to_owned());
        expected.merge_commit_sha = commit.get().ok().map(|it| it.id().to_owned());
        expected.merged_at = found.get().ok().and_then(|it| it.merged_at.clone());
        task.check(
            format!("#{number} is as it should be"),
            commit.exists().and(found.is(expected)),
        );
    }
    for (pull, fate) in &fates {
        let Fate::Told(words) = fate else { continue };
        let mut expected = without_label(pull);
        expected.issue.comments.push(Comment {
            user: viewer.clone(),
            body: (*words).to_owned(),
        });
        let number = pull.issue.number;
        task.check(
            format!("#{number} is told why not"),
            task.end().pull(number).is(expected),
        );
    }
    task.nothing_else_moved(&Allowed {
        touched: pulls.iter().map(|it| it.issue.number).collect(),
        branches: &["main"],
        ..Allowed::default()
    });
}

fn is_ready(pull: &Pull) -> bool {
    pull.issue.labels.iter().any(|label| label == "ready")
}

fn without_label(pull: &Pull) -> Pull {
    let mut pull = pull.clone();
    pull.issue.labels.retain(|label| label != "ready");
    pull
}

fn fate(repository: &Repository, main: &Commit, pull: &Pull) -> Fate {
    let is_last = |at: usize| {
        let review = &pull.reviews[at];
        let later = &pull.reviews[at + 1..];
        review.state != "COMMENTED" && later.iter().all(|it| it.user != review.user)
    };
    let last = |state: &str| {
        let at = (0..pull.reviews.len()).find(|&at| pull.reviews[at].state == state && is_last(at));
        at.map(|at| pull.reviews[at].user.clone())
    };
    match (last("APPROVED"), last("CHANGES_REQUESTED")) {
        (Some(_), None) if conflicts(repository, main, pull) => Fate::Told("Conflicts with main."),
        (Some(approved_by), None) => Fate::Merged { approved_by },
        _ => Fate::Told("Not approved yet."),
    }
}

/// Whether main and the branch changed the same file since they parted: in this world that is in the same
/// lines, and those that are merged add files that nobody else has.
fn conflicts(repository: &Repository, main: &Commit, pull: &Pull) -> bool {
    let head = repository.branch(&pull.head).required();
    let base = repository.merge_base(&head, main).required();
    let ours = main.changes_since(&base).required();
    let theirs = head.changes_since(&base).required();
    let both = theirs
        .iter()
        .filter(|it| ours.iter().any(|other| other.path == it.path));
    both.inspect(|it| assert_eq!(it.kind, GitChangeKind::Modified))
        .count()
        > 0
}
