//! A small service, asked over a pipe of this process. One binary, for what it is built with takes long to build.

mod flow;
mod framing;
mod order;
mod pacing;
mod peer;
mod stopping;
mod streamable;
mod wiring;
