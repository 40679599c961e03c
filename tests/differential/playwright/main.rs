//! Differential test of the playwright service against the published server.
//!
//! The published server runs without isolation, on the same sites, which a loopback address serves. Both get the same
//! generated calls, and all texts are compared. The test is skipped if Chromium, npm or namespaces are missing.
//! `MCPMARK_DIFFERENTIAL_SEQUENCES` sets the number of sequences of calls, and `MCPMARK_DIFFERENTIAL_SEED` the first
//! seed.

#![allow(
    clippy::print_stdout,
    reason = "the numbers of compared calls are a result of the test"
)]

mod calls;
#[path = "../../services/playwright/forum.rs"]
mod forum;
#[path = "../npm.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod npm;
mod peer;
#[path = "../../services/playwright/support.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod support;

use std::fmt::Write as _;

use mcpmark_service::ToolOutput;

use crate::calls::Draw;
use crate::peer::Peer;
use crate::support::{World, programs};

/// Default number of sequences, and the number of calls in one.
const SEQUENCES: u64 = 3;
const LENGTH: usize = 20;

fn number(variable: &str, default: u64) -> u64 {
    let value = std::env::var(variable).ok();
    value.map_or(default, |value| {
        value.parse().expect("a number in the variable")
    })
}

/// Returns a result as text, without what differs on purpose: the directory of files and the size of images.
fn shown(output: &ToolOutput) -> String {
    let mut text = String::new();
    if output.is_error {
        text.push_str("isError: ");
    }
    for line in output.text().lines() {
        // The name of a file has the time of the call.
        if line.contains("page-20") || line.contains("console-20") {
            text.push_str("(file)\n");
        } else {
            writeln!(text, "{line}").expect("text has room");
        }
    }
    for block in &output.content {
        if let mcpmark_service::Content::Image { mime_type, .. } = block {
            writeln!(text, "image {mime_type}").expect("text has room");
        }
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_the_published_server() {
    let Some(programs) = programs() else {
        return;
    };
    let first = number("MCPMARK_DIFFERENTIAL_SEED", 1);
    let sequences = number("MCPMARK_DIFFERENTIAL_SEQUENCES", SEQUENCES);
    let mut differences = String::new();
    let mut compared = 0;
    for seed in first..first + sequences {
        let ours = World::open().await.expect("the programs were found");
        let theirs = Peer::start(&programs).await;
        let mut draw = Draw::new(seed);
        let mut snapshot = String::new();
        for index in 0..LENGTH {
            let (tool, arguments) = draw.call(&snapshot);
            let our = shown(&ours.call(tool, arguments.clone()).await);
            let their = shown(&theirs.call(tool, arguments.clone()).await);
            compared += 1;
            if our.contains("### Snapshot") {
                snapshot.clone_from(&our);
            }
            if our != their {
                writeln!(
                    differences,
                    "seed {seed}, call {index}: {tool} {arguments}\nours: {our}\ntheirs: {their}"
                )
                .expect("text has room");
                break;
            }
        }
        let (our, their) = (ours.capture().await, theirs.capture().await);
        for path in [
            "requests.jsonl",
            "browser.json",
            "sites/forum.test/rows/posts.jsonl",
        ] {
            assert_eq!(
                ours.read(&our, path),
                theirs.read(&their, path),
                "{path} of seed {seed}"
            );
        }
        theirs.stop().await;
        ours.close().await;
    }
    println!("{compared} calls compared");
    assert!(differences.is_empty(), "{differences}");
}
