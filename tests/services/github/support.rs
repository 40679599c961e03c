//! Worlds with a few commits, and calls on them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use mcpmark_github::GitHub;
use mcpmark_github::ci::Runner;
use mcpmark_service::{
    Service, ServiceError, Session, SessionLimits, ToolClient, ToolOutput, WorldState,
};
use mcpmark_snapshot::{
    CaptureOptions, MaterialiseOptions, ScratchSpace, Store, Tree, capture, materialise,
};
use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};

/// Clock of the worlds: 2025-01-01 00:00:00 UTC, later than all dates in them.
pub(crate) const CLOCK: i64 = 1_735_689_600;
/// Date of the first commit: 2024-01-01 00:00:00 UTC. Each further commit is an hour later.
const FIRST: i64 = 1_704_067_200;

/// Repository to which tests add commits.
pub(crate) struct Repo {
    dir: PathBuf,
    repo: gix::Repository,
    time: i64,
}

impl Repo {
    pub(crate) fn new(world: &Path) -> Self {
        let dir = world.join("repo/.git");
        std::fs::create_dir_all(&dir).unwrap();
        let repo = gix::init_bare(&dir).unwrap();
        std::fs::write(dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        // Clones have files that are not read.
        std::fs::write(dir.join("description"), "x").unwrap();
        Self {
            dir,
            repo,
            time: FIRST,
        }
    }

    /// Opens the repository of an existing world.
    pub(crate) fn again(world: &Path) -> Self {
        let dir = world.join("repo/.git");
        let repo = gix::open(&dir).unwrap();
        Self {
            dir,
            repo,
            time: FIRST,
        }
    }

    /// Returns the tree of a branch.
    pub(crate) fn tree(&self, branch: &str) -> ObjectId {
        let commit = self.repo.find_commit(self.tip(branch).unwrap()).unwrap();
        commit.tree_id().unwrap().detach()
    }

    /// Returns the object at a path of a branch.
    pub(crate) fn entry(&self, branch: &str, path: &str) -> ObjectId {
        let tree = self.repo.find_tree(self.tree(branch)).unwrap();
        let entry = tree.lookup_entry(path.split('/')).unwrap();
        entry.unwrap().object_id()
    }

    /// Commits files to a branch. A file without a text is removed.
    pub(crate) fn commit(
        &mut self,
        branch: &str,
        message: &str,
        files: &[(&str, Option<&str>)],
    ) -> ObjectId {
        self.commit_by(branch, message, files, "Ann Lee", "ann@example.org")
    }

    pub(crate) fn commit_by(
        &mut self,
        branch: &str,
        message: &str,
        files: &[(&str, Option<&str>)],
        name: &str,
        email: &str,
    ) -> ObjectId {
        let parent = self.tip(branch);
        let tree = match parent {
            Some(parent) => self
                .repo
                .find_commit(parent)
                .unwrap()
                .tree_id()
                .unwrap()
                .detach(),
            None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
        };
        let mut editor = self.repo.edit_tree(tree).unwrap();
        for (path, text) in files {
            match text {
                Some(text) => {
                    let id = self.repo.write_blob(text).unwrap();
                    editor.upsert(*path, EntryKind::Blob, id).unwrap();
                }
                None => {
                    editor.remove(*path).unwrap();
                }
            }
        }
        let tree = editor.write().unwrap().detach();
        let who = gix::actor::Signature {
            name: name.into(),
            email: email.into(),
            time: gix::date::Time::new(self.time, 3600),
        };
        self.time += 3600;
        let commit = gix::objs::Commit {
            tree,
            parents: parent.into_iter().collect(),
            author: who.clone(),
            committer: who,
            encoding: None,
            message: format!("{message}\n").into(),
            extra_headers: Vec::new(),
        };
        let id = self.repo.write_object(&commit).unwrap().detach();
        self.set(&format!("refs/heads/{branch}"), id);
        id
    }

    /// Commits one file with arbitrary bytes to a branch.
    pub(crate) fn commit_bytes(&mut self, branch: &str, message: &str, path: &str, bytes: &[u8]) {
        self.commit(branch, message, &[(path, Some("placeholder"))]);
        let tip = self.tip(branch).unwrap();
        let mut commit = self
            .repo
            .find_commit(tip)
            .unwrap()
            .decode()
            .unwrap()
            .into_owned()
            .unwrap();
        let mut editor = self.repo.edit_tree(commit.tree).unwrap();
        let id = self.repo.write_blob(bytes).unwrap();
        editor.upsert(path, EntryKind::Blob, id).unwrap();
        commit.tree = editor.write().unwrap().detach();
        let id = self.repo.write_object(&commit).unwrap().detach();
        self.set(&format!("refs/heads/{branch}"), id);
    }

    /// Creates a commit with exactly these files, with the given parents and date, which may be earlier than those of
    /// the parents.
    pub(crate) fn commit_onto(
        &self,
        parents: &[ObjectId],
        seconds: i64,
        message: &str,
        files: &BTreeMap<&str, (EntryKind, String)>,
    ) -> ObjectId {
        let empty = ObjectId::empty_tree(gix::hash::Kind::Sha1);
        let mut editor = self.repo.edit_tree(empty).unwrap();
        for (path, (kind, text)) in files {
            let id = self.repo.write_blob(text).unwrap();
            editor.upsert(*path, *kind, id).unwrap();
        }
        let tree = editor.write().unwrap().detach();
        let who = gix::actor::Signature {
            name: "Ann Lee".into(),
            email: "ann@example.org".into(),
            time: gix::date::Time::new(seconds, 0),
        };
        let commit = gix::objs::Commit {
            tree,
            parents: parents.iter().copied().collect(),
            author: who.clone(),
            committer: who,
            encoding: None,
            message: format!("{message}\n").into(),
            extra_headers: Vec::new(),
        };
        self.repo.write_object(&commit).unwrap().detach()
    }

    pub(crate) fn set(&self, name: &str, id: ObjectId) {
        let path = self.dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{id}\n")).unwrap();
    }

    pub(crate) fn branch(&self, name: &str, from: &str) {
        self.set(&format!("refs/heads/{name}"), self.tip(from).unwrap());
    }

    pub(crate) fn tip(&self, branch: &str) -> Option<ObjectId> {
        let text = std::fs::read(self.dir.join("refs/heads").join(branch)).ok()?;
        Some(ObjectId::from_hex(text.trim_ascii_end()).unwrap())
    }
}

/// Writes the standard world. `main` has four commits, `feature` two more, and `clash` one that conflicts with `other`.
pub(crate) fn standard(world: &Path) {
    let mut repo = Repo::new(world);
    repo.commit(
        "main",
        "Begin",
        &[
            ("README.md", Some("# Demo\n\nA demo.\n")),
            (
                "src/lib.rs",
                Some("pub fn one() -> u32 {\n    1\n}\n\npub fn two() -> u32 {\n    2\n}\n"),
            ),
        ],
    );
    repo.commit_by(
        "main",
        "Add notes\n\nThey say more.",
        &[("docs/notes.txt", Some("first\nsecond\n"))],
        "Bo",
        "bo@example.org",
    );
    repo.branch("feature", "main");
    repo.branch("clash", "main");
    repo.commit(
        "main",
        "Describe two",
        &[(
            "src/lib.rs",
            Some("pub fn one() -> u32 {\n    1\n}\n\n/// Two.\npub fn two() -> u32 {\n    2\n}\n"),
        )],
    );
    let release = repo.commit(
        "main",
        "Move the notes",
        &[
            ("docs/notes.txt", None),
            ("docs/moved.txt", Some("first\nsecond\n")),
        ],
    );
    repo.set("refs/tags/v1", release);
    repo.commit(
        "feature",
        "Add three",
        &[("src/three.rs", Some("pub fn three() -> u32 {\n    3\n}\n"))],
    );
    repo.commit_by(
        "feature",
        "Say so <here> & there",
        &[("README.md", Some("# Demo\n\nA demo of three.\n"))],
        "Bo",
        "bo@example.org",
    );
    repo.commit(
        "clash",
        "Change two",
        &[(
            "src/lib.rs",
            Some("pub fn one() -> u32 {\n    1\n}\n\npub fn second() -> u32 {\n    22\n}\n"),
        )],
    );
    write(
        world,
        "repository.json",
        &json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann"}),
    );
    write(
        world,
        "users.json",
        &json!([
            {"login": "ann", "name": "Ann Lee", "email": "ann@example.org"},
            {"login": "bo", "email": "bo@example.org"},
            {"login": "acme", "type": "Organization"},
        ]),
    );
    write(
        world,
        "labels.json",
        &json!([{"name": "bug", "color": "d73a4a", "description": "Broken"}]),
    );
    write(
        world,
        "milestones.json",
        &json!([{"number": 1, "title": "Soon"}]),
    );
    write(
        world,
        "issues.json",
        &json!([
            {"number": 2, "title": "Three is missing", "body": "Please add **three**.", "user": "bo",
             "labels": ["bug"], "created_at": "2024-02-01T00:00:00Z",
             "comments": [{"user": "ann", "body": "Will do.", "created_at": "2024-02-02T00:00:00Z"}]},
            {"number": 1, "title": "Old", "user": "ann", "state": "closed", "created_at": "2024-01-15T00:00:00Z"},
        ]),
    );
    write(
        world,
        "pulls.json",
        &json!([
            {"number": 3, "title": "Change two", "head": "clash", "base": "main", "user": "bo", "created_at": "2024-03-01T00:00:00Z"},
        ]),
    );
}

pub(crate) fn write(world: &Path, file: &str, document: &Value) {
    std::fs::write(
        world.join(file),
        serde_json::to_vec_pretty(document).unwrap(),
    )
    .unwrap();
}

/// Returns the text at a JSON pointer for each entry of a list.
pub(crate) fn texts<'v>(list: &'v Value, pointer: &str) -> Vec<&'v str> {
    let entries = list.as_array().unwrap().iter();
    let text = |entry: &'v Value| entry.pointer(pointer).and_then(Value::as_str);
    entries.map(|entry| text(entry).unwrap()).collect()
}

