//! Unusable homes: foreign or newer journals and full disks. Existing files are never damaged.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use mcpmark_test_support::{Need, skip};
use rusqlite::Connection;
use serde_json::json;

use crate::environment::Environment;
use crate::library::Library;

fn nop(library: &Library<'_>) -> crate::environment::Output {
    library.run(["run", "--agent", "nop", "--json"])
}

#[test]
fn a_journal_of_a_newer_program_is_left_alone() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    nop(&library).exits(0);
    let file = environment.home().join("journal.db");
    let journal = Connection::open(&file).unwrap();
    journal.pragma_update(None, "user_version", 99).unwrap();
    drop(journal);
    let mut transcript = String::new();
    for args in [vec!["run", "--agent", "nop"], vec!["runs"], vec!["resume"]] {
        let refused = library.run(&args).exits(5);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!(transcript, @r"
    $ mcpmark run --agent nop
    error: cannot open the journal [dir]/home/journal.db: the journal has format 99, but this version of mcpmark reads formats up to 11; use a newer mcpmark, or set MCPMARK_HOME to another directory

    $ mcpmark runs
    error: cannot open the journal [dir]/home/journal.db: the journal has format 99, but this version of mcpmark reads formats up to 11; use a newer mcpmark, or set MCPMARK_HOME to another directory

    $ mcpmark resume
    error: cannot open the journal [dir]/home/journal.db: the journal has format 99, but this version of mcpmark reads formats up to 11; use a newer mcpmark, or set MCPMARK_HOME to another directory
    ");
    let journal = Connection::open(&file).unwrap();
    let count = |table: &str| -> i64 {
        journal
            .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
                row.get(0)
            })
            .unwrap()
    };
    assert_eq!((count("experiments"), count("attempts")), (1, 1));
}

#[test]
fn a_file_of_another_program_is_left_alone() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    fs::create_dir(environment.home()).unwrap();
    let file = environment.home().join("journal.db");
    let theirs = Connection::open(&file).unwrap();
    theirs
        .execute_batch("PRAGMA application_id = 7; CREATE TABLE t (a)")
        .unwrap();
    drop(theirs);
    let refused = nop(&library).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: cannot open the journal [dir]/home/journal.db: the file is a SQLite database of another program
    hint: name a writable directory with --home (or MCPMARK_HOME)
    ");
    let theirs = Connection::open(&file).unwrap();
    let tables: i64 = theirs
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tables, 1);
    drop(theirs);

    fs::remove_file(&file).unwrap();
    fs::write(&file, "Dear diary, ").unwrap();
    let refused = nop(&library).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: cannot open the journal [dir]/home/journal.db: file is not a database: Error code 26: file is not a database
    hint: restore [dir]/home/journal.db from a backup, or move it away: the states in the store remain, but the experiments are lost
    ");
    assert_eq!(fs::read_to_string(&file).unwrap(), "Dear diary, ");
}

#[test]
fn a_home_that_cannot_be_made_is_named() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    fs::write(environment.home(), "a file").unwrap();
    let home = environment.home();
    let refused = nop(&library).exits(5);
    insta::assert_snapshot!(refused.message(), @r"
    error: cannot create [dir]/home: File exists (os error 17)
    hint: name a writable directory with --home (or MCPMARK_HOME)
    ");
    assert_eq!(fs::read_to_string(home).unwrap(), "a file");
}

#[test]
fn files_of_the_home_are_private() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    nop(&library).exits(0);
    let mode = fs::metadata(environment.home())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

/// A tmpfs mount, which is unmounted when dropped.
struct Mount<'a>(&'a Path);

impl<'a> Mount<'a> {
    fn new(dir: &'a Path, size: &str) -> Option<Self> {
        fs::create_dir(dir).unwrap();
        let options = format!("size={size}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(dir)
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then_some(Self(dir))
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        // A process that has just been started by another test may have the directory open for a moment.
        let _ = Command::new("umount").arg("--lazy").arg(self.0).output();
    }
}

#[test]
fn a_full_disk_loses_nothing_that_was_written() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let home = environment.home();
    let Some(_mount) = Mount::new(&home, "2m") else {
        skip(Need::Mount, "mounting a tmpfs needs root and CAP_SYS_ADMIN");
        return;
    };
    let before = nop(&library).exits(0).json();

    let filler = home.join("filler");
    // Fills the disk: the write stops when no space is left.
    assert!(fs::write(&filler, vec![0; 4 << 20]).is_err());
    fs::write(
        library.world("office").join("files/more.txt"),
        "x".repeat(100_000),
    )
    .unwrap();
    let full = nop(&library).exits(5);
    assert!(
        full.stderr.contains("No space left") || full.stderr.contains("disk is full"),
        "{}",
        full.stderr
    );

    fs::remove_file(&filler).unwrap();
    let name = before["experiment"].as_str().unwrap();
    assert_eq!(
        library.run(["runs", name, "--json"]).exits(0).json(),
        before
    );
    let journal = Connection::open(home.join("journal.db")).unwrap();
    let sound: String = journal
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
    let after = nop(&library).exits(0).json();
    assert_eq!(
        after["summary"],
        json!({"attempts": 1, "graded": 1, "passed": 1})
    );
}

#[test]
fn a_disk_that_fills_up_in_mid_run_can_be_resumed() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.easy_task("easy");
    let home = environment.home();
    // The write-ahead log of SQLite alone grows to 4 MiB before a checkpoint.
    let Some(_mount) = Mount::new(&home, "16m") else {
        skip(Need::Mount, "mounting a tmpfs needs root and CAP_SYS_ADMIN");
        return;
    };
    nop(&library).exits(0);
    // Leaves room for the first of many attempts. The kernel counts free pages for each processor, so little more than
    // an experiment needs to begin may be too little.
    let filler = home.join("filler");
    assert!(fs::write(&filler, vec![0; 32 << 20]).is_err());
    let length = fs::metadata(&filler).unwrap().len();
    fs::File::options()
        .write(true)
        .open(&filler)
        .unwrap()
        .set_len(length - (256 << 10))
        .unwrap();
    let args = [
        "run",
        "--agent",
        "nop",
        "-k",
        "40",
        "-j",
        "1",
        "--experiment",
        "long",
    ];
    library.run(args).exits(5).says(&["mcpmark resume long"]);

    fs::remove_file(&filler).unwrap();
    let resumed = library.run(["resume", "long", "--json"]).exits(0).json();
    assert_eq!(
        resumed["summary"],
        json!({"attempts": 40, "graded": 40, "passed": 40})
    );
}
