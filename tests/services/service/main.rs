//! Tests of a small service over an in-process pipe. They are one binary, because linking its dependencies takes long.

mod flow;
mod framing;
mod order;
mod pacing;
mod peer;
mod stopping;
mod streamable;
mod wiring;
