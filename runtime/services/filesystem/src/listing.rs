//! The tools that list what is there.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::glob::Pattern;
use crate::text;
use crate::world::{Entry, Place, World, join};

/// How `list_directory_with_sizes` sorts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Order {
    #[default]
    Name,
    Size,
}

fn mark(entry: &Entry) -> &'static str {
    if entry.is_directory {
        "[DIR]"
    } else {
        "[FILE]"
    }
}

/// One entry a line.
pub(crate) fn plain(world: &World, place: &Place) -> Result<String, Failure> {
    let entries = world.list(place)?;
    let lines: Vec<String> = entries
        .iter()
        .map(|entry| format!("{} {}", mark(entry), entry.name))
        .collect();
    Ok(lines.join("\n"))
}

/// One entry a line with its size, and the totals.
pub(crate) fn with_sizes(world: &World, place: &Place, order: Order) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for entry in world.list(place)? {
        let target = world.resolve_entry(&join(&place.on_disk, &entry.name));
        let size = match target.and_then(|target| world.status(&target)) {
            Ok(status) => status.size,
            Err(Failure::Said(_)) => 0,
            Err(host) => return Err(host),
        };
        rows.push((entry, size));
    }
    match order {
        Order::Name => {
            let collator = crate::collation::collator()?;
            rows.sort_by(|(a, _), (b, _)| collator.compare(&a.name, &b.name));
        }
        Order::Size => rows.sort_by_key(|(_, size)| std::cmp::Reverse(*size)),
    }
    let mut lines: Vec<String> = rows
        .iter()
        .map(|(entry, size)| {
            let size = match entry.is_directory {
                true => String::new(),
                false => format!("{:>10}", text::size(*size)),
            };
            let width = entry.name.encode_utf16().count();
            let padding = " ".repeat(30_usize.saturating_sub(width));
            format!("{} {}{padding} {size}", mark(entry), entry.name)
        })
        .collect();
    let files: Vec<u64> = rows
        .iter()
        .filter(|(entry, _)| !entry.is_directory)
        .map(|(_, size)| *size)
        .collect();
    let directories = rows.len() - files.len();
    lines.push(String::new());
    lines.push(format!(
        "Total: {} files, {directories} directories",
        files.len()
    ));
    lines.push(format!("Combined size: {}", text::size(files.iter().sum())));
    Ok(lines.join("\n"))
}

/// Everything below a directory as JSON.
pub(crate) fn tree(world: &World, place: &Place, excluded: &[String]) -> Result<String, Failure> {
    let excluded = Exclusions::new(excluded)?;
    let tree = branch(world, place, "", &excluded)?;
    serde_json::to_string_pretty(&tree).map_err(|error| Failure::Host(error.to_string()))
}

fn branch(
    world: &World,
    place: &Place,
    relative: &str,
    excluded: &Exclusions,
) -> Result<Value, Failure> {
    let mut branch = Vec::new();
    for entry in world.list(place)? {
        let relative = join(relative, &entry.name);
        if excluded.cover(&relative) {
            continue;
        }
        if entry.is_directory {
            let below = world.resolve_entry(&join(&place.on_disk, &entry.name))?;
            let children = self::branch(world, &below, &relative, excluded)?;
            branch.push(json!({"name": entry.name, "type": "directory", "children": children}));
        } else {
            branch.push(json!({"name": entry.name, "type": "file"}));
        }
    }
    Ok(Value::Array(branch))
}

/// What `directory_tree` leaves out. A pattern without a star also means entries of that name
/// at any depth, and all below them.
struct Exclusions(Vec<Pattern>);

impl Exclusions {
    fn new(patterns: &[String]) -> Result<Self, Failure> {
        let mut compiled = Vec::new();
        for pattern in patterns {
            compiled.push(Pattern::new(pattern)?);
            if !pattern.contains('*') {
                compiled.push(Pattern::new(&format!("**/{pattern}"))?);
                compiled.push(Pattern::new(&format!("**/{pattern}/**"))?);
            }
        }
        Ok(Self(compiled))
    }

    fn cover(&self, relative: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(relative))
    }
}

/// The full paths of all entries below a directory that match, one a line.
pub(crate) fn search(
    world: &World,
    place: &Place,
    pattern: &str,
    excluded: &[String],
) -> Result<String, Failure> {
    const NOTHING: &str = "No matches found";
    let entries = world.list(place)?;
    // The real server skips every entry for which matching fails.
    let excluded: Result<Vec<Pattern>, Failure> = excluded
        .iter()
        .map(|pattern| Pattern::new(pattern))
        .collect();
    let (Ok(pattern), Ok(excluded)) = (Pattern::new(pattern), excluded) else {
        return Ok(NOTHING.to_owned());
    };
    let mut search = Search {
        world,
        pattern,
        excluded,
        found: Vec::new(),
    };
    search.directory(place, "", entries)?;
    match search.found.is_empty() {
        true => Ok(NOTHING.to_owned()),
        false => Ok(search.found.join("\n")),
    }
}

struct Search<'a> {
    world: &'a World,
    pattern: Pattern,
    excluded: Vec<Pattern>,
    found: Vec<String>,
}

impl Search<'_> {
    fn directory(
        &mut self,
        place: &Place,
        relative: &str,
        entries: Vec<Entry>,
    ) -> Result<(), Failure> {
        for entry in entries {
            let on_disk = join(&place.on_disk, &entry.name);
            let relative = join(relative, &entry.name);
            let below = match self.world.resolve_entry(&on_disk) {
                Ok(below) => below,
                // Such as a symlink that leads outside: it is not shown.
                Err(Failure::Said(_)) => continue,
                Err(host) => return Err(host),
            };
            if self.excluded.iter().any(|it| it.matches(&relative)) {
                continue;
            }
            if self.pattern.matches(&relative) {
                self.found.push(crate::path::shown(&on_disk));
            }
            if entry.is_directory {
                let entries = self.world.list(&below)?;
                self.directory(&below, &relative, entries)?;
            }
        }
        Ok(())
    }
}
