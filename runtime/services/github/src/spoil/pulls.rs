//! Pull requests: where they come from, where they go, and how they were merged.

use super::branches::names;
use super::{SpoilError, Spoiler, Wrong};

impl Spoiler<'_> {
    pub(super) fn pull(&mut self, number: u64) -> Result<(), SpoilError> {
        let Some(pull) = self.issue(number).pull else {
            return Ok(());
        };
        let branches: Vec<String> = names(&self.end.git).into_iter().collect();
        let other = |name: &str| {
            let fits = |branch: &&String| *branch != name && **branch != pull.base;
            branches.iter().find(fits).cloned()
        };
        if let Some(base) = other(&pull.head) {
            let what = format!("into {base}");
            self.with_issue(Wrong::Base, number, what, |it| {
                if let Some(pull) = &mut it.pull {
                    pull.base = base;
                }
            })?;
        }
        if let Some(head) = other(&pull.head) {
            let what = format!("from {head}");
            let tip = self.end.git.branch(&head).map(|id| id.to_string());
            self.with_issue(Wrong::Head, number, what, |it| {
                if let Some(pull) = &mut it.pull {
                    pull.head = head;
                    pull.head_sha = tip.unwrap_or_default();
                }
            })?;
        }
        if pull.merged_at.is_some() {
            let method = match pull.merge_method.as_deref() {
                Some("squash") => "merge",
                _ => "squash",
            };
            self.with_issue(
                Wrong::MergeMethod,
                number,
                format!("merged by {method}"),
                |it| {
                    if let Some(pull) = &mut it.pull {
                        pull.merge_method = Some(method.to_owned());
                    }
                },
            )?;
        }
        Ok(())
    }
}
