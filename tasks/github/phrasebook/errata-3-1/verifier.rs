//! The errors of the print, found again in the starting world.

#[path = "../handbook.rs"]
mod handbook;
#[path = "../line.rs"]
mod line;

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Comment, Commit, Proposal, Pull};

mcpmark_guest::verifier!(verify);

const BASE: &str = "release/3.1";
const BRANCH: &str = "errata/3.1.2";
const ISSUE: &str = "Which numbers in the print of 3.1 are wrong?";
const HEAD: &str = "# Changelog\n\n";

/// A page with errors.
struct Page {
    language: &'static str,
    path: String,
    follows: u64,
    /// The text as it should be.
    right: String,
    /// What is told of each error: `de/fees: 14 instead of 12`.
    errors: Vec<String>,
}

fn verify(task: &mut Verifier) {
    let repository = task.start().repository();
    let base = repository.branch(BASE).required();
    let names = handbook::names(&base);
    let pages = handbook::LANGUAGES
        .into_iter()
        .flat_map(|language| names.iter().map(move |name| (language, name)));
    let pages: Vec<Page> = pages
        .filter_map(|(language, name)| judge(&base, language, name))
        .collect();
    let errors: Vec<&str> = pages
        .iter()
        .flat_map(|it| &it.errors)
        .map(String::as_str)
        .collect();
    let mut languages: Vec<&str> = pages.iter().map(|it| it.language).collect();
    languages.dedup();
    assert!(
        languages.len() > 1 && errors.len() > 4,
        "the print is right"
    );

    let commits = task.added(BRANCH, BASE);
    task.check(
        "a commit for each language and one for the release",
        commits.count_is(languages.len() + 1),
    );
    task.check(
        "they stand on the release branch",
        commits.are_straight_on(&base),
    );
    for (at, language) in languages.iter().enumerate() {
        let commit = commits.nth(at);
        let message = format!("errata: {language}");
        task.check(
            format!("the message {message:?}"),
            commit.message_is(&message),
        );
        let own: Vec<&Page> = pages.iter().filter(|it| it.language == *language).collect();
        let paths: Vec<&str> = own.iter().map(|it| it.path.as_str()).collect();
        task.check(
            format!("the pages of {language} alone change"),
            commit.changed_only(&paths),
        );
        for page in own {
            task.check(
                page.path.clone(),
                commit.file(&page.path).equals(&page.right),
            );
        }
    }
    let last = commits.nth(languages.len());
    task.check(
        "the message of the release",
        last.message_is("Release 3.1.2"),
    );
    task.check(
        "the release changes two files",
        last.changed_only(["CHANGELOG.md", "VERSION"]),
    );
    task.check("VERSION", last.file("VERSION").equals("3.1.2\n"));
    let before = base.file("CHANGELOG.md").text().required();
    let before = before
        .strip_prefix(HEAD)
        .expect("the change log has its head");
    let entries: String = errors.iter().map(|it| format!("- {it}\n")).collect();
    let log = format!("{HEAD}## 3.1.2 - 2025-10-20\n\n### Fixed\n\n{entries}\n{before}");
    task.check("CHANGELOG.md", last.file("CHANGELOG.md").equals(&log));

    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let mut issue = issue.expect("the issue is in this world").clone();
    let own = task.check_new_pull(&Proposal {
        head: BRANCH,
        base: BASE,
        title: "Release 3.1.2",
        body: &format!("For #{}: {} errors.", issue.number, errors.len()),
        reviewers: &["btosch"],
    });
    let own = own.get().map(|it| it.issue.number).unwrap_or_default();
    let mut touched = vec![issue.number];
    let pulls = task.start().pulls().required();
    let straight = line::straight(&repository, BASE);
    for page in &pages {
        let Some(pull) = origin(&straight, &pulls, page) else {
            continue;
        };
        let said = page
            .errors
            .iter()
            .map(|it| format!("{it}, put right in #{own}."));
        let said: Vec<String> = said.collect();
        let number = pull.issue.number;
        let mut wanted = pull.clone();
        wanted.issue.comments.push(Comment {
            user: task.viewer(),
            body: said.join("\n"),
        });
        touched.push(number);
        task.check(
            format!("#{number} is told of {}", page.path),
            task.end().pull(number).is(wanted),
        );
    }
    assert!(touched.len() > 3, "there is nobody to tell");
    issue.assignees = vec!["btosch".to_owned()];
    task.check(
        "the issue is assigned to btosch",
        task.end().issue(issue.number).is(issue.clone()),
    );
    task.nothing_else_moved(&Allowed {
        touched,
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// The errors of a page; none where it has none, or lags behind.
fn judge(base: &Commit, language: &'static str, name: &str) -> Option<Page> {
    let source = handbook::page(base, "en", name);
    let own = handbook::page(base, language, name);
    if own.revision != source.revision {
        return None;
    }
    let (mut right, mut errors) = (own.text.clone(), Vec::new());
    for ((_, theirs), (_, ours)) in source.lines().iter().zip(own.lines()) {
        let (wanted, found) = (handbook::values(theirs), handbook::values(ours));
        if wanted == found {
            continue;
        }
        let ([wanted], [found]) = (wanted.as_slice(), found.as_slice()) else {
            panic!("a line has one number: {ours}");
        };
        let mended = ours.replacen(found, wanted, 1);
        right = right.replacen(&format!("{ours}\n"), &format!("{mended}\n"), 1);
        errors.push(format!("{language}/{name}: {wanted} instead of {found}"));
    }
    (!errors.is_empty()).then_some(Page {
        language,
        path: own.path,
        follows: own.revision,
        right,
        errors,
    })
}

/// The pull request by which a page began to follow its revision.
fn origin<'a>(straight: &[Commit], pulls: &'a [Pull], page: &Page) -> Option<&'a Pull> {
    let line = format!("follows: {}", page.follows);
    let follows = |commit: &&Commit| {
        let text = commit.file(&page.path).text();
        text.get()
            .is_ok_and(|text| text.lines().any(|it| it == line))
    };
    let first = straight.iter().rev().take_while(follows).last();
    let first = first.expect("the tip follows it");
    pulls
        .iter()
        .find(|it| it.merge_commit_sha.as_deref() == Some(first.id()))
}
