//! Panics of the guest SDK name the line of the task, which is where its author has to look.

use std::panic::{Location, catch_unwind, set_hook, take_hook};
use std::sync::Mutex;

use mcpmark_guest::Found;

/// The file and the line that a panic names.
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

#[test]
fn a_required_value_that_is_missing_names_the_line_that_requires_it() {
    let here = Location::caller();
    let found = Found::<u32>::new("line 3 of a.csv", Err("there is none".to_owned()));
    let (file, line) = place_of_panic(move || {
        found.required();
    });
    assert_eq!(file, here.file());
    assert!((25..40).contains(&line), "{line}");
}
