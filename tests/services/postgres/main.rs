//! Tests of the postgres service: sessions on clusters of their own, and what an agent can do to them.

mod capture;
mod containment;
mod killed;
mod sabotage;
mod session;
mod shared;
mod support;
mod worlds;
