//! What has another name since, and what was announced to go.

use github_chronicle::Section::{Added, Changed, Internal};
use github_chronicle::Way::{Merge, Rebase, Squash};
use github_chronicle::{Work, Write};

use crate::edits::{
    CALENDAR, CLOCK, COMPARE, FORMAT, INTERVAL, MAIN, PARSE, READER, RECUR, ROUND, SPAN, WORDS,
    WRITER, above, work,
};

pub fn renames() -> Vec<Work<Write>> {
    vec![
        Work::new(
            372,
            "tsato",
            Squash,
            "span",
            "span: what was called an interval",
        )
        .step(
            "span: what was called an interval",
            vec![
                Write::moved(INTERVAL, SPAN),
                Write::part(SPAN, "  class Interval\n", "  class Span\n"),
                Write::part(
                    READER,
                    "      Interval.new(total)\n",
                    "      Span.new(total)\n",
                ),
                Write::part(CALENDAR, "      Interval.new((to", "      Span.new((to"),
                Write::part(CLOCK, "      Interval.new((now", "      Span.new((now"),
                Write::part(CLOCK, "      Interval.new(1)", "      Span.new(1)"),
                Write::part(MAIN, "fortnight/interval\"", "fortnight/span\""),
            ],
        )
        .step(
            "test: span",
            vec![
                Write::moved("test/test_interval.rb", "test/test_span.rb"),
                Write::part(
                    "test/test_span.rb",
                    "class TestInterval ",
                    "class TestSpan ",
                ),
                Write::part(
                    "test/test_round.rb",
                    "Fortnight::Interval.new",
                    "Fortnight::Span.new",
                ),
                Write::part(
                    "test/test_writer.rb",
                    "Fortnight::Interval.new",
                    "Fortnight::Span.new",
                ),
                Write::part(
                    "test/helper.rb",
                    "Fortnight::Interval.new",
                    "Fortnight::Span.new",
                ),
            ],
        )
        .step(
            "span: the old name goes on for a while",
            vec![Write::end(
                SPAN,
                "\n# The old name, which goes in 3.0.0.\nFortnight::Interval = Fortnight::Span\n",
            )],
        )
        .section(Changed)
        .label("deprecation"),
        work(
            470,
            "tsato",
            Merge,
            "format",
            "format: what was called a writer",
            vec![
                Write::moved(WRITER, FORMAT),
                Write::part(FORMAT, "  module Writer\n", "  module Format\n"),
                Write::part(
                    FORMAT,
                    "    def self.write(span)\n",
                    "    def self.long(span)\n",
                ),
                Write::part(CLOCK, "      Writer.brief(", "      Format.brief("),
                Write::part(MAIN, "fortnight/writer\"", "fortnight/format\""),
                Write::moved("test/test_writer.rb", "test/test_format.rb"),
                Write::part(
                    "test/test_format.rb",
                    "class TestWriter ",
                    "class TestFormat ",
                ),
                Write::part(
                    "test/test_format.rb",
                    "Fortnight::Writer.write(",
                    "Fortnight::Format.long(",
                ),
            ],
        )
        .section(Changed)
        .label("breaking")
        .contested(),
        work(
            477,
            "tsato",
            Squash,
            "no-interval",
            "span: the old name goes",
            vec![Write::part(
                SPAN,
                "\n# The old name, which goes in 3.0.0.\nFortnight::Interval = Fortnight::Span\n",
                "",
            )],
        )
        .section(Changed)
        .label("breaking"),
        Work::new(
            679,
            "tsato",
            Squash,
            "parse",
            "parse: what was called a reader",
        )
        .id("parse")
        .step(
            "parse: what was called a reader",
            vec![
                Write::moved(READER, PARSE),
                Write::part(PARSE, "  module Reader\n", "  module Parse\n"),
                Write::part(
                    PARSE,
                    "    def self.read(text, words)\n",
                    "    def self.span(text, words)\n",
                ),
                Write::part(
                    PARSE,
                    "        amount = number(scanner)\n",
                    "        amount = quantity(scanner)\n",
                ),
                Write::part(PARSE, "      read(text.gsub", "      span(text.gsub"),
                Write::part(
                    PARSE,
                    "    def self.number(scanner)\n",
                    "    def self.quantity(scanner)\n",
                ),
                Write::part(
                    PARSE,
                    "    private_class_method :number\n",
                    "    private_class_method :quantity\n",
                ),
                Write::part(PARSE, "4.0.0: use Reader.read\n", "4.0.0: use Parse.span\n"),
                Write::part(MAIN, "fortnight/reader\"", "fortnight/parse\""),
                Write::part(MAIN, "    Reader.read(", "    Parse.span("),
            ],
        )
        .step(
            "test: parse",
            vec![
                Write::moved("test/test_reader.rb", "test/test_parse.rb"),
                Write::part(
                    "test/test_parse.rb",
                    "class TestReader ",
                    "class TestParse ",
                ),
                Write::part(
                    "test/test_parse.rb",
                    "Fortnight::Reader.read(text, words)",
                    "Fortnight::Parse.span(text, words)",
                ),
                Write::part(
                    "test/test_parse.rb",
                    "Fortnight::Reader.read(\"soon\"",
                    "Fortnight::Parse.span(\"soon\"",
                ),
            ],
        )
        .step(
            "docs: what was called otherwise",
            vec![Write::new(
                "docs/renames.md",
                include_str!("texts/renames.md"),
            )],
        )
        .body("The module is not for others, so that nothing breaks.")
        .section(Internal)
        .label("internal"),
    ]
}

