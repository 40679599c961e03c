//! What was broken and put right, taken back and done again, and what is not released yet.

use github_chronicle::Section::{Added, Changed, Fixed, Internal};
use github_chronicle::Way::{Merge, Rebase, Squash};
use github_chronicle::{Report, Work, Write};

use crate::edits::{
    CALENDAR, CLOCK, FORMAT, INTERVAL, PARSE, READER, RECUR, ROUND, SPAN, UNITS, WORDS, above,
    below, revert, work,
};

/// What is subtracted lost its sign, got it back, lost it again and has it now.
pub fn signs() -> Vec<Work<Write>> {
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
pub fn rounding() -> Vec<Work<Write>> {
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

pub fn fixes() -> Vec<Work<Write>> {
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
pub fn since_the_last_release() -> Vec<Work<Write>> {
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
            UNITS,
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
