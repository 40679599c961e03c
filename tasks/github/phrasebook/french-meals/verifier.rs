//! The branch as it must be repaired, and what follows from it.

#[path = "../handbook.rs"]
mod handbook;
#[path = "../line.rs"]
mod line;

use mcpmark_guest::github::{Allowed, Comment, Commit, Issue, Pull, Repository, Review};
use mcpmark_guest::{Condition, Found, Verifier};

mcpmark_guest::verifier!(verify);

const TITLE: &str = "fr: meals as one says it in a hut";
const PLAN: &str = "French before the season";
const PATH: &str = "handbook/fr/meals.md";

/// The page before and after, and the revisions that it follows then.
struct Work {
    before: String,
    after: String,
    from: u64,
    to: u64,
}

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let main = repository.branch("main").required();
    let pulls = task.start().pulls().required();
    let pull = pulls.iter().find(|it| it.issue.title == TITLE);
    let pull = pull.expect("the pull request is in this world");
    let old = repository.branch(&pull.head).required();
    let left = repository.merge_base(&old, &main).required();
    let work = work(&main, &old, &left);

    let tip = check_branch(task, pull, &old, &main, &work);
    let commits = task.added("main", "main");
    task.check("one commit on main", commits.count_is(1));
    task.check("it stands on main", commits.are_straight_on(&main));
    let merged = commits.nth(0);
    let (number, to) = (pull.issue.number, work.to);
    task.check(
        "the message of the merge",
        merged.message_is(&format!("{TITLE} (#{number})\n\nFollows revision {to}.")),
    );
    task.check("it changes the page alone", merged.changed_only([PATH]));
    task.check("the page on main", merged.file(PATH).equals(&work.after));

    let viewer = task.viewer();
    let overtaker = overtaker(&repository, &left, &pulls);
    check_pull(task, pull, (&tip, &merged), overtaker);
    let issues = task.start().issues().required();
    let plan = issues.iter().find(|it| it.title == PLAN);
    let plan = plan.expect("the plan is in this world");
    let id = merged.get().map(|it| it.id()[..10].to_owned());
    let wanted = Issue {
        title: "fr: meals".to_owned(),
        body: format!("Bring `{PATH}` from revision {} to {to}.", work.from),
        user: viewer.clone(),
        state: "closed".to_owned(),
        state_reason: Some("completed".to_owned()),
        closed_by: Some(viewer.clone()),
        labels: vec!["lang: fr".to_owned()],
        assignees: handbook::owners(&main, PATH),
        sub_issues: Vec::new(),
        comments: vec![Comment {
            user: viewer,
            body: format!("Done in {} by #{number}.", id.unwrap_or_default()),
        }],
        ..plan.clone()
    };
    check_part(task, &issues, plan, wanted);
    task.nothing_else_moved(&Allowed {
        touched: vec![number, plan.number],
        new_issues: 1,
        branches: &["main", &pull.head],
        ..Allowed::default()
    });
}

/// The page with the words of the pull request and the numbers of the source.
fn work(main: &Commit, old: &Commit, left: &Commit) -> Work {
    let source = handbook::page(main, "en", "meals");
    let (ours, theirs, base) = (
        handbook::page(main, "fr", "meals"),
        handbook::page(old, "fr", "meals"),
        handbook::page(left, "fr", "meals"),
    );
    let head = format!("follows: {}\n", ours.revision);
    let mut after = ours
        .text
        .replacen(&head, &format!("follows: {}\n", source.revision), 1);
    let mut reworded = 0;
    for (at, (_, line)) in ours.lines().into_iter().enumerate() {
        let (proposed, before) = (theirs.lines()[at].1, base.lines()[at].1);
        let words = if proposed == before { line } else { proposed };
        reworded += usize::from(proposed != before && line != before);
        let (wanted, found) = (
            handbook::values(source.lines()[at].1),
            handbook::values(words),
        );
        let new = match (wanted.as_slice(), found.as_slice()) {
            ([wanted], [found]) => words.replacen(found, wanted, 1),
            ([], []) => words.to_owned(),
            _ => panic!("a line has one number: {words}"),
        };
        after = after.replacen(&format!("{line}\n"), &format!("{new}\n"), 1);
    }
    assert!(
        reworded > 1 && source.revision > ours.revision,
        "there is no conflict"
    );
    Work {
        before: ours.text,
        after,
        from: ours.revision,
        to: source.revision,
    }
}

