//! The index of the documentation, made again from the starting tree.

mod rules;

use mcpmark_guest::Verifier;

mcpmark_guest::verifier!(verify);

const INDEX: &str = "docs/index.md";
const CHANGES: &str = "docs/index-changes.txt";

fn verify(task: &mut Verifier) {
    let start = task.start();
    let paths = start.files("docs").required();
    let paths: Vec<String> = paths.into_iter().collect();
    let sections = rules::sections(
        &paths,
        |path| start.file(path).text().required(),
        &rules::Oversights::default(),
    );
    let old = start.file(INDEX).text().required();
    let new = rules::index(&old, &sections);

    let index = task.file(INDEX);
    let document = index.markdown();
    let mut headings = vec![(1, "Documentation of ebbline")];
    headings.extend(sections.iter().map(|section| (2, section.name.as_str())));
    headings.push((2, "Elsewhere"));
    task.check(
        "the sections in their order",
        document.headings_are(&headings),
    );
    let pages: usize = sections.iter().map(|section| section.pages.len()).sum();
    task.check(
        "how many pages and sections",
        index
            .text()
            .contains_line(&format!("_{pages} pages, {} sections_", sections.len())),
    );
    for section in &sections {
        let titles: Vec<&str> = section
            .pages
            .iter()
            .map(|page| page.title.as_str())
            .collect();
        let count = document
            .section(&section.name)
            .items()
            .count_is(titles.len());
        task.check(format!("{}: {} pages", section.name, titles.len()), count);
        let lines: Vec<String> = section.pages.iter().map(rules::Page::line).collect();
        let block = format!("## {}\n\n{}\n", section.name, lines.join("\n"));
        task.check(
            format!("{}: the lines of its pages", section.name),
            index.text().contains(&block),
        );
    }
    task.check("the index to the last byte", index.equals(&new));

    let (gone, come) = rules::changes(&old, &new);
    let told = |sign: &'static str| {
        task.file(CHANGES).lines().map(|lines| {
            let paths = lines.iter().filter_map(|line| line.strip_prefix(sign));
            paths.map(str::to_owned).collect::<Vec<_>>()
        })
    };
    let conditions = [told("- ").equal(gone), told("+ ").equal(come)];
    let [gone, come] = conditions;
    task.check("what is no longer linked", gone);
    task.check("what is newly linked", come);
    task.check(
        "the changes to the last byte",
        task.file(CHANGES).equals(&rules::changes_text(&old, &new)),
    );
    task.unchanged_except([INDEX, CHANGES]);
}
