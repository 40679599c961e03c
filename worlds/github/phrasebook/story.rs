//! What was decided in common: how it began, the languages, what was renamed, the rules, and what is open.

use github_chronicle::Section::{Added, Changed, Fixed, Internal};
use github_chronicle::Way::{Closed, Direct, Draft, Merge, Open, Rebase, Squash};
use github_chronicle::{Report, Work, Write};

use crate::pages::{LOCALES, PAGES, Page, column, path};
use crate::project::language_label;

/// The language, a word as the glossary wants it, and a word that it never wants.
pub const NEVER: [(&str, &str, &str); 4] = [
    ("de", "Hüttenwart", "Hüttenwirt"),
    ("fr", "dortoir", "bat-flanc"),
    ("it", "gestore", "custode"),
    ("es", "guarda", "conserje"),
];

/// What the glossaries begin with: the English word, and the words to use and never to use by language.
const WORDS: [(&str, [(&str, &str); 4]); 5] = [
    (
        "warden",
        [
            ("Hüttenwart", "Hüttenwirt"),
            ("gardien", "concierge"),
            ("gestore", "custode"),
            ("guarda", "conserje"),
        ],
    ),
    (
        "dormitory",
        [
            ("Lager", "Matratzensaal"),
            ("dortoir", "bat-flanc"),
            ("camerata", "stanzone"),
            ("dormitorio", "cuarto"),
        ],
    ),
    (
        "liner",
        [
            ("Hüttenschlafsack", "Inlett"),
            ("drap de sac", "sac à viande"),
            ("sacco lenzuolo", "sacco letto"),
            ("sábana saco", "saco fino"),
        ],
    ),
    (
        "blanket",
        [
            ("Decke", "Kotze"),
            ("couverture", "plaid"),
            ("coperta", "plaid"),
            ("manta", "cobija"),
        ],
    ),
    (
        "party",
        [
            ("Gruppe", "Partie"),
            ("groupe", "partie"),
            ("gruppo", "comitiva"),
            ("grupo", "partida"),
        ],
    ),
];

/// The day on which a page got its present name, and Spanish its present folder.
const RENAMED: i64 = 262;
const MOVED: i64 = 96;

pub fn story() -> Vec<Work<Write>> {
    let mut all = beginnings();
    all.extend(languages());
    all.extend(renames());
    all.extend(rules());
    all.extend(print());
    all.extend(unfinished());
    all
}

/// The name of a page before one of them was renamed.
fn first_name(page: &Page) -> &str {
    match page.name {
        "waste" => "rubbish",
        name => name,
    }
}

fn first_page(locale: &str, folder: &str, page: &Page) -> Write {
    let text = page.write(column(locale), 1, &page.first_values());
    Write::new(&path(folder, first_name(page)), &text)
}

fn beginnings() -> Vec<Work<Write>> {
    let texts = vec![
        Write::new("README.md", include_str!("texts/README.md")),
        Write::new("docs/translating.md", include_str!("texts/translating.md")),
    ];
    let mut all = vec![
        Work::new(0, "mlindqvist", Direct, "", "")
            .step("Begin with what the wardens tell each other", texts),
    ];
    for (at, page) in PAGES.iter().enumerate() {
        let name = first_name(page);
        let title = format!("A page on {}", page.titles[0].to_lowercase());
        let way = [Squash, Merge, Rebase][at % 3];
        all.push(
            Work::new(
                1 + at as i64 / 3,
                "mlindqvist",
                way,
                &format!("page-{name}"),
                &title,
            )
            .step(&title, vec![first_page("en", "en", page)])
            .body("From the notebooks in the huts.")
            .section(Added)
            .label("source"),
        );
    }
    all
}

/// The translations as they came: the language, its folder then, the day, who and how many pages at once.
const ARRIVALS: [(&str, &str, i64, &str, usize); 4] = [
    ("de", "de", 9, "rauner", 2),
    ("fr", "fr", 12, "cmorel", 3),
    ("es", "sp", 61, "imartin", 5),
    ("it", "it", 126, "gpellis", 4),
];

fn languages() -> Vec<Work<Write>> {
    let mut all = Vec::new();
    for (locale, folder, day, by, at_once) in ARRIVALS {
        for (round, pages) in PAGES.chunks(at_once).enumerate() {
            let names: Vec<&str> = pages.iter().map(first_name).collect();
            // Each begins with the first revision, whatever the source says by then.
            let title = format!("{folder}: {}", names.join(", "));
            let way = [Squash, Merge][round % 2];
            let writes = pages.iter().map(|page| first_page(locale, folder, page));
            all.push(
                Work::new(
                    day + round as i64,
                    by,
                    way,
                    &format!("{folder}-{}", names[0]),
                    &title,
                )
                .step(&title, writes.collect())
                .body("The first revision; the rest follows.")
                .section(Added)
                .label(language_label(locale)),
            );
        }
    }
    all
}

