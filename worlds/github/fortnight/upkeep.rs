//! The little things that somebody does in passing.

use github_chronicle::Way::{Direct, Merge, Rebase, Squash};
use github_chronicle::{Section, Way, Work, Write};

use crate::edits::{CALENDAR, COMPARE, RECUR, UNITS};

const GEMSPEC: &str = "fortnight.gemspec";
const HELPER: &str = "test/helper.rb";
const RAKEFILE: &str = "Rakefile";
const README: &str = "README.md";

/// The day, who did it and how, the branch, the title and the label; then the file, and a part of it as it was
/// and became.
type Deed = (
    i64,
    &'static str,
    Way,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

const DEEDS: [Deed; 16] = [
    (
        17,
        "jferreira",
        Squash,
        "readme-install",
        "docs: how to install it",
        "docs",
        README,
        "Ten languages",
        "Put `gem \"fortnight\"` into your Gemfile.\n\nTen languages",
    ),
    (
        66,
        "moakes",
        Direct,
        "",
        "gemspec: where it lives",
        "",
        GEMSPEC,
        "  spec.license = ",
        "  spec.homepage = \"https://fortnight.example\"\n  spec.license = ",
    ),
    (
        82,
        "kbanerjee",
        Merge,
        "warnings",
        "test: show warnings",
        "internal",
        RAKEFILE,
        "  task.libs << \"test\"\n",
        "  task.libs << \"test\"\n  task.warning = true\n",
    ),
    (
        99,
        "idrummond",
        Squash,
        "recur-first",
        "recur: say that the first one counts",
        "docs",
        RECUR,
        "as far apart as the span says.",
        "as far apart as the span says; the first one counts.",
    ),
    (
        127,
        "tsato",
        Rebase,
        "units-of",
        "units: look a length up by its name",
        "feature",
        UNITS,
        "    }.freeze\n",
        "    }.freeze\n\n    # How many seconds one has, by its name.\n    def self.of(name)\n      SECONDS.fetch(name.to_sym)\n    end\n",
    ),
    (
        160,
        "jferreira",
        Merge,
        "readme-cases",
        "docs: what a case looks like",
        "docs",
        README,
        "and how many seconds it is.",
        "and how many seconds it is, as in\n  `2 hours,7200`.",
    ),
    (
        228,
        "kbanerjee",
        Squash,
        "near-limit",
        "compare: just as far apart is near",
        "docs",
        COMPARE,
        "no further apart than a third one.",
        "no further apart than a third one; just as far is near.",
    ),
    (
        250,
        "moakes",
        Squash,
        "ruby-3-1",
        "gemspec: Ruby 3.1 is needed",
        "breaking",
        GEMSPEC,
        "\">= 3.0\"",
        "\">= 3.1\"",
    ),
    (
        262,
        "idrummond",
        Merge,
        "calendar-days",
        "calendar: refuse days that are none",
        "fix",
        CALENDAR,
        "    def self.between(from, to)\n",
        "    def self.between(from, to)\n      raise ArgumentError, \"no day\" unless from.respond_to?(:saturday?)\n\n",
    ),
    (
        356,
        "kbanerjee",
        Rebase,
        "helper-hours",
        "test: hours for tests",
        "internal",
        HELPER,
        "  def minutes(count)\n",
        "  def hours(count)\n    minutes(count * 60)\n  end\n\n  def minutes(count)\n",
    ),
    (
        402,
        "jferreira",
        Squash,
        "readme-nil",
        "docs: nothing is not zero",
        "docs",
        README,
        "- `lib/fortnight/` has",
        "A text that says nothing is `nil`, not zero.\n\n- `lib/fortnight/` has",
    ),
    (
        447,
        "moakes",
        Direct,
        "",
        "gemspec: only what is needed is packed",
        "",
        GEMSPEC,
        "\"VERSION\", \"CHANGELOG.md\", \"README.md\"",
        "\"VERSION\", \"CHANGELOG.md\"",
    ),
    (
        549,
        "kbanerjee",
        Squash,
        "rake-names",
        "test: say what the task does",
        "internal",
        RAKEFILE,
        "task default: :test\n",
        "desc \"Run all tests\"\ntask default: :test\n",
    ),
    (
        612,
        "idrummond",
        Rebase,
        "units-month",
        "units: say why a month is thirty days",
        "docs",
        UNITS,
        "      month: 2_592_000,\n",
        "      # Thirty days: a length of time does not know when it begins.\n      month: 2_592_000,\n",
    ),
    (
        641,
        "jferreira",
        Squash,
        "readme-support",
        "docs: which releases are looked after",
        "docs",
        README,
        "Whoever misses a word",
        "We look after 2.2 and the newest release.\n\nWhoever misses a word",
    ),
    (
        711,
        "pvries",
        Merge,
        "gemspec-people",
        "gemspec: all who write it",
        "internal",
        GEMSPEC,
        "[\"Martha Oakes\", \"Piet de Vries\"]",
        "[\"Martha Oakes\", \"Piet de Vries\", \"Tomoko Sato\", \"Kiran Banerjee\"]",
    ),
];

pub fn upkeep() -> Vec<Work<Write>> {
    let work = |(day, by, way, branch, title, label, path, old, new): Deed| {
        let section = match label {
            "feature" => Section::Added,
            "breaking" => Section::Changed,
            "fix" => Section::Fixed,
            _ => Section::Internal,
        };
        let work =
            Work::new(day, by, way, branch, title).step(title, vec![Write::part(path, old, new)]);
        match label {
            "" => work,
            label => work.label(label).section(section),
        }
    };
    DEEDS.into_iter().map(work).collect()
}
