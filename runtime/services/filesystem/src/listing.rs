//! Tools that list directories and search files.

use mcpmark_service::checkpoint;
use serde::Deserialize;

use crate::bounded::Bounded;
use crate::failure::Failure;
use crate::glob::{self, Compiler, Path, Pattern};
use crate::text;
use crate::world::{Entry, Place, World, join};

/// Sort order of `list_directory_with_sizes`.
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

/// Lists a directory with one entry per line.
pub(crate) fn plain(world: &World, place: &Place) -> Result<String, Failure> {
    let mut lines = Bounded::new(world.max_result_bytes());
    for entry in world.list(place)? {
        lines.push_line(&[mark(&entry), " ", &entry.name])?;
    }
    Ok(lines.into_text())
}

/// Lists a directory with one entry and its size per line, followed by totals.
pub(crate) fn with_sizes(world: &World, place: &Place, order: Order) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for entry in world.list(place)? {
        checkpoint()?;
        let target = world.resolve_entry(place, &entry);
        let size = match target.and_then(|target| world.status(&target)) {
            Ok(status) => status.size,
            Err(Failure::ToolError(_)) => 0,
            Err(other) => return Err(other),
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
    let mut lines = Bounded::new(world.max_result_bytes());
    for (entry, size) in &rows {
        let size = if entry.is_directory {
            String::new()
        } else {
            format!("{:>10}", text::size(*size))
        };
        let width = entry.name.encode_utf16().count();
        let padding = " ".repeat(30_usize.saturating_sub(width));
        lines.push_line(&[mark(entry), " ", &entry.name, &padding, " ", &size])?;
    }
    let files: Vec<u64> = rows
        .iter()
        .filter(|(entry, _)| !entry.is_directory)
        .map(|(_, size)| *size)
        .collect();
    let directories = rows.len() - files.len();
    let combined = text::size(files.iter().sum());
    if !rows.is_empty() {
        lines.push("\n")?;
    }
    lines.push(&format!(
        "\nTotal: {} files, {directories} directories\nCombined size: {combined}",
        files.len()
    ))?;
    Ok(lines.into_text())
}

/// Returns everything below a directory as JSON.
pub(crate) fn tree(world: &World, place: &Place, excluded: &[String]) -> Result<String, Failure> {
    let mut compiler = Compiler::default();
    let excluded = excluded.iter().map(|pattern| compiler.exclusion(pattern));
    let excluded = excluded.collect::<Result<_, _>>()?;
    let mut tree = Branches {
        world,
        compiler,
        excluded,
        path: Path::default(),
        json: Bounded::new(world.max_result_bytes()),
    };
    tree.branch(place, 0)?;
    Ok(tree.json.into_text())
}

/// JSON writer for directory trees, with each value on its own line.
struct Branches<'a> {
    world: &'a World,
    compiler: Compiler,
    excluded: Vec<Pattern>,
    path: Path,
    json: Bounded,
}

impl Branches<'_> {
    fn branch(&mut self, place: &Place, depth: usize) -> Result<(), Failure> {
        let outer = "    ".repeat(depth);
        let mut is_empty = true;
        self.json.push("[")?;
        for entry in self.world.list(place)? {
            checkpoint()?;
            self.path.push(&entry.name);
            if !covers(&self.compiler, &self.excluded, &self.path)? {
                let separator = if is_empty { "\n" } else { ",\n" };
                is_empty = false;
                self.entry(place, &entry, depth, &[separator, &outer])?;
            }
            self.path.pop();
        }
        if !is_empty {
            self.json.push("\n")?;
            self.json.push(&outer)?;
        }
        self.json.push("]")
    }

    fn entry(
        &mut self,
        directory: &Place,
        entry: &Entry,
        depth: usize,
        before: &[&str; 2],
    ) -> Result<(), Failure> {
        let [separator, outer] = before;
        let name = serde_json::to_string(&entry.name);
        let name = name.map_err(|error| Failure::Host(error.to_string()))?;
        let kind = if entry.is_directory {
            "directory"
        } else {
            "file"
        };
        self.json.push(&format!(
            "{separator}{outer}  {{\n{outer}    \"name\": {name},\n{outer}    \"type\": \"{kind}\""
        ))?;
        if entry.is_directory {
            let below = self.world.resolve_entry(directory, entry)?;
            self.json.push(&format!(",\n{outer}    \"children\": "))?;
            self.branch(&below, depth + 1)?;
        }
        self.json.push(&format!("\n{outer}  }}"))
    }
}

fn covers(compiler: &Compiler, patterns: &[Pattern], path: &Path) -> Result<bool, Failure> {
    for pattern in patterns {
        if compiler.matches(pattern, path)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the full paths of all matching entries below a directory, one per line.
pub(crate) fn search(
    world: &World,
    place: &Place,
    pattern: &str,
    excluded: &[String],
) -> Result<String, Failure> {
    const NOTHING: &str = "No matches found";
    let entries = world.list(place)?;
    // The published server skips every entry for which matching fails.
    if glob::is_too_long(pattern) || excluded.iter().any(|it| glob::is_too_long(it)) {
        return Ok(NOTHING.to_owned());
    }
    let mut compiler = Compiler::default();
    let pattern = compiler.pattern(pattern)?;
    let excluded = excluded.iter().map(|it| compiler.pattern(it));
    let excluded = excluded.collect::<Result<_, _>>()?;
    let mut search = Search {
        world,
        compiler,
        pattern,
        excluded,
        path: Path::default(),
        found: Bounded::new(world.max_result_bytes()),
    };
    search.directory(place, entries)?;
    if search.found.is_empty() {
        Ok(NOTHING.to_owned())
    } else {
        Ok(search.found.into_text())
    }
}

struct Search<'a> {
    world: &'a World,
    compiler: Compiler,
    pattern: Pattern,
    excluded: Vec<Pattern>,
    path: Path,
    found: Bounded,
}

impl Search<'_> {
    fn directory(&mut self, place: &Place, entries: Vec<Entry>) -> Result<(), Failure> {
        for entry in entries {
            checkpoint()?;
            let below = match self.world.resolve_entry(place, &entry) {
                Ok(below) => below,
                // Entries that cannot be resolved, such as a symlink that leads outside, are omitted.
                Err(Failure::ToolError(_)) => continue,
                Err(other) => return Err(other),
            };
            self.path.push(&entry.name);
            if !covers(&self.compiler, &self.excluded, &self.path)? {
                if self.compiler.matches(&self.pattern, &self.path)? {
                    let on_disk = join(&place.on_disk, &entry.name);
                    self.found.push_line(&[&crate::path::shown(&on_disk)])?;
                }
                if entry.is_directory {
                    let entries = self.world.list(&below)?;
                    self.directory(&below, entries)?;
                }
            }
            self.path.pop();
        }
        Ok(())
    }
}
