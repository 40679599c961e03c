//! Bootstrap confidence intervals of a mean over tasks.

use std::cell::RefCell;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::interval::{Interval, Method, normal};

/// Number of resamples of a bootstrap.
pub const RESAMPLES: usize = 2000;

/// Maximum number of tasks for resampling. Above it, the normal approximation is as good and costs nothing.
const MANY: usize = 1000;

/// Seed of all random draws.
const SEED: u64 = 0x6d63_706d_6172_6b00;

/// Computes the bootstrap confidence interval of the mean of one value per task: the 2.5 and 97.5 percentiles of the
/// means of [`RESAMPLES`] samples of as many tasks, drawn with replacement (Efron 1979, the percentile method). With
/// many tasks, it is the normal approximation of the bootstrap.
///
/// Returns none without values, and for values that are all equal, because they contain no information about their
/// spread.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let first = values.first()?;
    if values.iter().all(|value| value == first) {
        return None;
    }
    let n = values.len() as f64;
    if values.len() > MANY {
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        return Some(normal(mean, (squares / (n - 1.0) / n).sqrt()));
    }
    let mut means: Vec<f64> = with_draws(values.len(), |draws| {
        let resamples = draws.chunks_exact(values.len());
        resamples
            .map(|draws| {
                let drawn = draws.iter().map(|index| values[usize::from(*index)]);
                drawn.sum::<f64>() / n
            })
            .collect()
    });
    Some(Interval {
        low: percentile(&mut means, 0.025),
        high: percentile(&mut means, 0.975),
        method: Method::Bootstrap,
    })
}

/// Returns a random generator with the fixed seed of reports.
pub(super) fn generator() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(SEED)
}

thread_local! {
    /// Cache of the draws for the last number of tasks. All groups of the same size have the same draws.
    static DRAWS: RefCell<(usize, Vec<u16>)> = const { RefCell::new((0, Vec::new())) };
}

/// Passes all draws for `len` tasks to `give`, resample by resample.
fn with_draws<T>(len: usize, give: impl FnOnce(&[u16]) -> T) -> T {
    DRAWS.with_borrow_mut(|(of, draws)| {
        if *of != len {
            let mut rng = ChaCha8Rng::seed_from_u64(SEED);
            *draws = (0..RESAMPLES * len).map(|_| draw(&mut rng, len)).collect();
            *of = len;
        }
        give(draws)
    })
}

/// Draws an index below `len`, which is at most [`MANY`]. The bias of the multiplication is below len / 2³².
fn draw(rng: &mut ChaCha8Rng, len: usize) -> u16 {
    ((u64::from(rng.next_u32()) * len as u64) >> 32) as u16
}

/// Computes a percentile by linear interpolation between the closest ranks, the default of numpy. It reorders the
/// values.
fn percentile(values: &mut [f64], share: f64) -> f64 {
    let rank = share * (values.len() - 1) as f64;
    let below = rank.floor() as usize;
    let (_, low, above) = values.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    let high = above.iter().copied().min_by(f64::total_cmp).unwrap_or(low);
    low + (high - low) * (rank - rank.floor())
}
