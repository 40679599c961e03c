//! Handbook of the desk.

use maud::html;
use mcpmark_guest_site::{Answer, Context, NONE, Request};

use crate::layout::{page, prose};
use crate::when;

/// Lists the pages.
pub fn list(request: &Request, context: &mut Context<'_>) -> Answer {
    let pages = context.query(
        "SELECT slug, title, changed FROM pages ORDER BY title",
        NONE,
    )?;
    let content = html! {
        ul { @for entry in &pages {
            li {
                a href={ "/handbook/" (entry.text("slug")) } { (entry.text("title")) }
                ", changed " (when::time(entry.integer("changed")))
            }
        } }
    };
    Ok(page("Handbook", request, &content))
}

/// Shows a page.
pub fn show(request: &Request, context: &mut Context<'_>) -> Answer {
    let slug: String = request.parameter("slug")?;
    let sql = "SELECT title, text, changed FROM pages WHERE slug = ?1";
    let entry = context.one(sql, [slug])?;
    let content = html! {
        (prose(&entry.text("text")))
        p class="meta" { "Changed " (when::time(entry.integer("changed"))) }
    };
    Ok(page(&entry.text("title"), request, &content))
}
