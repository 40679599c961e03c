//! The database of a service for tool hire shops, with 24 shops as tenants, made from a seed.
//!
//! The definitions are in `definitions.sql`, in the canonical form of a state, so that a database that nobody changed has
//! the files of this world. The decisions of the team are in `texts/decisions.md`, and its notes in `texts/notes.md`. The
//! seed decides about customers, tools and hires. The same for every seed are the shops, the gaps in the row security,
//! and the invoices about which three shops complain.

mod hires;
mod office;
mod rows;
mod shops;
mod stock;

use mcpmark_guest::World;

mcpmark_guest::setup!(setup);

/// Definitions of all objects. Each file of the state begins with a line that has its path after `--- `.
const DEFINITIONS: &str = include_str!("definitions.sql");

fn setup(world: &mut World) {
    for part in DEFINITIONS.split("--- ").skip(1) {
        let (path, content) = part.split_once('\n').expect("a path and its content");
        world.file(path, content);
    }
    shops::write(world);
    let mut stock = stock::stock(world.random());
    let last = hires::write(world, &mut stock);
    stock.write(world);
    let invoices = office::write_invoices(world, &stock);
    let notes = office::write(world);
    let mut sequences = vec![
        ("audit_log_id_seq", last.audit),
        ("charges_id_seq", last.charge),
        ("deposits_id_seq", last.deposit),
        ("invoices_id_seq", invoices),
        ("rentals_id_seq", last.rental),
        ("schema_changes_id_seq", office::SCHEMA_CHANGES.len()),
        ("team_notes_id_seq", notes),
        ("ticket_replies_id_seq", office::REPLIES.len()),
    ];
    sequences.push(("credits_id_seq", office::CREDITS.len()));
    sequences.sort_unstable();
    let lines = sequences
        .iter()
        .map(|(name, last)| format!("{name},{last},true\n"));
    let text: String = lines.collect();
    world.file(
        "schemas/public/sequence-values.csv",
        format!("sequence,last_value,is_called\n{text}"),
    );
}

#[cfg(test)]
mod tests;
