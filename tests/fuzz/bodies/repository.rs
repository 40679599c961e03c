//! Fuzz target of a `.git` directory in a world. Each file begins with `\0file `, its path and a line feed. All queries
//! of an archive run with a small budget.

use std::sync::LazyLock;

use mcpmark_github::archive::{Archive, Cost, Meter, ReadError};
use mcpmark_snapshot::{File, MemoryBlobs, Scratch, Tree, TreeBuilder, TreePath, scratch_parent};

/// Budget of one query, in objects and in bytes.
const OBJECTS: u64 = 500;
const BYTES: u64 = 1 << 16;
const MARK: &[u8] = b"\0file ";

static PLACE: LazyLock<Scratch> = LazyLock::new(|| Scratch::new(&scratch_parent(None)).unwrap());

pub(crate) fn run(bytes: &[u8]) {
    let blobs = MemoryBlobs::new();
    let tree = world(bytes, &blobs);
    let Some(dir) = Archive::find(&tree) else {
        return;
    };
    let first = read(dir, &blobs);
    assert_eq!(first, read(dir, &blobs));
    let left = std::fs::read_dir(PLACE.path()).unwrap();
    assert_eq!(left.count(), 0, "a copy is left");
}

fn world(bytes: &[u8], blobs: &MemoryBlobs) -> Tree {
    let mut tree = TreeBuilder::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(MARK.len()).position(|it| it == MARK) {
        rest = &rest[at + MARK.len()..];
        let end = rest.windows(MARK.len()).position(|it| it == MARK);
        let file = &rest[..end.unwrap_or(rest.len())];
        let Some(line) = file.iter().position(|byte| *byte == b'\n') else {
            continue;
        };
        let (path, content) = (&file[..line], &file[line + 1..]);
        let Ok(path) = std::str::from_utf8(path) else {
            continue;
        };
        if let Ok(path) = TreePath::parse(&format!("repo/.git/{path}")) {
            let file = File {
                size: content.len() as u64,
                executable: false,
                modified: None,
                content: blobs.put(content),
            };
            // Leaves out files whose path collides with another one.
            let _ = tree.insert_file(&path, file);
        }
    }
    tree.finish()
}

/// Runs all queries and returns their answers as text.
fn read(dir: &mcpmark_snapshot::Directory, blobs: &MemoryBlobs) -> Vec<String> {
    let archive = match Archive::open(dir, blobs, PLACE.path()) {
        Ok(archive) => archive,
        Err(error) => {
            assert!(!error.is_infrastructure(), "the host failed: {error:?}");
            return vec![error.to_string()];
        }
    };
    let mut told = vec![archive.head().to_owned()];
    let mut ids = vec!["0".repeat(40)];
    let references = asked(|meter| archive.references(meter));
    for reference in references.iter().flatten().take(6) {
        ids.push(reference.target.to_string());
        let name = reference.name.rsplit('/').next().unwrap_or_default();
        ids.extend(
            asked(|meter| archive.resolve(name, meter))
                .ok()
                .map(|id| id.to_string()),
        );
    }
    told.push(format!("{references:?}"));
    for revision in ["HEAD", "HEAD~1", "HEAD^2", "main~3", "v1", "e7b3eac"] {
        let id = asked(|meter| archive.resolve(revision, meter));
        ids.extend(id.iter().map(ToString::to_string));
        told.push(format!("{id:?}"));
    }
    let last = ids.last().cloned().unwrap_or_default();
    for id in &ids {
        told.push(format!("{:?}", asked(|meter| archive.commit(id, meter))));
        told.push(format!("{:?}", asked(|meter| archive.tag(id, meter))));
        for stop in [None, Some(last.as_str())] {
            for path in [None, Some("d/long")] {
                let log = asked(|meter| archive.log(id, stop, path, 100, meter));
                told.push(format!("{log:?}"));
            }
            told.push(format!(
                "{:?}",
                asked(|meter| archive.changes(stop, id, meter))
            ));
        }
        told.push(format!(
            "{:?}",
            asked(|meter| archive.merge_base(id, &last, meter))
        ));
        told.push(format!(
            "{:?}",
            asked(|meter| archive.stat(id, "d/long", meter))
        ));
        let walked = asked(|meter| archive.walk(id, "", meter));
        for (entry, _) in walked.iter().flatten().take(20) {
            let blob = entry.id.to_string();
            told.push(format!(
                "{:?}",
                asked(|meter| archive.blob_size(&blob, meter))
            ));
            told.push(format!("{:?}", asked(|meter| archive.blob(&blob, meter))));
        }
        told.push(format!("{walked:?}"));
    }
    told
}

/// Runs a query with a limited budget. Checks that it fails with `OverBudget` exactly if the meter has refused a cost.
fn asked<T>(ask: impl FnOnce(Meter<'_>) -> Result<T, ReadError>) -> Result<T, String> {
    let (mut objects, mut bytes, mut refused) = (OBJECTS, BYTES, false);
    let answer = ask(&mut |cost| {
        let (left, cost) = match cost {
            Cost::Objects(cost) => (&mut objects, cost),
            Cost::Bytes(cost) => (&mut bytes, cost),
        };
        refused |= cost > *left;
        *left = left.saturating_sub(cost);
        !refused
    });
    assert_eq!(refused, matches!(answer, Err(ReadError::OverBudget)));
    if let Err(ReadError::Git(error)) = &answer {
        assert!(!error.is_infrastructure(), "the host failed: {error:?}");
    }
    answer.map_err(|error| error.to_string())
}
