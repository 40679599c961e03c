//! Panics of the guest SDK report the line of the task's code, because that is the line that the author has to correct.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Mutex;

use mcpmark_guest::github::RepoTools;
use mcpmark_guest::testing::solve;
use mcpmark_guest::{Csv, Found, Reader as _, Tools};

/// Returns the file and the line of a panic.
fn place_of_panic(panics: impl FnOnce() + std::panic::UnwindSafe) -> (String, u32) {
    static PLACE: Mutex<Option<(String, u32)>> = Mutex::new(None);
    let before = take_hook();
    set_hook(Box::new(|info| {
        let place = info.location().map(|it| (it.file().to_owned(), it.line()));
        *PLACE.lock().unwrap() = place;
    }));
    let ended = catch_unwind(panics);
    set_hook(before);
    assert!(ended.is_err());
    PLACE.lock().unwrap().take().unwrap()
}

/// Asserts that a panic reports the line of this macro call. The expression must be on that line.
macro_rules! names_its_line {
    ($panics:expr) => {{
        let place = place_of_panic(AssertUnwindSafe(|| {
            let _ = $panics;
        }));
        assert_eq!(
            place,
            (file!().to_owned(), line!()),
            "{}",
            stringify!($panics)
        );
    }};
}

#[test]
fn panics_name_the_line_that_calls() {
    let missing = Found::<u32>::new("line 3 of a.csv", Err("there is none".to_owned()));
    names_its_line!(missing.clone().required());
    let table = Csv::strict().read("id,title\n1,Emma\n").unwrap();
    let row = table.rows()[0].clone();
    names_its_line!(row.get("author"));
    names_its_line!(table.columns(["id", "author"]).count());
    let calls = |tools: &mut Tools| {
        names_its_line!(tools.read_text("a.txt"));
        names_its_line!(tools.write("a/b.txt", "text"));
        names_its_line!(tools.raw_all(&["a.txt".to_owned()]));
        names_its_line!(tools.names("a"));
        let mut repo = RepoTools::new(tools, "acme", "demo");
        names_its_line!(repo.open_pull("title", "topic", "main", "text"));
        names_its_line!(repo.issue_titled("title"));
        String::new()
    };
    solve(calls, |_, _| Err("every call fails".to_owned()));
}
