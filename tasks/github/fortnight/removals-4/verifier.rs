//! What goes, read again from the starting world, and its issues.

use mcpmark_guest::github::{Allowed, Commit, Issue};
use mcpmark_guest::{Condition, Found, Verifier};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "desk/removals-4";
const FILE: &str = "docs/removals-4.md";
const VERSION: &str = "4.0.0";

/// A method that goes.
struct Method {
    name: String,
    path: String,
    since: String,
    instead: String,
}

fn verify(task: &mut Verifier) {
    let main = task.start().repository().branch("main").required();
    let methods = methods(&main);
    let before = task.start().issues().required();
    let is_there = |method: &Method| {
        let title = title(method);
        before
            .iter()
            .any(|it| it.title == title && it.state == "open")
    };
    let missing = methods.iter().filter(|it| !is_there(it)).count();
    assert!(
        missing > 2 && missing < methods.len(),
        "there is nothing to decide"
    );

    let issues = task.end().issues();
    let mut numbers = Vec::new();
    for method in &methods {
        let title = title(method);
        let issue = issues.one(&title, |it| it.title == title && it.state == "open");
        let number = issue.get().map(|it| it.number).unwrap_or_default();
        let name = &method.name;
        if is_there(method) {
            task.check(format!("the issue of {name} stays"), issue.is_unchanged());
        } else {
            let expected = Issue {
                body: format!(
                    "Deprecated since {} in `{}`. Use `{}` instead.",
                    method.since, method.path, method.instead
                ),
                labels: vec!["deprecation".to_owned()],
                ..new(task, number, &title)
            };
            task.check(
                format!("there is an issue for {name}"),
                issue.exists().and(issue.is_like(&expected)),
            );
        }
        numbers.push(number);
    }

    let name = format!("What goes in {VERSION}");
    let whole = issues.one("the issue of all", |it| it.title == name);
    let lines = methods.iter().zip(&numbers);
    let list: Vec<String> = lines
        .clone()
        .map(|(method, number)| format!("- #{number} {}", method.name))
        .collect();
    let number = whole.get().map(|it| it.number).unwrap_or_default();
    task.check(
        "the list of all",
        whole.map(|it| it.body.clone()).equals(&list.join("\n")),
    );
    task.check(
        "all hang below one, in their order",
        whole.map(|it| it.sub_issues.clone()).equal(&numbers),
    );
    let expected = Issue {
        body: list.join("\n"),
        labels: vec!["breaking".to_owned()],
        sub_issues: numbers.clone(),
        ..new(task, number, &name)
    };
    task.check(
        "the issue of all says nothing else",
        whole.is_like(&expected).and(is_new(&whole, &before)),
    );

    let tip = task.check_one_commit((BRANCH, "main"), "docs: what goes in 4.0.0", [FILE]);
    let file = tip.file(FILE);
    let mut text = String::from(
        "# What goes in 4.0.0\n\n| Method | File | Since | Instead | Issue |\n|---|---|---|---|---|\n",
    );
    for (at, (method, number)) in lines.enumerate() {
        let Method {
            name,
            path,
            since,
            instead,
        } = method;
        let line = format!("| {name} | {path} | {since} | {instead} | #{number} |");
        task.check(
            format!("the line of {name}"),
            file.text().line(5 + at).equals(&line),
        );
        text.push_str(&format!("{line}\n"));
    }
    text.push_str(&format!("\nSee #{number}.\n"));
    task.check("the page to the last byte", file.equals(&text));
    task.nothing_else_moved(&Allowed {
        touched: numbers,
        new_issues: missing + 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn title(method: &Method) -> String {
    format!("Remove {}", method.name)
}

/// An open issue of whom the tools act as, of which nothing else is said.
fn new(task: &Verifier, number: u64, title: &str) -> Issue {
    Issue {
        number,
        title: title.to_owned(),
        body: String::new(),
        user: task.viewer(),
        state: "open".to_owned(),
        state_reason: None,
        duplicate_of: None,
        labels: Vec::new(),
        assignees: Vec::new(),
        milestone: None,
        kind: None,
        locked: false,
        closed_by: None,
        reactions: Vec::new(),
        sub_issues: Vec::new(),
        comments: Vec::new(),
    }
}

fn is_new(issue: &Found<Issue>, before: &[Issue]) -> Condition {
    issue.satisfies(|issue| {
        let is_old = before.iter().any(|it| it.number == issue.number);
        Condition::when(!is_old, "expected a new issue")
    })
}

/// The methods that go in this version, sorted by name.
fn methods(main: &Commit) -> Vec<Method> {
    let mut methods = Vec::new();
    for path in main.files("lib").required() {
        let text = main.file(&path).text().required();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(says) = line.strip_prefix("# @deprecated since ") else {
                continue;
            };
            let marks = format!(", goes in {VERSION}: use ");
            let Some((since, instead)) = says.split_once(&marks) else {
                continue;
            };
            let head = lines[at + 1].strip_prefix("def ");
            let head = head.expect("a method stands below");
            let end = head.find(['(', ' ']).unwrap_or(head.len());
            let owner = lines[..at].iter().rev().find_map(|line| {
                let module = line.strip_prefix("module ");
                module.or_else(|| line.strip_prefix("class "))
            });
            let owner = owner.expect("a method belongs to something");
            let name = match head[..end].strip_prefix("self.") {
                Some(name) => format!("{owner}.{name}"),
                None => format!("{owner}#{}", &head[..end]),
            };
            methods.push(Method {
                name,
                path: path.clone(),
                since: since.to_owned(),
                instead: instead.to_owned(),
            });
        }
    }
    methods.sort_by(|one, other| one.name.cmp(&other.name));
    methods
}