/// Checks the three commits, and gives the last.
fn check_branch(
    task: &mut Verifier,
    pull: &Pull,
    old: &Commit,
    main: &Commit,
    work: &Work,
) -> Found<Commit> {
    let repository = task.repository();
    let parent = |commit: &Found<Commit>| match commit.get() {
        Ok(it) => repository.commit(it.parents().first().map_or("", String::as_str)),
        Err(_) => commit.clone(),
    };
    let stands_on = |commit: &Found<Commit>, parents: &[&str]| {
        commit.satisfies(|it| Condition::equal(&parents, &it.parents()))
    };
    let tip = repository.branch(&pull.head);
    let merge = parent(&tip);
    let first = parent(&merge);
    let id = |commit: &Found<Commit>| {
        commit
            .get()
            .map(|it| it.id().to_owned())
            .unwrap_or_default()
    };

    task.check(
        "the first commit stands on the old branch",
        stands_on(&first, &[old.id()]),
    );
    task.check("its message", first.message_is("fr: meals as on main"));
    task.check("it changes the page alone", first.changed_only([PATH]));
    task.check(
        "it makes the page that of main",
        first.file(PATH).equals(&work.before),
    );
    task.check(
        "main is merged into the branch",
        stands_on(&merge, &[&id(&first), main.id()]),
    );
    let message = format!("Merge branch 'main' into {}", pull.head);
    task.check("the message of this merge", merge.message_is(&message));
    let same = merge.satisfies(|it| {
        Condition::when(
            it.has_tree_of(main),
            "expected the files of main, found others",
        )
    });
    task.check("the merge has the files of main", same);
    task.check(
        "the last commit stands on the merge",
        stands_on(&tip, &[&id(&merge)]),
    );
    let message = format!("fr: meals up to revision {}", work.to);
    task.check("the message of the last commit", tip.message_is(&message));
    task.check(
        "the last commit changes the page alone",
        tip.changed_only([PATH]),
    );
    task.check("the page on the branch", tip.file(PATH).equals(&work.after));
    tip
}

/// The pull request that changed the page on main since the branch had left it.
fn overtaker(repository: &Repository, left: &Commit, pulls: &[Pull]) -> u64 {
    let straight = line::straight(repository, "main");
    let since = straight
        .iter()
        .skip_while(|it| it.id() != left.id())
        .skip(1);
    let changed: Vec<&Commit> = since
        .filter(|it| it.changes().required().iter().any(|it| it.path == PATH))
        .collect();
    assert_eq!(changed.len(), 1, "one pull request overtook it");
    let pull = pulls
        .iter()
        .find(|it| it.merge_commit_sha.as_deref() == Some(changed[0].id()));
    pull.expect("a pull request overtook it").issue.number
}

fn check_pull(
    task: &mut Verifier,
    before: &Pull,
    (tip, merged): (&Found<Commit>, &Found<Commit>),
    overtaker: u64,
) {
    let user = task.viewer();
    let number = before.issue.number;
    let found = task.end().pull(number);
    let id = |commit: &Found<Commit>| commit.get().ok().map(|it| it.id().to_owned());
    let mut wanted = before.clone();
    wanted.issue.state = "closed".to_owned();
    wanted.issue.closed_by = Some(user.clone());
    wanted.issue.comments.push(Comment {
        user: user.clone(),
        body: format!("Overtaken by #{overtaker}."),
    });
    wanted.head_sha = id(tip).unwrap_or_default();
    wanted.merge_method = Some("squash".to_owned());
    wanted.merge_commit_sha = id(merged);
    wanted.merged_at = found.get().ok().and_then(|it| it.merged_at.clone());
    wanted.reviews.push(Review {
        user,
        body: "Read.".to_owned(),
        state: "APPROVED".to_owned(),
    });
    let last = wanted.head_sha.clone();
    task.check("it is squashed", found.is_merged_by("squash"));
    task.check(
        format!("#{number} is merged, with its comment and its review"),
        found.is(wanted),
    );
    let reviewed = task.end().file("pulls.json").json().items().map(|pulls| {
        let own = pulls.iter().find(|it| it["number"] == number);
        let reviews = own.and_then(|it| it["reviews"].as_array());
        let review = reviews.and_then(|it| it.last());
        let commit = review.and_then(|it| it["commit_id"].as_str());
        commit.unwrap_or_default().to_owned()
    });
    task.check("the review is of the last commit", reviewed.equals(&last));
}

/// Checks the new issue and its place below the plan.
fn check_part(task: &mut Verifier, before: &[Issue], plan: &Issue, mut wanted: Issue) {
    let new = task.new_issue();
    let number = new.get().map(|it| it.number).unwrap_or_default();
    wanted.number = number;
    let title = wanted.title.clone();
    task.check(format!("the issue {title:?}"), new.is_like(&wanted));
    let name = |number: &u64| {
        let issue = before.iter().find(|it| it.number == *number);
        issue.expect("the plan has it").title.clone()
    };
    let at = plan
        .sub_issues
        .iter()
        .take_while(|it| name(it) < title)
        .count();
    let mut split = plan.clone();
    split.sub_issues.insert(at, number);
    assert!(
        at > 0 && at + 1 < split.sub_issues.len(),
        "its place is at an end"
    );
    task.check(
        "the issue stands in its place below the plan",
        task.end().issue(plan.number).is(split),
    );
}
