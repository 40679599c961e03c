//! What a figure is held to.

use std::sync::atomic::{AtomicBool, Ordering};

static MISSED: AtomicBool = AtomicBool::new(false);

/// Whether a figure keeps a bound, in words that name it: `≤ 100 µs: met`.
pub(crate) fn held(figure: f64, bound: f64, shown: &str) -> String {
    if figure <= bound {
        format!("≤ {shown}: met")
    } else {
        miss();
        format!("≤ {shown}: missed")
    }
}

/// A bound is not kept, or could not be measured.
pub(crate) fn miss() {
    MISSED.store(true, Ordering::Relaxed);
}

/// Whether there was one.
pub(crate) fn is_missed() -> bool {
    MISSED.load(Ordering::Relaxed)
}
