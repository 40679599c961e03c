//! Experiments: planning, scheduling, the journal, grading.
