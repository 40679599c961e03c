//! Judgement of one text: which facts it states, and what else it states.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;

use super::blocks::BlockKind;
use super::fact::{Fact, Form, Side};
use super::lex::Kind;
use super::people::{Named, Person, named, plain_tokens};
use super::phrase::Phrase;
use super::read::{Mention, What};
use super::{Prose, words};
use crate::condition::cut;

/// Maximum distance of a value from its topic, in half words.
const REACH: u32 = 40;
/// Maximum distance at which another value contradicts, in half words.
const CLOSE: u32 = 8;
/// Maximum length of a quoted sentence, in characters.
const QUOTED: usize = 110;

/// A text with the people that it names.
pub(super) struct Judge<'a> {
    prose: &'a Prose,
    facts: &'a [&'a Fact],
    /// What the text has of each fact.
    found: Vec<FactPlaces>,
    /// Fact, index of its candidate, distance in half words.
    bound: Vec<(usize, usize, u32)>,
    roster: Vec<Person>,
    named: Vec<Named>,
    plain: Vec<usize>,
    /// Sentences that give a sentence its topic, if it has none.
    context: Vec<Vec<usize>>,
}

/// Places in a text that may state a fact, and those of its topics.
struct FactPlaces {
    candidates: Vec<Candidate>,
    topics: Topics,
}

/// A place in a text that may state a fact.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    first: usize,
    last: usize,
    verdict: Verdict,
    /// Whether the value is plainly stated: no end of a range, not what something is compared with.
    is_plain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Another kind of thing.
    Unrelated,
    /// Another value, which often states nothing.
    Weak,
    Wrong,
    Right,
}

/// Places of the topics of one fact by sentence: first token, the one after the last, side.
type Topics = BTreeMap<usize, Vec<(usize, usize, Side)>>;