/// Methods that will go: the day, the file, the line of the method, and what its comment says.
const ANNOUNCED: [(i64, &str, &str, &str, &str); 9] = [
    (
        394,
        COMPARE,
        "    def self.same?(one, other)\n",
        "since 2.2.0, goes in 4.0.0: use Span#<=>",
        "compare: same? goes in four",
    ),
    (
        474,
        ROUND,
        "    def self.nearest(span, step)\n",
        "since 3.0.0, goes in 4.0.0: use Round.to",
        "round: nearest goes in four",
    ),
    (
        480,
        READER,
        "    def self.loose(text, words)\n",
        "since 3.0.0, goes in 4.0.0: use Reader.read",
        "reader: loose goes in four",
    ),
    (
        539,
        FORMAT,
        "    def self.brief(span)\n",
        "since 3.1.0, goes in 4.0.0: use Format.parts",
        "format: brief goes in four",
    ),
    (
        604,
        RECUR,
        "    def self.every_other(span, from:, count:)\n",
        "since 3.2.0, goes in 4.0.0: use Recur.every",
        "recur: every_other goes in four",
    ),
    (
        608,
        CALENDAR,
        "    def self.weeks(from, to)\n",
        "since 3.2.0, goes in 5.0.0: use Calendar.between",
        "calendar: weeks goes in five",
    ),
    (
        683,
        CLOCK,
        "    def self.tick\n",
        "since 3.3.0, goes in 4.0.0: use Span.new",
        "clock: tick goes in four",
    ),
    (
        686,
        FORMAT,
        "    def self.plain(span)\n",
        "since 3.3.0, goes in 5.0.0: use Format.long",
        "format: plain goes in five",
    ),
    (
        750,
        WORDS,
        "    def self.table(language)\n",
        "since 3.4.0, goes in 4.0.0: use Words.of",
        "words: table goes in four",
    ),
];

pub fn announcements() -> Vec<Work<Write>> {
    let mut all = vec![
        work(325, "tsato", Squash, "in-minutes", "interval: in minutes and in hours", vec![
            Write::part(
                INTERVAL,
                "    def minutes_total\n",
                "    def in_minutes\n      seconds / 60r\n    end\n\n    def in_hours\n      seconds / 3600r\n    end\n\n    # @deprecated since 2.1.0, goes in 4.0.0: use Span#in_minutes\n    def minutes_total\n",
            ),
            above(INTERVAL, "    def hours_total\n", "    # @deprecated since 2.1.0, goes in 4.0.0: use Span#in_hours\n"),
        ])
        .section(Added)
        .label("feature"),
        work(738, "kbanerjee", Merge, "tick-stays", "clock: tick stays until five", vec![Write::part(
            CLOCK,
            "since 3.3.0, goes in 4.0.0",
            "since 3.3.0, goes in 5.0.0",
        )])
        .body("Two of our own programs use it.")
        .section(Changed)
        .label("deprecation"),
    ];
    for (at, (day, path, line, says, title)) in ANNOUNCED.into_iter().enumerate() {
        let way = [Squash, Merge, Rebase][at % 3];
        let by = ["tsato", "idrummond", "moakes"][at % 3];
        let branch = title
            .replace(": ", "-")
            .replace(['_', '?'], "-")
            .replace(' ', "-");
        all.push(
            work(
                day,
                by,
                way,
                &branch,
                title,
                vec![above(path, line, &format!("    # @deprecated {says}\n"))],
            )
            .section(Changed)
            .label("deprecation"),
        );
    }
    all
}
