//! Tests of the HTML page.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mcpmark_report::{Details, Format, Options, PageBudget};
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::{Demonstration, is_plain};

fn page(name: &str) -> String {
    page_within(PageBudget::default(), name)
}

fn page_within(budget: PageBudget, name: &str) -> String {
    let demonstration = Demonstration::new();
    let report = demonstration.report(name);
    let (journal, store) = (&demonstration.journal, &demonstration.store);
    let details = Details::read_within(budget, &report, journal, Some(store)).unwrap();
    let options = Options {
        published: true,
        details,
        ..Options::default()
    };
    report.render(Format::Html, &options).unwrap()
}

/// Returns all texts between two markers.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    text.split(from)
        .skip(1)
        .map(|rest| rest.split(to).next().unwrap())
        .collect()
}

#[test]
fn text_of_others_is_text_and_nothing_else() {
    let page = page("demonstration");
    is_plain(&page);
    assert!(!page.contains("<script>alert"), "a script of others");
    assert!(!page.contains("<img"), "an element of others");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("\\u{202e}gpj") && page.contains("\\u{1b}[2J"));
    // The scripts are the data, the chart library and the script of the page.
    assert_eq!(page.matches("<script").count(), 3);
    assert_eq!(page.matches("</script").count(), 3);
    assert_eq!(page.matches("<style").count(), 1);
    let data = between(&page, "id=\"data\">", "</script>")[0];
    assert!(serde_json::from_str::<serde_json::Value>(data).is_ok());
}

/// Voice control selects a link by its visible text, so the label must start with it.
#[test]
fn labels_of_cells_begin_with_their_text() {
    let page = page("demonstration");
    let cells = between(&page, "<a href=\"#c", "</a>");
    let cells: Vec<_> = cells
        .iter()
        .filter_map(|cell| cell.split_once("aria-label=\"")?.1.split_once("\">"))
        .collect();
    assert!(cells.len() > 10, "{cells:?}");
    for (label, shown) in cells {
        assert!(label.starts_with(shown), "{shown}: {label}");
    }
}

/// Scrollable regions must be reachable with the keyboard.
#[test]
fn regions_that_scroll_can_have_the_focus() {
    let page = page("demonstration");
    let regions = between(&page, "<div class=\"scroll", ">");
    assert!(regions.len() > 2, "{regions:?}");
    for region in regions {
        assert!(region.contains("tabindex=\"0\""), "{region}");
        assert!(region.contains("role=\"region\" aria-label="), "{region}");
    }
}

#[test]
fn the_policy_names_what_may_run_and_nothing_is_fetched() {
    let page = page("demonstration");
    let policy = between(&page, "Content-Security-Policy\" content=\"", "\"")[0];
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let digest = |content: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content)));
    for script in between(&page, "<script>", "</script>") {
        assert!(policy.contains(&digest(script)), "{policy}");
    }
    for style in between(&page, "<style>", "</style>") {
        assert!(policy.contains(&digest(style)), "{policy}");
    }
    for loads in [
        " src=\"",
        "<link",
        "<iframe",
        "@import",
        "url(",
        " style=\"",
        " onclick=\"",
    ] {
        let markup = page.split("<script>").next().unwrap();
        assert!(!markup.contains(loads), "{loads}");
    }
    for link in between(&page, "href=\"", "\"") {
        assert!(link.starts_with('#'), "{link}");
    }
}

#[test]
fn each_link_leads_to_something_and_each_attempt_is_there() {
    let page = page("demonstration");
    let markup = page.split("<script").next().unwrap();
    let ids: Vec<&str> = between(markup, " id=\"", "\"");
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id stands twice");
    let links = between(markup, "href=\"#", "\"");
    assert!(links.len() >= 24, "a cell for each task and model");
    for link in links {
        assert!(unique.contains(link), "nothing is named {link}");
    }
    // 96 attempts are planned, and one has not begun.
    assert_eq!(markup.matches("<details class=\"attempt\"").count(), 95);
}

