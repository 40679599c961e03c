//! Reviews, scores and places, worked out again from the starting tree.

use mcpmark_guest::{Csv, Reader, Verifier};

mod rules;

use rules::folder::{TO_DO, ticked};
use rules::{DECISIONS, EXCLUDED, Oversights, REVIEWS};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let mut start = task.start();
    let outcome = rules::outcome(&mut start, &Oversights::default());
    let written =
        ["decisions.csv", "excluded.csv", "places.json"].map(|name| format!("{REVIEWS}/{name}"));

    let file = task.file(&written[0]);
    let decisions = file.csv().header(DECISIONS);
    for (index, name) in DECISIONS.iter().enumerate() {
        let expected: Vec<&str> = outcome
            .decisions
            .iter()
            .map(|line| line[index].as_str())
            .collect();
        task.check(
            format!("each paper's {name}"),
            decisions.column(name).equal(expected),
        );
    }
    let text: String = std::iter::once(Csv::line(DECISIONS))
        .chain(outcome.decisions.iter().map(Csv::line))
        .collect();
    task.check("the decisions to the last byte", file.equals(&text));

    let file = task.file(&written[1]);
    let excluded = file.csv().header(EXCLUDED);
    task.check(
        "reviews that do not count",
        excluded
            .column("review")
            .equal_in_any_order(outcome.excluded.iter().map(|line| line[0].as_str())),
    );
    task.check("and why", excluded.equal_in_any_order(&outcome.excluded));
    task.check("and in their order", excluded.equal(&outcome.excluded));
    let text: String = std::iter::once(Csv::line(EXCLUDED))
        .chain(outcome.excluded.iter().map(Csv::line))
        .collect();
    task.check("the excluded to the last byte", file.equals(&text));

    let file = task.file(&written[2]);
    let places = file.json();
    let tracks = outcome.places.as_array().expect("one object a track");
    task.check("one object a track", places.count_is(tracks.len()));
    for (index, track) in tracks.iter().enumerate() {
        let name = track["track"].as_str().unwrap_or_default();
        let found = places.at(&format!("/{index}"));
        task.check(
            format!("the keys of {name}"),
            found.keys_are(["track", "places", "accept", "reserve"]),
        );
        task.check(format!("the places of {name}"), found.equals(track));
    }
    task.check(
        "the places to the last byte",
        file.equals(&outcome.places_text()),
    );

    task.check(
        "the decisions are ticked",
        task.file(TO_DO)
            .equals(&ticked(&start.text(TO_DO), rules::ITEM)),
    );
    let [decisions, excluded, places] = &written;
    task.unchanged_except([decisions.as_str(), excluded, places, TO_DO]);
}
