//! What is not merged: what conflicts, what has to be divided, and what nobody wanted.

use github_chronicle::Way::{Closed, Open};
use github_chronicle::{Report, Work, Write};

use crate::proposals::proposals;

const SWEDISH: &str = "lib/fortnight/words/sv.rb";
const SWEDISH_CASES: &str = "test/cases/sv.csv";
const COMPARE: &str = "lib/fortnight/compare.rb";

pub fn unfinished() -> Vec<Work<Write>> {
    let mut all = proposals();
    all.push(ranges());
    all.push(sweep());
    all.push(
        Work::new(
            560,
            "jferreira",
            Closed,
            "try/emoji",
            "format: clocks for hours",
        )
        .step(
            "format: clocks for hours",
            vec![Write::new(
                "lib/fortnight/clocks.rb",
                "# frozen_string_literal: true\n",
            )],
        )
        .remark("moakes", "I cannot read these without my glasses."),
    );
    all
}

/// Was left lying until the module had another name.
fn ranges() -> Work<Write> {
    let reader = "lib/fortnight/reader.rb";
    let read_both = "      low && [read(low + rest, words), read(high + rest, words)]\n";
    Work::new(644, "kbanerjee", Open, "ranges", "reader: read ranges like 2-3 hours")
        .overtaken()
        .report(
            Report::new(
                "slow-cyclist",
                "Read 2-3 hours",
                "Every route has its time written like that, and I want both ends of it.",
            )
            .labels(&["feature"]),
        )
        .body("Fixes #{issue}\n\nBoth ends, the shorter one first.")
        .step(
            "reader: read ranges",
            vec![Write::part(
                reader,
                "    # Reads what can be read, and takes signs for blanks.\n",
                &format!(
                    "    # Both ends of \"2-3 hours\"; nil where it has none.\n    def self.range(text, words)\n      low, high, rest = text.scan(/(\\d+)-(\\d+)(.*)/).first\n{read_both}    end\n\n    # Reads what can be read, and takes signs for blanks.\n"
                ),
            )],
        )
        .step(
            "reader: put the shorter end first",
            vec![
                Write::part(
                    reader,
                    read_both,
                    "      return nil unless low\n\n      ordered(read(low + rest, words), read(high + rest, words))\n",
                ),
                Write::part(
                    reader,
                    "    private_class_method :number\n",
                    "    private_class_method :number, :ordered\n",
                ),
                Write::part(
                    reader,
                    "    def self.number(scanner)\n",
                    "    def self.ordered(*ends)\n      ends.all? ? ends.sort : nil\n    end\n\n    def self.number(scanner)\n",
                ),
            ],
        )
        .step(
            "test: ranges",
            vec![Write::part(
                "test/test_reader.rb",
                "  def test_nothing\n",
                "  def test_ranges\n    ends = Fortnight::Reader.range(\"3-2 hours\", \"hours\" => :hour)\n    assert_equal [7200, 10_800], ends.map(&:seconds)\n  end\n\n  def test_nothing\n",
            )],
        )
        .label("feature")
}

/// Three things in one.
fn sweep() -> Work<Write> {
    Work::new(796, "llindqvist", Open, "winter-sweep", "what I found this winter")
        .body("A word that is missing, a page for those who come from Sweden, and a median.")
        .step(
            "words/sv: read \"kvarten\"",
            vec![
                Write::part(SWEDISH, "    }.freeze\n", "      \"kvarten\" => :minute,\n    }.freeze\n"),
                Write::end(SWEDISH_CASES, "15 kvarten,900\n"),
            ],
        )
        .step(
            "docs: for those who come from Sweden",
            vec![
                Write::new("docs/swedish.md", "# På svenska\n\n`Fortnight.read(\"3 timmar\", :sv)` is what you look for.\n"),
                Write::part("README.md", "Ten languages are read.", "Ten languages are read, see `docs/swedish.md` for one of them."),
            ],
        )
        .step(
            "compare: the median of several",
            vec![
                Write::part(
                    COMPARE,
                    "    # The longest of several.\n",
                    "    # The one in the middle.\n    def self.median(spans)\n      spans.sort[spans.size / 2]\n    end\n\n    # The longest of several.\n",
                ),
                Write::new("test/test_median.rb", "# frozen_string_literal: true\n\nrequire \"helper\"\n"),
            ],
        )
        .step(
            "compare, words/sv: say what it is",
            vec![
                Write::part(COMPARE, "    # The one in the middle.\n", "    # The one in the middle; the longer one where there are two.\n"),
                Write::part(SWEDISH, "    # Swedish\n", "    # Swedish, as it is written\n"),
            ],
        )
        .step(
            "docs, test: the middle of two",
            vec![
                Write::end("docs/swedish.md", "\nMedianen av två är den längre.\n"),
                Write::end("test/test_median.rb", "\n# Of two spans the longer one is the median.\n"),
            ],
        )
        .label("feature")
}
