//! Corrections of results: some signed, some not.

use mcpmark_guest::{Csv, World};

use crate::registers::{PROJECTS, Sample};
use crate::runs::Batch;

/// What is wrong, what is right instead, and in which state the correction is.
const PLAN: [(&str, &str, &str, &str); 10] = [
    ("metals", "dilution", "20", "signed"),
    ("anions", "strike", "", "signed"),
    ("metals", "swap", "", "signed"),
    ("toc", "strike", "", "draft"),
    ("toc", "dilution", "10", "signed"),
    ("metals", "strike", "", "withdrawn"),
    ("anions", "swap", "", "draft"),
    ("metals", "strike", "", "signed"),
    ("toc", "swap", "", "signed"),
    ("metals", "dilution", "50", "draft"),
];

pub fn write(world: &mut World, samples: &[Sample], batches: &[Batch]) {
    let is_raw = |id: &str| {
        samples
            .iter()
            .any(|sample| sample.id == id && PROJECTS[sample.project].id == "P-2411")
    };
    let mut text = String::from("no,date,batch,sample,kind,value,state,by\n");
    let mut taken: Vec<(String, String)> = Vec::new();
    let mut number = 0_u32;
    for (group, kind, value, state) in PLAN {
        // Results of the raw water project, each touched by one correction at most.
        let mut choices: Vec<(&Batch, &String)> = Vec::new();
        for batch in batches
            .iter()
            .filter(|batch| batch.group == group && !batch.in_inbox)
        {
            for id in batch.samples.iter().filter(|id| is_raw(id)) {
                choices.push((batch, id));
            }
        }
        let is_free = |batch: &Batch, id: &str, taken: &[(String, String)]| {
            !taken
                .iter()
                .any(|(other, sample)| *other == batch.number && sample == id)
        };
        choices.retain(|(batch, id)| {
            is_free(batch, id, &taken)
                && (kind != "swap"
                    || batch
                        .samples
                        .iter()
                        .any(|other| other != *id && is_free(batch, other, &taken)))
        });
        if choices.is_empty() {
            continue;
        }
        let (batch, id) = *world.random().pick(&choices);
        taken.push((batch.number.clone(), id.clone()));
        let mut value = value.to_owned();
        if kind == "swap" {
            let others: Vec<&String> = batch
                .samples
                .iter()
                .filter(|other| is_free(batch, other, &taken))
                .collect();
            value = (*world.random().pick(&others)).clone();
            taken.push((batch.number.clone(), value.clone()));
        }
        number += 1;
        let date = format!("2024-04-{:02}", 1 + number % 5);
        let by = if state == "signed" {
            "sa"
        } else {
            batch.operator
        };
        let number = number.to_string();
        text.push_str(&Csv::line([
            number.as_str(),
            &date,
            &batch.number,
            id,
            kind,
            &value,
            state,
            by,
        ]));
    }
    world.file("registers/corrections.csv", text);
}
