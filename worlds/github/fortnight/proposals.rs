//! Pull requests that wait for somebody, each with files that nobody else has.

use github_chronicle::Way::{Draft, Open};
use github_chronicle::{Work, Write};

/// The name of the branch, its author and title, what its text says, and its commits, each with the files
/// that are new.
type Proposal = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [(&'static str, &'static [(&'static str, &'static str)])],
);

const PROPOSALS: [Proposal; 17] = [
    (
        "words-fi",
        "pvries",
        "words/fi: Finnish",
        "As far as a dictionary goes. Somebody who speaks it should look.",
        &[
            (
                "words/fi: Finnish",
                &[(
                    "lib/fortnight/words/fi.rb",
                    "# frozen_string_literal: true\n\nmodule Fortnight\n  module Words\n    # Finnish\n    FI = {\n      \"tunti\" => :hour,\n      \"päivä\" => :day,\n    }.freeze\n  end\nend\n",
                )],
            ),
            (
                "cases/fi: an hour and a day",
                &[("test/cases/fi.csv", "1 tunti,3600\n1 päivä,86400\n")],
            ),
        ],
    ),
    (
        "format-narrow",
        "tsato",
        "format: as narrow as it can be",
        "For watches: `2h15`.",
        &[
            (
                "format: as narrow as it can be",
                &[(
                    "lib/fortnight/narrow.rb",
                    "# frozen_string_literal: true\n\nmodule Fortnight\n  # Writes spans for small screens.\n  module Narrow\n    def self.write(span)\n      format(\"%dh%02d\", *(span.seconds / 60).divmod(60))\n    end\n  end\nend\n",
                )],
            ),
            (
                "test: narrow",
                &[(
                    "test/test_narrow.rb",
                    "# frozen_string_literal: true\n\nrequire \"helper\"\n",
                )],
            ),
        ],
    ),
    (
        "docs-payroll",
        "jferreira",
        "docs: a chapter for those who pay by the hour",
        "They ask every month.",
        &[
            (
                "docs: a chapter for those who pay by the hour",
                &[(
                    "docs/payroll.md",
                    "# Paying by the hour\n\nRound at the end, not each day.\n",
                )],
            ),
            (
                "docs: an example with a night shift",
                &[(
                    "docs/payroll-nights.md",
                    "# Nights\n\nA night is two days for the calendar, and one span.\n",
                )],
            ),
        ],
    ),
    (
        "stopwatch",
        "kbanerjee",
        "clock: a watch that can be stopped",
        "Stopping it twice is an error.",
        &[
            (
                "clock: a watch that can be stopped",
                &[(
                    "lib/fortnight/stopwatch.rb",
                    "# frozen_string_literal: true\n\nmodule Fortnight\n  # A clock that can be stopped.\n  class Stopwatch\n    def initialize\n      @from = Clock.now\n    end\n  end\nend\n",
                )],
            ),
            (
                "test: stop it twice",
                &[(
                    "test/test_stopwatch.rb",
                    "# frozen_string_literal: true\n\nrequire \"helper\"\n",
                )],
            ),
        ],
    ),
    (
        "calendar-school",
        "idrummond",
        "calendar: years that begin in August",
        "For schools. Where they begin can be set.",
        &[
            (
                "calendar: years that begin in August",
                &[(
                    "lib/fortnight/calendar/school.rb",
                    "# frozen_string_literal: true\n\nmodule Fortnight\n  module Calendar\n    SCHOOL_BEGINS = 8\n  end\nend\n",
                )],
            ),
            (
                "docs: school years",
                &[(
                    "docs/school.md",
                    "# School years\n\nThey begin in August unless somebody says otherwise.\n",
                )],
            ),
        ],
    ),
    (
        "cy-mutations",
        "llindqvist",
        "words/cy: what Welsh does to the first letter",
        "My neighbour has read all of it aloud.",
        &[
            (
                "words/cy: what Welsh does to the first letter",
                &[(
                    "lib/fortnight/words/cy_mutations.rb",
                    "# frozen_string_literal: true\n\nmodule Fortnight\n  module Words\n    CY_FIRST = { \"m\" => \"f\", \"d\" => \"dd\", \"b\" => \"f\" }.freeze\n  end\nend\n",
                )],
            ),
            (
                "cases/cy: first letters",
                &[(
                    "test/cases/cy_mutations.csv",
                    "2 funud,120\n2 ddiwrnod,172800\n",
                )],
            ),
        ],
    ),
    (
        "recur-easter",
        "idrummond",
        "recur: Easter",
        "It comes again, just not as often as people think.",
        &[
            (
                "recur: Easter",
                &[(
                    "lib/fortnight/recur/easter.rb",
                    "# frozen_string_literal: true\n\nmodule Fortnight\n  module Recur\n    # The Sunday of a year.\n    module Easter\n    end\n  end\nend\n",
                )],
            ),
            (
                "test: Easter of forty years",
                &[(
                    "test/test_easter.rb",
                    "# frozen_string_literal: true\n\nrequire \"helper\"\n",
                )],
            ),
        ],
    ),
    (
        "bench",
        "moakes",
        "Measure how fast we read",
        "So that we know before somebody tells us.",
        &[
            (
                "Measure how fast we read",
                &[(
                    "bench/read.rb",
                    "# frozen_string_literal: true\n\nrequire \"benchmark\"\nrequire \"fortnight\"\n\nputs Benchmark.realtime { 10_000.times { Fortnight.read(\"2 hours\") } }\n",
                )],
            ),
            (
                "Measure how fast we write",
                &[(
                    "bench/write.rb",
                    "# frozen_string_literal: true\n\nrequire \"benchmark\"\nrequire \"fortnight\"\n",
                )],
            ),
        ],
    ),
    (
        "docs-errors",
        "tsato",
        "docs: which errors there are",
        "Collected from the issues of a year.",
        &[(
            "docs: which errors there are",
            &[(
                "docs/errors.md",
                "# Errors\n\nA text that says nothing is no error: it is nil.\n",
            )],
        )],
    ),
    (
        "spans-json",
        "jferreira",
        "span: as JSON",
        "Seconds, as a number.",
        &[
            (
                "span: as JSON",
                &[(
                    "lib/fortnight/json.rb",
                    "# frozen_string_literal: true\n\nrequire \"json\"\n\nmodule Fortnight\n  class Span\n    def to_json(*rest)\n      seconds.to_json(*rest)\n    end\n  end\nend\n",
                )],
            ),
            (
                "test: there and back",
                &[(
                    "test/test_json.rb",
                    "# frozen_string_literal: true\n\nrequire \"helper\"\n",
                )],
            ),
        ],
    ),
    (
        "compare-ratio",
        "kbanerjee",
        "compare: how many times as long",
        "Exact, as a fraction.",
        &[
            (
                "compare: how many times as long",
                &[(
                    "lib/fortnight/ratio.rb",
                    "# frozen_string_literal: true\n\nmodule Fortnight\n  # How many times as long one is as another.\n  module Ratio\n  end\nend\n",
                )],
            ),
            (
                "test: twice as long",
                &[(
                    "test/test_ratio.rb",
                    "# frozen_string_literal: true\n\nrequire \"helper\"\n",
                )],
            ),
            (
                "docs: how many times as long",
                &[("docs/ratio.md", "# Ratios\n\nThey are exact.\n")],
            ),
        ],
    ),
    (
        "words-fortnight",
        "pvries",
        "words: a unit of two weeks",
        "With this name we should at least have it in English.",
        &[
            (
                "words: a unit of two weeks",
                &[(
                    "lib/fortnight/words/extra.rb",
                    "# frozen_string_literal: true\n\nmodule Fortnight\n  module Words\n    EXTRA = { \"fortnight\" => 2 }.freeze\n  end\nend\n",
                )],
            ),
            (
                "test: two weeks",
                &[(
                    "test/test_extra.rb",
                    "# frozen_string_literal: true\n\nrequire \"helper\"\n",
                )],
            ),
        ],
    ),
    (
        "time-zones",
        "idrummond",
        "docs: why there are no time zones here",
        "To have something to point at.",
        &[(
            "docs: why there are no time zones here",
            &[(
                "docs/time-zones.md",
                "# Time zones\n\nA length of time is as long in Lisbon as it is in Leith.\n",
            )],
        )],
    ),
    (
        "round-quarter",
        "jferreira",
        "round: to a quarter of an hour",
        "Lawyers want it.",
        &[
            (
                "round: to a quarter of an hour",
                &[(
                    "lib/fortnight/quarter.rb",
                    "# frozen_string_literal: true\n\nmodule Fortnight\n  # Rounds to quarters of an hour.\n  module Quarter\n    SIZE = 900\n  end\nend\n",
                )],
            ),
            (
                "test: quarters",
                &[(
                    "test/test_quarter.rb",
                    "# frozen_string_literal: true\n\nrequire \"helper\"\n",
                )],
            ),
        ],
    ),
    (
        "words-nl-be",
        "pvries",
        "words/nl: what they say in Ghent",
        "Heard at the station.",
        &[(
            "words/nl: what they say in Ghent",
            &[(
                "lib/fortnight/words/nl_be.rb",
                "# frozen_string_literal: true\n\nmodule Fortnight\n  module Words\n    NL_BE = { \"uurke\" => :hour, \"minuutje\" => :minute }.freeze\n  end\nend\n",
            )],
        )],
    ),
    (
        "rubocop",
        "tsato",
        "Let a machine look at the style",
        "So that we need not.",
        &[(
            "Let a machine look at the style",
            &[(
                ".rubocop.yml",
                "AllCops:\n  NewCops: enable\n  TargetRubyVersion: 3.0\n",
            )],
        )],
    ),
    (
        "docs-names",
        "kbanerjee",
        "docs: why it is called that",
        "Asked at every conference.",
        &[(
            "docs: why it is called that",
            &[("docs/name.md", "# The name\n\nMartha had two weeks.\n")],
        )],
    ),
];

