//! Paired permutation test.

use rand_chacha::rand_core::Rng;
use serde::Serialize;

use super::bootstrap::generator;

/// Maximum number of additions of a test. A sampled test may exceed it, because it makes at least 1,000 draws.
const WORK: u64 = 20_000_000;

/// Result of a paired permutation test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PermutationTest {
    /// Two-sided p-value.
    pub p: f64,
    /// Number of random sign patterns; none if the test is exact.
    pub draws: Option<u32>,
}

/// Tests if paired differences are centred on 0. The p-value is the share of the 2ⁿ sign patterns whose sum is at least
/// as far from 0 (Fisher 1935; Edgington's randomisation test).
///
/// `differences` are numerators over one common denominator, so that sums are integers. The distribution of the sum is
/// counted exactly, difference by difference, in n · Σ|d| steps. If that is too much, 1,000 to 100,000 patterns are
/// drawn from a fixed seed, and p = (1 + hits) / (1 + draws).
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

/// Computes the exact p-value from the distribution of the sum of the differences with a positive sign. The signed sum
/// is twice that sum minus the total.
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
