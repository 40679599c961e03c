//! What the verifiers of this library say of pull requests.

use mcpmark_guest::{Condition, Found, Pull};

/// Holds when a pull request is like this one, labels and who is asked for a review in any order.
pub fn is_like(found: &Found<Pull>, expected: &Pull) -> Condition {
    let sorted = |pull: &Pull| {
        let mut pull = pull.clone();
        pull.issue.labels.sort();
        pull.requested_reviewers.sort();
        pull
    };
    found.map(sorted).is(sorted(expected))
}
