//! Immutable, content-addressed trees: capture a directory, materialise, diff, digest, blob store.