#[test]
fn tasks_show_the_points_of_their_certificates() {
    let page = page("demonstration");
    let matrix = page.split("id=\"matrix\"").nth(1).unwrap();
    let matrix = matrix.split("</section>").next().unwrap();
    let rows: Vec<&str> = between(matrix, "<th scope=\"row\">", "</th>");
    let shown = |row: &str| rows.iter().filter(|it| it.contains(row)).count();
    assert_eq!(shown("<small>1/5 points</small>"), 1, "{rows:?}");
    assert_eq!(shown("<small>no certificate</small>"), 1, "{rows:?}");
    assert!(rows.len() > 2, "others have neither");
    let tables = page.split("id=\"tables\"").nth(1).unwrap();
    assert!(tables.contains("failed: leaks; in part: oracle; not examined: citations, split"));
}

/// Counts the attempts in the page: passed with and without trajectory, then all others with and without trajectory.
fn attempts_shown(markup: &str) -> (usize, usize, usize, usize) {
    let attempts = markup.split("class=\"attempt\"").skip(1);
    let mut counts = (0, 0, 0, 0);
    for (before, attempt) in markup.split("class=\"attempt\"").zip(attempts) {
        let passed = attempt
            .split("</b>")
            .next()
            .unwrap()
            .contains("class=\"pass\"");
        let has_trajectory = before.ends_with("<details ");
        match (passed, has_trajectory) {
            (true, true) => counts.0 += 1,
            (true, false) => counts.1 += 1,
            (false, true) => counts.2 += 1,
            (false, false) => counts.3 += 1,
        }
    }
    counts
}

#[test]
fn a_small_budget_shows_failures_first_and_links_every_cell() {
    let all = page("demonstration");
    let (passed, _, failed, not_begun) = attempts_shown(all.split("<script").next().unwrap());
    assert!(passed > 0 && failed > 4, "{passed} passed, {failed} failed");
    assert_eq!(not_begun, 1);

    for (attempts, shown) in [(4, failed.min(4)), (failed + 1, failed)] {
        let budget = PageBudget {
            attempts,
            ..PageBudget::default()
        };
        let small = page_within(budget, "demonstration");
        let markup = small.split("<script").next().unwrap();
        let (passes_shown, passes_listed, failures_shown, failures_listed) = attempts_shown(markup);
        assert_eq!(failures_shown, shown, "of a budget of {attempts}");
        assert_eq!(failures_shown + failures_listed, failed + not_begun);
        assert_eq!(passes_shown, attempts - shown);
        assert_eq!(passes_shown + passes_listed, passed);
        let left_out = passed + failed - attempts;
        assert!(markup.contains(&format!("no trajectory of {left_out} attempts")));
        // Cells without trajectories are linked like the others.
        let cells = |markup: &str| between(markup, "href=\"#c", "\"").len();
        assert_eq!(cells(markup), cells(all.split("<script").next().unwrap()));
        assert!(markup.contains("<code>mcpmark show "));
    }
}

#[test]
fn rates_and_differences_are_drawn_with_their_intervals() {
    let page = page("efforts");
    let figures = between(&page, "<figure class=\"intervals\">", "</figure>");
    assert_eq!(figures.len(), 2);
    assert!(figures[0].contains("pass@1 with 95 % intervals"));
    assert_eq!(figures[0].matches("class=\"interval\"").count(), 3);
    // With one attempt for each of twelve tasks, only the largest difference between efforts is significant after
    // Holm's correction.
    let report = Demonstration::new().report("efforts");
    let unsure = report.comparisons.iter().filter(|pair| pair.p_holm >= 0.05);
    let unsure = unsure.count();
    assert!(unsure > 0, "{:?}", report.comparisons);
    assert_eq!(figures[1].matches("<g class=\"unsure\">").count(), unsure);
    assert_eq!(figures[1].matches(">not shown (p ").count(), unsure);
    let sure = report.comparisons.len() - unsure;
    assert_eq!(figures[1].matches("<g class=\"sure\">").count(), sure);
    let data = between(&page, "id=\"data\">", "</script>")[0];
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert!(data["models"][0]["at_intervals"][0][0].is_number());
}

