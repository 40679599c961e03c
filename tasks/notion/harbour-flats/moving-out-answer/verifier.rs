//! One comment on the page of the move answers the three questions.

mod facts;

use mcpmark_guest::{Found, Verifier};
use mcpmark_guest_notion::{Allowed, Comment, Workspace, nothing_else_changed};

mcpmark_guest::verifier!(verify);

const PAGE: [&str; 2] = ["Moves", "Lantern Court, flat 3: moving out"];

fn verify(task: &mut Verifier) {
    let start = Workspace::read(&task.start()).required();
    let page = start.page(&PAGE).required();
    let (page, before) = (page.id().to_owned(), page.comments.len());
    let end = Workspace::read(&task.end());
    let answer: Found<String> = end.try_map(|end| {
        let node = end.node(&page);
        let new: Vec<&Comment> = node.get()?.comments.iter().skip(before).collect();
        match new.as_slice() {
            [comment] if comment.by == end.bot() => Ok(end.plain(&comment.text)),
            all => Err(format!("expected one new comment, found {}", all.len())),
        }
    });
    task.check("one comment on the page of the move", answer.exists());
    for (name, condition) in facts::conditions(&answer) {
        task.check(format!("the answer: {name}"), condition);
    }
    nothing_else_changed(task, &start, &end, &Allowed::new().comments(&page));
}
