//! Cancelled calls: they stop long before their end and change nothing.

use std::path::Path;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use mcpmark_service::CallError;
use serde_json::{Value, json};

use super::site::{Site, World};
use super::{V0, worlds};
use crate::measure::cost;

/// Time after which a call is cancelled, and the minimum time of the call if it is not.
const PATIENCE: Duration = Duration::from_millis(40);
const LONG: Duration = Duration::from_millis(300);

/// Call, and a world that grows until the call takes long enough.
struct Case {
    tool: &'static str,
    make: fn(&Path, usize),
    size: usize,
    with: fn(usize) -> Value,
}

pub(super) fn trials() -> Vec<Trial> {
    let cases = [
        Case {
            tool: "search_code",
            make: worlds::files,
            size: 2_000,
            with: |_| json!({"query": "line theirs -absent repo:acme/demo"}),
        },
        Case {
            tool: "get_pull_request_files",
            make: worlds::files,
            size: 2_000,
            with: |_| json!({"pullNumber": 1, "perPage": 10}),
        },
        Case {
            tool: "get_pull_request_diff",
            make: worlds::files,
            size: 2_000,
            with: |_| json!({"pullNumber": 1}),
        },
        Case {
            tool: "get_commit",
            make: worlds::files,
            size: 2_000,
            with: |_| json!({"sha": "topic", "perPage": 10}),
        },
        Case {
            tool: "search_issues",
            make: worlds::issues,
            size: 10_000,
            with: |_| json!({"query": terms()}),
        },
        Case {
            tool: "push_files",
            make: worlds::small,
            size: 2_000,
            with: |size| {
                let file = |it: usize| json!({"path": format!("many/{}/{it}", it % 100), "content": it.to_string()});
                let files: Value = (0..size).map(file).collect();
                json!({"branch": "main", "message": "Add", "files": files})
            },
        },
    ];
    let trial = |case: Case| {
        let name = format!("cancel::github::{}", case.tool);
        Trial::test(name, move || case.stops())
    };
    cases.into_iter().map(trial).collect()
}

/// Returns a query with many terms that does not exceed the maximum length.
fn terms() -> String {
    (10..50).map(|number| format!("-a{number} ")).collect()
}

impl Case {
    fn stops(&self) -> Result<(), Failed> {
        let mut size = self.size;
        loop {
            let world = World::new(|dir| (self.make)(dir, size));
            let with = (self.with)(size);
            let site = Site::new(&world, V0);
            let whole = cost(|| site.tool(self.tool, &with));
            if whole.time < LONG && size < 8 * self.size {
                size *= 2;
                continue;
            }
            let site = Site::new(&world, V0);
            let before = site.capture().digest();
            let cancelled = cost(|| {
                let outcome = site.until(self.tool, &with, PATIENCE);
                assert!(
                    matches!(outcome, Err(CallError::Timeout { .. })),
                    "{outcome:?}"
                );
                // Calls run one at a time, so this one waits for the end of the cancelled one.
                site.tool("get_me", &json!({}));
            });
            assert!(
                site.capture().digest() == before,
                "the call has changed something"
            );
            return if 3 * cancelled.time < 2 * whole.time {
                Ok(())
            } else {
                Err(Failed::from(format!(
                    "the call took {cancelled} when it was cancelled after {PATIENCE:?}, and {whole} else"
                )))
            };
        }
    }
}
