//! Differential test of the postgres tools against the published server.
//!
//! Installs `postgres-mcp` from PyPI, starts two equal clusters, makes the same generated calls on both servers, and
//! compares every text. The test is skipped if PostgreSQL, a suitable Python or the package index is missing.
//! `MCPMARK_POSTGRES_MCP` names an installed `postgres-mcp`, `MCPMARK_DIFFERENTIAL_SEQUENCES` sets the number of
//! sequences of calls, and `MCPMARK_DIFFERENTIAL_SEED` the first seed.

#![allow(
    clippy::print_stdout,
    reason = "the numbers of compared calls are a result of the test"
)]

mod calls;
mod draw;
mod peer;
mod restricted;

use std::fmt::Write as _;
use std::path::Path;

use mcpmark_postgres::tools::{AccessMode, ToolLimits, Tools};
use mcpmark_postgres::{Cluster, Installation, Settings};
use mcpmark_service::ToolHandler;
use mcpmark_test_support::{Need, skip};
use rmcp::model::ContentBlock;

use crate::calls::Call;
use crate::peer::Peer;

/// Default number of sequences, and the number of calls in one.
const SEQUENCES: u64 = 12;
const LENGTH: usize = 25;

/// Maximum number of differences in the report.
const SHOWN: usize = 12;

const LIMITS: ToolLimits = ToolLimits {
    max_result_bytes: 8 * 1024 * 1024,
};

/// Two equal clusters: one for the published server, and one for ours.
struct Stage {
    theirs: Cluster,
    ours: Cluster,
    peer: Peer,
    tools: Tools,
    _directory: tempfile::TempDir,
}

impl Stage {
    /// Returns `None` if the machine lacks something, which is reported.
    fn set(access: AccessMode) -> Option<Self> {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("postgres-mcp");
        let program = match peer::install(&home) {
            Ok(program) => program,
            Err(problem) => {
                skip(Need::PostgresMcp, problem);
                return None;
            }
        };
        let installation = match Installation::find(None) {
            Ok(installation) => installation,
            Err(problem) => {
                skip(Need::Postgres, problem);
                return None;
            }
        };
        let directory = tempfile::tempdir().expect("a directory");
        let settings = Settings::default();
        let create = |name: &str| {
            Cluster::create(&installation, &directory.path().join(name), &settings)
                .expect("an empty cluster")
        };
        let (theirs, ours) = (create("theirs"), create("ours"));
        let config = |cluster: &Cluster| cluster.config(cluster.administrator(), "postgres");
        let peer = Peer::start(&program, &config(&theirs), access);
        let tools = Tools::new(config(&ours), access, LIMITS).expect("an event loop");
        Some(Self {
            theirs,
            ours,
            peer,
            tools,
            _directory: directory,
        })
    }

    /// Makes a call on both servers. Returns both answers.
    fn call(&mut self, call: &Call) -> (String, String) {
        let theirs = self.peer.call(call);
        let arguments = call.arguments.as_object().cloned().unwrap_or_default();
        let ours = match self.tools.call(call.tool, arguments) {
            Ok(result) => {
                let texts = result.content.iter().map(|block| match block {
                    ContentBlock::Text(text) => text.text.as_str(),
                    _ => "another block",
                });
                let mark = if result.is_error == Some(true) {
                    "isError: "
                } else {
                    ""
                };
                format!("{mark}{}", texts.collect::<Vec<_>>().join("\n"))
            }
            Err(error) => format!("protocol error: {error}"),
        };
        (theirs, ours)
    }

    fn stop(self) {
        drop(self.tools);
        self.peer.stop();
        self.theirs.stop().expect("the cluster stops");
        self.ours.stop().expect("the cluster stops");
    }
}

