//! Judges ledger, accounts, letters and log by logs, rules and minutes.

use mcpmark_guest::Verifier;
use mcpmark_guest::serde_json::{self, Value};

#[path = "../library.rs"]
mod library;
mod plan;

use plan::{ACCOUNTS, HEADER, LEDGER, LOG};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let month = plan::month(&mut task.start(), plan::Slips::default());
    let files = plan::files(&mut task.start(), plan::Slips::default());

    let ledger = task.file(LEDGER).csv().header(HEADER);
    task.check(
        "the ledger has its columns",
        task.file(LEDGER).csv().header_is(HEADER),
    );
    task.check(
        "the fines, in any order",
        ledger.equal_in_any_order(&month.rows),
    );
    task.check("the fines are sorted", ledger.equal(&month.rows));
    task.check(
        "the ledger to the last byte",
        task.file(LEDGER).equals(&files[LEDGER]),
    );

    let expected: Value = serde_json::from_str(&files[ACCOUNTS]).expect("the accounts are JSON");
    let accounts = task.file(ACCOUNTS).json();
    task.check(
        "one account a member",
        accounts.count_is(month.accounts.len()),
    );
    for (at, account) in month.accounts.iter().enumerate() {
        task.check(
            format!("the account of {}", account.member),
            accounts.at(&format!("/{at}")).equals(&expected[at]),
        );
    }
    task.check(
        "the accounts to the last byte",
        task.file(ACCOUNTS).equals(&files[ACCOUNTS]),
    );
    for account in month
        .accounts
        .iter()
        .filter(|account| account.gets_letter())
    {
        let path = plan::letter_path(&account.member);
        task.check(
            format!("the letter to {}", account.member),
            task.file(&path).equals(&files[&path]),
        );
    }
    task.check(
        "one line more in the log",
        task.file(LOG).equals(&files[LOG]),
    );
    task.unchanged_except(files.keys().collect::<Vec<_>>());
}
