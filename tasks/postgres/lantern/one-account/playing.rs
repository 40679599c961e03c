//! Accounts merged by SQL, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::run;

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Tags and blanks make another address.
    ComparesLettersOnly,
    /// The account that joined first always stays.
    OldestStays,
    /// A card that has ended or not begun counts.
    AnyCard,
    /// Couples are merged.
    MergesCouples,
    /// The couple of which a later note says otherwise is not merged.
    KeepsTheLifted,
    /// The newsletter goes to whoever agreed once.
    OneYesIsEnough,
    /// Earlier merges lead to accounts that are merged now.
    LeavesChains,
    /// Accounts with a valid card each are merged.
    MergesTwoCards,
    /// Vouchers stay where they were.
    ForgetsVouchers,
    /// No note.
    ForgetsTheNote,
    /// Accounts without an address are one person.
    EmptyIsAnAddress,
    /// The note names everybody.
    NamesEverybody,
    /// The note says that the former couple was not merged.
    DeniesTheLifted,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Accounts first, then what belongs to them.
    Plain,
    /// The note and the references first, the accounts last.
    AccountsLast,
    /// The notes and the handbook as a whole, and one step for each group.
    StepByStep,
    /// A note for each pair, and the merge of the former couple in them.
    TwoNotes,
}

/// Merges the accounts and writes the note.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    match manner {
        Manner::Plain | Manner::TwoNotes => {
            desk::section(tools, "accounts");
            desk::notes(tools, Some("accounts"));
            desk::notes(tools, Some("newsletter"));
            desk::describe(tools, "customers");
        }
        Manner::AccountsLast => {
            desk::describe(tools, "customers");
            desk::notes(tools, Some("newsletter"));
            desk::notes(tools, Some("accounts"));
            desk::section(tools, "accounts");
        }
        Manner::StepByStep => {
            run(tools, "SELECT section, body FROM handbook ORDER BY section");
            desk::notes(tools, None);
            run(
                tools,
                "SELECT conname, conrelid::regclass FROM pg_constraint WHERE confrelid = 'customers'::regclass",
            );
        }
    }
    pairs(tools, mistake);
    match manner {
        Manner::Plain => {
            accounts(tools, mistake);
            references(tools, mistake);
            note(tools, mistake);
        }
        Manner::TwoNotes => {
            accounts(tools, mistake);
            references(tools, mistake);
            notes_by_pair(tools);
        }
        Manner::AccountsLast => {
            note(tools, mistake);
            references(tools, mistake);
            accounts(tools, mistake);
        }
        Manner::StepByStep => {
            references(tools, mistake);
            phones(tools);
            newsletter(tools, mistake);
            for remainder in 0..4 {
                run(
                    tools,
                    &format!(
                        "UPDATE customers c SET merged_into = m.survivor, marketing_ok = false FROM merge m WHERE c.id = m.id AND c.id % 4 = {remainder}"
                    ),
                );
            }
            chains(tools);
            note(tools, mistake);
        }
    }
    if !is(Mistake::ForgetsTheNote) {
        run(tools, "SELECT * FROM desk_notes ORDER BY id DESC LIMIT 1");
    }
    run(tools, "DROP TABLE merge, two_cards");
    "One person, one account.".to_owned()
}

/// Writes the pairs of merged accounts and their survivors into a table of their own, because each call has another connection.
fn pairs(tools: &mut Tools, mistake: Option<Mistake>) {
    let is = |other| mistake == Some(other);
    let address = if is(Mistake::ComparesLettersOnly) {
        "lower(email)"
    } else {
        "regexp_replace(lower(trim(email)), '\\+.*@', '@')"
    };
    let empty = if is(Mistake::EmptyIsAnAddress) {
        "email IS NOT NULL"
    } else {
        "trim(email) <> ''"
    };
    // Each couple is named in one note; of the third, a later note says that it can be merged.
    let notes = "SELECT (regexp_matches(body, '\\d+', 'g'))[1]::int FROM desk_notes WHERE subject = 'accounts'";
    let couples = if is(Mistake::MergesCouples) {
        "SELECT 0".to_owned()
    } else if is(Mistake::KeepsTheLifted) {
        notes.to_owned()
    } else {
        format!("{notes} AND (body LIKE '%t merge them%' OR body LIKE 'Same for%')")
    };
    let card = match mistake {
        Some(Mistake::OldestStays | Mistake::MergesTwoCards) => "false",
        Some(Mistake::AnyCard) => "true",
        _ => "'2026-03-09' BETWEEN m.valid_from AND m.valid_to",
    };
    let group = format!(
        "SELECT c.id, c.joined_on, {address} AS address,
            EXISTS (SELECT FROM memberships m WHERE m.customer_id = c.id AND {card}) AS has_card
         FROM customers c
         WHERE merged_into IS NULL AND {empty} AND c.id NOT IN ({couples})"
    );
    run(tools, &format!("CREATE TABLE candidates AS {group}"));
    run(
        tools,
        "CREATE TABLE two_cards AS
         SELECT id FROM candidates WHERE address IN (
            SELECT address FROM candidates WHERE has_card GROUP BY address HAVING count(*) > 1)",
    );
    run(
        tools,
        "CREATE TABLE merge AS
         SELECT * FROM (
            SELECT id, first_value(id) OVER (PARTITION BY address ORDER BY has_card DESC, joined_on, id) AS survivor
            FROM candidates WHERE id NOT IN (SELECT id FROM two_cards)) x
         WHERE id <> survivor",
    );
    run(tools, "DROP TABLE candidates");
}

