//! How the solution goes about it; the wrong ones slip on one rule each.

use std::collections::BTreeMap;

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;
use mcpmark_guest::github::{labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const TURNS: [&str; 3] = ["needs work", "needs review", "ready"];
/// First names of the team, as they are used in comments.
const NAMES: [(&str, &str); 2] = [("Kiran", "kbanerjee"), ("João", "jferreira")];

/// What a wrong solution does, and what another right one does otherwise.
#[derive(Default)]
pub struct Slips {
    /// Takes a review for one of the head.
    pub overlooks_pushes: bool,
    /// Takes the first review of each reviewer.
    pub first_word_holds: bool,
    /// Asks people who are on leave.
    pub overlooks_leaves: bool,
    /// Takes a leave that is over for one of today.
    pub believes_old_leaves: bool,
    /// Leaves the labels of weeks ago beside the new ones.
    pub keeps_old_labels: bool,
    /// Right: the newest first, and asks before it labels.
    pub newest_first: bool,
    /// Right: looks at each open pull request for itself.
    pub searches: bool,
    /// Right: leaves out what has only been commented.
    pub counts_reviews: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "wickerwork", "fortnight");
    site.file_at("main", "docs/reviews.md");
    let mut pulls = open(&mut site, slips.searches);
    pulls.retain(|it| it["draft"] != true);
    pulls.sort_by_key(|it| number(&it["number"]));
    if slips.newest_first {
        pulls.reverse();
    }
    let mut count = 0;
    for pull in &pulls {
        let number = number(&pull["number"]);
        let reviews = site.json("get_pull_request_reviews", &json!({"pullNumber": number}));
        if reviews.as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        let (turn, mut people) = turn(pull, &reviews, slips);
        if turn == 1 && people.is_empty() && slips.counts_reviews {
            continue;
        }
        count += 1;
        let asks = turn == 1 && !people.is_empty();
        let comments = if asks {
            site.comments(number)
        } else {
            Vec::new()
        };
        for comment in comments {
            if let Some((away, stand_in)) = leave(&comment, slips) {
                for login in people.iter_mut().filter(|it| **it == away) {
                    stand_in.clone_into(login);
                }
            }
        }
        people.dedup();
        if asks && slips.newest_first {
            site.update_pull(number, &json!({"reviewers": people}));
        }
        let mut wanted = labels(pull);
        if !slips.keeps_old_labels {
            wanted.retain(|label| !TURNS.contains(&label.as_str()));
        }
        wanted.push(TURNS[turn].to_owned());
        wanted.dedup();
        site.update_issue(number, &json!({"labels": wanted}));
        if asks && !slips.newest_first {
            site.update_pull(number, &json!({"reviewers": people}));
        }
    }
    format!("{count} pull requests have their turn.")
}

/// The open pull requests; if not each for itself, only those that have been reviewed.
fn open(site: &mut RepoTools<'_>, each: bool) -> Vec<Value> {
    let reviewed = if each { "" } else { " -review:none" };
    let query = format!("is:open draft:false{reviewed} repo:wickerwork/fortnight");
    let query = json!({"query": query});
    let found = site.pages("search_pull_requests", Some("items"), &query);
    let numbers = found.iter().map(|it| number(&it["number"]));
    let numbers: Vec<u64> = numbers.collect();
    if !each {
        let mut pulls = site.pulls("open");
        pulls.retain(|it| numbers.contains(&number(&it["number"])));
        return pulls;
    }
    let pulls = numbers
        .into_iter()
        .map(|number| site.json("get_pull_request", &json!({"pullNumber": number})));
    pulls.collect()
}

/// Who is on leave by a comment, and who stands in.
fn leave<'a>(comment: &'a Value, slips: &Slips) -> Option<(&'a str, &'static str)> {
    let body = string(&comment["body"]);
    let is_leave = body.contains("on leave until");
    let is_over = body.contains("April");
    if !is_leave || (is_over && !slips.believes_old_leaves) || slips.overlooks_leaves {
        return None;
    }
    let (_, login) = NAMES.iter().find(|(name, _)| body.contains(name))?;
    Some((string(&comment["user"]["login"]), login))
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
