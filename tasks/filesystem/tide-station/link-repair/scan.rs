//! Finds links and headings in a text.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A link by its places in the text.
pub struct Link {
    /// From the first bracket, or the `!` before it, to the last.
    pub whole: Range<usize>,
    pub label: Range<usize>,
    pub target: Range<usize>,
}

/// The links of a page, in their order.
pub fn links(text: &str, is_html: bool) -> Vec<Link> {
    let masked = mask(text, is_html);
    if is_html {
        html_links(&masked)
    } else {
        markdown_links(&masked)
    }
}

/// The anchors of the headings of a page.
pub fn anchors(text: &str) -> BTreeSet<String> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let body = body.replace("\r\n", "\n");
    let body = body
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(body.as_str(), |(_, body)| body);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    let mut in_fence = false;
    for line in body.lines() {
        if line.starts_with("```") {
            in_fence = !in_fence;
        }
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        if in_fence || !(1..=6).contains(&level) || !title.starts_with(' ') {
            continue;
        }
        let anchor = anchor(title);
        let count = counts.entry(anchor.clone()).or_default();
        anchors.insert(match *count {
            0 => anchor,
            number => format!("{anchor}-{number}"),
        });
        *count += 1;
    }
    anchors
}

/// The anchor of a heading with this text.
pub fn anchor(title: &str) -> String {
    title
        .trim()
        .to_lowercase()
        .chars()
        .filter(|letter| letter.is_alphanumeric() || "-_ ".contains(*letter))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

/// The text with code and comments blanked out; all bytes keep their places.
fn mask(text: &str, is_html: bool) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let blank = |bytes: &mut Vec<u8>, range: Range<usize>| {
        for byte in &mut bytes[range] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    let mut at = 0;
    let mut line_start = true;
    while at < text.len() {
        let rest = &text[at..];
        let end = if !is_html && line_start && rest.starts_with("```") {
            rest[3..]
                .find("\n```")
                .map_or(text.len(), |close| at + 3 + close + 4)
        } else if !is_html && rest.starts_with('`') {
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            let close = rest[ticks..].find(&rest[..ticks]);
            close.map_or(at + ticks, |close| at + ticks + close + ticks)
        } else if rest.starts_with("<!--") {
            rest.find("-->").map_or(text.len(), |close| at + close + 3)
        } else {
            line_start = rest.starts_with('\n');
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        blank(&mut bytes, at..end);
        line_start = false;
        at = end;
    }
    String::from_utf8(bytes).expect("whole letters were blanked out")
}

fn markdown_links(masked: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let mut line_at = 0;
    for line in masked.split_inclusive('\n') {
        let mut from = 0;
        while let Some(middle) = line[from..].find("](").map(|at| from + at) {
            let label_at = line[..middle].rfind('[');
            let close = line[middle..].find(')').map(|at| middle + at);
            from = middle + 2;
            let (Some(label_at), Some(close)) = (label_at, close) else {
                continue;
            };
            let inside = &line[middle + 2..close];
            let length = inside.find(' ').unwrap_or(inside.len());
            let is_image = line[..label_at].ends_with('!');
            links.push(Link {
                whole: line_at + label_at - usize::from(is_image)..line_at + close + 1,
                label: line_at + label_at + 1..line_at + middle,
                target: line_at + middle + 2..line_at + middle + 2 + length,
            });
        }
        if let Some((name, rest)) = line
            .split_once("]: ")
            .filter(|(name, _)| name.starts_with('['))
        {
            let start = line_at + name.len() + 3;
            let length = rest.find([' ', '\r', '\n']).unwrap_or(rest.len());
            links.push(Link {
                whole: line_at..line_at + line.len(),
                label: line_at + 1..line_at + name.len(),
                target: start..start + length,
            });
        }
        line_at += line.len();
    }
    links
}

fn html_links(masked: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for attribute in [" href=\"", " src=\""] {
        for (at, _) in masked.match_indices(attribute) {
            let start = at + attribute.len();
            let length = masked[start..].find('"').unwrap_or(0);
            links.push(Link {
                whole: start..start + length,
                label: start..start + length,
                target: start..start + length,
            });
        }
    }
    links.sort_by_key(|link| link.target.start);
    links
}
