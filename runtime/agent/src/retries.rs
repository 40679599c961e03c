//! Retry policy of model requests.

use std::time::Duration;

use mcpmark_model::RequestError;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::Rng as _;

/// Retry policy for temporary errors of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retries {
    /// Maximum number of tries of one request, including the first.
    pub tries: u32,
    /// Wait after the first try. Each further wait is twice as long. A random share of up to a half is subtracted.
    pub first: Duration,
    /// Maximum wait, unless the provider asks for a longer one.
    pub longest: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            tries: 8,
            first: Duration::from_secs(1),
            longest: Duration::from_secs(120),
        }
    }
}

impl Retries {
    /// Returns the wait after a failed try. A wait that the provider asks for is respected, plus a random share of up
    /// to a tenth, so that clients that were rejected together do not retry together. It is never shorter than the
    /// policy's own wait, because a shorter one would use up the tries.
    pub(crate) fn wait(
        self,
        error: &RequestError,
        number: u32,
        drawn: &mut ChaCha20Rng,
    ) -> Duration {
        let share = f64::from(drawn.next_u32()) / f64::from(u32::MAX);
        let doubled = 2_u32.saturating_pow(number - 1);
        let own = self.first.saturating_mul(doubled).min(self.longest);
        let own = own.mul_f64(1.0 - share / 2.0);
        match error.retry_after {
            Some(wished) => own.max(wished.saturating_add(wished.mul_f64(share / 10.0))),
            None => own,
        }
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_model::RequestErrorKind;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    fn waits(wished: Option<Duration>, number: u32) -> Vec<Duration> {
        let error = RequestError {
            kind: RequestErrorKind::RateLimit,
            message: String::new(),
            retry_after: wished,
        };
        let mut drawn = ChaCha20Rng::seed_from_u64(1);
        let retries = Retries::default();
        (0..200)
            .map(|_| retries.wait(&error, number, &mut drawn))
            .collect()
    }

    #[test]
    fn waits_double_up_to_a_bound_and_differ() {
        for (number, longest) in [(1, 1.0), (2, 2.0), (4, 8.0), (8, 120.0), (40, 120.0)] {
            let waits = waits(None, number);
            let within = |wait: &Duration| (longest / 2.0..=longest).contains(&wait.as_secs_f64());
            assert!(waits.iter().all(within), "{number}");
            assert!(waits.iter().any(|wait| *wait != waits[0]), "{number}");
        }
    }

    #[test]
    fn a_wish_is_kept_and_never_shorter_than_the_own_wait() {
        let wished = Duration::from_secs(600);
        let kept = waits(Some(wished), 1);
        let within = |wait: &Duration| (600.0..=660.0).contains(&wait.as_secs_f64());
        assert!(kept.iter().all(within), "{kept:?}");
        assert!(kept.iter().any(|wait| *wait != kept[0]));
        let floored = waits(Some(Duration::ZERO), 3);
        assert_eq!(floored, waits(None, 3));
        // The longest possible duration does not overflow.
        assert_eq!(waits(Some(Duration::MAX), 1)[0], Duration::MAX);
    }
}
