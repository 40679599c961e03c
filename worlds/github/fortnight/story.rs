//! How the library came to be what it is: what it began with, what was written down, and what was added.

use github_chronicle::Section::{Added, Changed};
use github_chronicle::Way::{Direct, Merge, Rebase, Squash};
use github_chronicle::{Report, Work, Write};

use crate::edits::{
    CALENDAR, CLOCK, COMPARE, INTERVAL, MAIN, READER, RECUR, ROUND, UNITS, WORDS, WRITER, above,
    below, work,
};
use crate::languages::{LANGUAGES, cases, cases_path, table, words_path};
use crate::{renames, repairs, upkeep};

pub fn story() -> Vec<Work<Write>> {
    let mut all = beginnings();
    all.extend(documents());
    all.extend(features());
    all.extend(renames::renames());
    all.extend(renames::announcements());
    all.extend(repairs::signs());
    all.extend(repairs::rounding());
    all.extend(repairs::fixes());
    all.extend(repairs::since_the_last_release());
    all.extend(upkeep::upkeep());
    all
}

fn beginnings() -> Vec<Work<Write>> {
    let first = vec![
        Write::new("README.md", include_str!("texts/README.md")),
        Write::new("VERSION", "0.1.0\n"),
        Write::new("Rakefile", include_str!("texts/Rakefile")),
        Write::new("fortnight.gemspec", include_str!("texts/fortnight.gemspec")),
        Write::new(MAIN, include_str!("texts/fortnight.rb")),
        Write::new(UNITS, include_str!("texts/units.rb")),
        Write::new(INTERVAL, include_str!("texts/interval.rb")),
        Write::new(WORDS, include_str!("texts/words.rb")),
    ];
    let reading = vec![Write::new(READER, include_str!("texts/reader.rb"))];
    let writing = vec![
        Write::new(WRITER, include_str!("texts/writer.rb")),
        Write::new(ROUND, include_str!("texts/round.rb")),
        Write::new(COMPARE, include_str!("texts/compare.rb")),
    ];
    let tests = [
        ("test/helper.rb", include_str!("texts/helper.rb")),
        (
            "test/test_interval.rb",
            include_str!("texts/test_interval.rb"),
        ),
        ("test/test_reader.rb", include_str!("texts/test_reader.rb")),
        ("test/test_round.rb", include_str!("texts/test_round.rb")),
        ("test/test_writer.rb", include_str!("texts/test_writer.rb")),
    ];
    let tests = tests.map(|(path, text)| Write::new(path, text)).to_vec();
    let mut all = vec![
        work(0, "moakes", Direct, "", "Begin with intervals", first),
        work(
            0,
            "moakes",
            Direct,
            "",
            "reader: read amounts with their units",
            reading,
        ),
        work(0, "moakes", Direct, "", "Write, round and compare", writing),
        work(0, "moakes", Direct, "", "test: what there is", tests),
    ];
    for language in &LANGUAGES {
        let code = language.code;
        let title = format!(
            "words/{code}: {} begins with two words a unit",
            language.name
        );
        let author = if code == "sv" || code == "cy" {
            "llindqvist"
        } else {
            "pvries"
        };
        let way = if code < "fr" { Merge } else { Squash };
        all.push(
            Work::new(1, author, way, &format!("words-{code}"), &title)
                .step(
                    &title,
                    vec![Write::new(&words_path(code), &table(language))],
                )
                .step(
                    &format!("cases/{code}: hours and a day"),
                    vec![Write::new(&cases_path(code), &cases(language))],
                )
                .section(Added)
                .label("words"),
        );
    }
    all
}

fn documents() -> Vec<Work<Write>> {
    let texts = [
        (
            7,
            "jferreira",
            "docs: a cookbook",
            "docs/cookbook.md",
            include_str!("texts/cookbook.md"),
        ),
        (
            24,
            "moakes",
            "docs: how a change comes in",
            "docs/contributing.md",
            include_str!("texts/contributing.md"),
        ),
        (
            345,
            "moakes",
            "docs: who is asked for a review",
            "docs/owners.md",
            include_str!("texts/owners.md"),
        ),
        (
            346,
            "moakes",
            "Write down who knows what",
            "OWNERS",
            include_str!("texts/OWNERS"),
        ),
        (
            458,
            "moakes",
            "docs: how a version gets its number",
            "docs/versions.md",
            include_str!("texts/versions.md"),
        ),
        (
            466,
            "tsato",
            "docs: how a method goes",
            "docs/deprecations.md",
            include_str!("texts/deprecations.md"),
        ),
        (
            648,
            "kbanerjee",
            "docs: whose turn it is",
            "docs/reviews.md",
            include_str!("texts/reviews.md"),
        ),
    ];
    let all = texts.map(|(day, by, title, path, text)| {
        work(day, by, Direct, "", title, vec![Write::new(path, text)])
    });
    all.into()
}

