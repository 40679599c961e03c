//! The solution, which looks for the setting in the code that plans runs. Wrong solutions make one mistake each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::{RepoTools, labels, number, string};
use mcpmark_guest::serde_json::{Value, json};

const QUESTION: &str = "What does rest_hours count from?";
const SETTING: &str = "rest_hours";
/// The module that reads the settings of a crop, and the one that decides about runs.
const CROPS: &str = "sluice/crops.py";
const SCHEDULE: &str = "sluice/schedule.py";

/// Differences from the solution.
#[derive(Default)]
pub struct Manner {
    /// Answers by the handbook.
    pub believes_the_handbook: bool,
    /// Answers by the time that a planned run stores.
    pub guesses_from_a_run: bool,
    /// Says that the setting worked once.
    pub invents_a_history: bool,
    /// Names no file.
    pub names_no_file: bool,
    /// Tells the grower to remove the line.
    pub tells_to_remove_it: bool,
    /// Closes the question.
    pub closes_the_question: bool,
    /// Labels the question as a bug.
    pub calls_it_a_bug: bool,
    /// Right: reads the code first.
    pub code_first: bool,
    /// Right: uses the searches of the site.
    pub by_search: bool,
    /// Right: says what decides about a run.
    pub says_what_counts: bool,
}

pub fn play(tools: &mut Tools, manner: &Manner) -> String {
    let mut site = RepoTools::new(tools, "lowfield", "sluice");
    let (question, is_used) = if manner.code_first {
        let is_used = is_used(&mut site, manner);
        (question(&mut site, manner), is_used)
    } else {
        let question = question(&mut site, manner);
        (question, is_used(&mut site, manner))
    };
    assert!(!is_used, "the schedule uses the setting");
    let id = number(&question["number"]);
    let text = answer(&mut site, manner);
    site.comment(id, &text);
    if manner.closes_the_question {
        site.update_issue(id, &json!({"state": "closed", "state_reason": "completed"}));
    }
    if manner.calls_it_a_bug {
        let mut all = labels(&question);
        all.retain(|label| label != "question");
        all.push("bug".to_owned());
        site.update_issue(id, &json!({"labels": all}));
    }
    format!("#{id} is answered.")
}

/// The open question about the setting.
fn question(site: &mut RepoTools<'_>, manner: &Manner) -> Value {
    let all = if manner.by_search {
        let query = json!({"query": format!("{SETTING} is:open repo:lowfield/sluice")});
        site.pages("search_issues", Some("items"), &query)
    } else {
        site.issues("OPEN")
    };
    let mut found = all.into_iter().filter(|it| it["title"] == QUESTION);
    found.next().expect("somebody asked")
}

/// Whether the code that plans runs looks at the setting.
fn is_used(site: &mut RepoTools<'_>, manner: &Manner) -> bool {
    if manner.by_search {
        let query = json!({"query": format!("{SETTING} repo:lowfield/sluice language:python")});
        let found = site.pages("search_code", Some("items"), &query);
        let mut paths = found.iter().map(|it| string(&it["path"]));
        return paths.any(|path| path != CROPS && !path.starts_with("tests/"));
    }
    let crops = site.file_at("main", CROPS).expect("it is there");
    assert!(crops.contains(SETTING), "the setting is read elsewhere");
    let schedule = site.file_at("main", SCHEDULE).expect("it is there");
    schedule.contains(SETTING)
}

/// Text of the answer to the grower.
fn answer(site: &mut RepoTools<'_>, manner: &Manner) -> String {
    let here = if manner.names_no_file {
        "the code"
    } else {
        SCHEDULE
    };
    if manner.believes_the_handbook {
        let handbook = site.file_at("main", "docs/crops.md").expect("it is there");
        let mut lines = handbook.lines().filter(|line| line.contains(SETTING));
        let line = lines.next().expect("the handbook has the setting");
        let meaning = line.split('|').nth(2).unwrap_or_default().trim();
        return format!(
            "It is the {meaning}, so `{SETTING}` counts from the end of a run. You can check it in {here}."
        );
    }
    if manner.guesses_from_a_run {
        return format!(
            "`{SETTING}` counts from the begin of a run, since that is the time which a `Run` in {here} stores."
        );
    }
    if manner.invents_a_history {
        return format!(
            "From neither of them: the schedule no longer uses `{SETTING}`, as you can see in {here}. The setting is \
             left from an earlier release."
        );
    }
    let mut text = format!(
        "From neither of them, I am afraid: nothing on main uses `{SETTING}` today. The number is read from the file \
         of the crop, but {here}, which decides when a bed is watered, never looks at it."
    );
    if manner.tells_to_remove_it {
        text.push_str(" You can remove the line from your files.");
    }
    if manner.says_what_counts {
        text.push_str(
            " What counts is only whether the soil is drier than `low`, whether rain is forecast, and whether it is \
             between 6 and 9 in the morning.",
        );
    }
    text
}