/// Replaces what depends on the time of a call: measured times, and statistics that the server flushes now and then.
fn without_measurements(call: &Call, text: &str) -> String {
    // The number of a schema for temporary tables is that of the backend, which depends on the order in which the two
    // connections of a pool are opened.
    let mut text = text.to_owned();
    for number in 0..20 {
        text = text.replace(&format!("temp_{number}'"), "temp_N'");
    }
    let is_measured = call.tool == "analyze_db_health" || call.arguments["analyze"] == true;
    if !is_measured {
        return text;
    }
    let mut shown = String::new();
    for line in text.split('\n') {
        let mut line = line.to_owned();
        for (before, after) in [
            ("Planning Time: ", " ms"),
            ("Execution Time: ", " ms"),
            ("[Actual: ", " ms"),
            ("only been scanned ", " times"),
            ("cache hit rate: ", "% threshold"),
        ] {
            let start = line.find(before).map(|start| start + before.len());
            let end = start.and_then(|start| Some(start + line[start..].find(after)?));
            if let (Some(start), Some(end)) = (start, end) {
                line.replace_range(start..end, "…");
            }
        }
        shown.push_str(&line);
        shown.push('\n');
    }
    shown
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable}={text:?} is no number"))
    })
}

/// Makes calls on both servers and compares the answers.
fn compare(name: &str, access: AccessMode, calls: impl Iterator<Item = (u64, Call)>) {
    let Some(mut stage) = Stage::set(access) else {
        return;
    };
    let mut report = String::new();
    let (mut count, mut failing, mut different, mut of_another) = (0, 0, 0, 0);
    for (seed, call) in calls {
        let (theirs, ours) = stage.call(&call);
        count += 1;
        failing += usize::from(theirs.starts_with("Error") || theirs.starts_with("isError"));
        let shown = |text: &str| without_measurements(&call, text);
        if shown(&theirs) != shown(&ours) {
            // Each server has a pool of two connections, and which one a call gets depends on when the other one is open
            // again after an error. So the answer may be that of the other connection, with its own settings and
            // temporary tables.
            let (again_theirs, again_ours) = stage.call(&call);
            if shown(&again_theirs) == shown(&ours) || shown(&again_ours) == shown(&theirs) {
                of_another += 1;
                continue;
            }
            different += 1;
            if different <= SHOWN {
                let Call { tool, arguments } = &call;
                writeln!(report, "seed {seed}: {tool} {arguments}").expect("a string");
                writeln!(report, "  theirs: {theirs:?}\n  ours:   {ours:?}").expect("a string");
            }
        }
    }
    stage.stop();
    println!(
        "{name}: {count} calls compared, {failing} refused by the published server, {of_another} of another \
         connection, {different} different"
    );
    assert!(
        of_another * 50 <= count,
        "{of_another} of {count} answers are those of another connection"
    );
    assert!(
        different == 0,
        "{different} of {count} answers differ:\n{report}"
    );
}

#[test]
fn answers_are_those_of_the_published_server() {
    let first = number("MCPMARK_DIFFERENTIAL_SEED", 1);
    let sequences = number("MCPMARK_DIFFERENTIAL_SEQUENCES", SEQUENCES);
    let generated = (first..first + sequences).flat_map(|seed| {
        let calls = calls::sequence(seed, LENGTH);
        calls.into_iter().map(move |call| (seed, call))
    });
    let fixed = calls::fixed().into_iter().map(|call| (0, call));
    compare(
        "unrestricted",
        AccessMode::Unrestricted,
        fixed.chain(generated),
    );
}

#[test]
fn restricted_answers_are_those_of_the_published_server() {
    let first = number("MCPMARK_DIFFERENTIAL_SEED", 1);
    let sequences = number("MCPMARK_DIFFERENTIAL_SEQUENCES", SEQUENCES);
    let generated = (first..first + sequences).flat_map(|seed| {
        let calls = restricted::sequence(seed, LENGTH);
        calls.into_iter().map(move |call| (seed, call))
    });
    compare("restricted", AccessMode::Restricted, generated);
}