#[test]
fn cells_are_links_where_no_trajectory_is_shown() {
    let report = Demonstration::new().report("demonstration");
    let page = report.render(Format::Html, &Options::default()).unwrap();
    let markup = page.split("<script").next().unwrap();
    let cells = between(markup, "href=\"#c", "\"");
    assert_eq!(cells.iter().filter(|cell| cell.contains('-')).count(), 24);
    for cell in cells {
        assert!(
            cell == "harts" || markup.contains(&format!("id=\"c{cell}\"")),
            "{cell}"
        );
    }
    assert!(markup.contains("<dt>mean score</dt>"));
}

#[test]
fn attempts_can_be_filtered_by_all_that_occurs() {
    let page = page("demonstration");
    let form = between(&page, "<form id=\"filters\"", "</form>")[0];
    let offered: BTreeSet<&str> = between(form, "<option value=\"", "\"")
        .into_iter()
        .collect();
    for attribute in [" data-result=\"", " data-class=\"", " data-model=\""] {
        let values = between(page.split("<script").next().unwrap(), attribute, "\"");
        assert!(values.len() >= 24, "{attribute}");
        for value in values {
            assert!(offered.contains(value), "{attribute}{value}");
        }
    }
}

#[test]
fn a_budget_of_bytes_ends_after_the_attempt_that_exceeds_it() {
    let demonstration = Demonstration::new();
    let report = demonstration.report("demonstration");
    let budget = PageBudget {
        bytes: 1,
        ..PageBudget::default()
    };
    let journal = &demonstration.journal;
    let details = Details::read_within(budget, &report, journal, None).unwrap();
    assert_eq!((details.attempts.len(), details.left_out), (1, 94));
}

#[test]
fn checks_count_towards_the_budget_of_bytes() {
    let demonstration = Demonstration::new();
    let report = demonstration.report("demonstration");
    let budget = PageBudget {
        bytes: 4 << 20,
        ..PageBudget::default()
    };
    let journal = &demonstration.journal;
    let left_out = || {
        let details = Details::read_within(budget, &report, journal, None).unwrap();
        details.left_out
    };
    assert_eq!(left_out(), 0);
    let rows = Connection::open(demonstration.path().join("journal.db")).unwrap();
    let long = "UPDATE checks SET name = name || ?1";
    rows.execute(long, ["x".repeat(200_000)]).unwrap();
    // Most of the 95 attempts have checks, which the page shows with their whole names.
    assert!(left_out() > 50, "{}", left_out());
}

#[test]
fn an_attempt_shows_why_it_failed_and_what_it_changed() {
    let page = page("demonstration");
    let markup = page.split("<script").next().unwrap();
    let attempt = between(
        markup,
        "<details class=\"attempt\"",
        "<details class=\"attempt\"",
    )
    .into_iter()
    .find(|attempt| attempt.contains("<h5>Why it failed</h5><p><b>abandoned</b>"))
    .unwrap();
    for part in [
        "it says that it cannot",
        "I am unable to complete this task.",
        "<b class=\"fail\">✗</b> one row per berth",
        "<b class=\"other\">modified</b> ledger.csv",
        "<span class=\"removed\">-2026-01-09,80</span>",
        "<span class=\"added\">+2026-01-09,85</span>",
        "<b class=\"fail\">removed</b> notes/todo.md",
        "<summary>reasoning</summary>",
        "<h6>instruction</h6>",
    ] {
        assert!(attempt.contains(part), "{part:?} is not in {attempt}");
    }
}

#[test]
fn figures_stand_where_there_is_data_for_them() {
    let both = page("demonstration");
    for id in [
        "cost",
        "reliability",
        "failures",
        "tools",
        "turns-0",
        "turns-1",
    ] {
        assert!(both.contains(&format!("id=\"chart-{id}\"")), "{id}");
    }
    assert!(!both.contains("id=\"chart-effort\""));
    let efforts = page("efforts");
    assert!(efforts.contains("id=\"chart-effort\""));
    assert!(!efforts.contains("id=\"chart-reliability\""), "k is 1");
}
