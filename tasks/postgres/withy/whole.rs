//! Whether the rows of a state fit the constraints that the world has.

#![allow(dead_code)]

use mcpmark_guest::{Condition, HashMap};
use mcpmark_guest_postgres::{Database, Rows};

type Set<T> = HashMap<T, ()>;

/// Runs a check that needs a database, if the readings and the alerts of the state fit their constraints. A database that
/// somebody left always does; a file that was changed by hand need not.
pub fn if_whole(end: &Database, check: impl FnOnce() -> Condition) -> Condition {
    match is_whole(end) {
        Ok(()) => check(),
        Err(reason) => Condition::fail(format!(
            "expected a database that can be built, found that {reason}"
        )),
    }
}

fn is_whole(end: &Database) -> Result<(), String> {
    let rows = |table: &str| {
        end.rows(table)
            .get()
            .cloned()
            .map_err(|error| error.to_string())
    };
    let keys = |rows: &Rows, column: &str| -> Set<String> {
        rows.select([column])
            .filter_map(|[key]| Some((key?.to_owned(), ())))
            .collect()
    };
    let (readings, alerts) = (rows("readings")?, rows("alerts")?);
    let columns = [
        "id",
        "device",
        "station",
        "quantity",
        "taken_at",
        "value",
        "quality",
        "import_id",
    ];
    if let Some(missing) = columns
        .iter()
        .find(|name| !readings.columns().iter().any(|it| it == *name))
    {
        return Err(format!("readings have no column {missing}"));
    }
    let devices = keys(&rows("devices")?, "serial");
    let stations = keys(&rows("stations")?, "code");
    let imports = keys(&rows("imports")?, "id");
    let mut ids: Set<(&str, &str)> = Set::default();
    for [id, device, station, quantity, at, value, quality, import] in readings.select(columns) {
        let (Some(id), Some(at), Some(_)) = (id, at, value) else {
            return Err("a reading lacks its number, time or value".to_owned());
        };
        let fits = device.is_some_and(|it| devices.contains_key(it))
            && station.is_some_and(|it| stations.contains_key(it))
            && quantity.is_some_and(|it| ["level", "rain", "temperature"].contains(&it))
            && quality.is_some_and(|it| ["raw", "good", "suspect", "corrected"].contains(&it))
            && import.is_none_or(|it| imports.contains_key(it));
        if !fits {
            return Err(format!(
                "reading {id} has an unknown device, station, quantity, quality or import"
            ));
        }
        if ids.insert((id, at), ()).is_some() {
            return Err(format!("there are two readings {id} of {at}"));
        }
    }
    let columns = [
        "id",
        "station",
        "reading_id",
        "reading_at",
        "level_cm",
        "sent_at",
        "sent_by",
    ];
    if let Some(missing) = columns
        .iter()
        .find(|name| !alerts.columns().iter().any(|it| it == *name))
    {
        return Err(format!("alerts have no column {missing}"));
    }
    let mut numbers: Set<&str> = Set::default();
    for row in alerts.select(columns) {
        let [
            Some(id),
            Some(station),
            Some(reading),
            Some(at),
            Some(_),
            Some(_),
            Some(_),
        ] = row
        else {
            return Err("an alert lacks a value".to_owned());
        };
        if numbers.insert(id, ()).is_some()
            || !stations.contains_key(station)
            || !ids.contains_key(&(reading, at))
        {
            return Err(format!("alert {id} is there twice, or refers to nothing"));
        }
    }
    Ok(())
}
