//! Calibration certificates of three calibrators, each with its own habits.

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::{NewFile, Random, World};

use crate::time::seconds;

const fn date(year: i16, month: i8, day: i8) -> Date {
    Date::constant(year, month, day)
}

struct Own {
    number: &'static str,
    serial: &'static str,
    what: &'static str,
    calibrated: Date,
    issued: Date,
    result: &'static str,
    replaces: Option<&'static str>,
    /// Points with their correction, in tenths of a degree.
    corrections: &'static [(i64, i64)],
}

const PASSED: &str = "passed";

/// Certificates that the laboratory wrote itself, in Markdown.
const OWN: [Own; 14] = [
    own(
        "CAL-22-040",
        "KD-7731",
        "Ion chromatograph",
        date(2022, 5, 10),
        date(2022, 5, 12),
        PASSED,
        None,
        &[],
    ),
    own(
        "CAL-23-031",
        "HX-20417",
        "ICP emission spectrometer",
        date(2023, 4, 8),
        date(2023, 4, 11),
        PASSED,
        None,
        &[],
    ),
    own(
        "CAL-23-044",
        "KD-7731",
        "Ion chromatograph",
        date(2023, 5, 9),
        date(2023, 5, 10),
        PASSED,
        None,
        &[],
    ),
    own(
        "CAL-23-102",
        "T3-0088",
        "TOC analyser",
        date(2023, 8, 31),
        date(2023, 9, 4),
        PASSED,
        None,
        &[],
    ),
    own(
        "CAL-24-018",
        "T3-0088",
        "TOC analyser",
        date(2024, 2, 26),
        date(2024, 2, 27),
        "not passed",
        None,
        &[],
    ),
    own(
        "CAL-23-119",
        "PM-1190",
        "pH and conductivity meter",
        date(2023, 10, 31),
        date(2023, 11, 2),
        PASSED,
        None,
        &[],
    ),
    own(
        "CAL-24-003",
        "TL-3301",
        "Temperature logger",
        date(2024, 1, 15),
        date(2024, 1, 16),
        PASSED,
        None,
        &[(-20, 3), (5, 4), (37, 2)],
    ),
    own(
        "CAL-24-009",
        "TL-3301",
        "Temperature logger",
        date(2024, 1, 11),
        date(2024, 1, 29),
        PASSED,
        Some("CAL-24-003"),
        &[(-20, -1), (5, -3), (37, -2)],
    ),
    own(
        "CAL-23-039",
        "TL-3302",
        "Temperature logger",
        date(2023, 4, 20),
        date(2023, 4, 24),
        PASSED,
        None,
        &[(-20, 1), (5, 2), (37, 0)],
    ),
    own(
        "CAL-22-036",
        "TL-3302",
        "Temperature logger",
        date(2022, 4, 21),
        date(2022, 4, 25),
        PASSED,
        None,
        &[(-20, 1), (5, -6), (37, 1)],
    ),
    own(
        "CAL-24-020",
        "TL-3310",
        "Temperature logger",
        date(2024, 2, 29),
        date(2024, 3, 1),
        PASSED,
        None,
        &[(-20, 5), (5, -4), (37, -4)],
    ),
    own(
        "CAL-23-131",
        "P-0417",
        "Piston pipette",
        date(2023, 12, 5),
        date(2023, 12, 6),
        PASSED,
        None,
        &[],
    ),
    own(
        "CAL-23-130",
        "PM-0871",
        "pH meter",
        date(2023, 12, 1),
        date(2023, 12, 6),
        PASSED,
        None,
        &[],
    ),
    own(
        "CAL-23-126",
        "BW-40032",
        "Moisture balance",
        date(2023, 11, 20),
        date(2023, 11, 21),
        PASSED,
        None,
        &[],
    ),
];

#[expect(clippy::too_many_arguments, reason = "one row of the table above")]
const fn own(
    number: &'static str,
    serial: &'static str,
    what: &'static str,
    calibrated: Date,
    issued: Date,
    result: &'static str,
    replaces: Option<&'static str>,
    corrections: &'static [(i64, i64)],
) -> Own {
    Own {
        number,
        serial,
        what,
        calibrated,
        issued,
        result,
        replaces,
        corrections,
    }
}

pub fn write(world: &mut World) {
    for certificate in &OWN {
        let text = own_text(world.random(), certificate);
        put(
            world,
            &format!(
                "certificates/{} {}.md",
                certificate.number,
                certificate.what.to_lowercase()
            ),
            text,
            certificate.issued,
        );
    }
    external(world);
    world.file(
        "certificates/drafts/CAL-24-0xx pipette.md",
        "# Calibration certificate CAL-24-0xx\n\n- Object: Piston pipette\n- Serial number: P-0418\n\
         - Date of calibration: 2024-04-03\n- Date of issue:\n- Result: passed\n\nTo be signed by Renko when he is back.\n",
    );
}

