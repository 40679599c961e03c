//! Markdown links to issues and pull requests, whose words and addresses must name the same one.

use mcpmark_guest::{Condition, Found};

/// Checks that a link that is written as `#12` leads to 12, and not to another issue or pull request.
pub fn links_agree(text: &Found<String>) -> Condition {
    text.satisfies(|text| match disagreeing(text) {
        None => Condition::pass("each link leads to what it names"),
        Some((named, target)) => Condition::fail(format!(
            "expected a link that leads to #{named}, found one to {target}"
        )),
    })
}

/// Returns the first link whose words name a number and whose address has another one.
fn disagreeing(text: &str) -> Option<(u64, u64)> {
    text.match_indices("](").find_map(|(at, _)| {
        let words = text[..at].rsplit('[').next()?;
        let address = text[at + 2..].split([')', ' ', '\n']).next()?;
        let named = first_number(words.split_once('#')?.1)?;
        let target = ["/pull/", "/issues/"]
            .iter()
            .find_map(|part| first_number(address.split_once(part)?.1))?;
        (named != target).then_some((named, target))
    })
}

fn first_number(text: &str) -> Option<u64> {
    let end = text.find(|it: char| !it.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::disagreeing;

    #[test]
    fn a_link_to_another_pull_request_is_no_reference() {
        let to = |number: u64| format!("See [#275](https://github.com/o/r/pull/{number}).");
        assert_eq!(disagreeing(&to(275)), None);
        assert_eq!(disagreeing(&to(265)), Some((275, 265)));
        assert_eq!(
            disagreeing("[a page](docs/a.md), [PR #7 of May](../issues/8#top)"),
            Some((7, 8))
        );
        assert_eq!(disagreeing("#7 (https://github.com/o/r/pull/8)"), None);
    }
}
