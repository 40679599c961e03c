//! Work that is left to Copilot, which no repository of a world has: the answers of the real server for that.

use super::arguments::Arguments;
use super::commits::unresolved;
use super::decoded::{Decoded, Field};
use super::{Failure, Outcome, Output, said};
use crate::api::Named;
use crate::profile::Profile;
use crate::view::Site;

/// By which Copilot is asked for a review.
const REVIEWER: &str = "copilot-pull-request-reviewer[bot]";

/// What the older version is told.
const ISSUE: &[Field] = &[
    Field::Text("Owner"),
    Field::Text("Repo"),
    Field::Number("IssueNumber"),
];

/// What the newer version is told.
const ISSUE_AND_WORK: &[Field] = &[
    Field::Text("owner"),
    Field::Text("repo"),
    Field::Number("issue_number"),
    Field::Text("base_ref"),
    Field::Text("custom_instructions"),
];

pub(super) fn assign(site: &Site, with: &Arguments, profile: Profile) -> Outcome {
    let (at, more) = match profile {
        Profile::V0_15_0 => (
            Decoded::strict(with, &[ISSUE])?.repository(),
            "using-github-copilot/using-copilot-coding-agent-to-work-on-tasks/about-assigning-tasks-to-copilot",
        ),
        Profile::V1_10_1 => {
            let with = Decoded::weak(with, &[ISSUE_AND_WORK])?;
            let at = Named {
                owner: with.text("owner"),
                repo: with.text("repo"),
            };
            (at, "concepts/agents/cloud-agent/about-cloud-agent")
        }
    };
    unresolved(site, &at).map_err(|failure| match (failure, profile) {
        // The older version hands on what GraphQL says as an error of the protocol.
        (Failure::Said(problem), Profile::V0_15_0) => Failure::Protocol(problem),
        (Failure::Said(problem), Profile::V1_10_1) => {
            Failure::Said(format!("failed to get suggested actors: {problem}"))
        }
        (other, _) => other,
    })?;
    Err(Failure::Said(format!(
        "copilot isn't available as an assignee for this issue. Please inform the user to visit \
         https://docs.github.com/en/copilot/{more} for more information."
    )))
}

pub(super) fn request_review(site: &mut Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    site.request_reviewers(&at, number, &[REVIEWER.to_owned()])
        .map_err(said("failed to request copilot review"))?;
    Ok(Output::Text(String::new()))
}
