//! All that a text must, may and must not state.

use super::judge::Judge;
use super::stray::Stray;
use super::{Fact, Person, Prose};
use crate::{Condition, Found, Verifier};

/// All that a text must, may and must not state, judged together.
///
/// [`Verifier::check_facts`] adds one check for each required fact and each forbidden one, and four
/// checks that nothing else is stated: no other numbers, no other dates and times, no other
/// references (issues, commits, versions, names with digits, e-mail addresses), and no other people
/// of the roster. The topics of all facts are known together, so that "5 pull requests by 14 people"
/// does not state 14 pull requests.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    required: Vec<Fact>,
    optional: Vec<Fact>,
    forbidden: Vec<Fact>,
    roster: Vec<Person>,
    literals: Vec<String>,
}

impl Facts {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a fact that the text must state.
    #[must_use]
    pub fn must(mut self, name: impl Into<String>, fact: Fact) -> Self {
        self.required.push(fact.called(name));
        self
    }

    /// Adds a fact that the text may state.
    #[must_use]
    pub fn may(mut self, fact: Fact) -> Self {
        self.optional.push(fact);
        self
    }

    /// Adds a fact that the text must not state, such as private data or a superseded value.
    #[must_use]
    pub fn must_not(mut self, name: impl Into<String>, fact: Fact) -> Self {
        self.forbidden.push(fact.called(name));
        self
    }

    /// Sets the people of the world. One who is in no fact must not be named.
    #[must_use]
    pub fn people(mut self, people: impl IntoIterator<Item = Person>) -> Self {
        self.roster.extend(people);
        self
    }

    /// Adds a text whose numbers and names are no statements, such as a title that is quoted. It may be wrapped.
    #[must_use]
    pub fn literal(mut self, text: impl Into<String>) -> Self {
        self.literals.push(text.into());
        self
    }

    /// Returns the conditions on a text with their names.
    pub fn conditions(&self, prose: &Found<Prose>) -> Vec<(String, Condition)> {
        let known: Vec<&Fact> = self.required.iter().chain(&self.optional).collect();
        let forbidden: Vec<&Fact> = self.forbidden.iter().collect();
        let judge = prose
            .get()
            .ok()
            .map(|prose| Judge::new(prose, &self.roster, &known, &forbidden));
        // A missing text fails each condition with its reason.
        let on = |condition: &dyn Fn(&Judge<'_>) -> Condition| match &judge {
            Some(judge) => condition(judge).at(prose.place()),
            None => prose.exists(),
        };
        let mut conditions = Vec::new();
        for (index, fact) in self.required.iter().enumerate() {
            let condition = on(&|judge| states(judge, index));
            conditions.push((fact.name.clone(), condition));
        }
        for fact in &self.forbidden {
            let condition = on(&|judge| lacks(judge, fact));
            conditions.push((fact.name.clone(), condition));
        }
        for (kind, name) in [
            (Stray::Number, "no other numbers"),
            (Stray::Time, "no other dates and times"),
            (Stray::Reference, "no other references"),
            (Stray::Person, "no other people"),
        ] {
            let condition = on(&|judge| no_stray(judge, kind, &self.literals));
            conditions.push((name.to_owned(), condition));
        }
        conditions
    }
}

impl Verifier {
    /// Adds the checks of a list of facts on a text. `label` stands in front of their names.
    pub fn check_facts(&mut self, label: &str, prose: &Found<Prose>, facts: &Facts) {
        for (name, condition) in facts.conditions(prose) {
            self.check(format!("{label}: {name}"), condition);
        }
    }
}

pub(super) fn lacks(judge: &Judge<'_>, fact: &Fact) -> Condition {
    match judge.first(fact) {
        None => Condition::pass(format!("does not state {}", fact.name)),
        Some(quote) => Condition::fail(format!(
            "expected nothing of {}, found it in {quote}",
            fact.name
        )),
    }
}

/// Checks that the text states one of the facts of the judge, by its index.
pub(super) fn states(judge: &Judge<'_>, index: usize) -> Condition {
    match judge.states(index) {
        Ok(found) => Condition::pass(found),
        Err(reason) => Condition::fail(reason),
    }
}

pub(super) fn no_stray(judge: &Judge<'_>, kind: Stray, literals: &[String]) -> Condition {
    let noun = match kind {
        Stray::Number => "number",
        Stray::Time => "date or time",
        Stray::Reference => "reference",
        Stray::Person => "person",
    };
    match judge.stray(kind, literals) {
        None => Condition::pass(format!("no other {noun}")),
        Some(stray) => Condition::fail(format!(
            "expected no {noun} that is not among the facts, found {stray}"
        )),
    }
}
