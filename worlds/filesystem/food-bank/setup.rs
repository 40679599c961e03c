//! The shared drive of a regional food bank, made from a seed.
//!
//! The seed decides the data and also which depot writes dates in which way, which copies are
//! stale and what the board has decided. Tasks on this world read such facts from its notes.

mod deliveries;
mod hours;
mod papers;
mod partners;
mod people;
mod words;

use mcpmark_guest::World;

mcpmark_guest::setup!(setup);

fn setup(world: &mut World) {
    let facts = words::Facts::choose(world.random());
    let names = people::volunteers(world, &facts);
    deliveries::write(world, &facts, &names);
    partners::write(world, &names);
    papers::write(world, &facts, &names);
}

#[cfg(test)]
mod tests {
    use mcpmark_guest::testing::set_up;

    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_world() {
        let world = set_up(setup, 1);
        assert_eq!(world, set_up(setup, 1));
        assert_ne!(world, set_up(setup, 2));
    }

    #[test]
    fn every_seed_gives_a_whole_world() {
        for seed in 0..25 {
            let world = set_up(setup, seed);
            let files = world
                .paths()
                .into_iter()
                .filter(|path| !world.is_directory(path))
                .count();
            assert!((110..=150).contains(&files), "seed {seed}: {files} files");
            let deliveries = world
                .paths()
                .into_iter()
                .filter(|path| path.ends_with("recovered.csv"))
                .count();
            assert_eq!(deliveries, 2, "seed {seed}");
            assert!(world.is_directory("to-shred"), "seed {seed}");
            // One of the lines is a shift that the tablet has too, so the export must have one to repeat.
            let sheet = world.read("volunteers/forgotten shifts.csv");
            let sheet = String::from_utf8_lossy(sheet.unwrap_or_default());
            assert_eq!(sheet.lines().count(), 11, "seed {seed}: {sheet}");
        }
    }
}
