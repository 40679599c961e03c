//! Checks that the answer says that the code on main does not use the setting.

mod answer;

use mcpmark_guest::github::{Allowed, Issue};
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::prose::Person;
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::serde_json::Value;
use mcpmark_guest::{Found, Verifier};

use crate::answer::{Setting, conditions};

mcpmark_guest::verifier!(verify);

const QUESTION: &str = "What does rest_hours count from?";
/// The day of the clock in `world.json`.
const TODAY: Date = date(2025, 3, 3);
/// Directories of the working tree with the code of the controller and of its page.
const CODE: [&str; 2] = ["repo/sluice", "repo/web"];

fn verify(task: &mut Verifier) {
    let issues = task.start().issues();
    let issue = issues
        .one("the question", |it| it.title == QUESTION)
        .required();
    let setting = setting(task, &issue);
    let text = said(task, &issue);
    for (name, condition) in conditions(&setting, &text) {
        task.check(format!("the answer: {name}"), condition);
    }
    let now = task.end().issue(issue.number);
    task.check("the question is still open", now.is_open());
    let others = now.map(|now| {
        let mut now = now.clone();
        now.comments.truncate(issue.comments.len());
        now.state.clone_from(&issue.state);
        now.state_reason.clone_from(&issue.state_reason);
        now.closed_by.clone_from(&issue.closed_by);
        now
    });
    let count = now.comments().count_is(issue.comments.len() + 1);
    task.check(
        "the question has one more comment and is otherwise as it was",
        others.is_like(&issue).and(count),
    );
    task.nothing_else_moved(&Allowed {
        touched: vec![issue.number],
        ..Allowed::default()
    });
}

/// Collects the facts about the setting on main.
fn setting(task: &Verifier, issue: &Issue) -> Setting {
    let start = task.start();
    let mut places = Vec::new();
    for directory in CODE {
        for path in start.files(directory).required() {
            let text = start.file(&path).text().required();
            if text.contains(answer::SETTING) {
                places.push(path.trim_start_matches("repo/").to_owned());
            }
        }
    }
    assert_eq!(places, [answer::READ_IN], "the code uses the setting");
    let main = start.repository().branch("main").required();
    let crops = start.files("repo/crops").required();
    let hours = crops.iter().filter_map(|path| {
        let text = start.file(path).text().required();
        let line = text.lines().find(|it| it.starts_with(answer::SETTING))?;
        line.rsplit(' ').next()?.parse().ok()
    });
    let hours = hours.collect();
    let decides = start.file(format!("repo/{}", answer::DECIDES));
    let constants = decides.lines().required().into_iter().filter_map(|line| {
        let (name, value) = line.split_once(" = ")?;
        let is_constant = name.chars().all(|it| it.is_ascii_uppercase() || it == '_');
        value.parse::<Decimal>().ok().filter(|_| is_constant)
    });
    let version = start.file("repo/sluice/__init__.py").text().required();
    let release = version.split('"').find(|it| {
        let mut parts = it.split('.');
        it.contains('.') && parts.all(|part| part.parse::<u64>().is_ok())
    });
    let tree = start.walk("repo").required();
    let paths = tree.iter().map(|it| it.path.trim_start_matches("repo/"));
    let issues = start.file("issues.json").json().required();
    let mut records = issues.as_array().into_iter().flatten();
    let record = records.find(|it| it["number"] == issue.number);
    let asked = record.and_then(|it| it["created_at"].as_str()?.get(..10)?.parse().ok());
    let users = start.file("users.json").json().required();
    let users = users.as_array().into_iter().flatten();
    let people = users.filter_map(|it: &Value| {
        let login = it["login"].as_str()?;
        let name = it["name"].as_str().unwrap_or(login);
        Some(Person::new(name).handle(login))
    });
    Setting {
        issue: issue.number,
        commit: main.id().to_owned(),
        hours,
        constants: constants.collect(),
        release: release.expect("main has a version").to_owned(),
        days: [asked.expect("it has a day"), TODAY],
        paths: paths.map(str::to_owned).collect(),
        people: people.collect(),
    }
}

/// The text of the comment that the agent added.
fn said(task: &Verifier, issue: &Issue) -> Found<String> {
    let new = task.end().issue(issue.number).comments().map(|comments| {
        let before = issue.comments.len().min(comments.len());
        comments[before..].to_vec()
    });
    new.text_by(&task.viewer())
}
