//! Counting of the files, shared by the solution, which follows all rules, and the cheats, each of which breaks one.

use std::collections::BTreeMap;

use mcpmark_guest::{Csv, Tools};

pub struct Rules {
    /// The last line is the total.
    pub has_total: bool,
    /// The report itself is not counted.
    pub leaves_itself_out: bool,
}

pub fn play(tools: &mut Tools, rules: &Rules) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (name, is_directory) in tools.list("") {
        if is_directory {
            counts.insert(name, 0);
        }
    }
    let mut at_the_top = usize::from(!rules.leaves_itself_out);
    for path in tools.files("") {
        match path.split_once('/') {
            Some((folder, _)) => *counts.entry(folder.to_owned()).or_default() += 1,
            None => at_the_top += 1,
        }
    }
    let total = counts.values().sum::<usize>() + at_the_top;
    let mut report = Csv::line(["folder", "files"]);
    for (folder, count) in &counts {
        report += &Csv::line([folder, &count.to_string()]);
    }
    report += &Csv::line([".", &at_the_top.to_string()]);
    if rules.has_total {
        report += &Csv::line(["total", &total.to_string()]);
    }
    tools.write("file counts.csv", &report);
    format!("There are {total} files.")
}
