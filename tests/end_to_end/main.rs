//! The `mcpmark` binary from outside: what it prints, what it writes, how it ends.

mod bad_input;
mod batch;
mod check;
mod environment;
mod grading;
mod guests;
mod interruption;
mod library;
mod output;
mod published;
mod running;
mod scaffold;
mod scripts;
mod serving;
mod storage;
mod worlds;
