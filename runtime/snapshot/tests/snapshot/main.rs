//! Tests of trees, stores and directories through the public interface.

mod capture;
mod copies;
mod diff;
mod incremental;
mod materialise;
mod round_trip;
mod store;
mod trees;
mod vectors;
