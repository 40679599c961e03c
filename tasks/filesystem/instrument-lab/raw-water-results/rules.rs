//! From readings to results, as the notes of the laboratory have it.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::serde_json::Value;
use mcpmark_guest::{Csv, Reader, numbers};

use crate::exports::{Batch, read_batch};
use crate::lab;

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Slips {
    /// Counts batches whatever their blanks and checks say.
    pub ignores_checks: bool,
    /// Applies corrections in any state.
    pub applies_all: bool,
}

/// What a method knows of a parameter.
pub struct Method {
    unit: String,
    loq: Decimal,
    blank: Decimal,
}

pub struct Parameter {
    pub name: String,
    pub unit: String,
    pub decimals: u32,
    pub limit: Option<Decimal>,
}

pub struct Outcome {
    pub batch: String,
    /// In the unit of the project, not rounded.
    pub amount: Decimal,
    pub loq: Decimal,
    pub is_below: bool,
}

pub struct Sample {
    pub id: String,
    pub site: String,
    pub taken: DateTime,
    /// One a parameter, in their order.
    pub outcomes: Vec<Option<Outcome>>,
}

pub struct Project {
    pub id: String,
    pub title: String,
    pub client: String,
    pub parameters: Vec<Parameter>,
    pub samples: Vec<Sample>,
}

pub fn project(drive: &mut impl Reader, id: &str, slips: &Slips) -> Project {
    let mut project = read_project(drive, id);
    let analytes = read_analytes(&drive.text("config/analytes.csv"));
    let methods = read_methods(&drive.text("config/methods.ini"));
    let mut batches = Vec::new();
    for folder in ["runs/icp-1", "runs/ic-2", "runs/toc-3"] {
        for name in drive.names(folder) {
            batches.push(read_batch(&drive.text(&format!("{folder}/{name}"))));
        }
    }
    correct(
        &mut batches,
        &drive.text("registers/corrections.csv"),
        slips,
    );
    batches.sort_by_key(|batch| batch.started);

    for sample in &mut project.samples {
        let wanted = lab::bare(&sample.id);
        for parameter in &project.parameters {
            let method = &methods[&parameter.name];
            let factor_to_project = unit_factor(&method.unit, &parameter.unit);
            // The last batch that counts and has a reading.
            let outcome = batches.iter().rev().find_map(|batch| {
                let (label, factor) = analytes
                    .iter()
                    .filter(|(_, name, _)| *name == parameter.name)
                    .map(|(label, _, factor)| (label, *factor))
                    .find(|(label, _)| {
                        batch
                            .readings
                            .iter()
                            .any(|reading| reading.analyte == **label)
                    })?;
                if !slips.ignores_checks && !is_good(batch, label, method) {
                    return None;
                }
                let (amount, dilution) = reading_of(batch, &wanted, label, factor)?;
                let loq = method.loq * dilution;
                Some(Outcome {
                    batch: batch.number.clone(),
                    amount: amount * factor_to_project,
                    loq: loq * factor_to_project,
                    is_below: amount < loq,
                })
            });
            sample.outcomes.push(outcome);
        }
    }
    project
}

/// The amount of a sample in a batch, after dilution and factor, and the dilution.
fn reading_of(
    batch: &Batch,
    sample: &str,
    label: &str,
    factor: Decimal,
) -> Option<(Decimal, Decimal)> {
    let of_sample = batch.readings.iter().filter(|reading| {
        reading.kind == "SAMPLE" && reading.sample == sample && reading.analyte == label
    });
    let found: Vec<(Decimal, Decimal)> = of_sample
        .filter_map(|reading| {
            Some((
                reading.amount? * reading.dilution * factor,
                reading.dilution,
            ))
        })
        .collect();
    match found.as_slice() {
        [] => None,
        [one] => Some(*one),
        [(first, dilution), (second, _)] => {
            let mean = (*first + *second) / Decimal::TWO;
            let is_apart = (*first - *second).abs() > mean * Decimal::new(2, 1);
            (!is_apart).then_some((mean, *dilution))
        }
        more => panic!("{} readings of {sample} in {}", more.len(), batch.number),
    }
}

/// Whether the blanks and the checks of a batch allow to use a label.
fn is_good(batch: &Batch, label: &str, method: &Method) -> bool {
    batch
        .readings
        .iter()
        .filter(|reading| reading.analyte == label)
        .all(|reading| {
            let amount = || reading.amount.expect("blanks and checks are readings");
            match reading.kind.as_str() {
                "BLANK" => amount() <= method.blank,
                "QC" => {
                    let nominal = reading
                        .label
                        .rsplit(' ')
                        .next()
                        .and_then(|number| numbers::parse(number).ok());
                    let nominal = nominal.expect("a check is named after its number");
                    let percent = amount() * Decimal::ONE_HUNDRED;
                    percent >= nominal * Decimal::from(90)
                        && percent <= nominal * Decimal::from(110)
                }
                _ => true,
            }
        })
}

