//! The lines that are of no use, found again in the starting world.

use mcpmark_guest::Verifier;
use mcpmark_guest::github::{Allowed, Commit, Proposal};

mcpmark_guest::verifier!(verify);

const BRANCH: &str = "settings/own-values";
const TITLE: &str = "hosts: take out values that are of no use";
const ISSUE: &str = "Machines that set what their role sets already";

/// A machine with the lines that go.
struct Machine {
    path: String,
    after: String,
    told: Vec<String>,
}

fn verify(task: &mut Verifier) {
    let main = task.start().repository().branch("main").required();
    let mut machines: Vec<Machine> = main
        .files("hosts")
        .required()
        .into_iter()
        .map(|path| judge(&main, path))
        .collect();
    let all = machines.len();
    machines.retain(|it| !it.told.is_empty());
    assert!(
        machines.len() > 3 && machines.len() < all,
        "there is nothing to decide"
    );
    machines.sort_by(|one, other| one.path.cmp(&other.path));
    let paths: Vec<&str> = machines.iter().map(|it| it.path.as_str()).collect();
    let tip = task.check_one_commit((BRANCH, "main"), TITLE, &paths);
    for machine in &machines {
        task.check(
            machine.path.clone(),
            tip.file(&machine.path).equals(&machine.after),
        );
    }
    let issues = task.start().issues().required();
    let issue = issues.iter().find(|it| it.title == ISSUE);
    let issue = issue.expect("the issue is in this world");
    let told: Vec<String> = machines.into_iter().flat_map(|it| it.told).collect();
    task.check_new_pull(&Proposal {
        head: BRANCH,
        base: "main",
        title: TITLE,
        body: &format!("Closes #{}\n\n{}", issue.number, told.join("\n")),
        reviewers: &[&issue.user],
    });
    task.nothing_else_moved(&Allowed {
        new_pulls: 1,
        branches: &[BRANCH],
        ..Allowed::default()
    });
}

fn judge(main: &Commit, path: String) -> Machine {
    let text = main.file(&path).text().required();
    let pairs = |text: &str| -> Vec<(String, String)> {
        let pairs = text.lines().filter_map(|line| line.split_once(": "));
        pairs
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    };
    let own = pairs(&text);
    let roles = own.iter().find(|(key, _)| key == "roles");
    let (_, roles) = roles.expect("each machine has roles");
    let settings: Vec<(String, String)> = roles
        .split(", ")
        .flat_map(|role| {
            let path = format!("roles/{role}/settings.yml");
            pairs(&main.file(&path).text().required())
        })
        .collect();
    let name = &own[0].1;
    let (mut after, mut told) = (String::new(), Vec::new());
    for (key, value) in &own {
        match settings.iter().find(|(it, _)| it == key) {
            Some((_, role)) if is_useless(key, value, role) => {
                told.push(format!("- {name}: {key} ({value}, the role has {role})"));
            }
            _ => after.push_str(&format!("{key}: {value}\n")),
        }
    }
    Machine { path, after, told }
}

fn is_useless(key: &str, value: &str, role: &str) -> bool {
    let parts = |version: &str| -> Vec<u64> {
        let parts = version.split('.').map(str::parse);
        parts
            .collect::<Result<_, _>>()
            .expect("versions are numbers")
    };
    value == role || (key.ends_with("_version") && parts(value) < parts(role))
}
