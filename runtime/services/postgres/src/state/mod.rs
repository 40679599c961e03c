//! Canonical form of a database: its content as a tree of files, and the restoration of a database from the tree.
//!
//! [`dump`] writes the roles of a cluster and one database as SQL definitions and CSV rows. The tree depends on the
//! content alone: not on the physical order of rows, on OIDs, on the history of the objects, on settings of the
//! session, or on the major version of the server (15 to 18). [`restore`] builds the database from the tree, and a dump
//! of the result is the same tree.
//!
//! # Layout
//!
//! | path | content |
//! |---|---|
//! | `format` | version of this form |
//! | `roles.sql` | roles with attributes, settings, memberships and comments |
//! | `database.sql` | owner, settings, privileges and comment of the database |
//! | `schemas.sql`, `extensions.sql`, `casts.sql` | |
//! | `schemas/<schema>/<kind>/<name>.sql` | definition of one object, with its owner and comments |
//! | `schemas/<schema>/grants.sql` | privileges of the schema and of everything in it |
//! | `schemas/<schema>/sequence-values.csv` | current values of sequences |
//! | `data/<schema>/<relation>.csv` | rows of a table or materialised view |
//! | `default-privileges.sql`, `publications.sql`, `event-triggers.sql` | |
//! | `large-objects/<oid>`, `large-objects.sql` | bytes of large objects, and their owners and privileges |
//!
//! Kinds of objects: `types`, `collations`, `sequences`, `tables`, `functions`, `aggregates`, `operators`,
//! `text-search`, `views` and `materialized-views`; and of parts of a table, in files that are named after the table:
//! `constraints`, `foreign-keys`, `indexes`, `invalid-indexes`, `triggers`, `rules`, `policies`. `statistics` are named
//! after themselves. All overloads of a function are in one file. Names in paths are encoded by
//! [`encode_name`]. A file without content does not exist.
//!
//! # Rows
//!
//! Rows are CSV as `COPY` writes it, with the names of the columns in the first line. CSV was chosen over the text
//! format of `COPY` because common tools read it. `NULL` is an empty field without quotes, and the empty string is `""`.
//! Rows are sorted by the primary key, or by all columns if there is none; text is compared by its bytes. Generated
//! columns are omitted, because the server computes them. Each partition has its own file, and so does a child of an
//! inheritance hierarchy.
//!
//! # Spelling
//!
//! Values are written with the time zone UTC, the ISO date style and hexadecimal `bytea`, and names with their schema.
//! The bootstrap superuser, under whatever name, is `SESSION_USER`: the role that restores the state. The database is
//! `:"database"`. Both are valid in scripts of `psql`. Queries of views are parsed again and written in the way in which
//! all major versions agree.
//!
//! # Omissions
//!
//! - Passwords: their hashes contain random salt. A role with a password gets one that nobody knows.
//! - Members of extensions, except the user's rows in their configuration tables. Privileges on members, too.
//! - Names of `NOT NULL` constraints, which exist only from version 18 on; versions of extensions; tablespaces.
//! - Other databases of the cluster.
//!
//! Objects that cannot be represented, such as functions in C, make [`dump`] fail with their names.

mod csv;
mod dump;
mod error;
mod files;
pub mod mutation;
mod overview;
mod paths;
mod restore;
pub(crate) mod script;
pub(crate) mod sql;

pub use dump::{dump, dump_files, dump_tree};
pub use error::{DumpError, RestoreError, Unsupported};
pub use files::{Files, Sink, Source, StoreSink, TreeFiles};
pub use overview::{
    Column, ForeignKey, Overview, OverviewError, Relation, RelationKind, Role, Section,
};
pub use paths::{decode as decode_name, encode as encode_name};
pub use restore::{check, restore};
pub(crate) use restore::{replace_rows, rows_only};

/// Content of the file `format`.
const FORMAT: &str = "mcpmark postgres state 1\n";

/// Settings that determine how values and definitions are written and read. Used in a transaction.
const PINNED: &str = "
SET LOCAL search_path = '';
SET LOCAL client_encoding = 'UTF8';
SET LOCAL client_min_messages = 'error';
SET LOCAL DateStyle = 'ISO, YMD';
SET LOCAL IntervalStyle = 'postgres';
SET LOCAL TimeZone = 'UTC';
SET LOCAL extra_float_digits = 1;
SET LOCAL bytea_output = 'hex';
SET LOCAL lc_messages = 'C';
SET LOCAL lc_monetary = 'C';
SET LOCAL lc_numeric = 'C';
SET LOCAL lc_time = 'C';
SET LOCAL xmlbinary = 'base64';
SET LOCAL xmloption = 'content';
SET LOCAL array_nulls = on;
SET LOCAL standard_conforming_strings = on;
SET LOCAL quote_all_identifiers = off;
SET LOCAL transform_null_equals = off;
SET LOCAL row_security = off;
SET LOCAL synchronize_seqscans = off;
SET LOCAL session_replication_role = 'origin';
SET LOCAL default_tablespace = '';
SET LOCAL default_table_access_method = 'heap';
SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = 0;
SET LOCAL idle_in_transaction_session_timeout = 0;
SET LOCAL work_mem = '64MB';
SET LOCAL maintenance_work_mem = '64MB';
SET LOCAL jit = off;
SET LOCAL check_function_bodies = off;
";
