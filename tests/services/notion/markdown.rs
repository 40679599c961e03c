//! Version 2026-03-11 of the API: pages as Markdown.

use mcpmark_notion::api::{Body, Engine, Method, Request};
use mcpmark_notion::model::Version;
use mcpmark_notion::world;
use serde_json::{Value, json};

use crate::support::{Documents, engine, open};

fn answer(engine: &mut Engine, method: &str, page: &str, body: Value) -> (u16, Value) {
    let body = match body {
        Value::Null => Body::Absent,
        body => Body::Json(body),
    };
    let target = format!("/v1/pages/{page}/markdown");
    let method = Method::parse(method).expect("a method");
    let request = Request::new(method, &target, body).at_version(Version::V2026_03_11);
    let response = engine.answer(&request);
    (response.status, response.body)
}

fn read(engine: &mut Engine, page: &str) -> String {
    let (status, body) = answer(engine, "GET", page, Value::Null);
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["object"], "page_markdown");
    body["markdown"].as_str().expect("a text").to_owned()
}

fn write(engine: &mut Engine, page: &str, body: Value) -> String {
    let (status, body) = answer(engine, "PATCH", page, body);
    assert_eq!(status, 200, "{body}");
    body["markdown"].as_str().expect("a text").to_owned()
}

fn replace(engine: &mut Engine, page: &str, text: &str) -> String {
    let change = json!({"new_str": text, "allow_deleting_content": true});
    let body = json!({"type": "replace_content", "replace_content": change});
    write(engine, page, body)
}

/// Returns the ids of the pages of a world that are not rows.
fn pages(documents: &Documents) -> Vec<String> {
    let names = documents.iter().filter_map(|(path, _)| {
        let name = path.strip_prefix("pages/")?.strip_suffix(".json")?;
        Some(name.to_owned())
    });
    names.collect()
}

#[test]
fn a_page_written_as_it_was_read_stays_as_it_is() {
    let mut engine = engine();
    for page in pages(&world::write(&engine.workspace)) {
        let id = mcpmark_notion::model::Id::parse(&page).expect("an id");
        if engine.workspace.is_trashed(id) {
            continue;
        }
        let before = read(&mut engine, &page);
        let ids = |engine: &Engine| engine.workspace.nodes[&id].children.clone();
        let children = ids(&engine);
        let body = json!({"type": "replace_content", "replace_content": {"new_str": before}});
        assert_eq!(write(&mut engine, &page, body), before, "{page}");
        assert_eq!(ids(&engine), children, "{page}: {before}");
    }
}

