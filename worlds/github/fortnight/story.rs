//! How the library came to be what it is: what was added, renamed, announced to go, broken and put right.

use github_chronicle::Section::{Added, Changed, Fixed, Internal};
use github_chronicle::Way::{Direct, Merge, Rebase, Squash};
use github_chronicle::{Report, Way, Work, Write};

use crate::languages::{LANGUAGES, cases, cases_path, table, words_path};

const CALENDAR: &str = "lib/fortnight/calendar.rb";
const CLOCK: &str = "lib/fortnight/clock.rb";
const COMPARE: &str = "lib/fortnight/compare.rb";
const FORMAT: &str = "lib/fortnight/format.rb";
const INTERVAL: &str = "lib/fortnight/interval.rb";
const MAIN: &str = "lib/fortnight.rb";
const PARSE: &str = "lib/fortnight/parse.rb";
const READER: &str = "lib/fortnight/reader.rb";
const RECUR: &str = "lib/fortnight/recur.rb";
const ROUND: &str = "lib/fortnight/round.rb";
const SPAN: &str = "lib/fortnight/span.rb";
const WORDS: &str = "lib/fortnight/words.rb";
const WRITER: &str = "lib/fortnight/writer.rb";

pub fn story() -> Vec<Work<Write>> {
    let mut all = beginnings();
    all.extend(documents());
    all.extend(features());
    all.extend(renames());
    all.extend(announcements());
    all.extend(signs());
    all.extend(rounding());
    all.extend(fixes());
    all.extend(since_the_last_release());
    all
}

/// Text that is put above another one.
fn above(path: &str, place: &str, text: &str) -> Write {
    Write::part(path, place, &format!("{text}{place}"))
}

/// Text that is put below another one.
fn below(path: &str, place: &str, text: &str) -> Write {
    Write::part(path, place, &format!("{place}{text}"))
}

fn work(
    day: i64,
    author: &'static str,
    way: Way,
    branch: &str,
    title: &str,
    edits: Vec<Write>,
) -> Work<Write> {
    Work::new(day, author, way, branch, title).step(title, edits)
}

fn revert(day: i64, author: &'static str, id: &str, title: &str, edits: Vec<Write>) -> Work<Write> {
    let title = format!("Revert \"{title}\"");
    Work::new(day, author, Squash, &format!("revert-{id}"), &title).step(
        &format!("{title}\n\nThis reverts commit {{sha:{id}}}."),
        edits,
    )
}

