//! How the solution goes about it; the wrong ones slip on one rule each.

use mcpmark_guest::Tools;
use mcpmark_guest::github::RepoTools;

use crate::book;

const BRANCH: &str = "allergens";
const TITLE: &str = "Say what may make people ill";

/// What a wrong solution does.
#[derive(Default)]
pub struct Slips {
    /// Takes coconut milk for milk.
    pub looks_for_parts: bool,
    /// Writes nothing into recipes that have none.
    pub leaves_out_none: bool,
}

pub fn play(tools: &mut Tools, slips: &Slips) -> String {
    let mut site = RepoTools::new(tools, "sallow-street", "commonplate");
    let issue = site.issue_titled("Say in every recipe what may make people ill");
    let rules = site
        .file_at("main", "docs/allergens.md")
        .expect("the rules are there");
    let mut files = Vec::new();
    for (path, text) in book::recipes(&mut site) {
        let names = names(&text, &rules, slips);
        if names.is_empty() && slips.leaves_out_none {
            continue;
        }
        let line = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        let tags = format!("\ntags: {}\n", book::value(&text, "tags"));
        files.push((
            path,
            text.replacen(&tags, &format!("{tags}allergens: {line}\n"), 1),
        ));
    }
    site.create_branch(BRANCH, "main");
    site.push(BRANCH, TITLE, &files);
    let pull = site.open_pull(TITLE, BRANCH, "main", &format!("Closes #{issue}"));
    site.ask_for_review(pull, "hbramwell");
    site.comment(issue, &format!("Proposed in #{pull}."));
    format!("{} recipes say what is in them.", files.len())
}

/// The names that the table gives for the ingredients of a recipe.
fn names<'a>(text: &str, rules: &'a str, slips: &Slips) -> Vec<&'a str> {
    let mut names = Vec::new();
    for row in rules.lines().filter(|line| line.starts_with("| ")) {
        let mut cells = row.split('|').map(str::trim).skip(1);
        let (Some(name), Some(list)) = (cells.next(), cells.next()) else {
            continue;
        };
        let brings = |line: &str| {
            list.split(", ").any(|it| {
                let ends = [format!(" g {it}"), format!(" ml {it}")];
                let whole = ends.iter().any(|end| line.ends_with(end.as_str()));
                let counted = line.rsplit_once(' ').is_some_and(|(_, last)| last == it)
                    && line.split(' ').count() == 3;
                whole || counted || (slips.looks_for_parts && line.contains(it))
            })
        };
        if text
            .lines()
            .filter(|line| line.starts_with("- "))
            .any(brings)
        {
            names.push(name);
        }
    }
    names
}
