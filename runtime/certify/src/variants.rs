//! Harmless variants of the oracle: the same solution with further calls, which must not change the verdict.

use mcpmark_agent::{AttemptLimits, EndKind, ExtraCalls, Oracle};

use crate::certification_run::{CertificationRun, failed, told};
use crate::play::{Played, play_within};
use crate::points::{EXTRA_READS_PASS, REPEATED_CALLS_PASS};

impl CertificationRun<'_> {
    /// Checks that the verifier accepts the oracle if it reads more than it needs, and if it repeats its calls. A
    /// variant without further calls is not examined.
    pub(crate) async fn harmless_variants(&mut self, solved: &Played) {
        let prepared = self.prepared;
        let Some(solution) = &prepared.solution else {
            return;
        };
        let parameters = prepared.parameters.clone();
        let oracle = Oracle::new(self.sandbox.clone(), solution.clone(), parameters);
        let extra_reads = ExtraCalls {
            before: solved.reads.clone(),
            after: solved.reads.iter().rev().cloned().collect(),
            repeat: false,
        };
        let repeated_calls = ExtraCalls {
            repeat: true,
            ..ExtraCalls::default()
        };
        // The turn limit of the task was made for attempts without these calls.
        let limits = AttemptLimits {
            turns: u32::MAX,
            ..prepared.attempt_limits
        };
        for (condition, variant, extra) in [
            (EXTRA_READS_PASS, "extra-reads", extra_reads),
            (REPEATED_CALLS_PASS, "repeated-calls", repeated_calls),
        ] {
            let oracle = oracle.clone().with_extra_calls(extra);
            let played = play_within(prepared, &oracle, self.store, self.scratch, limits).await;
            let played = match played {
                Ok(played) => played,
                Err(reason) => {
                    self.check(condition, false, reason);
                    continue;
                }
            };
            let made = played.tool_calls.saturating_sub(solved.tool_calls);
            if made == 0 && played.end.kind == EndKind::Completed {
                continue;
            }
            let judged = self.judge(&played.tree, played.answer.as_deref());
            let passes = matches!(&judged, Ok(verdict) if verdict.passed());
            let passed = passes && played.end.kind == EndKind::Completed;
            let detail = format!(
                "{made} additional calls; {}{}, {}",
                told(&judged),
                failed(&judged),
                played.end
            );
            self.check(condition, passed, detail);
            if passed {
                self.variants.insert(variant.to_owned(), made);
            }
            self.played
                .push((variant.to_owned(), played.tree, played.answer));
        }
    }
}
