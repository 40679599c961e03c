//! On-disk copy of the repository of a world, made once per process and shared by all sessions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::str;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use gix::ObjectId;
use gix::objs::Kind;
use mcpmark_snapshot::{
    Blobs, Digest, Directory, File, MaterialiseOptions, MemoryBlobs, Node, Scratch, Tree,
    TreeBuilder, TreePath, materialise,
};

use super::GitError;
use super::refs::check_ref_name;

/// Configuration of a copy. The objects are untrusted: objects larger than the file limit of GitHub (100 MiB) are not
/// decoded, and files larger than a guest may read (16 MiB) are not diffed line by line.
const CONFIG: &str = "[core]
\trepositoryformatversion = 0
\tbare = true
\tprotectHFS = true
\tbigFileThreshold = 16777216
[gitoxide \"objects\"]
\tallocLimit = 104857600
";

/// Directory of the copy in its scratch directory.
const COPY: &str = "repository";

/// Path of the `.git` directory in a world.
pub(crate) const GIT_DIR: &str = "repo/.git";

/// Objects and refs of a world's starting state.
pub(crate) struct Base {
    repository: gix::ThreadSafeRepository,
    refs: BTreeMap<String, ObjectId>,
    /// Names of the branches in `refs` that the clone only tracks, without a local branch.
    tracked: BTreeSet<String>,
    head: Option<String>,
    /// Files of the object store, by their path in `.git`.
    objects: Vec<(String, File)>,
    /// Number of files in each directory below `objects/`.
    loose: HashMap<String, u64>,
    /// True if `objects/info/alternates` names further object stores, which are not read.
    borrows: bool,
    /// Set after [`Base::check`] has passed once.
    is_sound: OnceLock<()>,
    copy: Scratch,
}

/// Cache of the copies in use, by digest of the `.git` directory and path of the scratch space.
type Cache = Mutex<HashMap<(Digest, PathBuf), Arc<Place>>>;

/// Slot of one copy in the cache. It keeps the copy only while it is in use. Callers that need the same copy wait for
/// it, but not for other copies.
#[derive(Default)]
struct Place(Mutex<Weak<Base>>);

impl Place {
    /// Returns true if a session uses the copy. Must not be called while the copy is being made, because it would
    /// block.
    fn is_used(&self) -> bool {
        let copy = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        copy.strong_count() > 0
    }
}

impl Base {
    /// Opens the repository in a `.git` directory. Reuses the copy if a session still uses it.
    pub(crate) fn open(
        dir: &Directory,
        blobs: &dyn Blobs,
        scratch: &Path,
    ) -> Result<Arc<Self>, GitError> {
        static BASES: OnceLock<Cache> = OnceLock::new();
        let place = {
            let bases = BASES.get_or_init(Cache::default);
            let mut bases = bases.lock().unwrap_or_else(PoisonError::into_inner);
            // Keep slots that another caller holds or waits for, even if they are empty.
            bases.retain(|_, place| Arc::strong_count(place) > 1 || place.is_used());
            let key = (dir.digest(), scratch.to_owned());
            bases.entry(key).or_default().clone()
        };
        let mut copy = place.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(base) = copy.upgrade() {
            return Ok(base);
        }
        let base = Arc::new(Self::copy(dir, blobs, scratch)?);
        *copy = Arc::downgrade(&base);
        Ok(base)
    }

    /// Creates a repository without objects and refs.
    pub(crate) fn empty(scratch: &Path) -> Result<Arc<Self>, GitError> {
        let nothing = TreeBuilder::new().finish();
        let (copy, repository) = open_copy(&nothing, &MemoryBlobs::new(), scratch)?;
        Ok(Arc::new(Self {
            repository,
            refs: BTreeMap::new(),
            tracked: BTreeSet::new(),
            head: None,
            objects: Vec::new(),
            loose: HashMap::new(),
            borrows: false,
            is_sound: OnceLock::new(),
            copy,
        }))
    }

    fn copy(dir: &Directory, blobs: &dyn Blobs, scratch: &Path) -> Result<Self, GitError> {
        let reader = Reader { dir, blobs };
        reader.refuse_shallow()?;
        let (all, head) = (reader.refs()?, reader.head()?);
        let refs = published(&all);
        let is_tracked = |name: &&String| !all.contains_key(*name);
        let tracked = refs.keys().filter(is_tracked).cloned().collect();
        let objects = object_files(dir)?;
        let mut builder = TreeBuilder::new();
        let mut loose = HashMap::new();
        for (path, file) in &objects {
            if let Some(dir) = path.split('/').nth(1) {
                *loose.entry(dir.to_owned()).or_insert(0) += 1;
            }
            let path = TreePath::parse(path).map_err(GitError::copy)?;
            builder
                .insert_file(&path, file.clone())
                .map_err(GitError::copy)?;
        }
        let (copy, repository) = open_copy(&builder.finish(), blobs, scratch)?;
        let borrows = dir
            .get("objects")
            .and_then(Node::as_directory)
            .is_some_and(borrows);
        Ok(Self {
            repository,
            refs,
            tracked,
            head,
            objects,
            loose,
            borrows,
            is_sound: OnceLock::new(),
            copy,
        })
    }

    /// Checks packs and refs, and refuses a repository that no session can work on. Not used for repositories that
    /// guests read: guests are charged for each object before it is read.
    pub(crate) fn check(&self) -> Result<(), GitError> {
        if self.is_sound.get().is_none() {
            check_pairs(&self.objects)?;
            check_packs(&self.objects, &self.copy.path().join(COPY))?;
            self.check_refs()?;
            let _ = self.is_sound.set(());
        }
        Ok(())
    }

    pub(super) fn repository(&self) -> gix::Repository {
        self.repository.to_thread_local()
    }

    /// Returns the refs by full name: branches, tags and heads of pull requests.
    pub(crate) fn refs(&self) -> &BTreeMap<String, ObjectId> {
        &self.refs
    }

    /// Returns the full names of branches that the clone only tracks, without a local branch.
    pub(crate) fn tracked(&self) -> &BTreeSet<String> {
        &self.tracked
    }

    /// Returns the name of the branch that `HEAD` points to, without `refs/heads/`.
    pub(crate) fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// Refuses refs to missing objects, and branches whose target is not a commit with an existing tree. The history
    /// behind is not checked, because opening a world would take too long.
    fn check_refs(&self) -> Result<(), GitError> {
        let repo = self.repository();
        let way_out = if self.borrows {
            "; objects/info/alternates refers to other directories, which are not read; copy their objects with \
             `git repack -a -d`"
        } else {
            ""
        };
        let mut seen = HashSet::new();
        for (name, id) in &self.refs {
            let is_tag = name.starts_with("refs/tags/");
            if !seen.insert((*id, is_tag)) {
                continue;
            }
            // The file of a tracked branch has another name.
            let file = match (
                self.tracked.contains(name),
                name.strip_prefix("refs/heads/"),
            ) {
                (true, Some(branch)) => format!("refs/remotes/origin/{branch}"),
                _ => name.clone(),
            };
            let problem = |error: gix::Error| match GitError::from(error) {
                GitError::Objects(problem) => {
                    damaged(&file, format!("cannot read {id}: {problem}"))
                }
                error => error,
            };
            let missing = |id: ObjectId, what: &str| {
                damaged(
                    &file,
                    format!("points to {what}{id}, which does not exist{way_out}"),
                )
            };
            let kind = repo.try_find_header(*id).map_err(problem)?;
            match kind.map(|header| header.kind()) {
                None => return Err(missing(*id, "")),
                Some(Kind::Commit) => {
                    let commit = repo.find_commit(*id).map_err(problem)?;
                    let tree = commit.tree_id().map_err(problem)?.detach();
                    match repo
                        .try_find_header(tree)
                        .map_err(problem)?
                        .map(|it| it.kind())
                    {
                        Some(Kind::Tree) => {}
                        Some(_) => {
                            let problem =
                                format!("points to {id}, whose tree {tree} is not a tree");
                            return Err(damaged(&file, problem));
                        }
                        None => return Err(missing(tree, "the tree ")),
                    }
                }
                Some(Kind::Tag) if is_tag => {
                    let target = repo.find_tag(*id).map_err(problem)?;
                    let target = target.target_id().map_err(problem)?.detach();
                    if repo.try_find_header(target).map_err(problem)?.is_none() {
                        return Err(missing(target, "a tag of "));
                    }
                }
                Some(_) if is_tag => {}
                Some(kind) => {
                    let problem = format!("points to {id}, which is a {kind}; expected a commit");
                    return Err(damaged(&file, problem));
                }
            }
        }
        Ok(())
    }

    /// Returns the number of loose objects whose ids begin with the same two hexadecimal digits.
    pub(crate) fn loose_beside(&self, id: &str) -> u64 {
        let first = id.get(..2).map(str::to_ascii_lowercase);
        first
            .and_then(|first| self.loose.get(&first).copied())
            .unwrap_or(0)
    }

    /// Returns the files of the object store, by their path in `.git`.
    pub(crate) fn objects(&self) -> &[(String, File)] {
        &self.objects
    }
}

/// Writes and opens a copy that contains only objects.
fn open_copy(
    objects: &Tree,
    blobs: &dyn Blobs,
    scratch: &Path,
) -> Result<(Scratch, gix::ThreadSafeRepository), GitError> {
    let copy = Scratch::new(scratch).map_err(GitError::copy)?;
    let place = copy.path().join(COPY);
    materialise_objects(objects, blobs, &place)?;
    let options = gix::open::Options::isolated()
        .open_path_as_is(true)
        .strict_config(true)
        .with(gix::sec::Trust::Full);
    let repository = options.open(&place)?;
    Ok((copy, repository))
}

/// Writes a repository that contains only objects. `HEAD` points to a branch that does not exist, so that no
/// `.gitattributes` of any tree influences diffs and merges.
fn materialise_objects(objects: &Tree, blobs: &dyn Blobs, place: &Path) -> Result<(), GitError> {
    materialise(objects, blobs, place, &MaterialiseOptions::default()).map_err(GitError::copy)?;
    for dir in ["objects", "refs"] {
        fs::create_dir_all(place.join(dir)).map_err(GitError::copy)?;
    }
    let files = [("HEAD", "ref: refs/heads/none\n"), ("config", CONFIG)];
    for (name, text) in files {
        fs::write(place.join(name), text).map_err(GitError::copy)?;
    }
    Ok(())
}

/// Returns the packs, indices and loose objects of the object store. Leaves out `objects/info/`, which names paths of
/// the host and contains data that can be recomputed.
fn object_files(dir: &Directory) -> Result<Vec<(String, File)>, GitError> {
    let mut found = Vec::new();
    if let Some(Node::Directory(objects)) = dir.get("objects") {
        collect(objects, "objects", &mut found)?;
    }
    found.retain(|(path, _)| {
        !path.starts_with("objects/info/")
            && (!path.starts_with("objects/pack/")
                || path.ends_with(".pack")
                || path.ends_with(".idx"))
    });
    Ok(found)
}

fn collect(dir: &Directory, at: &str, found: &mut Vec<(String, File)>) -> Result<(), GitError> {
    for (name, node) in dir.iter() {
        let path = format!("{at}/{name}");
        match node {
            Node::Directory(below) => collect(below, &path, found)?,
            Node::File(file) => found.push((path, file.clone())),
            Node::Symlink(_) => {
                return Err(damaged(
                    &path,
                    "is a symlink; expected a file or a directory",
                ));
            }
        }
    }
    Ok(())
}

/// Refuses packs without an index, whose objects could not be found, and indices without a pack.
fn check_pairs(objects: &[(String, File)]) -> Result<(), GitError> {
    let names: HashSet<&str> = objects.iter().map(|(path, _)| path.as_str()).collect();
    for name in objects.iter().map(|(path, _)| path.as_str()) {
        let (other, problem) = if let Some(stem) = name.strip_suffix(".pack") {
            let problem = "its index does not exist; create it with `git index-pack`";
            (format!("{stem}.idx"), problem)
        } else if let Some(stem) = name.strip_suffix(".idx") {
            (format!("{stem}.pack"), "its pack does not exist")
        } else {
            continue;
        };
        if name.starts_with("objects/pack/") && !names.contains(other.as_str()) {
            return Err(damaged(name, problem));
        }
    }
    Ok(())
}

/// Refuses packs whose final checksum differs from the one in their index: they are truncated, or belong to another
/// index. Corruption within a pack is detected when the pack is read.
fn check_packs(objects: &[(String, File)], place: &Path) -> Result<(), GitError> {
    /// Size of a checksum, in bytes. An index ends with the checksum of its pack and its own checksum.
    const SUM: usize = 20;
    for (path, _) in objects {
        let Some(stem) = path.strip_suffix(".pack") else {
            continue;
        };
        let of_pack = end_of(&place.join(path), SUM)?;
        let of_index = end_of(&place.join(format!("{stem}.idx")), 2 * SUM)?;
        if of_pack.is_empty() || of_index.get(..SUM) != Some(&of_pack[..]) {
            let problem = "its checksum differs from its index: it is truncated, or the index belongs to another pack";
            return Err(damaged(path, problem));
        }
    }
    Ok(())
}

/// Reads the last bytes of a file. Returns nothing if the file is shorter.
fn end_of(file: &Path, bytes: usize) -> Result<Vec<u8>, GitError> {
    let mut file = fs::File::open(file).map_err(GitError::copy)?;
    let size = file.metadata().map_err(GitError::copy)?.len();
    let mut end = Vec::new();
    if let Some(start) = size.checked_sub(bytes as u64) {
        file.seek(SeekFrom::Start(start)).map_err(GitError::copy)?;
        file.read_to_end(&mut end).map_err(GitError::copy)?;
    }
    Ok(end)
}

/// Returns true if the object store has alternates.
fn borrows(objects: &Directory) -> bool {
    let info = objects.get("info").and_then(Node::as_directory);
    let alternates = info.and_then(|info| info.get("alternates"));
    matches!(alternates, Some(Node::File(file)) if file.size > 0)
}

fn damaged(path: &str, problem: impl Into<String>) -> GitError {
    GitError::Damaged {
        file: format!("{GIT_DIR}/{path}"),
        problem: problem.into(),
    }
}

struct Reader<'a> {
    dir: &'a Directory,
    blobs: &'a dyn Blobs,
}

