//! Special functions for confidence intervals and tests.
//!
//! They are our own although `statrs` (0.19) has them: its inverse of the incomplete beta function may iterate without
//! end, and stops at an absolute tolerance, so that the quantile of Student's t is wrong in the sixth digit at 100,000
//! degrees of freedom. The bisection here always ends, and is correct to ten digits there. Besides, reports in JSON
//! print all digits of a number, and other algorithms differ in the last ones.

/// Computes ln Γ(x) for x > 0, by the Lanczos approximation (g = 7, nine terms). The relative error is below 1e-14,
/// except near the zeros at 1 and 2.
pub(super) fn ln_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let base = x + G + 0.5;
    let series = TERMS[1..]
        .iter()
        .enumerate()
        .fold(TERMS[0], |sum, (i, term)| sum + term / (x + 1.0 + i as f64));
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * base.ln() - base + series.ln()
}

/// Computes ln C(n, k).
pub(super) fn ln_choose(n: u64, k: u64) -> f64 {
    let (n, k) = (n as f64, k as f64);
    ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
}

/// Computes the regularised incomplete beta function I_x(a, b), by its continued fraction (Abramowitz and Stegun
/// 26.5.8), evaluated with Lentz' method.
fn beta_inc(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The continued fraction converges fast below the mean. Above it, the symmetry I_x(a, b) = 1 − I_{1−x}(b, a) is
    // used.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_inc(b, a, 1.0 - x);
    }
    let front = a * x.ln() + b * (1.0 - x).ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    front.exp() * fraction(a, b, x) / a
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const ROUNDS: u32 = 10_000;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    for m in 1..=ROUNDS {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = result;
        for step in [even, odd] {
            d = 1.0 / away(1.0 + step * d);
            c = away(1.0 + step / c);
            result *= c * d;
        }
        if (result - before).abs() <= 1e-15 * result.abs() {
            break;
        }
    }
    result
}

/// Computes the quantile of Student's t distribution with `freedom` degrees of freedom, for a probability above one
/// half.
pub fn student_t_quantile(share: f64, freedom: f64) -> f64 {
    let below = |t: f64| 1.0 - 0.5 * beta_inc(freedom / 2.0, 0.5, freedom / (freedom + t * t));
    let (mut low, mut high) = (0.0, 1.0);
    while below(high) < share && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if below(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}
