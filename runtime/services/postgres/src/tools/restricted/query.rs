//! Checks of a query: its clauses, and the functions that it calls.

use super::is_allowed_function;
use super::keywords::{is_construct, is_forbidden_construct, is_keyword, is_reserved};
use super::lexer::Token;

/// Checks a query. Returns `None` if it is refused.
pub(super) fn check(tokens: &[Token]) -> Option<()> {
    let mut scan = Scan {
        tokens,
        is_group_by: vec![false],
        is_query: vec![false],
        starts: Vec::new(),
    };
    let mut at = 0;
    while at < tokens.len() {
        at = scan.step(at)?;
    }
    Some(())
}

/// Returns the place of the parenthesis that closes the one at a place.
pub(super) fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, token) in tokens.get(open..)?.iter().enumerate() {
        if token.is('(') {
            depth += 1;
        } else if token.is(')') {
            depth = depth.checked_sub(1)?;
        }
        if depth == 0 {
            return Some(open + offset);
        }
    }
    None
}

struct Scan<'a> {
    tokens: &'a [Token],
    /// For each open parenthesis: whether the place is in a `GROUP BY` clause.
    is_group_by: Vec<bool>,
    /// For each open parenthesis: whether a `SELECT` has started in it.
    is_query: Vec<bool>,
    /// Places after a closing parenthesis at which an expression starts.
    starts: Vec<usize>,
}

