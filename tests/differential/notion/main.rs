//! Differential test of the notion tools against the published server.
//!
//! Installs `@notionhq/notion-mcp-server` from npm and lets it make its requests to the HTTP interface of a session. The
//! same generated calls go to the tools of an equal world, and every answer and the final states are compared. The test
//! is skipped if Node.js, npm or the registry is missing. `MCPMARK_DIFFERENTIAL_SEQUENCES` sets the number of sequences
//! of calls, and `MCPMARK_DIFFERENTIAL_SEED` the first seed.

#![allow(
    clippy::print_stdout,
    reason = "the numbers of compared calls are a result of the test"
)]

mod calls;
#[path = "../postgres/draw.rs"]
mod draw;
#[path = "../npm.rs"]
mod npm;
mod peer;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_notion::NotionService;
use mcpmark_service::{Service, Session, SessionLimits, ToolClient, WorldState};
use mcpmark_snapshot::{CaptureOptions, ScratchSpace, Store, capture};
use mcpmark_test_support::{Need, skip};
use serde_json::json;
use tokio::net::TcpListener;

use crate::calls::{Call, Player, opening};
use crate::peer::Peer;

/// Tool whose request has no version of the API in version 2.5.2 of the server (makenotion/notion-mcp-server 328).
const WITHOUT_VERSION: &str = "API-create-a-comment";
/// Default number of sequences, and the number of calls in one.
const SEQUENCES: u64 = 4;
const LENGTH: usize = 150;
/// Maximum number of differences in the report.
const SHOWN: usize = 12;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable}={text:?} is no number"))
    })
}

async fn open(home: &Path, profile: &str) -> Box<dyn Session> {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds/notion/vet-clinic/files");
    let store = Arc::new(Store::open(home.join("store")).expect("a store"));
    let tree = capture(&files, &store, &CaptureOptions::default()).expect("the shipped world");
    let world = WorldState {
        tree,
        store,
        seed: 11,
        clock: 1_737_964_800,
        profile: Some(profile.to_owned()),
        limits: SessionLimits::default(),
        scratch: ScratchSpace::plain(home),
    };
    NotionService.open(world).await.expect("the world opens")
}

async fn ours(client: &ToolClient, call: &Call) -> String {
    let arguments = call.arguments.as_object().cloned().unwrap_or_default();
    match client
        .call(call.tool, arguments, Duration::from_secs(60))
        .await
    {
        Ok(output) => output.text(),
        Err(error) => format!("protocol error: {error}"),
    }
}

/// Compares the answers of one sequence. Returns the number of refused calls, and adds differences to the report.
async fn compare(server: &Path, profile: &str, seed: u64, report: &mut Vec<String>) -> usize {
    let homes = [
        tempfile::tempdir().expect("a directory"),
        tempfile::tempdir().expect("a directory"),
    ];
    let theirs = open(homes[0].path(), profile).await;
    let session = open(homes[1].path(), profile).await;
    let client = ToolClient::connect(&*session)
        .await
        .expect("the session serves");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let http = theirs
        .serve_http(listener)
        .expect("the service has an HTTP interface");
    let is_later = profile != "1.9.1";
    let start = |version| {
        tokio::task::block_in_place(|| Peer::start(server, &format!("http://{address}"), version))
    };
    let mut peer = start((!is_later).then_some("2022-06-28"));
    // Comments need a server that is configured with a version.
    let mut commenting = is_later.then(|| start(Some("2025-09-03")));
    let mut player = Player::new(seed, is_later);
    let mut calls = opening(is_later);
    calls.reverse();
    let mut refused = 0;
    for _ in 0..LENGTH {
        let call = calls.pop().unwrap_or_else(|| player.next());
        let peer = match &mut commenting {
            Some(commenting) if call.tool == WITHOUT_VERSION => commenting,
            _ => &mut peer,
        };
        let expected = tokio::task::block_in_place(|| peer.call(call.tool, &call.arguments));
        let found = ours(&client, &call).await;
        let is_protocol_error =
            expected.starts_with("protocol error") && found.starts_with("protocol error");
        let agrees = if is_protocol_error {
            // The client of the session words protocol errors in its own way around the same message.
            expected
                .strip_prefix("protocol error: ")
                .is_some_and(|text| found.contains(text))
        } else {
            expected == found
        };
        if !agrees {
            report.push(format!(
                "seed {seed}: {} {}\n  theirs: {expected:?}\n  ours:   {found:?}",
                call.tool, call.arguments
            ));
        }
        refused += usize::from(expected.contains("\"object\":\"error\""));
        player.learn(&expected);
    }
    drop((peer, commenting));
    http.abort();
    let ends = [
        theirs
            .finish(Duration::from_secs(10))
            .await
            .expect("a state"),
        session
            .finish(Duration::from_secs(10))
            .await
            .expect("a state"),
    ];
    if ends[0].digest() != ends[1].digest() {
        report.push(format!("seed {seed}: the final states differ"));
    }
    client.close().await.expect("the connection ends");
    for session in [theirs, session] {
        session.close().await.expect("the session ends");
    }
    refused
}

