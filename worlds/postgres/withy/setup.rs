//! The database of a small river authority with ten stations, made from a seed.
//!
//! The definitions are in `definitions.sql`, in the canonical form of a state, so that a database that nobody changed has
//! the files of this world. The rules of the office are in `texts/handbook.md`, and decisions since then in
//! `texts/notes.md`. The seed decides how the rivers rose and fell, how much it rained, and what the radio lost. Some
//! cases are the same for every seed: the flood of 24 March at Harrow Bridge, the clock and the offset of the gauge there,
//! the rain gauges that sent inches, and the files that were read in twice.

mod figures;
mod network;
mod office;
mod readings;
mod rows;
mod series;

use mcpmark_guest::World;

mcpmark_guest::setup!(setup);

/// Definitions of all objects. Each file of the state begins with a line that has its path after `--- `.
const DEFINITIONS: &str = include_str!("definitions.sql");

fn setup(world: &mut World) {
    for part in DEFINITIONS.split("--- ").skip(1) {
        let (path, content) = part.split_once('\n').expect("a path and its content");
        world.file(path, content);
    }
    let network = readings::network(world.random());
    network::write(world);
    let written = network.write(world);
    let alerts = figures::write(world, &network, &written);
    let notes = office::write(world);
    let deployments = network::devices().len();
    world.file(
        "schemas/public/sequence-values.csv",
        format!(
            "sequence,last_value,is_called\nalerts_id_seq,{alerts},true\ndeployments_id_seq,{deployments},true\nimports_id_seq,{},true\nnotes_id_seq,{notes},true\nreadings_id_seq,{},true\nrejected_readings_id_seq,6,true\n",
            written.imports,
            written.count()
        ),
    );
}

#[cfg(test)]
mod tests;