fn own_text(random: &mut Random, certificate: &Own) -> String {
    let mut text = format!(
        "# Calibration certificate {}\n\n- Object: {}\n- Serial number: {}\n- Date of issue: {}\n- Date of calibration: {}\n- Result: {}\n",
        certificate.number,
        certificate.what,
        certificate.serial,
        certificate.issued,
        certificate.calibrated,
        certificate.result
    );
    if let Some(replaced) = certificate.replaces {
        text.push_str(&format!(
            "\nThis certificate replaces {replaced}, whose reference thermometer had been read in the wrong column.\n"
        ));
    }
    if certificate.corrections.is_empty() {
        text.push_str("\n| Check | Deviation / % |\n|---|---|\n");
        for check in ["low", "middle", "high"] {
            let spread = if certificate.result == PASSED { 9 } else { 80 };
            text.push_str(&format!(
                "| {check} | {} |\n",
                tenths(random.between(-spread, spread))
            ));
        }
    } else {
        text.push_str("\n| Point / °C | Reading / °C | Correction / °C |\n|---|---|---|\n");
        for (point, correction) in certificate.corrections {
            text.push_str(&format!(
                "| {point} | {} | {} |\n",
                tenths(point * 10 - correction),
                tenths(*correction)
            ));
        }
        text.push_str("\nThe correction is to be added to the reading.\n");
    }
    text
}

fn external(world: &mut World) {
    // Ferrol Metrology: plain text, CRLF, day first with points.
    let ferrol = |number: &str, serial: &str, object: &str, calibrated: &str, issued: &str| {
        format!(
            "FERROL METROLOGY\nCertificate {number}\n\nCustomer ........ Linnet Quay Laboratory\nObject .......... {object}\n\
             Serial no. ...... {serial}\nDate of issue ... {issued}\nCalibrated on ... {calibrated}\nAssessment ...... passed\n\n\
             This certificate must not be copied in parts.\n"
        )
        .replace('\n', "\r\n")
    };
    let balance = ferrol("F-88121", "BW-55210", "Balance", "07.05.2023", "15.05.2023");
    put(
        world,
        "certificates/F-88121.txt",
        balance,
        date(2023, 5, 15),
    );
    let balance = ferrol("F-79440", "BW-55210", "Balance", "05.05.2022", "12.05.2022");
    put(
        world,
        "certificates/F-79440.txt",
        balance,
        date(2022, 5, 12),
    );
    let stranger = ferrol("F-90317", "BW-55281", "Balance", "02.04.2024", "04.04.2024");
    put(
        world,
        "certificates/F-90317.txt",
        stranger,
        date(2024, 4, 4),
    );
    let oven = ferrol(
        "F-80002",
        "OV-09",
        "Drying oven",
        "28.02.2022",
        "03.03.2022",
    );
    put(world, "certificates/F-80002.txt", oven, date(2022, 3, 3));

    // Pellar Standards: HTML, month first.
    let pellar = |number: &str, serial: &str, calibrated: &str, issued: &str| {
        format!(
            "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"><title>Certificate {number}</title></head>\n<body>\n\
             <h1>Pellar Standards &amp; Weights</h1>\n<table>\n<tr><th>Certificate</th><td>{number}</td></tr>\n\
             <tr><th>Serial number</th><td>{serial}</td></tr>\n<tr><th>Calibration date</th><td>{calibrated}</td></tr>\n\
             <tr><th>Issue date</th><td>{issued}</td></tr>\n<tr><th>Result</th><td>PASSED</td></tr>\n</table>\n</body>\n</html>\n"
        )
    };
    let balance = pellar("PS-2023-0871", "BW-55218", "04/07/2023", "04/12/2023");
    put(
        world,
        "certificates/PS-2023-0871.html",
        balance,
        date(2023, 4, 12),
    );
    let pipette = pellar("PS-2023-0214", "P-0417", "02/06/2023", "02/09/2023");
    put(
        world,
        "certificates/PS-2023-0214.html",
        pipette,
        date(2023, 2, 9),
    );
}

fn put(world: &mut World, path: &str, text: String, issued: Date) {
    world.add(NewFile::new(path, text).modified(seconds(issued.at(13, 5, 0, 0))));
}

/// A number of tenths with one decimal.
pub fn tenths(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}.{}", number.abs() / 10, number.abs() % 10)
}
