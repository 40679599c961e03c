//! Facts from the definitions that a dump writes.

use super::{Column, ForeignKey, Relation, RelationKind, Role};
use crate::state::sql::{Token, TokenKind, tokens};

/// Tokens of a statement without white space and comments.
struct Words<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    sql: &'a str,
}

impl<'a> Words<'a> {
    fn new(sql: &'a str) -> Self {
        let tokens = tokens(sql).filter(|token| token.kind != TokenKind::Space);
        Self {
            tokens: tokens.collect(),
            at: 0,
            sql,
        }
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).copied()
    }

    /// Skips the given words or symbols. Skips nothing and returns false if others follow.
    fn skip(&mut self, words: &[&str]) -> bool {
        let follow = words.iter().enumerate().all(|(at, word)| {
            self.tokens
                .get(self.at + at)
                .is_some_and(|token| is(token, word))
        });
        if follow {
            self.at += words.len();
        }
        follow
    }

    /// Skips everything up to the given words, and the words.
    fn skip_to(&mut self, words: &[&str]) -> bool {
        while self.at < self.tokens.len() {
            if self.skip(words) {
                return true;
            }
            self.at += 1;
        }
        false
    }

    /// Reads a name.
    fn name(&mut self) -> Option<String> {
        let token = self.peek()?;
        self.at += 1;
        match token.kind {
            TokenKind::Word => Some(token.text.to_owned()),
            TokenKind::Quoted => {
                let inner = token.text.get(1..token.text.len() - 1)?;
                Some(inner.replace("\"\"", "\""))
            }
            _ => None,
        }
    }

    /// Reads a name with its schema.
    fn qualified(&mut self) -> Option<(String, String)> {
        let schema = self.name()?;
        if !self.skip(&["."]) {
            return None;
        }
        Some((schema, self.name()?))
    }

    /// Reads names in parentheses.
    fn names(&mut self) -> Option<Vec<String>> {
        if !self.skip(&["("]) {
            return None;
        }
        let mut names = Vec::new();
        loop {
            names.push(self.name()?);
            if !self.skip(&[","]) {
                return self.skip(&[")"]).then_some(names);
            }
        }
    }

    /// Skips tokens up to a comma or a closing parenthesis of this level, or to one of the given words.
    fn skip_in_level(&mut self, stop: &[&str]) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token.text {
                "(" | "[" => depth += 1,
                ")" | "," if depth == 0 => return,
                ")" | "]" => depth = depth.saturating_sub(1),
                _ if depth == 0 && stop.iter().any(|word| is(&token, word)) => return,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Returns the text between two positions.
    fn text(&self, from: usize, to: usize) -> &'a str {
        let start = self.tokens.get(from).map_or(self.sql.len(), |it| it.start);
        let end = match to.checked_sub(1).and_then(|last| self.tokens.get(last)) {
            Some(last) => last.start + last.text.len(),
            None => start,
        };
        self.sql.get(start..end).unwrap_or_default()
    }
}

fn is(token: &Token<'_>, word: &str) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Symbol) && token.text == word
}

/// Returns the name of the object of a kind that a statement creates.
pub(super) fn created(sql: &str, kind: &str) -> Option<String> {
    let mut words = Words::new(sql);
    if words.skip(&["CREATE", kind]) {
        words.name()
    } else {
        None
    }
}

/// Adds what a statement says about roles.
pub(super) fn role(sql: &str, roles: &mut Vec<Role>) {
    let mut words = Words::new(sql);
    if words.skip(&["CREATE", "ROLE"]) {
        let Some(name) = words.name() else { return };
        let attributes = [
            "SUPERUSER",
            "NOINHERIT",
            "CREATEROLE",
            "CREATEDB",
            "LOGIN",
            "REPLICATION",
            "BYPASSRLS",
        ];
        let rest = &words.tokens[words.at..];
        let attributes = attributes
            .iter()
            .filter(|attribute| rest.iter().any(|token| is(token, attribute)));
        roles.push(Role {
            name,
            attributes: attributes
                .map(|attribute| (*attribute).to_owned())
                .collect(),
            member_of: Vec::new(),
        });
    } else if words.skip(&["GRANT"]) {
        let Some(group) = words.name() else { return };
        if !words.skip(&["TO"]) {
            return;
        }
        let member = words.name();
        if let Some(role) = roles
            .iter_mut()
            .find(|role| Some(&role.name) == member.as_ref())
        {
            role.member_of.push(group);
        }
    }
}

/// Adds what a statement in a file of a table says.
pub(super) fn part(relation: &mut Relation, kind: &str, sql: &str) {
    let mut words = Words::new(sql);
    match kind {
        "tables" => table(relation, words),
        "constraints" | "foreign-keys" => constraint(relation, words),
        "indexes" | "invalid-indexes" => {
            if words.skip(&["CREATE", "INDEX"]) || words.skip(&["CREATE", "UNIQUE", "INDEX"]) {
                relation.indexes.extend(words.name());
            }
        }
        "triggers" => {
            if words.skip(&["CREATE", "TRIGGER"])
                || words.skip(&["CREATE", "CONSTRAINT", "TRIGGER"])
            {
                relation.triggers.extend(words.name());
            }
        }
        _ => {
            if words.skip(&["CREATE", "POLICY"]) {
                relation.policies.extend(words.name());
            } else if words.skip_to(&["ENABLE", "ROW", "LEVEL", "SECURITY"]) {
                relation.row_security = true;
            }
        }
    }
}

fn table(relation: &mut Relation, mut words: Words<'_>) {
    if words.skip(&["CREATE", "TABLE"]) || words.skip(&["CREATE", "UNLOGGED", "TABLE"]) {
        if words.qualified().is_none() || !words.skip(&["("]) {
            return;
        }
        while let Some(column) = column(&mut words) {
            relation.columns.push(column);
            if !words.skip(&[","]) {
                break;
            }
        }
        if words.skip_to(&["PARTITION", "BY"]) {
            relation.kind = RelationKind::Partitioned;
        }
    } else if words.skip(&["ALTER", "TABLE"]) {
        let parent = words.qualified();
        if words.skip(&["ATTACH", "PARTITION"]) {
            relation.partition_of = parent;
        }
    }
}

fn column(words: &mut Words<'_>) -> Option<Column> {
    let name = words.name()?;
    let from = words.at;
    words.skip_in_level(&["COLLATE", "COMPRESSION", "DEFAULT", "GENERATED", "NOT"]);
    let data_type = words.text(from, words.at).to_owned();
    let rest = words.at;
    words.skip_in_level(&[]);
    let clauses = &words.tokens[rest..words.at];
    let not_null = matches!(clauses, [.., not, null] if is(not, "NOT") && is(null, "NULL"));
    Some(Column {
        name,
        data_type,
        not_null,
    })
}

fn constraint(relation: &mut Relation, mut words: Words<'_>) {
    if !words.skip_to(&["ADD", "CONSTRAINT"]) {
        return;
    }
    let Some(name) = words.name() else { return };
    if words.skip(&["PRIMARY", "KEY"]) {
        relation.primary_key = words.names().unwrap_or_default();
    } else if words.skip(&["FOREIGN", "KEY"]) {
        let columns = words.names().unwrap_or_default();
        if words.skip(&["REFERENCES"])
            && let Some(references) = words.qualified()
        {
            relation.foreign_keys.push(ForeignKey {
                name,
                columns,
                references,
            });
        }
    } else {
        relation.constraints.push(name);
    }
}