fn features() -> Vec<Work<Write>> {
    let feature = |day, by, way, branch, title, edits| {
        work(day, by, way, branch, title, edits)
            .section(Added)
            .label("feature")
    };
    let required = "require_relative \"fortnight/compare\"\n";
    vec![
        feature(31, "idrummond", Merge, "calendar", "calendar: from one day to another", vec![
            Write::new(CALENDAR, include_str!("texts/calendar.rb")),
            below(MAIN, required, "require_relative \"fortnight/calendar\"\n"),
        ]),
        feature(44, "kbanerjee", Squash, "clock", "clock: measure how long something takes", vec![
            Write::new(CLOCK, include_str!("texts/clock.rb")),
            below(MAIN, required, "require_relative \"fortnight/clock\"\n"),
        ]),
        feature(56, "kbanerjee", Squash, "recur", "recur: what comes again and again", vec![
            Write::new(RECUR, include_str!("texts/recur.rb")),
            below(MAIN, required, "require_relative \"fortnight/recur\"\n"),
        ])
        .contested(),
        feature(88, "tsato", Rebase, "interval-abs", "interval: without its sign", vec![above(
            INTERVAL,
            "    def zero?\n",
            "    def abs\n      self.class.new(seconds.abs)\n    end\n\n",
        )]),
        feature(120, "idrummond", Squash, "compare-shortest", "compare: the shortest of several", vec![above(
            COMPARE,
            "    # The longest of several.\n",
            "    # The shortest of several.\n    def self.shortest(spans)\n      spans.min_by(&:seconds)\n    end\n\n",
        )]),
        feature(151, "jferreira", Merge, "round-up", "round: to the whole step above", vec![above(
            ROUND,
            "    # To the whole step below.\n",
            "    # To the whole step above.\n    def self.up(span, step)\n      size = Units::SECONDS.fetch(step)\n      span.class.new(-(-span.seconds / size) * size)\n    end\n\n",
        )])
        .contested(),
        feature(214, "pvries", Squash, "words-languages", "words: say which languages there are", vec![above(
            WORDS,
            "    def self.table(language)\n",
            "    def self.languages\n      Dir.children(\"#{__dir__}/words\").map { |name| name.delete_suffix(\".rb\").to_sym }.sort\n    end\n\n",
        )])
        .report(
            Report::new("bus-timetable", "Which languages are there?", "I would like to offer them in a menu.")
                .labels(&["feature"]),
        )
        .body("Closes #{issue}"),
        work(239, "pvries", Squash, "words-frozen", "words: nobody changes a table", vec![Write::part(
            WORDS,
            "      const_get(language.upcase)\n",
            "      const_get(language.upcase).freeze\n",
        )])
        .section(Changed)
        .label("breaking"),
        feature(364, "idrummond", Merge, "calendar-workdays", "calendar: count the days on which people work", vec![above(
            CALENDAR,
            "    # Whether a day is one on which people work.\n",
            "    # How many days on which people work, the last one not among them.\n    def self.workdays(from, to)\n      (from...to).count { |day| working?(day) }\n    end\n\n",
        )])
        .contested(),
        feature(512, "tsato", Squash, "compare-clamp", "compare: keep a span between two others", vec![above(
            COMPARE,
            "    # The longest of several.\n",
            "    # A span, or the nearer of two others where it is not between them.\n    def self.within(span, low, high)\n      span.clamp(low, high)\n    end\n\n",
        )]),
        feature(575, "kbanerjee", Squash, "recur-until", "recur: until a moment", vec![above(
            RECUR,
            "    # The first moment that is not before a given one.\n",
            "    # The moments from one on that are before another.\n    def self.until(span, from:, to:)\n      every(span, from: from, count: ((to - from).to_r / span.seconds).ceil)\n    end\n\n",
        )])
        .report(
            Report::new("rowing-cox", "Every half hour until noon", "I count them by hand now.").labels(&["feature"]),
        )
        .body("Closes #{issue}"),
    ]
}
