//! The many small changes, by the seed: what was collected, and what was counted again.

use github_chronicle::Way::{Closed, Direct, Merge, Rebase, Squash};
use github_chronicle::{Report, Section, Texts, Way, Work, Write};
use mcpmark_guest::Random;

use crate::plants::{FAMILIES, PLACES, path};
use crate::project::FALLOW;

/// Rows that are never changed by the way: what goes wrong is told of them.
const KEPT: usize = 5;

/// A new row of a table that nobody else is at, or another number of seeds.
pub fn changes(
    random: &mut Random,
    day: i64,
    now: &Texts,
    is_free: &dyn Fn(&str) -> bool,
) -> Vec<Work<Write>> {
    let free: Vec<_> = FAMILIES
        .iter()
        .filter(|it| is_free(&path(it.name)))
        .collect();
    if free.is_empty() {
        return Vec::new();
    }
    let family = *random.pick(&free);
    let path = path(family.name);
    let text = now.get(&path).unwrap_or_default();
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let author = random.pick(FALLOW.team).login;
    let way: Way = *random.weighted(&[
        (Direct, 2),
        (Squash, 5),
        (Merge, 4),
        (Rebase, 3),
        (Closed, 1),
    ]);
    if rows.len() > KEPT && random.chance(1, 3) {
        let row = *random.pick(&rows[KEPT..]);
        let (start, before) = row.rsplit_once(',').unwrap_or_default();
        let before: i64 = before.parse().expect("numbers of seeds are numbers");
        let after = before + random.between(1, 30);
        let id = row.split(',').next().unwrap_or_default();
        let title = format!("{id}: {after} seeds, counted again");
        let branch = format!("count-{}-{day}", id.to_lowercase());
        let edit = Write::part(&path, &format!("{row}\n"), &format!("{start},{after}\n"));
        let work = Work::new(day, author, way, &branch, &title)
            .step(&title, vec![edit])
            .section(Section::Changed)
            .label("count");
        return vec![work];
    }
    let id = format!("{}-{:04}", family.prefix, rows.len() + 1);
    let plant = *random.pick(&family.plants);
    let place = *random.pick(&PLACES);
    let (year, month, date) = (
        random.between(2018, 2024),
        random.between(5, 10),
        random.between(1, 28),
    );
    let seeds = random.between(12, 900);
    let title = format!("{id}: {plant} from {}", place.to_lowercase());
    let row = format!("{id},{plant},{year}-{month:02}-{date:02},{place},{seeds}\n");
    let branch = format!("seeds-{}", id.to_lowercase());
    let way = if way == Closed { Squash } else { way };
    let mut work = Work::new(day, author, way, &branch, &title)
        .step(&title, vec![Write::end(&path, &row)])
        .section(Section::Added)
        .label("new seeds");
    if way != Direct && random.chance(1, 6) {
        let by = *random.pick(FALLOW.others);
        let report = Report::new(
            by,
            &format!("A bag from {}", place.to_lowercase()),
            "It stands in the hall.",
        );
        work = work
            .report(report.labels(&["new seeds"]))
            .body("Closes #{issue}");
    }
    vec![if random.chance(1, 8) {
        work.contested()
    } else {
        work
    }]
}