impl<'a> Judge<'a> {
    /// Prepares the judgement. The topics of all `facts` are known together; those of the facts that
    /// must not be stated are not.
    pub(super) fn new(
        prose: &'a Prose,
        people: &[Person],
        facts: &'a [&'a Fact],
        forbidden: &[&Fact],
    ) -> Self {
        let mut roster = people.to_vec();
        for form in facts
            .iter()
            .chain(forbidden)
            .flat_map(|fact| fact.forms.iter().chain(&fact.besides))
        {
            if let Form::Person(person) = form
                && !roster.contains(person)
            {
                roster.push(person.clone());
            }
        }
        let mut judge = Self {
            prose,
            facts,
            found: Vec::new(),
            bound: Vec::new(),
            named: named(&prose.lexed, &roster),
            plain: plain_tokens(&prose.lexed),
            context: context(prose),
            roster,
        };
        judge.found = facts.iter().map(|fact| judge.places(fact)).collect();
        judge.bound = judge.bind(&judge.found);
        judge
    }

    fn places(&self, fact: &Fact) -> FactPlaces {
        FactPlaces {
            candidates: self.candidates(fact),
            topics: self.topics(fact),
        }
    }

    /// Checks that the text states one of the facts. Returns where, or what is expected.
    pub(super) fn states(&self, index: usize) -> Result<String, String> {
        let fact = self.facts[index];
        let name = &fact.name;
        let candidates = &self.found[index].candidates;
        let found = |at: usize| Ok(format!("states {name} in {}", self.quote(at)));
        if !fact.topics.is_empty() {
            return self.states_with_topics(index).and_then(found);
        }
        let opposite = candidates.iter().find(|it| it.verdict == Verdict::Wrong);
        let mut right = candidates.iter().filter(|it| it.verdict == Verdict::Right);
        if let Some(other) = opposite.filter(|_| fact.is_unopposed) {
            return Err(format!(
                "expected {name}, found the opposite in {}",
                self.quote(other.first)
            ));
        }
        if let Some(plain) = right.clone().find(|it| it.is_plain) {
            return found(plain.first);
        }
        if let Some(vague) = right.next() {
            let quote = self.quote(vague.first);
            return Err(format!(
                "expected {name} stated plainly, found it vaguely in {quote}"
            ));
        }
        let is_phrase = fact
            .forms
            .iter()
            .any(|form| matches!(form, Form::Words(..)));
        match opposite.filter(|_| is_phrase) {
            Some(other) => Err(format!(
                "expected {name}, found the opposite in {}",
                self.quote(other.first)
            )),
            None => Err(format!("expected {name}, found it nowhere in the text")),
        }
    }

    /// Returns the first place that states a fact, for facts that must not be there.
    pub(super) fn first(&self, fact: &Fact) -> Option<String> {
        let places = [self.places(fact)];
        let candidates = &places[0].candidates;
        let found = if fact.topics.is_empty() {
            candidates
                .iter()
                .find(|it| it.verdict == Verdict::Right)
                .map(|it| it.first)
        } else {
            let bound = self
                .bind(&places)
                .into_iter()
                .map(|(_, at, _)| candidates[at]);
            bound
                .filter(|it| it.verdict == Verdict::Right)
                .map(|it| it.first)
                .min()
        };
        found.map(|at| self.quote(at))
    }

    /// Finds the token of a value that belongs to a topic of a fact.
    fn states_with_topics(&self, index: usize) -> Result<usize, String> {
        let name = &self.facts[index].name;
        let candidates = &self.found[index].candidates;
        let mut found = None;
        for (_, at, distance) in self.bound.iter().filter(|(of, _, _)| *of == index) {
            let candidate = &candidates[*at];
            match candidate.verdict {
                Verdict::Right => found = found.or(Some(candidate.first)),
                Verdict::Wrong if *distance <= CLOSE => {
                    let tokens = &self.prose.lexed.tokens;
                    let written = &self.prose.lexed.text
                        [tokens[candidate.first].start..tokens[candidate.last - 1].end];
                    let quote = self.quote(candidate.first);
                    return Err(format!(
                        "expected {name}, found {written:?} for it in {quote}"
                    ));
                }
                _ => {}
            }
        }
        if let Some(at) = found.or_else(|| self.by_context(index)) {
            return Ok(at);
        }
        match candidates.iter().find(|it| it.verdict == Verdict::Right) {
            Some(loose) => Err(format!(
                "expected {name} stated plainly together with what it is about, found only {}",
                self.quote(loose.first)
            )),
            None => Err(format!("expected {name}, found it nowhere in the text")),
        }
    }

    /// Finds a value in a sentence without any topic, after a sentence or below a heading with one.
    fn by_context(&self, index: usize) -> Option<usize> {
        let FactPlaces { candidates, topics } = &self.found[index];
        let mut right = candidates
            .iter()
            .filter(|it| it.verdict == Verdict::Right && it.is_plain);
        right
            .find(|it| {
                let sentence = self.prose.lexed.tokens[it.first].sentence;
                let has_topic = self
                    .found
                    .iter()
                    .any(|places| places.topics.contains_key(&sentence));
                !has_topic
                    && self.context[sentence]
                        .iter()
                        .any(|before| topics.contains_key(before))
            })
            .map(|it| it.first)
    }

    /// Assigns candidates to the nearest topics: each topic has one value, and each value one topic.
    ///
    /// Returns the fact, the candidate and the distance in half words.
    fn bind(&self, all: &[FactPlaces]) -> Vec<(usize, usize, u32)> {
        // Distance, first token of the value, fact, index of the candidate, first token of the topic.
        let mut pairs: Vec<(u32, usize, usize, usize, usize)> = Vec::new();
        for (of, FactPlaces { candidates, topics }) in all.iter().enumerate() {
            for (index, it) in candidates.iter().enumerate() {
                // What states nothing plainly takes no topic from what does.
                if !it.is_plain || it.verdict == Verdict::Weak {
                    continue;
                }
                let sentence = self.prose.lexed.tokens[it.first].sentence;
                let Some(places) = topics.get(&sentence) else {
                    continue;
                };
                // The neighbours on both sides are enough: others are farther away.
                let at = places.partition_point(|(first, _, _)| *first < it.first);
                for (first, last, side) in &places[at.saturating_sub(3)..places.len().min(at + 3)] {
                    if let Some(distance) = self.distance(it, *first, *last, *side) {
                        pairs.push((distance, it.first, of, index, *first));
                    }
                }
            }
        }
        pairs.sort_unstable();
        let mut values = BTreeSet::new();
        let mut topics = BTreeSet::new();
        let mut bound = Vec::new();
        for (distance, value, of, index, topic) in pairs {
            if !values.contains(&value) && topics.insert((of, topic)) {
                values.insert(value);
                bound.push((of, index, distance));
            }
        }
        bound
    }

    fn distance(&self, it: &Candidate, first: usize, last: usize, side: Side) -> Option<u32> {
        let at = |token: usize| self.prose.lexed.tokens[token].at;
        let (is_after, distance) = if last <= it.first {
            (true, at(it.first) - at(last - 1))
        } else if it.last <= first {
            (false, at(first) - at(it.last - 1))
        } else {
            return Some(0);
        };
        let fits = match side {
            Side::Either => true,
            Side::After => is_after,
            Side::Before => !is_after,
        };
        let distance = distance * 2 + u32::from(is_after);
        (fits && distance <= REACH).then_some(distance)
    }

    /// Finds the topics of a fact, by sentence. Topics next to each other are one.
    fn topics(&self, fact: &Fact) -> Topics {
        let mut found: Vec<(usize, usize, Side)> = Vec::new();
        for topic in &fact.topics {
            let places = self.find(&topic.phrase);
            found.extend(
                places
                    .iter()
                    .map(|(first, last, _)| (*first, *last, topic.side)),
            );
        }
        found.sort_by_key(|(first, last, _)| (*first, *last));
        let tokens = &self.prose.lexed.tokens;
        let mut topics = Topics::new();
        for (first, last, side) in found {
            let places = topics.entry(tokens[first].sentence).or_default();
            match places.last_mut() {
                Some((_, end, before)) if *before == side && first <= *end + 1 => {
                    *end = last.max(*end)
                }
                _ => places.push((first, last, side)),
            }
        }
        topics
    }

    fn find(&self, phrase: &Phrase) -> Vec<(usize, usize, bool)> {
        let places = phrase.find(&self.prose.lexed, &self.plain).into_iter();
        places
            .map(|place| (place.first, place.last, place.is_negated))
            .collect()
    }

    /// Finds the places that state one of the values of a fact, or another value of its kind.
    fn candidates(&self, fact: &Fact) -> Vec<Candidate> {
        let mut found: BTreeMap<(usize, usize), (Verdict, bool)> = BTreeMap::new();
        let mut add = |first: usize, last: usize, verdict: Verdict, is_plain: bool| {
            let best = found.entry((first, last)).or_insert((verdict, is_plain));
            *best = (*best).max((verdict, is_plain));
        };
        let forms: Vec<(&Form, bool)> = fact
            .forms
            .iter()
            .map(|form| (form, true))
            .chain(fact.besides.iter().map(|form| (form, false)))
            .collect();
        for mention in &self.prose.mentions {
            let is_plain =
                !mention.is_end && !mention.is_aside && (fact.may_be_rough || !mention.is_hedged);
            let judged = forms.iter().map(|(form, _)| self.judge(form, mention));
            let mut verdict = judged.max().unwrap_or(Verdict::Unrelated);
            let besides = forms.iter().filter(|(_, is_own)| !is_own);
            let own = forms
                .iter()
                .filter(|(_, is_own)| *is_own)
                .map(|(form, _)| self.judge(form, mention));
            if own.max() != Some(Verdict::Right) {
                let is_beside = besides.map(|(form, _)| self.judge(form, mention)).max()
                    == Some(Verdict::Right);
                verdict = if is_beside { Verdict::Weak } else { verdict };
            }
            if verdict != Verdict::Unrelated {
                add(mention.first, mention.last, verdict, is_plain);
            }
        }
        for (form, is_own) in forms {
            let yes = if is_own {
                Verdict::Right
            } else {
                Verdict::Weak
            };
            match form {
                Form::Person(person) => {
                    let index = self
                        .roster
                        .iter()
                        .position(|it| it == person)
                        .unwrap_or(usize::MAX);
                    for it in &self.named {
                        let verdict = match it.people.as_slice() {
                            [only] if *only == index => yes,
                            many if many.contains(&index) => Verdict::Weak,
                            _ => Verdict::Wrong,
                        };
                        add(it.first, it.last, verdict, true);
                    }
                }
                Form::Words(phrase, is_denied) => {
                    for (first, last, is_negated) in self.find(phrase) {
                        let verdict = if is_negated == *is_denied {
                            yes
                        } else {
                            Verdict::Wrong
                        };
                        add(first, last, verdict, true);
                    }
                }
                Form::Path(path) => {
                    for at in self.paths(path) {
                        add(at, at + 1, yes, true);
                    }
                }
                Form::Digits(digits) => {
                    for at in self.digits(digits) {
                        add(at, at + 1, yes, true);
                    }
                }
                _ => {}
            }
        }
        found
            .into_iter()
            .map(|((first, last), (verdict, is_plain))| Candidate {
                first,
                last,
                verdict,
                is_plain,
            })
            .collect()
    }

    /// Compares one value with what the text states in one place.
    fn judge(&self, form: &Form, mention: &Mention) -> Verdict {
        let lexed = &self.prose.lexed;
        let when = |holds: bool| {
            if holds {
                Verdict::Right
            } else {
                Verdict::Wrong
            }
        };
        let right = |holds: bool| {
            if holds {
                Verdict::Right
            } else {
                Verdict::Unrelated
            }
        };
        match (form, &mention.what) {
            (Form::Number(value), What::Number(number)) if !number.is_ordinal => {
                let is_equal = number.readings.contains(value);
                if !number.is_bare() {
                    return right(is_equal && number.unit.is_some());
                }
                match is_equal {
                    true => Verdict::Right,
                    false if number.is_soft || mention.is_labelled => Verdict::Weak,
                    false => Verdict::Wrong,
                }
            }
            (Form::Quantity(value, unit), What::Number(number)) => match number.unit {
                Some(found) if has_same_dimension(unit, found) => when(
                    number
                        .readings
                        .iter()
                        .any(|it| convert(*it, found) == convert(*value, unit)),
                ),
                _ => Verdict::Unrelated,
            },
            (Form::Percent(value), What::Number(number)) if number.is_percent => {
                when(number.readings.contains(value))
            }
            (Form::Amount(value, currency), What::Number(number)) => match number.currency {
                Some(found) => when(found == currency && number.readings.contains(value)),
                None => Verdict::Unrelated,
            },
            (Form::Ordinal(value), What::Number(number)) if number.is_ordinal => {
                match number.integer() == Some(*value) {
                    true => Verdict::Right,
                    false if number.is_soft => Verdict::Weak,
                    false => Verdict::Wrong,
                }
            }
            (Form::Range(low, high), What::Range(from, to)) => {
                when(from.readings.contains(low) && to.readings.contains(high))
            }
            (Form::Date(date), What::Date(days)) => {
                let is_whole = days
                    .iter()
                    .all(|day| day.month.is_some() && day.day.is_some());
                match days.iter().any(|day| day.fits(*date)) {
                    true => right(is_whole),
                    false if is_whole => Verdict::Wrong,
                    false => Verdict::Weak,
                }
            }
            (Form::Weekday(date), What::Date(days)) => right(
                days.iter()
                    .any(|day| day.weekday.is_some() && day.fits(*date)),
            ),
            (Form::Time(minutes), What::Time(readings)) => when(readings.contains(minutes)),
            (Form::Version(version), What::Version) => {
                when(is_version(version, mention.written(lexed)))
            }
            (Form::Version(version), What::Number(_)) => {
                right(is_version(version, mention.written(lexed)))
            }
            (Form::Reference(number), What::Reference(found)) => when(number == found),
            (Form::Reference(number), What::Url) => {
                match numbered(&lexed.tokens[mention.first].fold) {
                    Some(found) => when(found == *number),
                    None => Verdict::Unrelated,
                }
            }
            (Form::Reference(value), What::Number(number)) if mention.is_labelled => {
                right(number.integer() == Some(*value))
            }
            (Form::Commit(id), What::Commit | What::Number(_) | What::Id) => {
                let found = &lexed.tokens[mention.first].fold;
                let is_prefix = found.len() >= 7 && id.starts_with(found.as_str());
                if matches!(mention.what, What::Commit) {
                    when(is_prefix)
                } else {
                    right(is_prefix)
                }
            }
            (Form::Commit(id), What::Url) => match commit_of(&lexed.tokens[mention.first].fold) {
                Some(found) => when(id.starts_with(found)),
                None => Verdict::Unrelated,
            },
            (Form::Id(id), What::Id | What::Version | What::Commit) => {
                let found = &lexed.tokens[mention.first].fold;
                match found == id {
                    true => Verdict::Right,
                    false if shape(found) == shape(id) => Verdict::Wrong,
                    false => Verdict::Unrelated,
                }
            }
            _ => Verdict::Unrelated,
        }
    }

    /// Finds a path, whole or from the start of one of its names, as the positions of tokens.
    fn paths(&self, path: &str) -> Vec<usize> {
        let lexed = &self.prose.lexed;
        let folded = words::fold(path);
        let is_end = |found: &str| {
            let found = found.trim_start_matches("./");
            found == folded
                || (has_dot(found)
                    && folded
                        .strip_suffix(found)
                        .is_some_and(|rest| rest.ends_with('/')))
        };
        let by_token = (0..lexed.tokens.len()).filter(|at| {
            let token = &lexed.tokens[*at];
            match &token.kind {
                Kind::Path { .. } | Kind::Id | Kind::Version | Kind::Number(_) => {
                    is_end(&token.fold)
                }
                Kind::Url => token.fold.ends_with(&format!("/{folded}")),
                _ => false,
            }
        });
        by_token
            .chain(
                self.literals(path)
                    .into_iter()
                    .map(|(start, _)| self.token_at(start)),
            )
            .collect()
    }

    /// Finds a text with no letter or digit next to it, as ranges of bytes.
    fn literals(&self, literal: &str) -> Vec<(usize, usize)> {
        let text = &self.prose.lexed.text;
        let is_apart = |start: usize, end: usize| {
            let before = text[..start].chars().next_back();
            let after = text[end..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        };
        text.match_indices(literal)
            .map(|(start, _)| (start, start + literal.len()))
            .filter(|(start, end)| is_apart(*start, *end))
            .collect()
    }

    fn token_at(&self, offset: usize) -> usize {
        let tokens = &self.prose.lexed.tokens;
        tokens
            .partition_point(|token| token.end <= offset)
            .min(tokens.len().saturating_sub(1))
    }

    /// Finds digits in their order, with up to three separators between two of them.
    fn digits(&self, wanted: &str) -> Vec<usize> {
        let text = &self.prose.lexed.text;
        let (mut run, mut places, mut gap) = (String::new(), Vec::new(), 0);
        let mut found = Vec::new();
        let mut close = |run: &mut String, places: &mut Vec<usize>| {
            found.extend(
                run.match_indices(wanted)
                    .map(|(at, _)| self.token_at(places[at])),
            );
            run.clear();
            places.clear();
        };
        for (at, char) in text.char_indices() {
            if char.is_ascii_digit() {
                run.push(char);
                places.push(at);
                gap = 0;
            } else if gap < 3 && " -./()+\u{a0}".contains(char) {
                gap += 1;
            } else {
                close(&mut run, &mut places);
                gap = 0;
            }
        }
        close(&mut run, &mut places);
        found.retain(|_| !wanted.is_empty());
        found
    }

    /// Finds the first mention of a kind that no fact allows, and says what it is.
    pub(super) fn stray(&self, kind: Stray, literals: &[String]) -> Option<String> {
        let forms: Vec<&Form> = self
            .facts
            .iter()
            .flat_map(|fact| fact.forms.iter().chain(&fact.besides))
            .collect();
        let masks = self.masks(literals);
        let lexed = &self.prose.lexed;
        let is_masked = |start: usize, end: usize| {
            let at = masks.partition_point(|(_, until)| *until <= start);
            masks.get(at).is_some_and(|(from, _)| *from < end)
        };
        if kind == Stray::Person {
            let is_allowed = |person: &usize| {
                let allowed =
                    |form: &&Form| matches!(form, Form::Person(it) if *it == self.roster[*person]);
                forms.iter().any(|form| allowed(form))
            };
            let mut strays = self.named.iter().filter(|it| {
                let (start, end) = (lexed.tokens[it.first].start, lexed.tokens[it.last - 1].end);
                !it.people.iter().any(is_allowed) && !is_masked(start, end)
            });
            let first = strays.next()?;
            let written =
                &lexed.text[lexed.tokens[first.first].start..lexed.tokens[first.last - 1].end];
            return Some(format!("{written:?} in {}", self.quote(first.first)));
        }
        let digits = forms.iter().filter_map(|form| match form {
            Form::Digits(digits) => Some(self.digits(digits)),
            _ => None,
        });
        let digits: BTreeSet<usize> = digits.flatten().collect();
        let is_allowed = |mention: &Mention| {
            digits.contains(&mention.first) || forms.iter().any(|form| self.allows(form, mention))
        };
        let stray = self.prose.mentions.iter().find(|mention| {
            kind_of(mention) == Some(kind)
                && !is_masked(mention.start(lexed), mention.end(lexed))
                && !is_allowed(mention)
                && !self.is_unshaped(mention, &forms)
        })?;
        Some(format!(
            "{:?} in {}",
            stray.written(lexed),
            self.quote(stray.first)
        ))
    }

    /// Returns true if a name with digits is of a shape that no fact speaks of.
    fn is_unshaped(&self, mention: &Mention, forms: &[&Form]) -> bool {
        let fold = &self.prose.lexed.tokens[mention.first].fold;
        let has_shape = |form: &&Form| matches!(form, Form::Id(id) if shape(id) == shape(fold));
        matches!(mention.what, What::Id) && !forms.iter().any(|form| has_shape(form))
    }

    fn allows(&self, form: &Form, mention: &Mention) -> bool {
        if self.judge(form, mention) == Verdict::Right {
            return true;
        }
        match (form, &mention.what) {
            (_, What::Number(number)) if number.is_soft => true,
            (
                Form::Quantity(value, _) | Form::Percent(value) | Form::Amount(value, _),
                What::Number(number),
            ) => number.is_bare() && number.readings.contains(value),
            (Form::Range(low, high), What::Number(number)) => {
                number.readings.contains(low) || number.readings.contains(high)
            }
            (Form::Number(value), What::Number(number)) => {
                number.is_ordinal && number.readings.contains(value)
            }
            (Form::Ordinal(value), What::Number(number)) => number.integer() == Some(*value),
            (Form::Reference(value), What::Number(number)) => {
                mention.is_labelled && number.integer() == Some(*value)
            }
            (Form::Date(date) | Form::Weekday(date), What::Date(days)) => {
                days.iter().any(|day| day.fits(*date))
            }
            (Form::Date(date), What::Number(number)) => {
                number.readings.contains(&Decimal::from(date.year()))
            }
            _ => false,
        }
    }

    fn masks(&self, literals: &[String]) -> Vec<(usize, usize)> {
        let mut masks: Vec<(usize, usize)> = literals
            .iter()
            .flat_map(|literal| self.literals(literal))
            .collect();
        masks.sort_unstable();
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (start, end) in masks {
            match merged.last_mut() {
                Some((_, last)) if start < *last => *last = end.max(*last),
                _ => merged.push((start, end)),
            }
        }
        merged
    }

    /// Quotes the sentence of a token, cut around the token.
    pub(super) fn quote(&self, at: usize) -> String {
        quote(self.prose, at)
    }
}