fn renames() -> Vec<Work<Write>> {
    let to_es = PAGES
        .iter()
        .map(|page| Write::moved(&path("sp", first_name(page)), &path("es", first_name(page))))
        .collect();
    let to_waste = LOCALES
        .iter()
        .map(|locale| Write::moved(&path(locale, "rubbish"), &path(locale, "waste")))
        .collect();
    vec![
        Work::new(
            MOVED,
            "tokonkwo",
            Merge,
            "sp-is-es",
            "The code of Spanish is es",
        )
        .report(
            Report::new("valley-office", "What is sp?", "Is it for the springs?")
                .labels(&["question"]),
        )
        .step("The code of Spanish is es", to_es)
        .body("Closes #{issue}\n\nAs everybody else has it. The files are only moved.")
        .section(Changed)
        .label("lang: es"),
        Work::new(
            RENAMED,
            "mlindqvist",
            Squash,
            "waste",
            "Rubbish is called waste",
        )
        .step("Rubbish is called waste", to_waste)
        .body("In all languages the file has the name that the source has.")
        .section(Changed)
        .label("source"),
        Work::new(
            330,
            "btosch",
            Closed,
            "try/one-file",
            "One file for each language",
        )
        .step(
            "One file for each language",
            vec![Write::new(
                "handbook/all-de.md",
                "# Handbuch\n\nAlles auf einer Seite.\n",
            )],
        )
        .body("Easier to print.")
        .remark("rauner", "And nobody knows which part is old."),
    ]
}

fn glossary(locale: &str) -> String {
    let at = column(locale) - 1;
    let rows = WORDS
        .iter()
        .map(|(english, words)| format!("{english},{},{}\n", words[at].0, words[at].1));
    format!("english,use,never\n{}", rows.collect::<String>())
}

fn rules() -> Vec<Work<Write>> {
    let document = |day, by, way, name: &str, title: &str, text: &str| {
        Work::new(day, by, way, &format!("docs-{name}"), title)
            .step(title, vec![Write::new(&format!("docs/{name}.md"), text)])
            .section(Internal)
    };
    let mut all = vec![
        Work::new(
            150,
            "tokonkwo",
            Squash,
            "owners",
            "Say who is asked about what",
        )
        .step(
            "Say who is asked about what",
            vec![Write::new("OWNERS", include_str!("texts/OWNERS"))],
        )
        .section(Internal),
        document(
            151,
            "tokonkwo",
            Squash,
            "owners",
            "docs: how OWNERS is read",
            include_str!("texts/owners.md"),
        ),
        document(
            205,
            "tokonkwo",
            Merge,
            "reading",
            "docs: what a second reading is",
            include_str!("texts/reading.md"),
        ),
        document(
            340,
            "mlindqvist",
            Rebase,
            "planning",
            "docs: how a season is planned",
            include_str!("texts/planning.md"),
        ),
        document(
            480,
            "btosch",
            Squash,
            "errata",
            "docs: what to do about a wrong number in print",
            include_str!("texts/errata.md"),
        )
        .label("print"),
    ];
    for (at, locale) in LOCALES[1..].iter().enumerate() {
        let title = format!("{locale}: a glossary");
        all.push(
            Work::new(
                171 + at as i64,
                "tokonkwo",
                Merge,
                &format!("glossary-{locale}"),
                &title,
            )
            .step(
                &title,
                vec![Write::new(
                    &format!("glossary/{locale}.csv"),
                    &glossary(locale),
                )],
            )
            .section(Added)
            .label("glossary")
            .label(language_label(locale)),
        );
    }
    all.extend(words());
    all
}

/// Words that were added later: the day, the language, who, and the row.
const LATER: [(i64, &str, &str, &str); 10] = [
    (190, "de", "jbrugger", "stove,Ofen,Kamin"),
    (196, "fr", "cmorel", "stove,poêle,cheminée"),
    (233, "it", "gpellis", "stove,stufa,camino"),
    (240, "es", "imartin", "stove,estufa,chimenea"),
    (275, "de", "rauner", "hut book,Hüttenbuch,Gästebuch"),
    (301, "fr", "cmorel", "hut book,livre du refuge,livre d'or"),
    (345, "it", "gpellis", "hut book,libro del rifugio,registro"),
    (366, "es", "imartin", "hut book,libro del refugio,registro"),
    (410, "de", "jbrugger", "stretcher,Trage,Bahre"),
    (448, "fr", "tokonkwo", "stretcher,brancard,civière"),
];

