//! Mutations of definitions: tables, constraints, indexes, triggers, functions, policies, privileges.

use super::{Changed, Mutant, MutationKind, PER_FILE};
use crate::state::overview::Overview;
use crate::state::paths::Place;
use crate::state::sql::{self, TokenKind};

/// Adds the mutants of a file of definitions.
pub(super) fn mutate(file: &Changed<'_>, overview: &Overview, found: &mut Vec<Mutant>) {
    let Some(place) = Place::parse(file.path, "sql") else {
        return;
    };
    let statements = texts(file.after);
    let known = texts(file.before);
    let definitions = Definitions {
        file,
        changed: (0..statements.len())
            .filter(|at| !known.contains(&statements[*at]))
            .collect(),
        removed: known
            .into_iter()
            .filter(|text| !statements.contains(text) && !is_of_dropped_table(text, overview))
            .collect(),
        statements,
    };
    definitions.owners(found);
    let (kind, name) = match place.parts.as_slice() {
        [root, schema, kind, name] if root == "schemas" => {
            (kind.as_str(), (schema.clone(), name.clone()))
        }
        [root, schema, kind] if root == "schemas" => {
            (kind.as_str(), (schema.clone(), String::new()))
        }
        [kind] => (kind.as_str(), Default::default()),
        _ => return,
    };
    match kind {
        "tables" => definitions.columns(found),
        "constraints" => {
            let referenced = overview
                .relations
                .values()
                .any(|other| other.foreign_keys.iter().any(|key| key.references == name));
            definitions.constraints(referenced, found);
        }
        "foreign-keys" => definitions.foreign_keys(found),
        "indexes" => definitions.indexes(found),
        "triggers" => definitions.triggers(found),
        "functions" | "views" | "materialized-views" => definitions.bodies(found),
        "policies" => definitions.policies(found),
        "grants" | "default-privileges" => definitions.grants(found),
        "database" => {
            definitions.grants(found);
            definitions.settings(found);
        }
        "roles" => {
            definitions.attributes(found);
            definitions.memberships(found);
            definitions.settings(found);
        }
        _ => {}
    }
}

fn texts(file: &str) -> Vec<String> {
    sql::statements(file)
        .into_iter()
        .map(|it| it.text)
        .collect()
}

/// Statements of a file, which of them the solution added or changed, and those that it removed or changed.
pub(super) struct Definitions<'a> {
    file: &'a Changed<'a>,
    pub(super) statements: Vec<String>,
    changed: Vec<usize>,
    pub(super) removed: Vec<String>,
}

