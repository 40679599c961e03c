//! Tools for Copilot, which is not available in worlds: they return the errors of the published server.

use super::arguments::Arguments;
use super::commits::unresolved;
use super::decoded::{Decoded, Field};
use super::{Failure, Outcome, Output, tool_error};
use crate::api::RepositoryName;
use crate::profile::Profile;
use crate::repository::RepositoryState;

/// Login of Copilot as a reviewer.
const REVIEWER: &str = "copilot-pull-request-reviewer[bot]";

/// Arguments of `assign_copilot_to_issue` in v0.15.0.
const ISSUE: &[Field] = &[
    Field::Text("Owner"),
    Field::Text("Repo"),
    Field::Number("IssueNumber"),
];

/// Arguments of `assign_copilot_to_issue` in v1.10.1.
const ISSUE_AND_WORK: &[Field] = &[
    Field::Text("owner"),
    Field::Text("repo"),
    Field::Number("issue_number"),
    Field::Text("base_ref"),
    Field::Text("custom_instructions"),
];

pub(super) fn assign(repo: &RepositoryState, with: &Arguments, profile: Profile) -> Outcome {
    let (at, more) = match profile {
        Profile::V0_15_0 => (
            Decoded::strict(with, &[ISSUE])?.repository(),
            "using-github-copilot/using-copilot-coding-agent-to-work-on-tasks/about-assigning-tasks-to-copilot",
        ),
        Profile::V1_10_1 => {
            let with = Decoded::weak(with, &[ISSUE_AND_WORK])?;
            let at = RepositoryName {
                owner: with.text("owner"),
                repo: with.text("repo"),
            };
            (at, "concepts/agents/cloud-agent/about-cloud-agent")
        }
    };
    unresolved(repo, &at).map_err(|failure| match (failure, profile) {
        // The older version returns errors of GraphQL as protocol errors.
        (Failure::ToolError(problem), Profile::V0_15_0) => Failure::Protocol(problem),
        (Failure::ToolError(problem), Profile::V1_10_1) => {
            Failure::ToolError(format!("failed to get suggested actors: {problem}"))
        }
        (other, _) => other,
    })?;
    Err(Failure::ToolError(format!(
        "copilot isn't available as an assignee for this issue. Please inform the user to visit \
         https://docs.github.com/en/copilot/{more} for more information."
    )))
}

pub(super) fn request_review(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("pullNumber")?;
    repo.request_reviewers(&at, number, &[REVIEWER.to_owned()])
        .map_err(tool_error("failed to request copilot review"))?;
    Ok(Output::Text(String::new()))
}
