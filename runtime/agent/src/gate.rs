//! Limits on concurrency and rate of requests to one model.

use std::time::{Duration, Instant};

use mcpmark_model::Pace;
use tokio::sync::{AcquireError, Mutex, Semaphore, SemaphorePermit};

/// Limiter of requests to one model according to its [`Pace`]. All attempts share it.
#[derive(Debug)]
pub struct Gate {
    /// Permits for concurrent requests, if their number is limited.
    calls: Option<Semaphore>,
    /// Start of the last request, if the rate is limited. The lock is fair, so requests begin in the order of their
    /// arrival.
    rate: Option<Mutex<Rate>>,
}

/// Permits of a request, released on drop.
#[derive(Debug)]
pub(crate) struct Entered<'a> {
    _model: Option<SemaphorePermit<'a>>,
    _all: SemaphorePermit<'a>,
}

/// Rate limit: a minimum interval between the starts of requests.
#[derive(Debug)]
struct Rate {
    interval: Duration,
    last: Option<Instant>,
}

impl Rate {
    fn per_minute(requests: u32) -> Self {
        Self {
            interval: Duration::from_secs(60) / requests.max(1),
            last: None,
        }
    }

    /// Returns the wait before the next request.
    fn wait(&self, now: Instant) -> Duration {
        let next = self.last.map(|last| last + self.interval);
        next.map_or(Duration::ZERO, |next| next.saturating_duration_since(now))
    }

    fn begin(&mut self, now: Instant) {
        self.last = Some(now);
    }
}

impl Gate {
    /// Creates a gate for one model.
    pub fn new(pace: Pace) -> Self {
        let calls = pace
            .max_calls
            .map(|calls| Semaphore::new(calls.max(1) as usize));
        let rate = pace.requests_per_minute.map(Rate::per_minute);
        Self {
            calls,
            rate: rate.map(Mutex::new),
        }
    }

    /// Waits until a request may begin according to this gate and to `all`, which requests to all models share. The
    /// permit of `all` is acquired last, so that a model with waiting requests does not block other models.
    pub(crate) async fn enter<'a>(
        &'a self,
        all: &'a Semaphore,
    ) -> Result<Entered<'a>, AcquireError> {
        let model = match &self.calls {
            Some(calls) => Some(calls.acquire().await?),
            None => None,
        };
        let all = match &self.rate {
            Some(rate) => {
                let mut rate = rate.lock().await;
                tokio::time::sleep(rate.wait(Instant::now())).await;
                let permit = all.acquire().await?;
                rate.begin(Instant::now());
                permit
            }
            None => all.acquire().await?,
        };
        Ok(Entered {
            _model: model,
            _all: all,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn is_ready<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Option<T> {
        match Future::poll(
            std::pin::Pin::new(future),
            &mut Context::from_waker(Waker::noop()),
        ) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    #[test]
    fn requests_begin_an_interval_apart() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let mut rate = Rate::per_minute(30);
        assert_eq!(rate.wait(at(0.0)), Duration::ZERO);
        rate.begin(at(0.0));
        assert_eq!(rate.wait(at(0.5)), Duration::from_millis(1500));
        // A request that begins late delays the next one, so that no minute exceeds the rate.
        rate.begin(at(5.0));
        assert_eq!(rate.wait(at(5.0)), Duration::from_secs(2));
        assert_eq!(rate.wait(at(60.0)), Duration::ZERO);
        let mut now = start;
        let mut rate = Rate::per_minute(7);
        let begun: Vec<Instant> = (0..100)
            .map(|_| {
                now += rate.wait(now);
                rate.begin(now);
                now
            })
            .collect();
        let minute = Duration::from_secs(60);
        for first in &begun {
            let within = begun
                .iter()
                .filter(|it| *it >= first && **it - *first < minute);
            assert!(
                within.count() <= 8,
                "7, and one for rounding to nanoseconds"
            );
        }
        assert!(*begun.last().unwrap() - start >= minute * 14);
    }

    #[test]
    fn a_model_that_waits_holds_up_no_other() {
        let all = Semaphore::new(2);
        let narrow = Gate::new(Pace {
            max_calls: Some(1),
            requests_per_minute: None,
        });
        let open = Gate::new(Pace::default());
        let first = is_ready(&mut pin!(narrow.enter(&all))).unwrap().unwrap();
        let mut second = pin!(narrow.enter(&all));
        assert!(is_ready(&mut second).is_none());
        let other = is_ready(&mut pin!(open.enter(&all)));
        assert!(other.is_some(), "a place is left");
        drop(first);
        assert!(is_ready(&mut second).is_some());
    }
}
