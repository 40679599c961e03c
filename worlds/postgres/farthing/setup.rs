//! The database of a payroll office that pays the people of twelve small businesses, made from a seed.
//!
//! The definitions are in `definitions.sql`, in the canonical form of a state, so that a database that nobody changed has
//! the files of this world. The rules of the office are in `texts/handbook.md`, and decisions since then in
//! `texts/notes.md`. The seed decides who works when, for how much, and who is away. Some cases are the same for every
//! seed: the leave at Quill Bakery, contracts that were sent twice or never ended, the queries of three cleaners, and
//! advances and accounts of those who are paid in June.

mod bank;
mod contracts;
mod hours;
mod leave;
mod office;
mod pay;
mod queries;
mod rows;
mod staff;

use mcpmark_guest::World;

mcpmark_guest::setup!(setup);

/// Definitions of all objects. Each file of the state begins with a line that has its path after `--- `.
const DEFINITIONS: &str = include_str!("definitions.sql");

fn setup(world: &mut World) {
    for part in DEFINITIONS.split("--- ").skip(1) {
        let (path, content) = part.split_once('\n').expect("a path and its content");
        world.file(path, content);
    }
    let staff = staff::staff(world.random());
    let contracts = contracts::contracts(world.random(), &staff);
    staff::write(world, &staff);
    contracts::write(world, &contracts);
    let away = leave::away(world.random(), &staff);
    leave::write(world, &away, &staff, &contracts);
    let paid = pay::write(world, &staff, &contracts, &away);
    let notes = office::write(world);
    world.file(
        "schemas/public/sequence-values.csv",
        format!(
            "sequence,last_value,is_called\nadjustments_id_seq,{},true\nadvance_repayments_id_seq,{},true\ncontracts_id_seq,{},true\nnotes_id_seq,{notes},true\npayments_id_seq,{},true\n",
            paid.adjustments,
            paid.repayments,
            contracts.len(),
            paid.payments,
        ),
    );
}

#[cfg(test)]
mod tests;
