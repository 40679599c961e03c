//! The REST interface, used by Octokit, GitHub's client for JavaScript, from npm.

use std::path::Path;
use std::process::Command;

use mcpmark_test_support::{Need, skip};
use serde_json::json;
use tokio::net::TcpListener;

use crate::npm;
use crate::support::{World, git};

const VERSION: &str = "22.0.1";

/// Installs the packages and copies the program to their directory. Returns its path.
///
/// # Errors
///
/// Returns a message if npm fails or the file cannot be copied.
fn program() -> Result<std::path::PathBuf, String> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("github")
        .join(format!("octokit-{VERSION}"));
    let manifest = json!({"private": true, "dependencies": {"@octokit/rest": VERSION}});
    npm::install(&home, &manifest, "@octokit/rest/package.json")?;
    let program = home.join("octokit.mjs");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("github/octokit.mjs");
    std::fs::copy(source, &program).map_err(|error| error.to_string())?;
    Ok(program)
}

#[tokio::test(flavor = "multi_thread")]
async fn octokit_works_through_a_whole_story() {
    let program = match tokio::task::spawn_blocking(program).await.unwrap() {
        Ok(program) => program,
        Err(reason) => {
            skip(Need::Npm, format!("Octokit {VERSION}: {reason}"));
            return;
        }
    };
    let mut states = Vec::new();
    for _ in 0..2 {
        let world = World::new().await;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let handle = world.session.serve_http(listener).unwrap();
        let mut node = Command::new("node");
        node.arg(&program).arg(format!("http://{address}/api/v3"));
        let output = tokio::task::spawn_blocking(move || node.output())
            .await
            .unwrap()
            .unwrap();
        let (said, errors) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(output.status.success(), "{said}{errors}");
        assert_eq!(said.trim_end(), "17 refusals, 5 issues and pull requests");
        handle.abort();
        let dir = world.export().await;
        if let Some((clean, words)) = git(&dir.join("repo"), &["fsck", "--strict", "--full"]) {
            assert!(clean, "{words}");
        }
        states.push(world.state().await.digest());
    }
    assert_eq!(states[0], states[1], "equal requests leave equal states");
}