/// Kind of statements that a check allows no others of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stray {
    Number,
    Time,
    Reference,
    Person,
}

fn kind_of(mention: &Mention) -> Option<Stray> {
    Some(match &mention.what {
        What::Number(number) if number.is_soft => return None,
        What::Number(_) | What::Unreadable => Stray::Number,
        What::Date(_) | What::Time(_) => Stray::Time,
        What::Reference(_) | What::Commit | What::Version | What::Id => Stray::Reference,
        What::Email => Stray::Reference,
        What::Range(..) | What::Handle | What::Url | What::Path { .. } => return None,
    })
}

/// Quotes the sentence of a token, cut around the token.
pub(super) fn quote(prose: &Prose, at: usize) -> String {
    let lexed = &prose.lexed;
    let token = &lexed.tokens[at];
    let sentence = &lexed.sentences[token.sentence];
    let from = lexed.text[sentence.start..token.start]
        .char_indices()
        .rev()
        .nth(QUOTED / 2)
        .map_or(0, |(at, _)| at);
    let text = &lexed.text[sentence.start + from..sentence.end.max(token.end)];
    let words: Vec<&str> = text
        .split(|char: char| char.is_whitespace() || char == '\u{b}')
        .filter(|word| !word.is_empty())
        .take(60)
        .collect();
    let lead = if from > 0 { "…" } else { "" };
    format!("{:?}", cut(&format!("{lead}{}", words.join(" ")), QUOTED))
}

