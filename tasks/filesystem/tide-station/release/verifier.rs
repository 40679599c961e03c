//! The release, made again from the starting tree; the notes are judged by their facts.

mod notes;
mod opposites;
mod rules;
#[cfg(test)]
mod tests;

use mcpmark_guest::prose::Language;
use mcpmark_guest::{Condition, Csv, Verifier};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let start = task.start();
    let paths = start.files("").required();
    let release = rules::release(&paths, |path| start.file(path).text().required());
    let folder = format!("changes/released/{}", release.number);

    let mut changed: Vec<String> = release.texts.keys().cloned().collect();
    let mut numbers = Vec::new();
    for (path, text) in &release.texts {
        numbers.push(task.file(path).equals(text));
    }
    task.check("the number in its places", Condition::all(numbers));

    let mut filed = Vec::new();
    for name in &release.fragments {
        let (old, new) = (format!("changes/{name}"), format!("{folder}/{name}"));
        filed.push(task.file(&new).has_bytes_of(&start.file(&old)));
        filed.push(task.file(&old).is_absent());
        changed.extend([old, new]);
    }
    task.check("the released fragments are filed", Condition::all(filed));

    let people = start
        .file("tracker/people.csv")
        .text()
        .csv(&Csv::lenient())
        .required();
    let page = format!("{folder}/notes.md");
    let text = task.file(&page).text().prose();
    let facts = notes::facts(&release.number, &release.mentioned, notes::people(&people));
    task.check_facts("the notes", &text, &facts);
    task.check("the length of the notes", text.words_between(50, 400));
    task.check("the notes are in English", text.is_in(Language::English));
    changed.push(page);
    task.unchanged_except(changed);
}