impl Definitions<'_> {
    /// Returns the changed statements that begin with one of the given texts.
    pub(super) fn changed<'a>(
        &'a self,
        starts: &'a [&str],
    ) -> impl Iterator<Item = (usize, &'a str)> {
        self.changed
            .iter()
            .map(|at| (*at, self.statements[*at].as_str()))
            .filter(|(_, text)| starts.iter().any(|start| text.starts_with(start)))
    }

    pub(super) fn without(&self, found: &mut Vec<Mutant>, kind: MutationKind, at: usize) {
        let what = format!("drops `{}`", first_line(&self.statements[at]));
        self.edit(found, kind, what, |statements| {
            statements.remove(at);
        });
    }

    pub(super) fn replaced(
        &self,
        found: &mut Vec<Mutant>,
        kind: MutationKind,
        at: usize,
        text: String,
        what: String,
    ) {
        self.edit(found, kind, what, |statements| statements[at] = text);
    }

    pub(super) fn edit(
        &self,
        found: &mut Vec<Mutant>,
        kind: MutationKind,
        what: String,
        change: impl FnOnce(&mut Vec<String>),
    ) {
        let mut statements = self.statements.clone();
        change(&mut statements);
        let text: String = statements.iter().map(|text| format!("{text}\n")).collect();
        found.push(self.file.mutant(kind, what, text));
    }

    fn owners(&self, found: &mut Vec<Mutant>) {
        for (at, text) in self.changed(&["ALTER"]) {
            if text.contains(" OWNER TO ") {
                self.without(found, MutationKind::Owner, at);
            }
        }
    }

    /// Changes single columns of tables that the solution created or altered.
    fn columns(&self, found: &mut Vec<Mutant>) {
        let known: Vec<&str> = self.file.before.lines().map(bare).collect();
        for (at, text) in self.changed(&["CREATE TABLE", "CREATE UNLOGGED TABLE"]) {
            let lines: Vec<&str> = text.lines().collect();
            let changed = lines
                .iter()
                .filter(|line| line.starts_with("    ") && !known.contains(&bare(line)));
            for line in changed.take(2 * PER_FILE) {
                for (kind, other) in column_mistakes(line) {
                    let what = format!("`{}` instead of `{}`", bare(&other), bare(line));
                    let text = text.replacen(*line, &other, 1);
                    self.replaced(found, kind, at, text, what);
                }
            }
        }
    }

    fn constraints(&self, referenced: bool, found: &mut Vec<Mutant>) {
        for (at, text) in self.changed(&["ALTER TABLE"]) {
            let is_key = text.contains(" PRIMARY KEY (") || text.contains(" UNIQUE ");
            if !(is_key && referenced) {
                self.without(found, MutationKind::Constraint, at);
            }
            if text.contains(" CHECK (")
                && let Some(other) = other_comparison(text)
            {
                let what = format!("another condition in `{}`", first_line(text));
                self.replaced(found, MutationKind::Constraint, at, other, what);
            }
        }
    }

    fn foreign_keys(&self, found: &mut Vec<Mutant>) {
        for (at, text) in self.changed(&["ALTER TABLE"]) {
            self.without(found, MutationKind::ForeignKey, at);
            let other = match text.split_once(" ON DELETE ") {
                Some((head, action)) if action.starts_with("CASCADE") => {
                    format!("{head}{}", action.trim_start_matches("CASCADE"))
                }
                Some((head, action)) => match action.find([';', ' ']) {
                    Some(_) => format!("{head} ON DELETE CASCADE;"),
                    None => continue,
                },
                None => continue,
            };
            let what = format!("another action in `{}`", first_line(text));
            self.replaced(found, MutationKind::ForeignKey, at, other, what);
        }
    }

    fn indexes(&self, found: &mut Vec<Mutant>) {
        // Statements that refer to an index cannot remain without it.
        let attached = |name: &str| {
            self.statements
                .iter()
                .any(|text| text.starts_with("ALTER") && text.contains(name))
        };
        for (at, text) in self.changed(&["CREATE INDEX ", "CREATE UNIQUE INDEX "]) {
            let name = text
                .split(" INDEX ")
                .nth(1)
                .and_then(|rest| rest.split(" ON ").next());
            if !name.is_some_and(attached) {
                self.without(found, MutationKind::Index, at);
            }
            if let Some(rest) = text.strip_prefix("CREATE UNIQUE INDEX ") {
                let what = format!("not unique: `{}`", first_line(text));
                self.replaced(
                    found,
                    MutationKind::Index,
                    at,
                    format!("CREATE INDEX {rest}"),
                    what,
                );
            }
        }
    }

    fn triggers(&self, found: &mut Vec<Mutant>) {
        for (at, text) in self.changed(&["CREATE TRIGGER ", "CREATE CONSTRAINT TRIGGER "]) {
            let name = text.split(" TRIGGER ").nth(1).and_then(|rest| {
                [" BEFORE ", " AFTER ", " INSTEAD OF "]
                    .iter()
                    .find_map(|time| rest.split_once(time))
                    .map(|it| it.0)
            });
            let mentioned = self
                .statements
                .iter()
                .filter(|other| name.is_some_and(|name| other.contains(name)))
                .count();
            if mentioned == 1 {
                self.without(found, MutationKind::Trigger, at);
            }
            let table = text
                .split_once(" ON ")
                .and_then(|(_, rest)| rest.split_once(" FOR EACH "))
                .map(|it| it.0);
            if let (Some(name), Some(table)) = (name, table)
                && mentioned == 1
                && !table.contains(" DEFERRABLE")
                && !text.contains(" INSTEAD OF ")
            {
                let what = format!("disables the trigger {name}");
                self.edit(found, MutationKind::Trigger, what, |statements| {
                    statements.insert(
                        at + 1,
                        format!("ALTER TABLE {table} DISABLE TRIGGER {name};"),
                    );
                });
            }
        }
    }

    fn bodies(&self, found: &mut Vec<Mutant>) {
        for (at, text) in self.changed(&["CREATE"]) {
            let starts = ["\nAS ", " AS\n", "\nBEGIN ATOMIC"];
            let Some(body) = starts.iter().filter_map(|start| text.find(start)).min() else {
                continue;
            };
            let (head, body) = text.split_at(body);
            for other in [other_number(body), other_comparison(body)]
                .into_iter()
                .flatten()
            {
                let what = format!("another body of `{}`", first_line(text));
                self.replaced(
                    found,
                    MutationKind::Body,
                    at,
                    format!("{head}{other}"),
                    what,
                );
            }
        }
    }

    fn policies(&self, found: &mut Vec<Mutant>) {
        for (at, text) in self.changed(&["CREATE POLICY ", "ALTER TABLE "]) {
            self.without(found, MutationKind::Policy, at);
            let condition = text
                .find("\n    USING (")
                .or_else(|| text.find("\n    WITH CHECK ("));
            if let Some(condition) = condition {
                let clause = &text[condition..];
                let word = if clause.starts_with("\n    USING") {
                    "USING"
                } else {
                    "WITH CHECK"
                };
                let other = format!("{}\n    {word} (true);", &text[..condition]);
                let what = format!("`{word} (true)` in `{}`", first_line(text));
                self.replaced(found, MutationKind::Policy, at, other, what);
            }
        }
    }

    fn grants(&self, found: &mut Vec<Mutant>) {
        self.remaining_grants(found);
        for (at, text) in self.changed(&["GRANT ", "REVOKE ", "ALTER DEFAULT PRIVILEGES "]) {
            self.without(found, MutationKind::Grant, at);
            if text.starts_with("GRANT ")
                && !text.contains(" WITH GRANT OPTION")
                && let Some((head, grantee)) = text.rsplit_once(" TO ")
                && grantee != "PUBLIC;"
            {
                let what = format!("everybody instead of {}", grantee.trim_end_matches(';'));
                self.replaced(
                    found,
                    MutationKind::Grant,
                    at,
                    format!("{head} TO PUBLIC;"),
                    what,
                );
            }
        }
    }
}

pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Reports whether a statement grants a privilege on a relation that the solved state does not have.
fn is_of_dropped_table(statement: &str, overview: &Overview) -> bool {
    let table = statement
        .split_once(" ON TABLE ")
        .and_then(|(_, rest)| rest.split_once(" TO "))
        .map(|(table, _)| table.replace('"', ""));
    let exists = |table: &str| {
        let mut relations = overview.relations.keys();
        relations.any(|(schema, name)| {
            table.strip_prefix(schema.as_str()) == Some(format!(".{name}").as_str())
        })
    };
    table.is_some_and(|table| !exists(&table))
}

/// Returns the definition of a column without its indentation and its comma.
fn bare(line: &str) -> &str {
    line.trim().trim_end_matches(',')
}

/// Returns the definitions of a column with one mistake each.
fn column_mistakes(line: &str) -> Vec<(MutationKind, String)> {
    let mut mistakes = Vec::new();
    let comma = if line.ends_with(',') { "," } else { "" };
    let body = line.trim_end_matches(',');
    if let Some(nullable) = body.strip_suffix(" NOT NULL")
        && !body.contains(" AS IDENTITY")
    {
        mistakes.push((MutationKind::NotNull, format!("{nullable}{comma}")));
    }
    if let Some((head, _)) = body.split_once(" DEFAULT ") {
        let end = if body.ends_with(" NOT NULL") {
            " NOT NULL"
        } else {
            ""
        };
        mistakes.push((MutationKind::Default, format!("{head}{end}{comma}")));
    }
    let types = [
        (" integer", " bigint"),
        (" bigint", " integer"),
        (" text", " character varying"),
        (" timestamp with time zone", " timestamp without time zone"),
        (" timestamp without time zone", " timestamp with time zone"),
        (" numeric(", " numeric(3"),
        (" jsonb", " json"),
        (" date", " timestamp without time zone"),
    ];
    let plain = !body.contains(" GENERATED ") && !body.contains(" DEFAULT ");
    let name = sql::tokens(body).find(|token| token.kind != TokenKind::Space);
    let (name, rest) = body.split_at(name.map_or(0, |token| token.start + token.text.len()));
    let named = types.iter().find_map(|(from, to)| {
        let rest = rest.strip_prefix(from)?;
        let ends = from.ends_with('(') || rest.is_empty() || rest.starts_with(' ');
        ends.then(|| format!("{name}{to}{rest}{comma}"))
    });
    if plain {
        mistakes.extend(named.map(|line| (MutationKind::ColumnType, line)));
    }
    mistakes
}

/// Raises the first number of a text outside of quoted names. Strings with dollar quotes are the bodies of functions.
fn other_number(text: &str) -> Option<String> {
    change(text, |word| {
        let number: u64 = word.parse().ok()?;
        Some(number.checked_add(1)?.to_string())
    })
}

fn change(text: &str, with: impl Fn(&str) -> Option<String> + Copy) -> Option<String> {
    for token in sql::tokens(text) {
        let inner = token.text;
        let other = match token.kind {
            TokenKind::Word => with(inner),
            TokenKind::Text if inner.starts_with('$') => {
                let tag = inner[1..].find('$')? + 2;
                let end = inner.len().checked_sub(tag).filter(|end| *end >= tag)?;
                change(&inner[tag..end], with)
                    .map(|body| format!("{}{body}{}", &inner[..tag], &inner[end..]))
            }
            _ => None,
        };
        if let Some(other) = other {
            let end = token.start + inner.len();
            return Some(format!("{}{other}{}", &text[..token.start], &text[end..]));
        }
    }
    None
}

/// Replaces the first comparison by one that differs in the case of equality.
fn other_comparison(text: &str) -> Option<String> {
    let comparisons = [
        (" >= ", " > "),
        (" <= ", " < "),
        (" > ", " >= "),
        (" < ", " <= "),
    ];
    let first = comparisons
        .iter()
        .filter_map(|(from, to)| Some((text.find(from)?, from, to)))
        .min()?;
    Some(text.replacen(first.1, first.2, 1))
}