/// Returns the sentences that give each sentence its topic: the one before it in its block, or the
/// line before a list, and the heading above it.
fn context(prose: &Prose) -> Vec<Vec<usize>> {
    let mut context = Vec::new();
    let (mut heading, mut lead): (Option<usize>, Option<usize>) = (None, None);
    let sentences = &prose.lexed.sentences;
    for (index, sentence) in sentences.iter().enumerate() {
        let kind = prose.blocks[sentence.block].kind;
        let is_first = index
            .checked_sub(1)
            .is_none_or(|before| sentences[before].block != sentence.block);
        let before = if is_first {
            lead.filter(|_| kind != BlockKind::Text)
        } else {
            Some(index - 1)
        };
        context.push(before.into_iter().chain(heading).collect());
        match kind {
            BlockKind::Heading(_) => (heading, lead) = (Some(index), None),
            BlockKind::Text => lead = Some(index),
            _ => {}
        }
    }
    context
}

fn is_version(expected: &str, written: &str) -> bool {
    written.trim_start_matches(['v', 'V']) == expected
}

fn has_dot(text: &str) -> bool {
    text.rsplit('/')
        .next()
        .is_some_and(|name| name.contains('.'))
}

/// Returns the number of the issue or pull request that a URL leads to.
pub(super) fn numbered(url: &str) -> Option<u64> {
    let (_, rest) = url
        .split_once("/issues/")
        .or_else(|| url.split_once("/pull/"))?;
    let digits = rest.split(|char: char| !char.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Returns the id of the commit that a URL leads to.
pub(super) fn commit_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("/commit/")?;
    let id = rest.split(|char: char| !char.is_ascii_hexdigit()).next()?;
    (id.len() >= 7).then_some(id)
}

/// Returns a name with each digit replaced by `0`.
fn shape(id: &str) -> String {
    id.chars()
        .map(|char| if char.is_ascii_digit() { '0' } else { char })
        .collect()
}

/// Returns the seconds of a unit of time.
fn seconds(unit: &str) -> Option<Decimal> {
    Some(match unit {
        "millisecond" => Decimal::new(1, 3),
        "second" => Decimal::ONE,
        "minute" => Decimal::from(60),
        "hour" => Decimal::from(3_600),
        "day" => Decimal::from(86_400),
        "week" => Decimal::from(604_800),
        _ => return None,
    })
}

fn has_same_dimension(one: &str, other: &str) -> bool {
    one == other || (seconds(one).is_some() && seconds(other).is_some())
}

fn convert(value: Decimal, unit: &str) -> Option<Decimal> {
    match seconds(unit) {
        Some(seconds) => value.checked_mul(seconds),
        None => Some(value),
    }
}