/// What an open pull request is labelled with when it is opened.
fn label(branch: &str) -> &'static str {
    match branch {
        _ if branch.contains("words") || branch == "cy-mutations" => "words",
        _ if branch.contains("docs") || branch == "time-zones" => "docs",
        "bench" | "rubocop" => "internal",
        _ => "feature",
    }
}

pub fn proposals() -> Vec<Work<Write>> {
    let mut all: Vec<Work<Write>> = PROPOSALS
        .iter()
        .enumerate()
        .map(|(at, (branch, by, title, body, steps))| {
            let work = Work::new(782 + 2 * at as i64, by, Open, branch, title);
            let work = steps
                .iter()
                .fold(work.body(body), |work, (message, files)| {
                    let files = files.iter().map(|(path, text)| Write::new(path, text));
                    work.step(message, files.collect())
                });
            work.label(label(branch))
        })
        .collect();
    all.push(
        Work::new(
            810,
            "llindqvist",
            Open,
            "test-helper",
            "test: a helper that others can use",
        )
        .body("Programs that use us test with spans too.")
        .step(
            "test: a helper that others can use",
            vec![Write::moved("test/helper.rb", "lib/fortnight/testing.rb")],
        )
        .label("feature"),
    );
    all.push(
        Work::new(786, "pvries", Draft, "words-eo", "words/eo: Esperanto")
            .body("Not before somebody asks for it.")
            .step(
                "words/eo: Esperanto",
                vec![Write::new(
                    "lib/fortnight/words/eo.rb",
                    "# frozen_string_literal: true\n",
                )],
            )
            .label("words"),
    );
    all.push(
        Work::new(794, "tsato", Draft, "grammar", "parse: with a grammar")
            .body("Slower, and I like it.")
            .step(
                "parse: with a grammar",
                vec![Write::new(
                    "lib/fortnight/grammar.rb",
                    "# frozen_string_literal: true\n",
                )],
            )
            .label("internal"),
    );
    all
}
