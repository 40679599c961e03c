//! Bounds of figures.

use std::sync::atomic::{AtomicBool, Ordering};

static MISSED: AtomicBool = AtomicBool::new(false);

/// Compares a figure with a bound and returns the result as text: `≤ 100 µs: met`.
pub(crate) fn held(figure: f64, bound: f64, shown: &str) -> String {
    if figure <= bound {
        format!("≤ {shown}: met")
    } else {
        miss();
        format!("≤ {shown}: missed")
    }
}

/// Records that a bound is missed, or could not be measured.
pub(crate) fn miss() {
    MISSED.store(true, Ordering::Relaxed);
}

/// Reports whether a bound was missed.
pub(crate) fn is_missed() -> bool {
    MISSED.load(Ordering::Relaxed)
}
