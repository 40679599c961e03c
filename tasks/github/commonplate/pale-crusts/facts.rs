//! Facts that the comment on the issue must state, may state and must not state.

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::prose::{Fact, Facts, Person, Prose};
use mcpmark_guest::{Condition, Found};

use crate::roles::{Role, Verbs, said};

/// An oven that stays as it is, and who decided on it.
pub struct Kept {
    /// Title of the recipe.
    pub title: String,
    /// Degrees before the change, after it, and today.
    pub degrees: [u32; 3],
    pub cook: Person,
    /// The commit by which the cook set the oven, and the pull request that it came from.
    pub set_in: (Option<String>, Option<u64>),
}

/// History of the ovens in the world.
pub struct Story {
    pub issue: u64,
    /// The pull request that lowered the ovens, and its commit.
    pub damage: u64,
    pub commit: String,
    /// The day on which it was merged.
    pub day: Date,
    pub culprit: Person,
    /// The pull request of the agent.
    pub own: u64,
    /// Titles of the recipes that are put right, with degrees before and after the change.
    pub mended: Vec<(String, [u32; 2])>,
    pub kept: Vec<Kept>,
    pub people: Vec<Person>,
    /// People who may be named beside those who decided.
    pub mentionable: Vec<Person>,
}

/// Verbs for what the harmful pull request did.
const LOWERED: [&str; 20] = [
    "lower*",
    "did",
    "done",
    "caus*",
    "cold*",
    "cool*",
    "happen*",
    "tidy*",
    "tidi*",
    "turned down",
    "reduc*",
    "took",
    "taken",
    "subtract*",
    "culprit",
    "came from",
    "due to",
    "brought down",
    "dropped",
    "cut",
];

/// Verbs for what the pull request of the agent does.
const MENDED: [&str; 20] = [
    "set* .. right",
    "set* .. back",
    "put* right",
    "put* .. right",
    "put* .. back",
    "put* back",
    "set* back",
    "set* right",
    "restor*",
    "fix*",
    "mend*",
    "correct*",
    "repair*",
    "undo*",
    "rais*",
    "back to",
    "give* .. back",
    "bring* .. back",
    "get* .. back",
    "warm*",
];

/// Verbs for what stays.
const LEFT: [&str; 9] = [
    "left",
    "leave*",
    "stay*",
    "keep*",
    "kept",
    "alone",
    "unchanged",
    "untouched",
    "remain*",
];

/// Phrases for a recipe that stays as it is, beside [`LEFT`].
const NOT_MENDED: [&str; 6] = [
    "decid*",
    "exception*",
    "except",
    "apart from",
    "all but",
    "not touch*",
];

/// Returns the word of a title that stands for the recipe.
fn word(title: &str) -> String {
    let title = title.to_lowercase();
    match title.as_str() {
        "cauliflower cheese" => "cauliflower".to_owned(),
        "soda bread" => "soda".to_owned(),
        _ => title.rsplit(' ').next().unwrap_or_default().to_owned(),
    }
}

/// Puts one word in the place of each title and path of a recipe that stays, so that what stands beside it is as near
/// to it in each form.
pub fn shortened(story: &Story, text: &str) -> String {
    let mut text = text.to_owned();
    for kept in &story.kept {
        let title = kept.title.to_lowercase();
        let slug = title.replace(' ', "-");
        let forms = [
            format!("recipes/bread/{slug}.md"),
            format!("recipes/{slug}.md"),
            format!("{slug}.md"),
            slug,
            title,
        ];
        for form in forms {
            text = replaced(&text, &form, &word(&kept.title));
        }
    }
    text
}

/// Replaces a text in any case.
fn replaced(text: &str, old: &str, new: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut result = String::new();
    let mut end = 0;
    for (at, _) in lower.match_indices(old) {
        result.push_str(&text[end..at]);
        result.push_str(new);
        end = at + old.len();
    }
    result.push_str(&text[end..]);
    result
}