fn unit_factor(from: &str, to: &str) -> Decimal {
    match (from, to) {
        ("µg/L", "mg/L") => Decimal::new(1, 3),
        ("mg/L", "µg/L") => Decimal::ONE_THOUSAND,
        _ if from == to => Decimal::ONE,
        _ => panic!("no way from {from} to {to}"),
    }
}

fn correct(batches: &mut [Batch], text: &str, slips: &Slips) {
    let table = Csv::strict().read(text).expect("corrections are CSV");
    for batch in batches {
        let of_batch: Vec<_> = table
            .rows()
            .iter()
            .filter(|row| {
                row.get("batch") == batch.number
                    && (slips.applies_all || row.get("state") == "signed")
            })
            .collect();
        let as_exported: Vec<String> = batch
            .readings
            .iter()
            .map(|reading| reading.sample.clone())
            .collect();
        let mut struck = vec![false; as_exported.len()];
        for row in of_batch {
            let (sample, value) = (lab::bare(row.get("sample")), row.get("value"));
            for (index, reading) in batch.readings.iter_mut().enumerate() {
                match row.get("kind") {
                    "dilution" if as_exported[index] == sample => {
                        reading.dilution = numbers::parse(value).expect("a dilution");
                    }
                    "strike" if as_exported[index] == sample => struck[index] = true,
                    "swap" if as_exported[index] == sample => reading.sample = lab::bare(value),
                    "swap" if as_exported[index] == lab::bare(value) => {
                        reading.sample.clone_from(&sample)
                    }
                    _ => {}
                }
            }
        }
        let mut index = 0;
        batch.readings.retain(|_| {
            index += 1;
            !struck[index - 1]
        });
    }
}

fn read_project(drive: &mut impl Reader, id: &str) -> Project {
    let json =
        |text: String| -> Value { mcpmark_guest::serde_json::from_str(&text).expect("JSON") };
    let projects = json(drive.text("registers/projects.json"));
    let clients = json(drive.text("registers/clients.json"));
    let item = |list: &Value, key: &str, value: &str| -> Value {
        let items = list.as_array().expect("an array");
        items
            .iter()
            .find(|item| item[key] == *value)
            .cloned()
            .expect("it is listed")
    };
    let project = item(&projects, "project", id);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let parameters = project["parameters"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|parameter| Parameter {
            name: text(&parameter["parameter"]),
            unit: text(&parameter["unit"]),
            decimals: parameter["decimals"]
                .as_u64()
                .and_then(|number| u32::try_from(number).ok())
                .expect("decimals"),
            limit: numbers::parse(&parameter["limit"].to_string()).ok(),
        });
    let sites = Csv::strict()
        .read(drive.text("registers/sites.csv"))
        .expect("sites are CSV");
    let register = drive.text("registers/samples.csv");
    let register = Csv::strict()
        .separator(b';')
        .read(&register)
        .expect("the register is CSV");
    let samples = register
        .rows()
        .iter()
        .filter(|row| row.get("project") == id)
        .map(|row| Sample {
            id: row.get("sample").to_owned(),
            site: sites
                .rows()
                .iter()
                .find(|site| site.get("site") == row.get("site"))
                .map(|site| site.get("name").to_owned())
                .expect("the site is listed"),
            taken: lab::utc(lab::time(row.get("taken"), "%d.%m.%Y %H:%M")),
            outcomes: Vec::new(),
        });
    Project {
        id: id.to_owned(),
        title: text(&project["title"]),
        client: text(&item(&clients, "client", &text(&project["client"]))["name"]),
        parameters: parameters.collect(),
        samples: samples.collect(),
    }
}

/// Labels with their parameter and factor; those without a parameter are left out.
fn read_analytes(text: &str) -> Vec<(String, String, Decimal)> {
    let table = Csv::strict().read(text).expect("analytes are CSV");
    let named = table
        .rows()
        .iter()
        .filter(|row| !row.get("parameter").is_empty());
    named
        .map(|row| {
            let factor = numbers::parse(row.get("factor")).expect("a factor");
            (
                row.get("label").to_owned(),
                row.get("parameter").to_owned(),
                factor,
            )
        })
        .collect()
}

fn read_methods(text: &str) -> BTreeMap<String, Method> {
    let number = |text: &String| numbers::parse(text).expect("a number");
    lab::ini(text)
        .into_iter()
        .map(|(name, keys)| {
            let method = Method {
                unit: keys["unit"].clone(),
                loq: number(&keys["loq"]),
                blank: number(&keys["blank"]),
            };
            (name, method)
        })
        .collect()
}