fn accounts(tools: &mut Tools, mistake: Option<Mistake>) {
    phones(tools);
    newsletter(tools, mistake);
    run(
        tools,
        "UPDATE customers c SET merged_into = m.survivor, marketing_ok = false FROM merge m WHERE c.id = m.id",
    );
    if mistake != Some(Mistake::LeavesChains) {
        chains(tools);
    }
}

fn phones(tools: &mut Tools) {
    run(
        tools,
        "UPDATE customers s SET phone = x.phone
         FROM (SELECT DISTINCT ON (m.survivor) m.survivor, c.phone FROM merge m JOIN customers c ON c.id = m.id
            WHERE c.phone IS NOT NULL ORDER BY m.survivor, c.joined_on, c.id) x
         WHERE s.id = x.survivor AND s.phone IS NULL",
    );
}

fn newsletter(tools: &mut Tools, mistake: Option<Mistake>) {
    let (all, operator) = if mistake == Some(Mistake::OneYesIsEnough) {
        ("bool_or", "OR")
    } else {
        ("bool_and", "AND")
    };
    run(
        tools,
        &format!(
            "UPDATE customers s SET marketing_ok = s.marketing_ok {operator} x.agreed
             FROM (SELECT m.survivor, {all}(c.marketing_ok) AS agreed FROM merge m JOIN customers c ON c.id = m.id GROUP BY m.survivor) x
             WHERE s.id = x.survivor"
        ),
    );
}

fn chains(tools: &mut Tools) {
    run(
        tools,
        "UPDATE customers c SET merged_into = m.survivor FROM merge m WHERE c.merged_into = m.id",
    );
}

fn references(tools: &mut Tools, mistake: Option<Mistake>) {
    let mut tables = vec!["bookings", "memberships", "vouchers"];
    if mistake == Some(Mistake::ForgetsVouchers) {
        tables.pop();
    }
    for table in tables {
        run(
            tools,
            &format!(
                "UPDATE {table} t SET customer_id = m.survivor FROM merge m WHERE t.customer_id = m.id"
            ),
        );
    }
}

fn note(tools: &mut Tools, mistake: Option<Mistake>) {
    let of = match mistake {
        Some(Mistake::ForgetsTheNote) => return,
        Some(Mistake::NamesEverybody) => "(SELECT id FROM two_cards UNION SELECT id FROM merge)",
        _ => "two_cards",
    };
    let more = if mistake == Some(Mistake::DeniesTheLifted) {
        format!("' The couple I have not merged either: ' || ({LIFTED}) || '.'")
    } else {
        "''".to_owned()
    };
    run(
        tools,
        &format!(
            "INSERT INTO desk_notes (written_on, author, subject, body)
             SELECT '2026-03-09', 'desk', 'accounts', 'Mirela, these accounts share an address, but both of each pair have a valid card, so I left them alone: '
                || coalesce(string_agg(id::text, ', ' ORDER BY id), 'none') || '. Please sort the cards out.' || {more}
             FROM {of} x"
        ),
    );
}

/// Numbers of the two accounts of which a later note says that they can be merged after all.
const LIFTED: &str = "SELECT string_agg(c.number, ' and ') FROM desk_notes n, regexp_matches(n.body, '\\d+', 'g') WITH ORDINALITY AS m (found, place),
    LATERAL (SELECT found[1] AS number) c
    WHERE n.subject = 'accounts' AND n.body LIKE 'And %' AND place <= 2";

fn notes_by_pair(tools: &mut Tools) {
    run(
        tools,
        &format!(
            "INSERT INTO desk_notes (written_on, author, subject, body)
             SELECT '2026-03-09', 'desk', 'accounts', 'Accounts ' || string_agg(c.id::text, ' and ' ORDER BY c.id)
                || ' are not merged, because each of them has a valid card. The former couple is merged now: ' || ({LIFTED}) || '.'
             FROM two_cards t JOIN customers c ON c.id = t.id
             GROUP BY regexp_replace(lower(trim(c.email)), '\\+.*@', '@')"
        ),
    );
}
