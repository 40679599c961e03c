//! Statements that no fact allows.

use std::collections::BTreeSet;

use super::compare::{commit_of, numbered};
use super::fact::Form;
use super::judge::Judge;
use super::lex::Lexed;
use super::read::{Mention, What};
use crate::condition::show;

/// Kind of statements that a check allows no others of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stray {
    Number,
    Time,
    Reference,
    Person,
}

impl Judge<'_> {
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
        let named: BTreeSet<usize> = self.named.iter().map(|it| it.first).collect();
        if kind == Stray::Person {
            let is_allowed = |person: &usize| {
                let allowed =
                    |form: &&Form| matches!(form, Form::Person(it) if *it == self.roster[*person]);
                forms.iter().any(allowed)
            };
            let mut strays = self.named.iter().filter(|it| {
                let (start, end) = (lexed.tokens[it.first].start, lexed.tokens[it.last - 1].end);
                !it.people.iter().any(is_allowed) && !is_masked(start, end)
            });
            let known = strays.next().map(|it| (it.first, it.last));
            // A handle of no known person is a false name too.
            let mut handles = self.prose.mentions.iter().filter(|mention| {
                matches!(mention.what, What::Handle)
                    && !self.roster.is_empty()
                    && !named.contains(&mention.first)
                    && !is_masked(mention.start(lexed), mention.end(lexed))
            });
            let unknown = handles.next().map(|mention| (mention.first, mention.last));
            let (first, last) = known.or(unknown)?;
            let written = &lexed.text[lexed.tokens[first].start..lexed.tokens[last - 1].end];
            return Some(format!("{} in {}", show(written), self.quote(first)));
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
            kind_of(mention, lexed) == Some(kind)
                && !is_masked(mention.start(lexed), mention.end(lexed))
                // The address of a known person is judged as a name.
                && !(matches!(mention.what, What::Email) && named.contains(&mention.first))
                && !is_allowed(mention)
                && !self.is_unshaped(mention, &forms)
        })?;
        Some(format!(
            "{} in {}",
            show(stray.written(lexed)),
            self.quote(stray.first)
        ))
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
}

fn kind_of(mention: &Mention, lexed: &Lexed) -> Option<Stray> {
    Some(match &mention.what {
        What::Url => {
            // The address of an issue, a pull request or a commit refers to it.
            let url = &lexed.tokens[mention.first].fold;
            let is_reference = numbered(url).is_some() || commit_of(url).is_some();
            return is_reference.then_some(Stray::Reference);
        }
        What::Number(number) if number.is_soft => return None,
        What::Number(_) | What::Unreadable => Stray::Number,
        What::Date(_) | What::Time(_) => Stray::Time,
        What::Reference(_) | What::Commit | What::Version | What::Id => Stray::Reference,
        What::Email => Stray::Reference,
        What::Range(..) | What::Handle | What::Path { .. } => return None,
    })
}
