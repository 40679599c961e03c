//! Cost of capturing the state at the end of a session.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::site::{Site, World};
use super::{V0, worlds};
use crate::measure::linear;

pub(super) fn trials() -> Vec<Trial> {
    let trial = |name: &str, fill: fn(&Site, usize)| {
        let name = format!("github::end_of_a_session::{name}");
        Trial::test(name, move || {
            linear(2_000, |size| {
                let world = World::new(|dir| worlds::small(dir, 1));
                let site = Site::new(&world, V0);
                fill(&site, size);
                // The first capture stores everything.
                let first = site.capture().digest();
                move || {
                    // Keeps the world, because the site reads from it.
                    let _ = &world;
                    assert_eq!(site.capture().digest(), first);
                }
            })
        })
    };
    vec![
        trial("files", |site, size| {
            let file = |it: usize| json!({"path": format!("many/{}/{it}", it % 20), "content": it.to_string()});
            let files: Value = (0..size).map(file).collect();
            site.tool(
                "push_files",
                &json!({"branch": "main", "message": "Add", "files": files}),
            );
        }),
        trial("issues", |site, size| {
            for issue in 0..size / 4 {
                let issue = json!({"title": format!("Issue {issue}"), "body": "text ".repeat(40)});
                site.tool("create_issue", &issue);
            }
        }),
        trial("branches", |site, size| {
            for branch in 0..size / 4 {
                site.tool(
                    "create_branch",
                    &json!({"branch": format!("branch-{branch}"), "from_branch": "main"}),
                );
            }
        }),
    ]
}