fn beginnings() -> Vec<Work<Write>> {
    let first = vec![
        Write::new("README.md", include_str!("texts/README.md")),
        Write::new("VERSION", "0.1.0\n"),
        Write::new("Rakefile", include_str!("texts/Rakefile")),
        Write::new("fortnight.gemspec", include_str!("texts/fortnight.gemspec")),
        Write::new(MAIN, include_str!("texts/fortnight.rb")),
        Write::new("lib/fortnight/units.rb", include_str!("texts/units.rb")),
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

fn renames() -> Vec<Work<Write>> {
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

fn announcements() -> Vec<Work<Write>> {
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

/// What is subtracted lost its sign, got it back, lost it again and has it now.
fn signs() -> Vec<Work<Write>> {
    let kept = "      self.class.new(seconds - other.seconds)\n";
    let lost = "      self.class.new((seconds - other.seconds).abs)\n";
    let put_right = "span: keep the sign of a difference";
    vec![
        work(
            300,
            "jferreira",
            Squash,
            "minus",
            "interval: subtract without surprises",
            vec![Write::part(INTERVAL, kept, lost)],
        )
        .body("Nobody wants to see that a film lasts minus two hours.")
        .section(Changed)
        .label("feature"),
        work(
            592,
            "kbanerjee",
            Squash,
            "keep-sign",
            put_right,
            vec![Write::part(SPAN, lost, kept)],
        )
        .id("keep-sign")
        .report(
            Report::new(
                "payroll-pete",
                "Less than nothing becomes more than nothing",
                "Whoever left early gets the hours paid.",
            )
            .labels(&["fix"]),
        )
        .body("Fixes #{issue}")
        .section(Fixed)
        .label("fix")
        .backport("2.2.3"),
        revert(
            663,
            "jferreira",
            "keep-sign",
            put_right,
            vec![Write::part(SPAN, kept, lost)],
        )
        .body("The page of arrivals shows minus signs to everybody since 3.2.0.")
        .section(Fixed)
        .label("fix"),
        work(
            733,
            "kbanerjee",
            Merge,
            "keep-sign-again",
            "span: keep the sign, and let the pages drop it",
            vec![Write::part(SPAN, lost, kept)],
        )
        .body("The page of arrivals calls `abs` now.")
        .section(Fixed)
        .label("fix")
        .backport("3.3.1"),
    ]
}

/// How halves came to be rounded down, and what else was done to rounding at that time.
fn rounding() -> Vec<Work<Write>> {
    let size = "      size = Units::SECONDS.fetch(step)\n";
    vec![
        work(704, "idrummond", Squash, "round-down-doc", "round: say what below means", vec![Write::part(
            ROUND,
            "    # To the whole step below.\n",
            "    # To the whole step below, which is the one further away from zero for what is less.\n",
        )])
        .section(Internal)
        .label("docs"),
        Work::new(718, "jferreira", Squash, "one-share", "round: one place that says when to go up")
            .id("one-share")
            .report(
                Report::new(
                    "kbanerjee",
                    "When we go up is said in two places",
                    "`Round.to` and `Clock.shown` decide it each for itself.",
                )
                .labels(&["internal"]),
            )
            .body("Closes #{issue}\n\nNo change for those who use it.")
            .step("round: one place that says when to go up", vec![
                Write::part(
                    ROUND,
                    "      count += 1 if rest * 2 >= size\n",
                    "      count += 1 if up?(rest, size)\n",
                ),
                above(
                    ROUND,
                    "    # To the whole step above.\n",
                    "    # Whether what is left over is worth a step more.\n    def self.up?(rest, size)\n      rest > size / 2\n    end\n\n",
                ),
            ])
            .step("clock: ask the rounding", vec![Write::part(
                CLOCK,
                "      Format.brief(Round.to(span, :minute))\n",
                "      step = Round.up?(span.seconds, 60) ? :minute : :second\n      Format.brief(Round.to(span, step))\n",
            )])
            .step("test: halves", vec![Write::part(
                "test/test_round.rb",
                "    [90, :minute, 120],\n",
                "    [90, :minute, 60],\n",
            )])
            .section(Internal)
            .label("internal"),
        work(742, "kbanerjee", Merge, "round-errors", "round: name the step that is none", vec![Write::part(
            ROUND,
            &format!("    def self.to(span, step)\n{size}"),
            "    def self.to(span, step)\n      size = Units::SECONDS.fetch(step) { raise ArgumentError, \"no step: #{step}\" }\n",
        )])
        .section(Added)
        .label("feature"),
        work(747, "kbanerjee", Squash, "round-hours", "test: round to hours", vec![Write::part(
            "test/test_round.rb",
            "    [91, :minute, 120],\n",
            "    [91, :minute, 120],\n    [5399, :hour, 3600],\n",
        )])
        .label("internal"),
    ]
}

fn fixes() -> Vec<Work<Write>> {
    let fix = |day, by, way, branch, title, edits| -> Work<Write> {
        work(day, by, way, branch, title, edits)
            .section(Fixed)
            .label("fix")
    };
    let skip_words: (&str, &str) = (
        "    WORD = /[^\\s\\d,]+/\n",
        "    WORD = /[^\\s\\d,]+/\n    SKIPPED = /(and|und|et|y)\\s+/\n",
    );
    vec![
        fix(
            104,
            "tsato",
            Squash,
            "comma",
            "reader: a comma may stand for the point",
            vec![
                Write::part(READER, "/\\d+(\\.\\d+)?/", "/\\d+([.,]\\d+)?/"),
                Write::part(
                    READER,
                    "      digits&.to_r\n",
                    "      digits&.tr(\",\", \".\")&.to_r\n",
                ),
            ],
        )
        .report(
            Report::new("oven-watch", "1,5 hours are 1 hour", "The cake was raw.").labels(&["fix"]),
        )
        .body("Fixes #{issue}"),
        fix(
            181,
            "idrummond",
            Merge,
            "recur-zero",
            "recur: refuse steps of nothing",
            vec![above(
                RECUR,
                "      steps = ((after",
                "      raise ArgumentError, \"no step\" if span.zero?\n\n",
            )],
        ),
        work(
            222,
            "pvries",
            Squash,
            "skip-and",
            "reader: skip words like \"and\"",
            vec![Write::part(READER, skip_words.0, skip_words.1)],
        )
        .id("skip-and")
        .section(Added)
        .label("feature"),
        revert(
            290,
            "tsato",
            "skip-and",
            "reader: skip words like \"and\"",
            vec![Write::part(READER, skip_words.1, skip_words.0)],
        )
        .body("It skips the first letters of `year` in Spanish.")
        .section(Fixed)
        .label("fix"),
        fix(
            428,
            "tsato",
            Squash,
            "blanks",
            "reader: a text of blanks is nothing",
            vec![below(
                READER,
                "      scanner = StringScanner.new(text.strip.downcase)\n",
                "      return nil if scanner.eos?\n\n",
            )],
        )
        .backport("2.2.1"),
        fix(
            500,
            "idrummond",
            Rebase,
            "weeks-of-nothing",
            "calendar: no days are no weeks",
            vec![above(
                CALENDAR,
                "      ((to - from).to_i + 6) / 7\n",
                "      return 0 unless to > from\n\n",
            )],
        )
        .backport("2.2.2"),
        fix(
            567,
            "llindqvist",
            Squash,
            "one-second",
            "format: one second has no s",
            vec![Write::part(
                FORMAT,
                "      count == 1 ? \"1 #{unit}\"",
                "      count.abs == 1 ? \"#{count} #{unit}\"",
            )],
        ),
    ]
}

/// What is merged and not released.
fn since_the_last_release() -> Vec<Work<Write>> {
    let long = "    # All parts: \"2 hours 15 minutes\".\n";
    let plain = "    # Text is written in the language of the program.\n";
    vec![
        work(774, "tsato", Squash, "format-signs", "format: write the sign of what is less than nothing", vec![Write::part(
            FORMAT,
            "      rest = span.seconds\n",
            "      rest = span.seconds.abs\n",
        )])
        .section(Fixed)
        .label("fix"),
        work(776, "jferreira", Merge, "language-first", "format: a language is needed", vec![above(FORMAT, long, plain)])
            .id("language-first")
            .body("Nobody should have to guess which one it is.")
            .section(Changed)
            .label("breaking"),
        work(779, "idrummond", Squash, "calendar-quarters", "calendar: quarters of a year", vec![above(
            CALENDAR,
            "    # Whether a day is one on which people work.\n",
            "    # The quarter of a day, from 1 to 4.\n    def self.quarter(day)\n      (day.month + 2) / 3\n    end\n\n",
        )])
        .id("quarters")
        .section(Added)
        .label("feature"),
        revert(788, "moakes", "language-first", "format: a language is needed", vec![Write::part(FORMAT, plain, "")])
            .body("Not in a minor version, and not without a word before.")
            .section(Fixed)
            .label("fix"),
        work(790, "kbanerjee", Rebase, "recur-most", "recur: say how many would be too many", vec![Write::part(
            RECUR,
            "      raise ArgumentError, \"too many\" if count > MOST\n",
            "      raise ArgumentError, \"more than #{MOST}\" if count > MOST\n",
        )])
        .section(Fixed)
        .label("fix"),
        revert(801, "idrummond", "quarters", "calendar: quarters of a year", vec![Write::part(
            CALENDAR,
            "    # The quarter of a day, from 1 to 4.\n    def self.quarter(day)\n      (day.month + 2) / 3\n    end\n\n",
            "",
        )])
        .body("They begin in April where our users are.")
        .section(Fixed)
        .label("fix"),
        work(775, "kbanerjee", Squash, "span-minus", "span: the same length the other way round", vec![above(
            SPAN,
            "    def zero?\n",
            "    def -@\n      self.class.new(-seconds)\n    end\n\n",
        )])
        .section(Added)
        .label("feature"),
        work(778, "pvries", Merge, "parse-quotes", "parse: take quotes for blanks", vec![Write::part(
            PARSE,
            "    STOP = /[\\s,]+/\n",
            "    STOP = /[\\s,\"]+/\n",
        )])
        .section(Fixed)
        .label("fix"),
        work(783, "kbanerjee", Squash, "clock-names", "clock: measure under a name", vec![above(
            CLOCK,
            "    # What is shown while something runs.\n",
            "    # Runs a block and gives its name and how long it took.\n    def self.named(name, &)\n      [name, measure(&)]\n    end\n\n",
        )])
        .section(Added)
        .label("feature")
        .contested(),
        work(786, "idrummond", Rebase, "calendar-docs", "calendar: say that both days are midnight", vec![Write::part(
            CALENDAR,
            "    # From one day to another.\n",
            "    # From the midnight of one day to that of another.\n",
        )])
        .label("docs"),
        work(792, "jferreira", Squash, "units-go", "units: months are of thirty days only until five", vec![Write::part(
            "lib/fortnight/units.rb",
            "  # How long each unit is.\n",
            "  # How long each unit is. From 5.0.0 on a month is as long as a twelfth of a year.\n",
        )])
        .section(Changed)
        .label("deprecation"),
        work(803, "tsato", Squash, "words-missing", "words: say which language is missing", vec![above(
            WORDS,
            "      require_relative \"words/#{language}\"\n",
            "      raise ArgumentError, \"no words for #{language}\" unless languages.include?(language.to_sym)\n\n",
        )])
        .section(Added)
        .label("feature"),
    ]
}