/// Returns the program of a version of the published server, or skips the test.
fn installed(version: &str) -> Option<std::path::PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("npm-notion")
        .join(version);
    let manifest =
        json!({"private": true, "dependencies": {"@notionhq/notion-mcp-server": version}});
    match npm::install(&home, &manifest, "@notionhq/notion-mcp-server/bin/cli.mjs") {
        Ok(server) => Some(server),
        Err(problem) => {
            skip(Need::Npm, problem);
            None
        }
    }
}

async fn compare_all(profile: &str) {
    let Some(server) = installed(profile) else {
        return;
    };
    let first = number("MCPMARK_DIFFERENTIAL_SEED", 1);
    let sequences = number("MCPMARK_DIFFERENTIAL_SEQUENCES", SEQUENCES);
    let (mut report, mut refused, mut count) = (Vec::new(), 0, 0);
    for seed in first..first + sequences {
        refused += compare(&server, profile, seed, &mut report).await;
        count += LENGTH;
    }
    println!(
        "{profile}: {count} calls compared, {refused} refused by the API, {} different",
        report.len()
    );
    let mut text = String::new();
    for line in report.iter().take(SHOWN) {
        writeln!(text, "{line}").expect("a string");
    }
    assert!(
        report.is_empty(),
        "{} of {count} answers differ:\n{text}",
        report.len()
    );
    assert!(
        refused * 10 < count * 8,
        "{refused} of {count} calls were refused"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_the_published_server() {
    compare_all("1.9.1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_the_later_published_server() {
    compare_all("2.5.2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_later_server_sends_no_version_with_a_comment() {
    let Some(server) = installed("2.5.2") else {
        return;
    };
    let home = tempfile::tempdir().expect("a directory");
    let session = open(home.path(), "2.5.2").await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let http = session.serve_http(listener).expect("an HTTP interface");
    let answer = tokio::task::block_in_place(|| {
        let mut peer = Peer::start(&server, &address, None);
        peer.call(WITHOUT_VERSION, &json!({"rich_text": []}))
    });
    http.abort();
    session.close().await.expect("the session ends");
    assert!(answer.contains("\"code\":\"missing_version\""), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_published_client_uses_data_sources_and_markdown() {
    const CLIENT: &str = "5.26.0";
    let home = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("npm-notion-client")
        .join(CLIENT);
    let manifest = json!({"private": true, "dependencies": {"@notionhq/client": CLIENT}});
    let module = match npm::install(&home, &manifest, "@notionhq/client/build/src/index.js") {
        Ok(module) => module,
        Err(problem) => {
            skip(Need::Npm, problem);
            return;
        }
    };
    let home = tempfile::tempdir().expect("a directory");
    let session = open(home.path(), "2.5.2").await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let http = session.serve_http(listener).expect("an HTTP interface");
    let output = tokio::task::block_in_place(|| {
        std::process::Command::new("node")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../differential/notion/client.mjs"))
            .arg(&module)
            .arg(&address)
            .output()
            .expect("Node.js starts")
    });
    http.abort();
    session.close().await.expect("the session ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    let notes = "# Notes\n- one";
    let expected = json!({
        "names": ["Suppliers", "Former suppliers"],
        "archived": false,
        "properties": false,
        "row": true,
        "templates": [],
        "moved": true,
        "comment": "comment",
        "markdown": [notes, notes],
    });
    assert_eq!(found, expected);
}
