//! The instrument drive of a small water laboratory, made from a seed.
//!
//! The seed decides samples, batches, readings and corrections; the rules are prose that does not
//! change. What tasks turn on (the change of the clock, values exactly at a limit, exports that
//! were cut off) is planted for every seed.

mod bench;
mod certificates;
mod config;
mod corrections;
mod dialects;
mod docs;
mod inbox;
mod loggers;
mod registers;
mod runs;
mod time;

use mcpmark_guest::World;

mcpmark_guest::setup!(setup);

fn setup(world: &mut World) {
    let samples = registers::samples(world.random());
    let batches = runs::plan(world.random(), &samples);
    docs::write(world);
    config::write(world);
    certificates::write(world);
    registers::write(world, &samples);
    let archive = runs::write(world, &batches);
    corrections::write(world, &samples, &batches);
    inbox::write(world, &samples, &batches, &archive);
    bench::write_logs(world, &samples, &batches);
    bench::write_scans(world, &samples);
    loggers::write(world);
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
            assert!((100..=130).contains(&files), "seed {seed}: {files} files");
            let text = |path: &str| {
                String::from_utf8(world.read(path).expect("a planned file").to_vec())
                    .expect("UTF-8")
            };
            assert!(
                text("registers/samples.csv").contains(";29.03.2024 10:00;"),
                "seed {seed}"
            );
            let signed = text("registers/corrections.csv")
                .matches(",signed,")
                .count();
            assert!(
                (5..=6).contains(&signed),
                "seed {seed}: {signed} signed corrections"
            );
            assert_ne!(
                text("inbox/EXPORT~1.CSV"),
                text("inbox/icp friday.csv"),
                "seed {seed}"
            );
            assert_eq!(
                text("inbox/export (1).csv"),
                text("inbox/export.csv"),
                "seed {seed}"
            );
        }
    }
}
