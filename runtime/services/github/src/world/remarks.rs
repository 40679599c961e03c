//! Reader of `commits.json`, with comments on commits and commit statuses.

use std::collections::BTreeMap;

use super::WorldError;
use super::documents::Documents;
use super::people::check_logins;
use crate::hub::{CommitRemarks, STATUS_STATES, Time};

const FILE: &str = "commits.json";

/// Returns comments and statuses of commits by commit id, and the highest id of a comment or a status.
pub(super) fn read(
    documents: &Documents<'_>,
    clock: Time,
) -> Result<(BTreeMap<String, CommitRemarks>, u64), WorldError> {
    let mut all = documents.entries::<CommitRemarks>(FILE, |_| {})?;
    let comments = all.iter().flat_map(|it| it.comments.iter().map(|it| it.id));
    let statuses = all.iter().flat_map(|it| it.statuses.iter().map(|it| it.id));
    let mut last = comments.chain(statuses).max().unwrap_or(0);
    let mut by_sha = BTreeMap::new();
    for (index, of) in all.iter_mut().enumerate() {
        let place = format!("[{index}]");
        let refused = |problem: String| Err(WorldError::value(FILE, &place, problem));
        let is_id = of.sha.len() == 40 && of.sha.bytes().all(|it| it.is_ascii_hexdigit());
        if !is_id {
            return refused(format!("its sha {:?} is not 40 hexadecimal digits", of.sha));
        }
        of.sha.make_ascii_lowercase();
        check_logins(FILE, &place, of.comments.iter().map(|it| &it.user))?;
        check_logins(FILE, &place, of.statuses.iter().map(|it| &it.creator))?;
        let states = of.statuses.iter();
        if let Some(status) = states
            .into_iter()
            .find(|it| !STATUS_STATES.contains(&it.state.as_str()))
        {
            let known = STATUS_STATES.join(", ");
            return refused(format!(
                "unknown state {:?}; expected one of {known}",
                status.state
            ));
        }
        let mut next = |id: &mut u64| {
            if *id == 0 {
                last += 1;
                *id = last;
            }
        };
        let or_clock = |time: &mut Time, other: Time| {
            if *time == Time(0) {
                *time = other;
            }
        };
        for comment in &mut of.comments {
            next(&mut comment.id);
            or_clock(&mut comment.created_at, clock);
            or_clock(&mut comment.updated_at, comment.created_at);
        }
        for status in &mut of.statuses {
            next(&mut status.id);
            or_clock(&mut status.created_at, clock);
        }
        if by_sha.insert(of.sha.clone(), std::mem::take(of)).is_some() {
            return refused("its sha occurs twice".to_owned());
        }
    }
    Ok((by_sha, last))
}
