//! Words around a mention that change what it states, and ranges.

use super::lex::Day;
use super::read::{Mention, Reader, What, mention};
use super::words;

impl Reader<'_> {
    /// Marks numbers that are hedged, compared with, or references by the word in front.
    pub(super) fn qualify(&self, mentions: &mut [Mention]) {
        for index in 0..mentions.len() {
            let (first, last) = (mentions[index].first, mentions[index].last);
            let (one, two, three) = (
                self.before(first, 1),
                self.before(first, 2),
                self.before(first, 3),
            );
            let (next, after) = (self.fold(last), self.fold(last + 1));
            // The sign ">" also ends the target of a link.
            let is_target = || (2..=8).any(|back| self.before(first, back) == "<");
            let it = &mut mentions[index];
            it.is_hedged = matches!(
                (two, one),
                ("more" | "less" | "fewer", "than")
                    | ("at", "least" | "most")
                    | ("up", "to")
                    | ("<" | ">", "=")
            ) || matches!(
                one,
                "nearly"
                    | "almost"
                    | "roughly"
                    | "approximately"
                    | "approx"
                    | "circa"
                    | "ca"
                    | "~"
                    | "≈"
                    | "<"
                    | "≤"
                    | "≥"
            ) || (one == ">" && !is_target())
                || (next == "or"
                    && matches!(
                        after,
                        "so" | "more" | "less" | "fewer" | "later" | "earlier"
                    ))
                || next == "+"
                || matches!(&it.what, What::Number(number) if number.is_hedged);
            it.is_aside = (one == "than" && three != "no" && three != "not")
                || matches!(one, "versus" | "vs" | "previously" | "formerly")
                || matches!(
                    (two, one),
                    ("instead", "of") | ("rather", "than") | ("compared", "with" | "to")
                )
                || (one == "from"
                    && matches!(
                        two,
                        "up" | "down" | "rose" | "fell" | "grew" | "dropped" | "increased"
                    ))
                || (matches!(next, "more" | "fewer" | "less") && after == "than");
            it.is_aside &= !it.is_hedged;
            if let What::Number(number) = &mut it.what {
                number.is_soft |= number.is_bare() && words::is_part_of_text(next);
            }
            it.is_labelled = matches!(it.what, What::Reference(_));
            let What::Number(number) = &it.what else {
                continue;
            };
            let Some(value) = number
                .integer()
                .filter(|_| number.is_bare() && !number.is_ordinal)
            else {
                continue;
            };
            let is_request = matches!(two, "pull" | "merge");
            let is_one =
                matches!(one, "issue" | "pr" | "ticket" | "mr") || (one == "request" && is_request);
            let is_many =
                matches!(one, "issues" | "prs" | "tickets") || (one == "requests" && is_request);
            let is_listed = index > 0 && {
                let before = &mentions[index - 1];
                let between = self.tokens.get(before.last..first).unwrap_or_default();
                before.is_labelled
                    && !between.is_empty()
                    && between.len() <= 2
                    && between
                        .iter()
                        .all(|token| matches!(token.fold.as_str(), "," | "and" | "&" | "or"))
            };
            let it = &mut mentions[index];
            if is_one {
                it.what = What::Reference(value);
            }
            it.is_labelled = is_one || is_many || is_listed;
        }
    }

    /// Joins neighbours into ranges, and gives the first of two the unit of the second.
    pub(super) fn join(&self, mentions: &mut Vec<Mention>) {
        let mut ranges = Vec::new();
        for index in 1..mentions.len() {
            let (left, right) = mentions.split_at_mut(index);
            let (one, two) = (&mut left[index - 1], &mut right[0]);
            let is_near = one.last <= two.first && two.first - one.last == 1;
            let sentence = |at: usize| self.tokens[at].sentence;
            if !is_near || sentence(one.first) != sentence(two.first) {
                continue;
            }
            let link = self.tokens[one.last].fold.as_str();
            let before = self.before(one.first, 1);
            let is_range = matches!(link, "-" | "–" | "—" | "to" | "through")
                || (link == "and" && before == "between");
            let is_list = matches!(link, "and" | "or" | "to" | "&") || is_range;
            let is_choice = matches!(
                (&one.what, &two.what),
                (What::Date(_) | What::Number(_), What::Date(_)) | (What::Time(_), What::Time(_))
            );
            if link == "or" && is_choice {
                one.is_end = true;
                two.is_end = true;
            }
            match (&mut one.what, &mut two.what) {
                (What::Number(number), What::Date(days)) if is_list && number.is_bare() => {
                    let value = number.integer().and_then(|day| i8::try_from(day).ok());
                    let value = value.filter(|day| (1..=31).contains(day));
                    let has_day = days
                        .iter()
                        .all(|day| day.day.is_some() && day.month.is_some());
                    if let Some(value) = value.filter(|_| has_day) {
                        let days = days.iter().map(|day| Day {
                            day: Some(value),
                            weekday: None,
                            ..*day
                        });
                        one.what = What::Date(days.collect());
                    }
                }
                // "March 12–14"
                (What::Date(days), What::Number(number)) if matches!(link, "-" | "–") => {
                    let value = number.integer().and_then(|day| i8::try_from(day).ok());
                    let value = value.filter(|day| number.is_bare() && (1..=31).contains(day));
                    let has_day = days
                        .iter()
                        .all(|day| day.day.is_some() && day.month.is_some());
                    if let Some(value) = value.filter(|_| has_day) {
                        let days = days.iter().map(|day| Day {
                            day: Some(value),
                            weekday: None,
                            ..*day
                        });
                        two.what = What::Date(days.collect());
                    }
                }
                (What::Number(low), What::Number(high)) if is_range || link == "or" => {
                    if low.is_bare() {
                        low.is_percent = high.is_percent;
                        low.currency = high.currency;
                        low.unit = high.unit;
                    } else if high.is_bare() {
                        high.currency = low.currency;
                    }
                    if low.readings < high.readings || link == "or" {
                        let is_change = before == "from" && link == "to";
                        one.is_end = !is_change;
                        one.is_aside |= is_change;
                        two.is_end = !is_change;
                        let mut range =
                            mention(What::Range(low.clone(), high.clone()), one.first, two.last);
                        range.is_hedged = link == "or";
                        ranges.push(range);
                    } else if before == "from" {
                        one.is_aside = true;
                    }
                }
                _ => {}
            }
        }
        mentions.extend(ranges);
        mentions.sort_by_key(|mention| (mention.first, mention.last));
    }
}
