//! Fuzz target of the tools of the filesystem service. Each line is a call. It begins with the name of a tool;
//! otherwise its first byte selects one. The fields after it, separated by tabs, become the arguments. If the first
//! field is a JSON object, it is the arguments.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use mcpmark_filesystem::Filesystem;
use mcpmark_service::{CallError, JsonObject, Service, SessionLimits, ToolClient, WorldState};
use mcpmark_snapshot::{
    CopyMethod, Digest, File, Scratch, ScratchSpace, Store, Tree, TreeBuilder, TreePath,
    scratch_parent,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const TOOLS: [&str; 14] = [
    "read_file",
    "read_text_file",
    "read_media_file",
    "read_multiple_files",
    "write_file",
    "edit_file",
    "create_directory",
    "list_directory",
    "list_directory_with_sizes",
    "directory_tree",
    "move_file",
    "search_files",
    "get_file_info",
    "list_allowed_directories",
];
const SECRET: &str = "what lies beside the world";

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let calls: Vec<_> = text.split('\n').take(12).map(call).collect();
    let first = RUNTIME.block_on(play(&calls, CopyMethod::Plain));
    // Uses overlay mounts if they are available.
    let second = RUNTIME.block_on(play(&calls, CopyMethod::Auto));
    assert_eq!(first, second, "the same calls gave something else");
}

fn call(line: &str) -> (String, JsonObject) {
    let mut fields = line.split('\t');
    let name = fields.next().unwrap_or_default();
    let tool = match TOOLS.iter().find(|tool| **tool == name) {
        Some(tool) => tool,
        None => TOOLS[usize::from(name.bytes().next().unwrap_or(0)) % TOOLS.len()],
    };
    let rest: Vec<&str> = fields.collect();
    let field = |index: usize| rest.get(index).copied().unwrap_or_default();
    let number = |index: usize| field(index).parse::<f64>().ok();
    let arguments = match serde_json::from_str(field(0)) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => match tool {
            "read_multiple_files" => json!({"paths": rest}),
            "write_file" => json!({"path": field(0), "content": field(1)}),
            "edit_file" => {
                let edits = rest.get(1..).unwrap_or_default().chunks(2);
                let edits = edits
                    .map(|pair| json!({"oldText": pair[0], "newText": pair.get(1).unwrap_or(&"")}));
                json!({"path": field(0), "edits": edits.collect::<Vec<_>>()})
            }
            "move_file" => json!({"source": field(0), "destination": field(1)}),
            "search_files" => json!({
                "path": field(0),
                "pattern": field(1),
                "excludePatterns": rest.get(2..).unwrap_or_default(),
            }),
            "directory_tree" => json!({
                "path": field(0),
                "excludePatterns": rest.get(1..).unwrap_or_default(),
            }),
            "list_directory_with_sizes" => json!({"path": field(0), "sortBy": "size"}),
            "read_text_file" => match (number(1), number(2)) {
                (Some(head), _) => json!({"path": field(0), "head": head}),
                (None, Some(tail)) => json!({"path": field(0), "tail": tail}),
                (None, None) => json!({"path": field(0)}),
            },
            _ => json!({"path": field(0)}),
        },
    };
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    ((*tool).to_owned(), arguments)
}

/// Plays the calls in a new session. Returns the answers and the digest of the final state.
async fn play(calls: &[(String, JsonObject)], method: CopyMethod) -> (Vec<String>, Digest) {
    let home = Scratch::new(&scratch_parent(None)).unwrap();
    fs::write(home.path().join("secret.txt"), SECRET).unwrap();
    let store = Arc::new(Store::open(home.path().join("store")).unwrap());
    let state = WorldState {
        tree: world(&store),
        store: Arc::clone(&store),
        seed: 7,
        clock: 1_700_000_000,
        profile: None,
        limits: SessionLimits {
            max_bytes: 1 << 20,
            max_files: 100,
            max_result_bytes: 64 << 10,
        },
        scratch: ScratchSpace::probe(home.path(), method).unwrap(),
    };
    let session = Filesystem.open(state).await.unwrap();
    let client = ToolClient::connect(&*session).await.unwrap();
    let host = home.path().display().to_string();
    let mut answers = Vec::new();
    for (tool, arguments) in calls {
        let asked = Value::Object(arguments.clone()).to_string();
        let answer = match client
            .call(tool, arguments.clone(), Duration::from_secs(60))
            .await
        {
            Ok(output) => output.text(),
            Err(CallError::Protocol { message, .. }) => message,
            Err(error) => panic!("{tool} {asked}: {error}"),
        };
        assert!(
            asked.contains(SECRET) || !answer.contains(SECRET),
            "{tool} {asked} read what lies outside: {answer}"
        );
        assert!(
            asked.contains(&host) || !answer.contains(&host),
            "{tool} {asked} tells of the machine: {answer}"
        );
        answers.push(answer);
    }
    let tree = session.capture().await.unwrap();
    client.close().await.unwrap();
    session.close().await.unwrap();
    beside(home.path());
    (answers, tree.digest())
}

fn world(store: &Store) -> Tree {
    let mut tree = TreeBuilder::new();
    for (path, content) in [
        ("a.txt", "alpha\nbeta\ngamma\n"),
        ("crlf.txt", "one\r\ntwo\r\n"),
        (".hidden", "h"),
        ("docs/b.md", "# b\n\n  indented\n"),
        ("docs/deep/c.txt", "c"),
        ("photo.png", "\u{89}PNG"),
    ] {
        let file = File {
            size: content.len() as u64,
            executable: false,
            modified: None,
            content: store.put(content.as_bytes()).unwrap(),
        };
        tree.insert_file(&TreePath::parse(path).unwrap(), file)
            .unwrap();
    }
    for (path, target) in [("link", "a.txt"), ("dir", "docs"), ("loop", "loop")] {
        tree.insert_symlink(&TreePath::parse(path).unwrap(), target)
            .unwrap();
    }
    tree.finish()
}

/// Checks that the calls changed nothing outside the world.
fn beside(home: &Path) {
    let mut there: Vec<_> = fs::read_dir(home)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    there.sort();
    assert_eq!(there, ["secret.txt", "store"]);
    let secret = fs::read_to_string(home.join("secret.txt")).unwrap();
    assert_eq!(secret, SECRET);
}
