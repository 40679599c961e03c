//! Definitions of the database.

/// Statements that create the tables.
pub const TABLES: &str = "\
CREATE TABLE accounts (login TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, password TEXT NOT NULL, \
house INTEGER REFERENCES houses (id), flat TEXT, about TEXT NOT NULL);
CREATE TABLE houses (id INTEGER PRIMARY KEY, name TEXT NOT NULL, street TEXT NOT NULL, built INTEGER NOT NULL, \
flats INTEGER NOT NULL, heating TEXT NOT NULL, note TEXT NOT NULL);
CREATE TABLE firms (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, trade TEXT NOT NULL, phone TEXT NOT NULL, \
note TEXT NOT NULL);
CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, text TEXT NOT NULL, \
house INTEGER NOT NULL REFERENCES houses (id), place TEXT NOT NULL, category TEXT NOT NULL, priority TEXT NOT NULL, \
status TEXT NOT NULL, reporter TEXT NOT NULL REFERENCES accounts (login), firm INTEGER REFERENCES firms (id), \
duplicate_of INTEGER REFERENCES jobs (id), opened INTEGER NOT NULL, closed INTEGER);
CREATE TABLE comments (id INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL REFERENCES jobs (id), \
author TEXT NOT NULL REFERENCES accounts (login), text TEXT NOT NULL, internal INTEGER NOT NULL, time INTEGER NOT NULL);
CREATE TABLE visits (id INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL REFERENCES jobs (id), \
firm INTEGER NOT NULL REFERENCES firms (id), day TEXT NOT NULL, slot TEXT NOT NULL, UNIQUE (firm, day, slot));
CREATE TABLE pages (slug TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, changed INTEGER NOT NULL);
";

/// Statements that create the indexes.
pub const OBJECTS: &str = "\
CREATE INDEX comments_of_job ON comments (job);
CREATE INDEX jobs_of_house ON jobs (house);
CREATE INDEX visits_of_job ON visits (job);
";