fn words() -> Vec<Work<Write>> {
    let row = |(day, locale, by, row): &(i64, &str, &'static str, &str)| {
        let english = row.split(',').next().unwrap_or_default();
        let title = format!("{locale}: a word for the {english}");
        let branch = format!("glossary-{locale}-{day}");
        Work::new(*day, by, Squash, &branch, &title)
            .step(
                &title,
                vec![Write::end(
                    &format!("glossary/{locale}.csv"),
                    &format!("{row}\n"),
                )],
            )
            .section(Internal)
            .label("glossary")
            .label(language_label(locale))
    };
    LATER.iter().map(row).collect()
}

fn print() -> Vec<Work<Write>> {
    let sheet = "print/sheet.css";
    let fix = |day, branch: &str, title: &str, old: &str, new: &str| {
        Work::new(day, "btosch", Squash, branch, title)
            .step(title, vec![Write::part(sheet, old, new)])
            .section(Fixed)
            .label("print")
    };
    vec![
        Work::new(48, "btosch", Merge, "print", "A sheet that fits into a pocket")
            .step("A sheet that fits into a pocket", vec![Write::new(sheet, include_str!("texts/sheet.css"))])
            .section(Added)
            .label("print"),
        fix(110, "wider-margin", "print: room for the thumb", "margin: 8mm", "margin: 12mm"),
        fix(215, "bigger", "print: larger letters, for the lamp", "font-size: 9pt", "font-size: 10pt"),
        Work::new(221, "btosch", Direct, "", "").step(
            "Revert \"print: larger letters, for the lamp\"\n\nThe weather did not fit on its page any more.",
            vec![Write::part(sheet, "font-size: 10pt", "font-size: 9pt")],
        ),
        fix(476, "fold", "print: fold on the other side", "fold: left", "fold: right").backport("3.1.1"),
        fix(490, "cut", "print: do not cut the last line", "orphans: 1", "orphans: 3").backport("3.1.1"),
        fix(530, "ink", "print: less ink", "color: black", "color: #222"),
    ]
}

fn unfinished() -> Vec<Work<Write>> {
    vec![
        Work::new(604, "rauner", Open, "dogs", "A page on dogs")
            .step("A page on dogs", vec![
                Write::new("handbook/en/dogs.md", "---\ntitle: Dogs\nrevision: 1\n---\n\n- Dogs sleep in the wood shed.\n- The warden has the key.\n"),
                Write::new("handbook/de/dogs.md", "---\ntitle: Hunde\nfollows: 1\n---\n\n- Hunde schlafen im Holzschuppen.\n- Der Hüttenwart hat den Schlüssel.\n"),
            ])
            .body("Every week somebody asks.")
        .label("source"),
        Work::new(606, "gpellis", Open, "bicycles", "it, fr: where bicycles stay")
            .step("it, fr: where bicycles stay", vec![
                Write::new("handbook/it/bicycles.md", "---\ntitle: Biciclette\nfollows: 1\n---\n\n- Le biciclette restano alla teleferica.\n"),
                Write::new("handbook/fr/bicycles.md", "---\ntitle: Vélos\nfollows: 1\n---\n\n- Les vélos restent au monte-charge.\n"),
            ])
            .body("The source is still being written.")
            .label("lang: it")
            .contested(),
        Work::new(607, "btosch", Open, "covers", "print: a cover for each language")
            .step("print: a cover for each language", vec![
                Write::new("print/cover-de.txt", "Handbuch für Hüttenwarte\n"),
                Write::new("print/cover-es.txt", "Manual para guardas de refugio\n"),
                Write::new("print/cover-fr.txt", "Manuel des gardiens de refuge\n"),
                Write::new("print/cover-it.txt", "Manuale per gestori di rifugio\n"),
            ])
            .body("Grey card, as the last one.")
            .approved(),
        Work::new(608, "tokonkwo", Open, "words-for-snow", "it, es: words for snow")
            .step("it, es: words for snow", vec![
                Write::new("glossary/snow-it.csv", "english,use,never\ncornice,cornice,cornicione\n"),
                Write::new("glossary/snow-es.csv", "english,use,never\ncornice,cornisa,alero\n"),
            ])
            .body("For the page on the weather, some day."),
        Work::new(600, "btosch", Draft, "romansh", "Romansh, a beginning")
            .step("rm: arrival", vec![
                Write::new("handbook/rm/arrival.md", "---\ntitle: Arrivada\nfollows: 1\n---\n\n- Ils giasts suttascrivan il cudesch.\n"),
            ])
            .body("My grandmother reads it on Sunday."),
    ]
}