/// The facts of the comment.
pub fn explanation(story: &Story) -> Facts {
    let number = |count: usize| Fact::number(count as u64);
    // The pull requests by which cooks set ovens may stand beside both.
    let set_in = story.kept.iter().filter_map(|it| it.set_in.1);
    let set_in = set_in.map(Fact::reference).reduce(Fact::or);
    let besides = |fact: Fact| match &set_in {
        Some(others) => fact.besides(others.clone()),
        None => fact,
    };
    let all = number(story.kept.len() + story.mended.len());
    let degrees = ovens(story).into_iter().flat_map(|(_, degrees)| degrees);
    let other_numbers = degrees.map(Fact::number).fold(all.or(number(20)), Fact::or);
    let mut facts = Facts::new()
        .must(
            "which pull request lowered the ovens",
            besides(Fact::reference(story.damage).about(LOWERED)),
        )
        .must(
            "which pull request puts them right",
            besides(Fact::reference(story.own).about(MENDED)),
        )
        .must(
            "how many recipes it puts right",
            number(story.mended.len())
                .about(MENDED)
                .besides(other_numbers),
        );
    for kept in &story.kept {
        let title = kept.title.to_lowercase();
        facts = facts.must(
            format!("that the {title} stays"),
            Fact::term([word(&kept.title)]),
        );
        let (commit, pull) = &kept.set_in;
        let commit = commit.iter().map(|id| Fact::commit(id));
        for fact in commit.chain(pull.map(Fact::reference)) {
            facts = facts.may(fact);
        }
    }
    let mut cooks: Vec<&Person> = Vec::new();
    for cook in story.kept.iter().map(|it| &it.cook) {
        if !cooks.contains(&cook) {
            cooks.push(cook);
        }
    }
    let count_of_cooks = cooks.len();
    for cook in cooks {
        // One fact for each cook: with one for each recipe, "Tess: the gratin and the cheese" would lack a name.
        let theirs = story.kept.iter().filter(|it| it.cook == *cook);
        let topics: Vec<String> = theirs.map(|it| word(&it.title)).collect();
        facts = facts.must(
            format!("what {} decided on", cook.name()),
            Fact::person(cook).about(topics),
        );
    }
    for degrees in ovens(story).into_iter().flat_map(|(_, degrees)| degrees) {
        facts = facts.may(Fact::number(degrees));
    }
    for person in story.mentionable.iter().chain([&story.culprit]) {
        facts = facts.may(Fact::person(person));
    }
    facts
        .may(Fact::reference(story.issue))
        .may(Fact::commit(&story.commit))
        .may(Fact::date(story.day))
        .may(Fact::number(u64::from(story.day.year().unsigned_abs())))
        .may(number(20))
        .may(number(story.kept.len()).about(LEFT))
        .may(number(count_of_cooks))
        .may(number(story.kept.len() + story.mended.len()))
        // "The tart and eleven others".
        .may(number(story.kept.len() + story.mended.len() - 1))
        .people(story.people.iter().cloned())
}

/// Checks that no recipe is said to have the degrees of another one.
pub fn degrees_belong(story: &Story, prose: &Found<Prose>) -> Condition {
    let mut ovens = ovens(story);
    for (title, own) in &mut ovens {
        // The oven that a cook decided on is that of today.
        if let Some(kept) = story.kept.iter().find(|it| it.title == *title) {
            *own = vec![kept.degrees[2]];
        }
    }
    let allowed: Vec<u32> = self::ovens(story)
        .into_iter()
        .flat_map(|(_, it)| it)
        .collect();
    Condition::all(ovens.iter().filter_map(|(title, own)| {
        let mut others = allowed
            .iter()
            .filter(|it| !own.contains(it))
            .map(|it| Fact::number(*it));
        let first = others.next()?;
        let foreign = others.fold(first, Fact::or).about([word(title)]);
        let called = foreign.called(format!("other degrees for the {}", title.to_lowercase()));
        Some(prose.does_not_state(&called))
    }))
}

/// The forms in which people name a recipe that is put right.
fn forms(title: &str) -> Vec<String> {
    let title = title.to_lowercase();
    let slug = title.replace(' ', "-");
    let mut forms = vec![
        format!("recipes/bread/{slug}.md"),
        format!("recipes/{slug}.md"),
        format!("{slug}.md"),
        slug,
    ];
    // "Bread" and "rolls" are too often something else.
    let last = word(&title);
    if !matches!(last.as_str(), "bread" | "rolls") {
        forms.push(last);
    }
    forms.push(title);
    forms
}

/// Checks that no recipe that is put right is said to stay, and none that stays to be put right.
pub fn roles_belong(story: &Story, text: &str) -> Condition {
    let mended = story.mended.iter().map(|(title, _)| forms(title));
    let kept = story.kept.iter().map(|it| vec![word(&it.title)]);
    let names: Vec<Vec<String>> = mended.chain(kept).collect();
    let left: Vec<&str> = LEFT.into_iter().chain(NOT_MENDED).collect();
    let verbs = Verbs {
        one: &MENDED,
        other: &left,
    };
    let is_wrong = |name: usize, role: Role| (role == Role::One) != (name < story.mended.len());
    let wrong = said(text, &names, &verbs);
    match wrong.iter().find(|it| is_wrong(it.name, it.role)) {
        None => Condition::pass("each recipe is said to be what it is"),
        Some(it) => Condition::fail(format!(
            "expected what becomes of the {}, found the opposite in {:?}",
            names[it.name].last().map_or("", String::as_str),
            it.sentence
        )),
    }
}

