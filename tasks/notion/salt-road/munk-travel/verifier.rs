//! One comment on the page of the actress answers four questions.

mod facts;

use mcpmark_guest::{Found, Verifier};
use mcpmark_guest_notion::{Allowed, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let page = start.page(&["Travel", "Ilse Tarn"]).required();
    let known: Vec<&str> = page.comments.iter().map(|it| it.id.as_str()).collect();
    let end = Workspace::read(&task.end());
    let answer: Found<String> = end.try_map(|end| {
        let node = end.node(page.id());
        let comments = node.get()?.comments.iter();
        let mut new = comments.filter(|it| !known.contains(&it.id.as_str()));
        let comment = new.next().ok_or("expected a new comment, found none")?;
        match new.count() {
            0 => Ok(end.plain(&comment.text)),
            more => Err(format!("expected one new comment, found {} more", more)),
        }
    });
    task.check("one comment on her page", answer.exists());
    for (name, condition) in facts::conditions(&answer) {
        task.check(format!("the answer: {name}"), condition);
    }
    nothing_else_changed(task, &start, &end, &Allowed::new().comments(page.id()));
}