pub(crate) struct World {
    pub(crate) session: Box<dyn Session>,
    pub(crate) client: ToolClient,
    pub(crate) store: Arc<Store>,
    pub(crate) home: tempfile::TempDir,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::of(standard).await
    }

    pub(crate) async fn of(make: impl FnOnce(&Path)) -> Self {
        Self::open(make).await.unwrap()
    }

    pub(crate) async fn open(make: impl FnOnce(&Path)) -> Result<Self, ServiceError> {
        Self::limited(make, SessionLimits::default()).await
    }

    /// Opens a world with limits.
    pub(crate) async fn limited(
        make: impl FnOnce(&Path),
        limits: SessionLimits,
    ) -> Result<Self, ServiceError> {
        Self::served(make, GitHub::default(), None, limits).await
    }

    /// Opens a world with a runner of workflows.
    pub(crate) async fn with_runner(make: impl FnOnce(&Path), runner: Arc<dyn Runner>) -> Self {
        let limits = SessionLimits::default();
        Self::served(make, GitHub::with_runner(runner), None, limits)
            .await
            .unwrap()
    }

    /// Opens a world with the tools of a version and an optional runner of workflows.
    pub(crate) async fn as_of(
        profile: &str,
        make: impl FnOnce(&Path),
        runner: Option<Arc<dyn Runner>>,
    ) -> Self {
        let service = runner.map_or_else(GitHub::default, GitHub::with_runner);
        let limits = SessionLimits::default();
        Self::served(make, service, Some(profile), limits)
            .await
            .unwrap()
    }

    async fn served(
        make: impl FnOnce(&Path),
        service: GitHub,
        profile: Option<&str>,
        limits: SessionLimits,
    ) -> Result<Self, ServiceError> {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("world");
        std::fs::create_dir(&dir).unwrap();
        make(&dir);
        let store = Arc::new(Store::open(home.path().join("store")).unwrap());
        let tree = capture(&dir, &store, &CaptureOptions::default()).unwrap();
        Self::start(home, store, tree, service, profile, limits).await
    }

    async fn start(
        home: tempfile::TempDir,
        store: Arc<Store>,
        tree: Tree,
        service: GitHub,
        profile: Option<&str>,
        limits: SessionLimits,
    ) -> Result<Self, ServiceError> {
        let world = WorldState {
            tree,
            store: Arc::clone(&store),
            seed: 1,
            clock: CLOCK,
            profile: profile.map(str::to_owned),
            limits,
            scratch: ScratchSpace::plain(home.path()),
        };
        let session = service.open(world).await?;
        let client = ToolClient::connect(&*session).await.unwrap();
        Ok(Self {
            session,
            client,
            store,
            home,
        })
    }

    /// Opens the final state as a new world.
    pub(crate) async fn again(self) -> Self {
        let tree = self.state().await;
        self.client.close().await.unwrap();
        self.session.close().await.unwrap();
        let limits = SessionLimits::default();
        Self::start(self.home, self.store, tree, GitHub::default(), None, limits)
            .await
            .unwrap()
    }

    /// Makes a call, with `owner` and `repo` added.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        let mut arguments = arguments.as_object().cloned().unwrap();
        for (key, value) in [("owner", "acme"), ("repo", "demo")] {
            arguments.entry(key).or_insert(value.into());
        }
        self.client
            .call(tool, arguments, Duration::from_secs(60))
            .await
            .unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    /// Makes a call that must succeed and returns its text.
    pub(crate) async fn text(&self, tool: &str, arguments: Value) -> String {
        let output = self.call(tool, arguments).await;
        assert!(!output.is_error, "{tool}: {}", output.text());
        output.text()
    }

    /// Makes a call that must succeed and returns its result as JSON.
    pub(crate) async fn json(&self, tool: &str, arguments: Value) -> Value {
        serde_json::from_str(&self.text(tool, arguments).await).unwrap()
    }

    /// Makes a call that must fail with a tool error and returns its text.
    pub(crate) async fn refusal(&self, tool: &str, arguments: Value) -> String {
        let output = self.call(tool, arguments).await;
        assert!(output.is_error, "{tool}: {}", output.text());
        output.text()
    }

    /// Makes a call that must fail with a protocol error and returns its message.
    pub(crate) async fn error(&self, tool: &str, arguments: Value) -> String {
        let mut arguments = arguments.as_object().cloned().unwrap();
        for (key, value) in [("owner", "acme"), ("repo", "demo")] {
            arguments.entry(key).or_insert(value.into());
        }
        let result = self
            .client
            .call(tool, arguments, Duration::from_secs(60))
            .await;
        result.expect_err(tool).to_string()
    }

    pub(crate) async fn state(&self) -> Tree {
        self.session.capture().await.unwrap()
    }

    /// Writes the final state to a directory.
    pub(crate) async fn export(&self) -> PathBuf {
        let dir = self.home.path().join("export");
        let _ = std::fs::remove_dir_all(&dir);
        materialise(
            &self.state().await,
            &*self.store,
            &dir,
            &MaterialiseOptions::default(),
        )
        .unwrap();
        dir
    }
}

/// Runs git on a repository. Returns success and output, or skips the test and returns `None` if git is not installed.
pub(crate) fn git(repo: &Path, arguments: &[&str]) -> Option<(bool, String)> {
    let output = Command::new("git")
        .arg("-C")
        .arg(repo)
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs([
            ("GIT_AUTHOR_NAME", "x"),
            ("GIT_AUTHOR_EMAIL", "x@x"),
            ("GIT_COMMITTER_NAME", "x"),
            ("GIT_COMMITTER_EMAIL", "x@x"),
        ])
        .output();
    match output {
        Ok(output) => {
            let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
            text.push_str(&String::from_utf8_lossy(&output.stderr));
            Some((output.status.success(), text))
        }
        Err(error) => {
            skip(Need::Git, &error);
            None
        }
    }
}