/// Returns the recipes with the degrees that they had and have.
fn ovens(story: &Story) -> Vec<(&str, Vec<u32>)> {
    let mended = story.mended.iter();
    let mended = mended.map(|(title, degrees)| (title.as_str(), degrees.to_vec()));
    let kept = story.kept.iter();
    mended
        .chain(kept.map(|it| (it.title.as_str(), it.degrees.to_vec())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcpmark_guest::prose::{misjudged, samples};

    fn story() -> Story {
        let (tess, mieke) = (
            Person::new("Tess Coole").handle("tcoole"),
            Person::new("Mieke van Dam").handle("mvandam"),
        );
        let (femi, jo) = (
            Person::new("Femi Odunsi").handle("odunsi"),
            Person::new("Jo Larkspur").handle("larkspur-j"),
        );
        let (hetty, sami) = (
            Person::new("Hetty Bramwell").handle("hbramwell"),
            Person::new("Sami Rafiq").handle("rafiq-s"),
        );
        let alan = Person::new("chip-pan-alan").handle("chip-pan-alan");
        let kept = |title: &str, degrees, cook: &Person| Kept {
            title: title.to_owned(),
            degrees,
            cook: cook.clone(),
            set_in: (None, (title == "Potato gratin").then_some(327)),
        };
        let mended = [
            ("Oat bread", 220),
            ("Rye crackers", 200),
            ("Seeded rolls", 230),
            ("Plum tart", 200),
            ("Celeriac pie", 190),
            ("Stollen", 180),
            ("Lemon rice pudding", 160),
            ("Hazelnut biscuits", 170),
        ];
        Story {
            issue: 431,
            damage: 318,
            commit: "9f3c1d7ab2e84c50f6d1a7739be02c4d5581e6f0".to_owned(),
            day: Date::constant(2024, 6, 5),
            culprit: jo.clone(),
            own: 446,
            mended: mended
                .map(|(title, oven)| (title.to_owned(), [oven, oven - 20]))
                .into(),
            kept: vec![
                kept("Potato gratin", [180, 160, 175], &tess),
                kept("Apple crumble", [190, 170, 185], &mieke),
                kept("Soda bread", [210, 190, 200], &femi),
                kept("Cauliflower cheese", [210, 190, 190], &tess),
            ],
            mentionable: vec![
                mieke.clone(),
                femi.clone(),
                jo.clone(),
                sami.clone(),
                hetty.clone(),
                alan.clone(),
                tess.clone(),
            ],
            people: vec![tess, mieke, femi, jo, hetty, sami, alan],
        }
    }

    /// The check of [`roles_belong`].
    const ROLES: &str = "what is put right and what stays";

    #[test]
    fn comments_are_judged_by_their_facts() {
        let mut samples = samples(include_str!("samples.txt"));
        let wrong = samples.iter().filter(|it| it.fails.is_some()).count();
        assert!(
            samples.len() - wrong >= 20 && wrong >= 20,
            "{wrong} of {}",
            samples.len()
        );
        let story = story();
        let mut wrong_roles = Vec::new();
        for sample in &mut samples {
            sample.text = shortened(&story, &sample.text);
            let must_fail = sample.fails.as_deref() == Some(ROLES);
            let condition = roles_belong(&story, &sample.text);
            if must_fail || sample.fails.is_none() {
                let detail = condition.detail();
                if condition.passed() == must_fail {
                    wrong_roles.push(format!("{}: {detail}", sample.name));
                }
            }
        }
        assert_eq!(wrong_roles, Vec::<String>::new());
        samples.retain(|it| it.fails.as_deref() != Some(ROLES));
        let facts = explanation(&story);
        let mistakes = misjudged(&samples, |text| {
            let mut conditions = facts.conditions(text);
            conditions.push(("degrees".to_owned(), degrees_belong(&story, text)));
            conditions.push(("the length".to_owned(), text.words_between(20, 150)));
            conditions
        });
        assert!(
            mistakes.is_empty(),
            "{}\n{}",
            mistakes.len(),
            mistakes.join("\n")
        );
    }
}
