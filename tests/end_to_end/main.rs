//! End-to-end tests of the `mcpmark` binary: its output, its files and its exit codes.

mod agents_of_others;
mod bad_input;
mod batch;
mod bundles;
mod ceilings;
mod check;
mod collecting;
mod damage;
mod deaths;
mod declarations;
mod documents;
mod environment;
mod experiments;
mod exporting;
mod grading;
mod guests;
mod hostile_text;
mod installing;
mod interruption;
mod javascript;
#[path = "../journal/mod.rs"]
mod journal;
mod keeping;
mod library;
mod models;
#[path = "../differential/npm.rs"]
mod npm;
mod output;
mod programs;
mod published;
#[path = "../pypi.rs"]
mod pypi;
mod release;
mod reporting;
mod running;
mod scaffold;
mod scores;
mod scripts;
mod security;
mod servers;
mod serving;
mod starvation;
mod state_faults;
mod storage;
mod torn;
mod r#try;
mod tutorial;
mod typescript;
mod walk;
mod worlds;
