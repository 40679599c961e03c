//! The retired machines, found again in the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Commit, Proposal};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "retire-2025-11";
const ISSUE: &str = "Retire what should be gone by now";
const TODAY: &str = "2025-11-03";
const TARGETS: &str = "monitoring/targets.csv";
const RETIRED: &str = "docs/retired.csv";

struct Machine {
    path: String,
    name: String,
    site: String,
    roles: String,
    day: String,
}

fn verify(task: &mut Verifier) {
    let main = task.start().repository().branch("main").required();
    let due = due(&main);
    assert!(due.len() > 3, "nothing is due in this world");
    let commits = task.added(BRANCH, "main");
    task.check(
        "a commit for each machine and one for the lists",
        commits.count_is(due.len() + 1),
    );
    task.check(
        "they stand on main in a line",
        commits.are_straight_on(&main),
    );
    for (at, machine) in due.iter().enumerate() {
        let commit = commits.nth(at);
        let name = &machine.name;
        task.check(
            format!("the message for {name}"),
            commit.message_is(&format!("Retire {name}")),
        );
        task.check(
            format!("the file of {name} alone is gone"),
            commit
                .changed_only([&machine.path])
                .and(commit.file(&machine.path).is_absent()),
        );
    }
    let last = commits.nth(due.len());
    task.check(
        "the message for the lists",
        last.message_is("Take retired machines off the lists"),
    );
    let mut lists = vec![(TARGETS.to_owned(), ",9100")];
    for path in main.files("inventory").required() {
        lists.push((path, ""));
    }
    let mut paths = vec![RETIRED.to_owned()];
    for (path, end) in lists {
        let before = main.file(&path).text().required();
        let is_kept = |line: &&str| {
            let name = line.strip_suffix(end).unwrap_or(line);
            due.iter().all(|it| it.name != name)
        };
        let expected: String = before
            .lines()
            .filter(is_kept)
            .map(|line| format!("{line}\n"))
            .collect();
        if expected != before {
            task.check(path.clone(), last.file(&path).equals(&expected));
            paths.push(path);
        }
    }
    let mut retired = String::from("host,site,roles,retire_after\n");
    for it in &due {
        let roles = it.roles.replace(", ", "+");
        retired.push_str(&format!("{},{},{roles},{}\n", it.name, it.site, it.day));
    }
    task.check(
        "the list of the retired",
        last.file(RETIRED).equals(&retired),
    );
    task.check("the lists alone are changed", last.changed_only(&paths));

    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world");
    let names: Vec<&str> = due.iter().map(|it| it.name.as_str()).collect();
    task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: "Retire what is due",
        body: &format!("Closes #{}\n\n{}", issue.number, names.join(", ")),
        reviewers: &[&issue.user],
    });
    task.nothing_else_moved(&Allowed {
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

/// The machines whose day is over, by name.
fn due(main: &Commit) -> Vec<Machine> {
    let paths = main.files("hosts").required();
    let machines = paths.into_iter().map(|path| {
        let text = main.file(&path).text().required();
        let value = |key: &str| {
            let mut values = text
                .lines()
                .filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
            values.next().expect("each machine has it").to_owned()
        };
        Machine {
            name: value("host"),
            site: value("site"),
            roles: value("roles"),
            day: value("retire_after"),
            path,
        }
    });
    let mut due: Vec<Machine> = machines.filter(|it| it.day.as_str() < TODAY).collect();
    due.sort_by(|one, other| one.name.cmp(&other.name));
    due
}
