//! Work that was decided in common: the beginning, the changes that broke the checks and mended them, and open work.

use github_chronicle::Way::{Direct, Draft, Merge, Open, Rebase, Squash};
use github_chronicle::{Section, Way, Work, Write};

use crate::plants::{FAMILIES, family, first_rows, names, path, places, table};

pub const WORKFLOW: &str = include_str!("texts/check.yml");

/// Branches of open pull requests whose run was lost with its machine.
pub const LOST: [&str; 3] = ["cold-room-notes", "recount-mints", "recount-sedges"];

pub fn story() -> Vec<Work<Write>> {
    let mut all = beginnings();
    for fault in FAULTS {
        all.extend(fault_and_mend(&fault));
    }
    all.extend(at_last());
    all.extend(unfinished());
    all
}

fn beginnings() -> Vec<Work<Write>> {
    let texts = vec![
        Write::new("README.md", include_str!("texts/README.md")),
        Write::new("docs/format.md", include_str!("texts/format.md")),
        Write::new("docs/storing.md", include_str!("texts/storing.md")),
        Write::new("names.txt", &names()),
        Write::new("places.txt", &places()),
    ];
    let mut all = vec![
        Work::new(0, "hbrandt", Direct, "", "")
            .step("Begin a register that is not on paper", texts),
    ];
    for it in &FAMILIES {
        let title = format!("{}: what we have on paper", it.name);
        all.push(
            Work::new(1, "ivasile", Squash, &format!("paper-{}", it.name), &title)
                .step(&title, vec![Write::new(&path(it.name), &table(it))])
                .label("new seeds"),
        );
    }
    let workflow = vec![
        Write::new(".github/workflows/check.yml", WORKFLOW),
        Write::new("docs/checks.md", include_str!("texts/checks.md")),
    ];
    all.push(
        Work::new(45, "kadeyemi", Merge, "checks", "Check every change")
            .step("Check every change", workflow)
            .label("checks"),
    );
    all
}

/// A change of a first row, or of a document, that broke the checks, and until when.
struct Fault {
    day: i64,
    author: &'static str,
    way: Way,
    title: &'static str,
    mended: i64,
    by: &'static str,
    what: What,
}

