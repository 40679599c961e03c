//! How the solution goes about it; the wrong ones slip on one rule each.

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const BRANCH: &str = "desk/turns";
const TURNS: [&str; 3] = ["needs work", "needs review", "ready"];

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes a review for one of the head.
    pub overlooks_pushes: bool,
    /// Takes the first review of each reviewer.
    pub first_word_holds: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    site.file_at("main", "docs/reviews.md");
    let mut pulls = site.pulls("open");
    pulls.retain(|it| it["draft"] != true);
    pulls.sort_by_key(|it| number(&it["number"]));
    let mut text = String::from("# Whose turn it is\n\n");
    let mut counts = [0; 3];
    for pull in &pulls {
        let number = number(&pull["number"]);
        let reviews = site.json("get_pull_request_reviews", &json!({"pullNumber": number}));
        let (turn, people) = turn(pull, &reviews, slips);
        counts[turn] += 1;
        let names = people.join(", ");
        let told = match people.is_empty() {
            true => TURNS[turn].to_owned(),
            false => format!("{} ({names})", TURNS[turn]),
        };
        text.push_str(&format!("- #{number}: {told}\n"));
        let mut wanted = labels(pull);
        wanted.retain(|label| !TURNS.contains(&label.as_str()));
        wanted.push(TURNS[turn].to_owned());
        site.update_issue(number, &json!({"labels": wanted}));
        if turn == 1 && !people.is_empty() {
            site.update_pull(number, &json!({"reviewers": people}));
        }
    }
    let [work, review, ready] = counts;
    text.push_str(&format!(
        "\nNeeds work: {work}, needs review: {review}, ready: {ready}.\n"
    ));
    site.create_branch(BRANCH, "main");
    let file = ("docs/turns.md".to_owned(), text);
    site.push(BRANCH, "docs: whose turn it is now", &[file]);
    format!("{} pull requests have their turn.", pulls.len())
}

/// Which of the turns it is, and by whom.
fn turn(pull: &Value, reviews: &Value, slips: &Slips) -> (usize, Vec<String>) {
    // What holds of each: whether it asks for changes, and whether it is of the head.
    let mut holds: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for review in reviews.as_array().into_iter().flatten() {
        let asks = match string(&review["state"]) {
            "APPROVED" => false,
            "CHANGES_REQUESTED" => true,
            _ => continue,
        };
        let login = string(&review["user"]["login"]);
        let is_of_head = slips.overlooks_pushes || review["commit_id"] == pull["head"]["sha"];
        if !(slips.first_word_holds && holds.contains_key(login)) {
            holds.insert(login, (asks, is_of_head));
        }
    }
    let who = |fits: &dyn Fn((bool, bool)) -> bool| -> Vec<String> {
        let fitting = holds.iter().filter(|(_, it)| fits(**it));
        fitting.map(|(login, _)| (*login).to_owned()).collect()
    };
    let rules: [(usize, Vec<String>); 3] = [
        (0, who(&|(asks, is_of_head)| asks && is_of_head)),
        (1, who(&|(_, is_of_head)| !is_of_head)),
        (2, who(&|(asks, is_of_head)| !asks && is_of_head)),
    ];
    let rule = rules.into_iter().find(|(_, people)| !people.is_empty());
    rule.unwrap_or((1, Vec::new()))
}
