//! Matrix of tasks and models with the number of passed attempts.

use std::fmt::Write;

use super::charts::COLOURS;
use super::escape::{path, text};
use crate::data::{Cell, Report};

pub(super) fn matrix(out: &mut String, report: &Report) {
    let _ = write!(
        out,
        "<section id=\"matrix\">\n<h2>Tasks</h2>\n<p>Attempts that passed, of those that were \
         graded. A cell leads to its attempts.</p>\n<div class=\"scroll\" tabindex=\"0\" \
         role=\"region\" aria-label=\"Tasks and models\"><table class=\"matrix\"><thead><tr>\
         <th scope=\"col\">task</th>"
    );
    for (place, model) in report.models.iter().enumerate() {
        let _ = write!(
            out,
            "<th scope=\"col\"><i class=\"dot m{}\" aria-hidden=\"true\"></i>{}</th>",
            place % COLOURS,
            path(&model.name)
        );
    }
    out.push_str("</tr></thead><tbody>\n");
    for (index, task) in report.tasks.iter().enumerate() {
        let tier = task
            .tier
            .as_ref()
            .map(|tier| format!(" <small>{}</small>", text(tier)))
            .unwrap_or_default();
        let certificate = task.certificate.as_ref();
        let certificate = certificate
            .map(|it| format!(" <small>{}</small>", text(&it.summary())))
            .unwrap_or_default();
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}{tier}{certificate}</th>",
            path(&task.id)
        );
        for (place, model) in report.models.iter().enumerate() {
            let cell = &model.matrix[index];
            let shown = match cell.count.graded {
                0 => "–".to_owned(),
                graded => format!("{}/{graded}", cell.count.passed),
            };
            // The label starts with the visible text, because voice control selects links by it.
            let label = format!("{shown} passed: {}, {}", text(&task.id), text(&model.name));
            let class = shade(cell);
            // The section of attempts contains every cell that has attempts, also without trajectories.
            let _ = if cell.attempts.is_empty() {
                write!(
                    out,
                    "<td class=\"{class}\"><span title=\"no attempt is planned\">{shown}</span></td>"
                )
            } else {
                write!(
                    out,
                    "<td class=\"{class}\"><a href=\"#{}\" aria-label=\"{label}\">{shown}</a></td>",
                    cell_id(index, place)
                )
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n</section>\n");
}

/// Returns the HTML id of a task of a model.
pub(super) fn cell_id(task: usize, model: usize) -> String {
    format!("c{task}-{model}")
}

/// Returns the CSS class for the pass rate: one of five shades, or `none` if nothing was graded.
fn shade(cell: &Cell) -> &'static str {
    match cell.count.rate() {
        None => "s none",
        Some(rate) if rate <= 0.0 => "s s0",
        Some(rate) if rate < 0.5 => "s s1",
        Some(rate) if rate < 0.75 => "s s2",
        Some(rate) if rate < 1.0 => "s s3",
        Some(_) => "s s4",
    }
}
