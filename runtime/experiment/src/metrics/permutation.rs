use rand_chacha::rand_core::Rng;
use serde::Serialize;

use super::bootstrap::generator;

/// Additions that a test may take.
const WORK: u64 = 20_000_000;

/// A paired permutation test and how it was made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PermutationTest {
    /// The two-sided p-value.
    pub p: f64,
    /// How many sign patterns were drawn; none where all were counted.
    pub draws: Option<u32>,
}

/// Whether paired differences are centred on 0: the share of the 2ⁿ ways to turn their signs
/// whose sum is at least as far from 0 (Fisher 1935; Edgington's randomisation test).
///
/// `differences` are numerators over one common denominator, so that sums are whole numbers. The
/// distribution of the sum is then counted exactly, difference by difference, in n · Σ|d| steps.
/// Where that is too much, 1,000 to 100,000 patterns are drawn from a fixed seed, and
/// p = (1 + hits) / (1 + draws).
pub fn paired_permutation(differences: &[i64]) -> PermutationTest {
    let sizes: Vec<u64> = differences
        .iter()
        .map(|difference| difference.unsigned_abs())
        .filter(|size| *size > 0)
        .collect();
    let observed = differences.iter().sum::<i64>().unsigned_abs();
    let total: u64 = sizes.iter().sum();
    if total.saturating_mul(sizes.len() as u64) <= WORK {
        PermutationTest {
            p: counted(&sizes, total, observed),
            draws: None,
        }
    } else {
        let draws = (WORK / sizes.len() as u64).clamp(1_000, 100_000) as u32;
        PermutationTest {
            p: drawn(&sizes, observed, draws),
            draws: Some(draws),
        }
    }
}

/// The chance of each sum of the differences that are taken as positive; the signed sum is twice
/// that minus the total.
fn counted(sizes: &[u64], total: u64, observed: u64) -> f64 {
    let mut chances = vec![0.0_f64; total as usize + 1];
    chances[0] = 1.0;
    let mut reached = 0;
    for size in sizes {
        let size = *size as usize;
        reached += size;
        for sum in (0..=reached).rev() {
            let with = sum.checked_sub(size).map_or(0.0, |rest| chances[rest]);
            chances[sum] = 0.5 * (chances[sum] + with);
        }
    }
    let p: f64 = chances
        .iter()
        .enumerate()
        .filter(|(sum, _)| (2 * *sum as u64).abs_diff(total) >= observed)
        .map(|(_, chance)| chance)
        .sum();
    p.min(1.0)
}

fn drawn(sizes: &[u64], observed: u64, draws: u32) -> f64 {
    let mut rng = generator();
    let mut hits = 0_u32;
    for _ in 0..draws {
        let mut sum = 0_i64;
        for chunk in sizes.chunks(64) {
            let mut bits = rng.next_u64();
            for size in chunk {
                let size = *size as i64;
                sum += if bits & 1 == 1 { size } else { -size };
                bits >>= 1;
            }
        }
        hits += u32::from(sum.unsigned_abs() >= observed);
    }
    f64::from(hits + 1) / f64::from(draws + 1)
}