impl Reader<'_> {
    /// Refuses a shallow clone, because commits beyond its boundary cannot be distinguished from lost ones.
    fn refuse_shallow(&self) -> Result<(), GitError> {
        match self.dir.get("shallow") {
            Some(Node::File(file)) if file.size > 0 => Err(damaged(
                "shallow",
                "the clone is shallow; get the whole history with `git fetch --unshallow`",
            )),
            _ => Ok(()),
        }
    }

    fn text(&self, path: &str, file: &File) -> Result<String, GitError> {
        let bytes = self.blobs.read(&file.content).map_err(GitError::copy)?;
        String::from_utf8(bytes).map_err(|_| damaged(path, "is not UTF-8"))
    }

    /// Returns the branch that `HEAD` points to, or `None` if `HEAD` is detached.
    fn head(&self) -> Result<Option<String>, GitError> {
        let Some(Node::File(file)) = self.dir.get("HEAD") else {
            return Err(damaged(
                "HEAD",
                "does not exist; a world requires a repository in repo/.git",
            ));
        };
        let text = self.text("HEAD", file)?;
        let text = text.trim_end();
        match text.strip_prefix("ref: ").map(str::trim_start) {
            Some(name) if check_ref_name(name).is_ok() => {
                Ok(name.strip_prefix("refs/heads/").map(str::to_owned))
            }
            None if ObjectId::from_hex(text.as_bytes()).is_ok() => Ok(None),
            _ => Err(damaged(
                "HEAD",
                format!("expected a ref (ref: refs/heads/main) or an object id, found {text:?}"),
            )),
        }
    }

    fn refs(&self) -> Result<BTreeMap<String, ObjectId>, GitError> {
        let mut all = BTreeMap::new();
        if let Some(Node::File(file)) = self.dir.get("packed-refs") {
            let text = self.text("packed-refs", file)?;
            for (index, line) in text.lines().enumerate() {
                if line.starts_with(['#', '^']) || line.is_empty() {
                    continue;
                }
                let at = format!("packed-refs:{}", index + 1);
                let (id, name) = line
                    .split_once(' ')
                    .ok_or_else(|| damaged(&at, "expected an object id and a ref name"))?;
                all.insert(name.to_owned(), parse_id(id, &at)?);
            }
        }
        if let Some(Node::Directory(refs)) = self.dir.get("refs") {
            let mut files = Vec::new();
            collect(refs, "refs", &mut files)?;
            let mut symbolic = BTreeMap::new();
            for (name, file) in files {
                let text = self.text(&name, &file)?;
                match text.strip_prefix("ref: ") {
                    Some(target) => {
                        symbolic.insert(name, target.trim().to_owned());
                    }
                    None => {
                        all.insert(name.clone(), parse_id(text.trim_end(), &name)?);
                    }
                }
            }
            refuse_loops(&symbolic)?;
        }
        for name in all.keys() {
            check_ref_name(name).map_err(|problem| damaged(name, problem))?;
        }
        Ok(all)
    }
}