#[test]
fn every_form_is_read_as_it_is_written() {
    let text = "\
# Plan {color=\"blue\"}
### More {toggle=\"true\"}
\tBelow
Plain **bold *both*** ~~gone~~ `let x = 1;` and $`x^2`$
\\- no list
1. first
\t- second {color=\"red_background\"}
- [ ] open
- [x] done
> said
<empty-block/>
<details color=\"gray\">
<summary>Hidden</summary>
\t---
</details>
<callout icon=\"💡\" color=\"gray_background\">
\tNote with [a link](https://x.example/a)
\t- inside
</callout>
```rust
fn main() {
\tloop {}
}
```
$$
a < b
$$
<table header-row=\"true\">
\t<tr>
\t\t<td>Name</td>
\t\t<td>**Sum**</td>
\t</tr>
\t<tr>
\t\t<td>One</td>
\t\t<td></td>
\t</tr>
</table>
<columns>
\t<column>
\t\tLeft
\t</column>
\t<column>
\t\tRight <span underline=\"true\" color=\"red\">red</span> text
\t</column>
</columns>
![A cat](https://x.example/cat.png)
<video src=\"https://x.example/v.mp4\">Film</video>
<table_of_contents/>
2 \\* 3 \\< 7 <mention-date start=\"2025-02-03\"/>";
    let mut engine = engine();
    let page = pages(&world::write(&engine.workspace)).remove(0);
    assert_eq!(replace(&mut engine, &page, text), text);
    let documents = world::write(&engine.workspace);
    let mut again = open(&documents).expect("a valid world");
    assert_eq!(read(&mut again, &page), text);
}

#[test]
fn common_markdown_is_read_too() {
    let mut engine = engine();
    let page = pages(&world::write(&engine.workspace)).remove(0);
    let text =
        "* one\n+ two\n\n2 * 3 and a*b\n\n| a | b |\n|---|:-:|\n| 1 |\n\n##### Deep\n7. seven";
    let found = replace(&mut engine, &page, text);
    let expected = "- one\n- two\n2 \\* 3 and a\\*b\n<table header-row=\"true\">\n\t<tr>\n\t\t<td>a</td>\n\t\t<td>b</td>\n\t</tr>\n\t<tr>\n\t\t<td>1</td>\n\t\t<td></td>\n\t</tr>\n</table>\n### Deep\n1. seven";
    assert_eq!(found, expected);
}

#[test]
fn edits_change_only_their_place() {
    let mut engine = engine();
    let page = pages(&world::write(&engine.workspace)).remove(0);
    replace(&mut engine, &page, "# A\nfirst\nsecond\nthird");
    let id = mcpmark_notion::model::Id::parse(&page).expect("an id");
    let live = |engine: &Engine| {
        let node = &engine.workspace.nodes[&id];
        let live = engine.workspace.live_children(node);
        live.map(|child| child.id).collect::<Vec<_>>()
    };
    let before = live(&engine);
    let update = json!([{"old_str": "second", "new_str": "2nd"}]);
    let body = json!({"type": "update_content", "update_content": {"content_updates": update}});
    assert_eq!(write(&mut engine, &page, body), "# A\nfirst\n2nd\nthird");
    assert_eq!(live(&engine), before);
    let insert = json!({"content": "new", "after": "fir...st"});
    let body = json!({"type": "insert_content", "insert_content": insert});
    assert_eq!(
        write(&mut engine, &page, body),
        "# A\nfirst\nnew\n2nd\nthird"
    );
    let range = json!({"content": "end", "content_range": "new...third"});
    let body = json!({"type": "replace_content_range", "replace_content_range": range});
    assert_eq!(write(&mut engine, &page, body), "# A\nfirst\nend");
    assert_eq!(live(&engine)[..2], before[..2]);
}

#[test]
fn child_pages_are_only_lost_on_purpose() {
    let mut engine = engine();
    let all = pages(&world::write(&engine.workspace));
    let with_child = all
        .into_iter()
        .find(|page| read(&mut engine, page).contains("<page "));
    let page = with_child.expect("a page with a child page");
    let before = world::write(&engine.workspace);
    let change = json!({"new_str": "nothing"});
    let body = json!({"type": "replace_content", "replace_content": change});
    let (status, body) = answer(&mut engine, "PATCH", &page, body);
    assert_eq!((status, &body["code"]), (400, &json!("validation_error")));
    assert!(before == world::write(&engine.workspace));
    assert_eq!(replace(&mut engine, &page, "nothing"), "nothing");
}

#[test]
fn hostile_markdown_is_refused_or_read() {
    let mut engine = engine();
    let page = pages(&world::write(&engine.workspace)).remove(0);
    let tabs: String = (0..60)
        .map(|level| format!("{}- x\n", "\t".repeat(level)))
        .collect();
    let texts = [
        "*".repeat(100_000),
        "[".repeat(20_000),
        "<".repeat(20_000),
        "`".repeat(20_000),
        "<details>\n".repeat(100),
        "<callout>\n".repeat(40_000),
        "<columns>\n\t<column>".to_owned(),
        "- x\n".repeat(5_000),
        "\\".repeat(20_001),
        "|".repeat(20_000),
        tabs,
    ];
    for text in texts {
        let change = json!({"new_str": text, "allow_deleting_content": true});
        let body = json!({"type": "replace_content", "replace_content": change});
        let (status, _) = answer(&mut engine, "PATCH", &page, body);
        assert!(status == 200 || status == 400, "{status}");
    }
    open(&world::write(&engine.workspace)).expect("a valid world");
}
