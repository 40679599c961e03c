//! Judgement of one text: which facts it states, and what else it states.

use std::collections::{BTreeMap, BTreeSet};

use super::Prose;
use super::blocks::BlockKind;
use super::fact::{Fact, Form, Polarity, Side};
use super::people::{Named, Person, named, plain_tokens};
use super::phrase::Phrase;
use crate::condition::{cut, show};

/// Maximum distance of a value from its topic, in half words.
const REACH: u32 = 40;
/// Maximum distance at which another value contradicts, in half words.
const CLOSE: u32 = 8;
/// Maximum length of a quoted sentence, in characters.
const QUOTED: usize = 110;

/// A text with the people that it names.
pub(super) struct Judge<'a> {
    pub(super) prose: &'a Prose,
    pub(super) facts: &'a [&'a Fact],
    /// What the text has of each fact.
    found: Vec<FactPlaces>,
    /// Fact, index of its candidate, distance in half words.
    bound: Vec<(usize, usize, u32)>,
    pub(super) roster: Vec<Person>,
    pub(super) named: Vec<Named>,
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
pub(super) enum Verdict {
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
                .or_else(|| self.by_context(&places[0]))
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
                    let (written, quote) = (show(written), self.quote(candidate.first));
                    return Err(format!(
                        "expected {name}, found {written} for it in {quote}"
                    ));
                }
                _ => {}
            }
        }
        if let Some(at) = found.or_else(|| self.by_context(&self.found[index])) {
            return Ok(at);
        }
        let is_phrase = self.facts[index]
            .forms
            .iter()
            .any(|form| matches!(form, Form::Words(..)));
        let loose = candidates.iter().max_by_key(|it| it.verdict);
        match loose.filter(|it| is_phrase || it.verdict == Verdict::Right) {
            Some(loose) => Err(format!(
                "expected {name} stated plainly together with what it is about, found only {}",
                self.quote(loose.first)
            )),
            None => Err(format!("expected {name}, found it nowhere in the text")),
        }
    }

    /// Finds a value in a sentence without any topic, after a sentence or below a heading with one.
    fn by_context(&self, FactPlaces { candidates, topics }: &FactPlaces) -> Option<usize> {
        let mut right = candidates
            .iter()
            .filter(|it| it.verdict == Verdict::Right && it.is_plain);
        right
            .find(|it| {
                let sentence = self.prose.lexed.tokens[it.first].sentence;
                // The topics of a fact that must not be stated are not among those of the text.
                let has_topic = topics.contains_key(&sentence)
                    || self
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
                Form::Words(phrase, polarity) => {
                    // The topic of "support was removed" is not taken by "support".
                    let no = if fact.topics.is_empty() || fact.is_unopposed {
                        Verdict::Wrong
                    } else {
                        Verdict::Weak
                    };
                    for (first, last, is_negated) in self.find(phrase) {
                        let is_right = match polarity {
                            Polarity::Any => true,
                            Polarity::Affirmed => !is_negated,
                            Polarity::Denied => is_negated,
                        };
                        add(first, last, if is_right { yes } else { no }, true);
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

    /// Quotes the sentence of a token, cut around the token.
    pub(super) fn quote(&self, at: usize) -> String {
        quote(self.prose, at)
    }
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