/// Refuses symbolic refs that form a cycle.
fn refuse_loops(symbolic: &BTreeMap<String, String>) -> Result<(), GitError> {
    for name in symbolic.keys() {
        let mut at = name;
        // More steps than there are refs can only happen in a cycle.
        for _ in 0..symbolic.len() {
            match symbolic.get(at) {
                Some(target) => at = target,
                None => break,
            }
        }
        if symbolic.contains_key(at) {
            return Err(damaged(name, "points to itself"));
        }
    }
    Ok(())
}

fn parse_id(text: &str, at: &str) -> Result<ObjectId, GitError> {
    ObjectId::from_hex(text.as_bytes())
        .map_err(|_| damaged(at, format!("expected an object id, found {text:?}")))
}

/// Returns the refs that the repository has on GitHub: remote-tracking branches as branches, overridden by local
/// branches; and tags and heads of pull requests.
fn published(all: &BTreeMap<String, ObjectId>) -> BTreeMap<String, ObjectId> {
    let mut refs = BTreeMap::new();
    for (name, id) in all {
        if let Some(branch) = name.strip_prefix("refs/remotes/origin/")
            && branch != "HEAD"
        {
            refs.insert(format!("refs/heads/{branch}"), *id);
        }
    }
    for (name, id) in all {
        let kept = ["refs/heads/", "refs/tags/", "refs/pull/"];
        if kept.iter().any(|prefix| name.starts_with(prefix)) {
            refs.insert(name.clone(), *id);
        }
    }
    refs
}