impl Scan<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        self.tokens.get(at).and_then(Token::word)
    }

    fn word_before(&self, at: usize) -> Option<&str> {
        self.word(at.checked_sub(1)?)
    }

    fn is_at(&self, at: usize, punctuation: char) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| token.is(punctuation))
    }

    /// Checks the token at a place. Returns the next place to check.
    fn step(&mut self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        if token.is('(') {
            self.parenthesis(at)?;
            self.is_group_by.push(false);
            self.is_query.push(false);
            return Some(at + 1);
        }
        if token.is(')') {
            self.is_group_by.pop();
            self.is_query.pop();
            return Some(at + 1);
        }
        let follows_dot = at > 0 && self.is_at(at - 1, '.');
        match token.word().filter(|_| !follows_dot) {
            Some(word) => self.keyword(word, at),
            None => Some(at + 1),
        }
    }

    /// Checks a word that may be a keyword.
    fn keyword(&mut self, word: &str, at: usize) -> Option<usize> {
        let next = self.word(at + 1).unwrap_or_default();
        match word {
            "into" | "default" => return None,
            "for" if matches!(next, "update" | "share") => return None,
            "for" if next == "no" && self.word(at + 2) == Some("key") => return None,
            "for" if next == "key" && self.word(at + 2) == Some("share") => return None,
            "similar" if next == "to" => return None,
            "at" if next == "local" => return None,
            "at" if next == "time" && self.word(at + 2) == Some("zone") => return None,
            "collation" if next == "for" => return None,
            "overlaps" if at > 0 && self.is_at(at - 1, ')') => return None,
            "is" => {
                let place = if next == "not" { at + 2 } else { at + 1 };
                let is_form = matches!(
                    self.word(place),
                    Some("normalized" | "nfc" | "nfd" | "nfkc" | "nfkd" | "json" | "document")
                );
                if is_form {
                    return None;
                }
            }
            "like" | "ilike" => return self.pattern(at + 1),
            "values" if self.starts_rows(at) => return self.value_rows(at + 1),
            "with" if !matches!(next, "time" | "ties" | "ordinality" | "hold") => {
                return self.common_tables(at + 1);
            }
            "select" => {
                self.set_group_by(false);
                if let Some(innermost) = self.is_query.last_mut() {
                    *innermost = true;
                }
            }
            "group" if next == "by" => self.set_group_by(true),
            "from" | "where" | "having" | "window" | "order" | "limit" | "offset" | "fetch"
            | "union" | "intersect" | "except" => self.set_group_by(false),
            _ => {}
        }
        Some(at + 1)
    }

    fn set_group_by(&mut self, is_group_by: bool) {
        if let Some(innermost) = self.is_group_by.last_mut() {
            *innermost = is_group_by;
        }
    }

    /// Reports whether the keyword `VALUES` starts rows and is not an alias.
    fn starts_rows(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return true;
        };
        let previous = self.word(before);
        self.is_at(before, '(')
            || matches!(
                previous,
                Some("union" | "intersect" | "except" | "all" | "distinct")
            )
    }

    /// Returns the place after the rows of `VALUES`. The published server does not look into them.
    fn value_rows(&self, at: usize) -> Option<usize> {
        let mut at = at;
        while self.is_at(at, '(') {
            at = closing(self.tokens, at)? + 1;
            if !self.is_at(at, ',') {
                break;
            }
            at += 1;
        }
        Some(at)
    }

    /// Checks the pattern of `LIKE`, which must be a constant.
    fn pattern(&self, at: usize) -> Option<usize> {
        if matches!(self.word(at), Some("any" | "all" | "some")) {
            return Some(at + 1);
        }
        let mut place = at;
        while self.is_at(place, '(') {
            place += 1;
        }
        let depth = place - at;
        if self.tokens.get(place) != Some(&Token::Text) {
            return None;
        }
        let end = place + 1 + depth;
        if !(place + 1..end).all(|place| self.is_at(place, ')')) {
            return None;
        }
        // Operators that bind tighter than `LIKE` belong to the pattern.
        let binds_tighter = match self.tokens.get(end) {
            Some(Token::Operator(operator)) => !matches!(
                operator.as_str(),
                "=" | "<" | ">" | "<=" | ">=" | "<>" | "!="
            ),
            Some(Token::Word(word)) => {
                matches!(word.as_str(), "escape" | "collate" | "at" | "operator")
            }
            Some(token) => token.is('['),
            None => false,
        };
        (!binds_tighter).then_some(end)
    }

    /// Checks the common table expressions of `WITH`. Returns the place of the query.
    fn common_tables(&mut self, at: usize) -> Option<usize> {
        let mut at = if self.word(at) == Some("recursive") {
            at + 1
        } else {
            at
        };
        loop {
            // Name and columns.
            at += 1;
            if self.is_at(at, '(') {
                at = closing(self.tokens, at)? + 1;
            }
            if self.word(at) != Some("as") {
                return None;
            }
            at += 1;
            while matches!(self.word(at), Some("not" | "materialized")) {
                at += 1;
            }
            let end = closing(self.tokens, at)?;
            let body = self.tokens.get(at + 1..end)?;
            if !starts_query(body.first()?) {
                return None;
            }
            check(body)?;
            at = end + 1;
            if !self.is_at(at, ',') {
                break;
            }
            at += 1;
        }
        // `SEARCH`, `CYCLE` and statements that write do not start a query.
        match self.tokens.get(at)? {
            token if token.word() == Some("values") => self.value_rows(at + 1),
            token => starts_query(token).then_some(at),
        }
    }

    /// Checks an opening parenthesis: whether it belongs to a call, and of what.
    fn parenthesis(&mut self, at: usize) -> Option<()> {
        let Some(before) = at.checked_sub(1) else {
            return Some(());
        };
        let name = match &self.tokens[before] {
            Token::Word(name) => name.as_str(),
            Token::Quoted(_) => "",
            _ => return Some(()),
        };
        let is_quoted = matches!(self.tokens[before], Token::Quoted(_));
        // The start of a qualified name.
        let mut start = before;
        while start >= 2 && self.is_at(start - 1, '.') && is_name(&self.tokens[start - 2]) {
            start -= 2;
        }
        let is_plain = start == before && !is_quoted;
        if is_plain {
            if name == "on" && self.word_before(before) == Some("distinct") {
                self.starts.push(closing(self.tokens, at)? + 1);
                return Some(());
            }
            if name == "as" {
                // The columns of a function have types, which is not allowed; a window follows its name.
                let follows_call = before > 0 && self.is_at(before - 1, ')');
                let is_typed = follows_call || self.word_before(before) == Some("ordinality");
                return (!is_typed).then_some(());
            }
            if is_forbidden_construct(name) {
                return None;
            }
            let is_alias = name == "values" && !self.starts_rows(before);
            if !is_alias
                && (is_reserved(name) || is_construct(name) || self.is_clause(name, before))
            {
                return Some(());
            }
            if name == "operator" && self.is_operator(at)? {
                self.starts.push(closing(self.tokens, at)? + 1);
                return Some(());
            }
        }
        if let Some(previous) = start.checked_sub(1) {
            let is_cast = matches!(&self.tokens[previous], Token::Operator(it) if it == "::");
            if is_cast || self.word(previous) == Some("tablesample") {
                return Some(());
            }
            // The published server does not look at the functions of a `FROM` clause.
            let is_from = self.is_query.last() == Some(&true)
                && match self.word(previous) {
                    Some("from") => self.word_before(previous) != Some("distinct"),
                    word => matches!(word, Some("join" | "lateral")),
                };
            if is_from {
                return Some(());
            }
            let is_alias = match &self.tokens[previous] {
                Token::Quoted(_) => true,
                Token::Word(word) => word == "as" || !is_keyword(word),
                token => token.is(')') && !self.starts.contains(&start),
            };
            if is_alias {
                return self.columns(at);
            }
        }
        let parts = self.tokens[start..=before]
            .iter()
            .filter_map(|token| match token {
                Token::Word(part) | Token::Quoted(part) => Some(part.as_str()),
                _ => None,
            });
        is_allowed_function(&parts.collect::<Vec<_>>().join(".")).then_some(())
    }

    /// Reports whether a keyword before a parenthesis is part of a clause and no name.
    fn is_clause(&self, keyword: &str, at: usize) -> bool {
        let previous = self.word_before(at).unwrap_or_default();
        let follows_parenthesis = at > 0 && self.is_at(at - 1, ')');
        match keyword {
            "over" | "filter" => follows_parenthesis,
            "by" => matches!(previous, "group" | "order" | "partition"),
            "sets" => previous == "grouping",
            "rollup" | "cube" => self.is_group_by.last() == Some(&true),
            "first" | "next" => previous == "fetch",
            "varying" => matches!(previous, "character" | "char" | "bit" | "nchar"),
            "second" => matches!(previous, "to" | "interval"),
            "join" => {
                let is_kind = matches!(
                    previous,
                    "left" | "right" | "full" | "inner" | "outer" | "cross" | "natural"
                );
                is_kind || follows_parenthesis || at > 0 && is_table(&self.tokens[at - 1])
            }
            _ => false,
        }
    }

    /// Reports whether `OPERATOR(` names an operator.
    fn is_operator(&self, open: usize) -> Option<bool> {
        let content = self.tokens.get(open + 1..closing(self.tokens, open)?)?;
        Some(matches!(content.last(), Some(Token::Operator(_))))
    }

    /// Checks the parenthesis after an alias: names of columns, or the modifiers of a type.
    fn columns(&self, open: usize) -> Option<()> {
        let content = self.tokens.get(open + 1..closing(self.tokens, open)?)?;
        let is_single =
            |part: &[Token]| matches!(part, [token] if is_name(token) || *token == Token::Number);
        content
            .split(|token| token.is(','))
            .all(is_single)
            .then_some(())
    }
}

fn is_name(token: &Token) -> bool {
    matches!(token, Token::Word(_) | Token::Quoted(_))
}

/// Reports whether a token can be the name of a table.
fn is_table(token: &Token) -> bool {
    match token {
        Token::Quoted(_) => true,
        Token::Word(word) => !is_keyword(word),
        _ => false,
    }
}

fn starts_query(token: &Token) -> bool {
    token.is('(') || matches!(token.word(), Some("select" | "values" | "table" | "with"))
}