enum What {
    /// The family, the row counted from 0, and a part of it as it was and became.
    Row(&'static str, usize, &'static str, &'static str),
    /// Two rows change places.
    Swap(&'static str, usize),
    Link(&'static str, &'static str),
}

const FAULTS: [Fault; 6] = [
    Fault {
        day: 96,
        author: "jquill",
        way: Direct,
        title: "mints: proper name of LAM-0002",
        mended: 99,
        by: "kadeyemi",
        what: What::Row("mints", 1, "Clinopodium vulgare", "Clinopodium vulgaris"),
    },
    Fault {
        day: 150,
        author: "ivasile",
        way: Squash,
        title: "grasses: the day of POA-0001 was wrong",
        mended: 154,
        by: "ivasile",
        what: What::Row("grasses", 0, "2016-", "16-"),
    },
    Fault {
        day: 205,
        author: "hbrandt",
        way: Direct,
        title: "docs: point to the page on drying",
        mended: 212,
        by: "kadeyemi",
        what: What::Link("README.md", "- [drying](docs/drying.md)\n"),
    },
    Fault {
        day: 259,
        author: "jquill",
        way: Merge,
        title: "peas: FAB-0003 came from the bog",
        mended: 262,
        by: "jquill",
        what: What::Row("peas", 2, ",2018-", ",2018-"),
    },
    Fault {
        day: 300,
        author: "ivasile",
        way: Rebase,
        title: "roses: sort by date",
        mended: 306,
        by: "hbrandt",
        what: What::Swap("roses", 2),
    },
    Fault {
        day: 345,
        author: "hbrandt",
        way: Squash,
        title: "carrots: API-0004 is an estimate",
        mended: 349,
        by: "kadeyemi",
        what: What::Row("carrots", 3, "Daucus carota,", "Daucus carota ,"),
    },
];

/// The place of a row as it is told first, and another one.
fn with_place(row: &str, place: &str) -> String {
    let mut cells: Vec<&str> = row.split(',').collect();
    cells[3] = place;
    cells.join(",")
}

fn edits(what: &What) -> (Write, Write) {
    match what {
        What::Row("peas", row, ..) => {
            let (path, before) = (path("peas"), first_rows(family("peas"))[*row].clone());
            let after = with_place(&before, "Black bog");
            (
                Write::part(&path, &before, &after),
                Write::part(&path, &after, &before),
            )
        }
        What::Row(name, row, old, new) => {
            let (path, before) = (path(name), first_rows(family(name))[*row].clone());
            let after = before.replacen(old, new, 1);
            assert_ne!(before, after, "{name} has no {old:?}");
            (
                Write::part(&path, &before, &after),
                Write::part(&path, &after, &before),
            )
        }
        What::Swap(name, row) => {
            let (path, rows) = (path(name), first_rows(family(name)));
            let (one, other) = (&rows[*row], &rows[*row + 1]);
            let (before, after) = (format!("{one}{other}"), format!("{other}{one}"));
            (
                Write::part(&path, &before, &after),
                Write::part(&path, &after, &before),
            )
        }
        What::Link(path, line) => (Write::end(path, line), Write::part(path, line, "")),
    }
}

fn fault_and_mend(fault: &Fault) -> [Work<Write>; 2] {
    let (broken, mended) = edits(&fault.what);
    let word = fault.title.split(':').next().unwrap_or_default();
    let branch = format!("{word}-{}", fault.day);
    let title = format!("{word}: as the checks want it");
    [
        Work::new(fault.day, fault.author, fault.way, &branch, fault.title)
            .step(fault.title, vec![broken])
            .section(Section::Changed),
        Work::new(
            fault.mended,
            fault.by,
            Squash,
            &format!("mend-{word}-{}", fault.day),
            &title,
        )
        .step(&title, vec![mended])
        .section(Section::Fixed)
        .label("checks"),
    ]
}

/// Work that is red in the end, because nobody has mended it.
fn at_last() -> Vec<Work<Write>> {
    let pinks = first_rows(family("pinks"));
    let asters = first_rows(family("asters"));
    let names = pinks[1].replacen("flos-cuculi", "floscuculi", 1);
    let date = pinks[3].replacen("2019-", "2019/", 1);
    let seeds = asters[2].replacen("2018-", "2081-13-", 1);
    vec![
        Work::new(
            401,
            "jquill",
            Squash,
            "pinks-notebook",
            "pinks: as in my notebook",
        )
        .step(
            "pinks: as in my notebook",
            vec![Write::part(&path("pinks"), &pinks[1], &names)],
        )
        .section(Section::Changed)
        .label("count"),
        Work::new(405, "ivasile", Direct, "", "").step(
            "Days of two rows, from the bags",
            vec![
                Write::part(&path("pinks"), &pinks[3], &date),
                Write::part(&path("asters"), &asters[2], &seeds),
            ],
        ),
        Work::new(
            409,
            "hbrandt",
            Merge,
            "thawing",
            "docs: what to do when it thaws",
        )
        .step(
            "docs: what to do when it thaws",
            vec![Write::end(
                "docs/storing.md",
                "\nWhen it thaws, see [the list](thaw.md).\n",
            )],
        )
        .section(Section::Internal),
    ]
}

fn unfinished() -> Vec<Work<Write>> {
    let row = |name: &str, at: usize, old: &str, new: &str| {
        let before = first_rows(family(name))[at].clone();
        let after = before.replacen(old, new, 1);
        assert_ne!(before, after, "{name} has no {old:?}");
        Write::part(&path(name), &before, &after)
    };
    let open = |day, author, branch: &str, title: &str, edit: Write| {
        Work::new(day, author, Open, branch, title).step(title, vec![edit])
    };
    vec![
        open(
            376,
            "jquill",
            "recount-mints",
            "mints: LAM-0005 counted again",
            row("mints", 4, ",2020-", ",2019-"),
        )
        .approved()
        .label("count"),
        open(
            379,
            "ivasile",
            "purple-moor",
            "grasses: POA-0004 is from the turf pits",
            row("grasses", 3, "Molinia caerulea", "Molinia coerulea"),
        )
        .label("count"),
        open(
            382,
            "kadeyemi",
            "cold-room-notes",
            "docs: the cold room has two doors",
            Write::new(
                "docs/doors.md",
                "# Two doors\n\nThe inner one opens when the outer one is shut.\n",
            ),
        )
        .approved()
        .label("checks"),
        open(
            384,
            "hbrandt",
            "peas-labels",
            "peas: FAB-0005 is older than its label",
            row("peas", 4, "2020-", "2014-"),
        )
        .approved()
        .remark("hbrandt", "Please leave this branch alone. Half of it is still on paper, and I push the rest from the moor."),
        open(
            386,
            "jquill",
            "recount-sedges",
            "sedges: CYP-0002 and its bag",
            row("sedges", 1, "Carex echinata", "Carex stellulata"),
        )
        .approved(),
        open(
            388,
            "ivasile",
            "carrots-spring",
            "carrots: API-0005 was found in spring",
            row("carrots", 4, "-23,", "-32,"),
        ),
        Work::new(
            390,
            "kadeyemi",
            Draft,
            "checks-months",
            "docs: seeds by month",
        )
        .step(
            "docs: seeds by month",
            vec![Write::new(
                "docs/months.md",
                "# By month\n\nSee [the tables](tables.md).\n",
            )],
        )
        .label("checks"),
        open(
            392,
            "hbrandt",
            "roses-again",
            "roses: ROS-0005 is a gift",
            row(
                "roses",
                4,
                "Sanguisorba officinalis,2020",
                "Sanguisorba officinalis,2021",
            ),
        )
        .remark("hbrandt", "Leave the branch alone for now, please: I wait for a letter about the bag.")
        .remark("hbrandt", "The letter is here, and nothing changes. Go on with it as with the others."),
        Work::new(412, "jquill", Draft, "maps", "A map of the places").step(
            "A map of the places",
            vec![Write::new("docs/map.md", "# Map\n\nTo be drawn.\n")],
        ),
    ]
}
