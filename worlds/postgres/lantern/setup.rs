//! The booking database of a chain of six cinemas, made from a seed.
//!
//! The definitions are in `definitions.sql`, in the canonical form of a state, so that a database that nobody changed has
//! the files of this world. The rules of the house are in `texts/handbook.md`, and decisions since then in
//! `texts/notes.md`. The seed decides who comes, books and sits where. Some cases are the same for every seed: the power
//! cut at Canal Yard, the full show at The Dome, and which kinds of double accounts there are.

mod customers;
mod dark;
mod doubles;
mod house;
mod office;
mod programme;
mod rows;
mod sales;

use mcpmark_guest::World;

mcpmark_guest::setup!(setup);

/// Definitions of all objects. Each file of the state begins with a line that has its path after `--- `.
const DEFINITIONS: &str = include_str!("definitions.sql");

fn setup(world: &mut World) {
    for part in DEFINITIONS.split("--- ").skip(1) {
        let (path, content) = part.split_once('\n').expect("a path and its content");
        world.file(path, content);
    }
    let films = house::films();
    let shows = programme::shows(world.random(), &films);
    let mut people = customers::customers(world.random());
    let mut sales = sales::sales(world.random(), &shows, &films, &mut people);
    doubles::sell_twice(&mut sales, &shows);
    dark::fill(&mut sales, &shows);

    house::write(world, &films);
    programme::write(world, &shows);
    people.write(world);
    let last_payment = sales.write(world, &shows);
    sales::write_returns(world, &sales, &shows);
    let last_note = office::write(world, &people);
    world.file(
        "schemas/public/sequence-values.csv",
        format!(
            "sequence,last_value,is_called\ndesk_notes_id_seq,{last_note},true\npayments_id_seq,{last_payment},true\n"
        ),
    );
}

#[cfg(test)]
mod tests;
