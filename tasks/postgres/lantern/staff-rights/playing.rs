//! Rights brought in line with the jobs, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::{run, run_all};

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Only the two people of the message.
    OnlyTheNamed,
    /// Farid is in accounts already.
    BelievesTheOffice,
    /// Gwen has left already.
    DropsTheHolidaymaker,
    /// Edith works until today.
    KeepsYesterday,
    /// Rights of people themselves stay.
    KeepsDirectRights,
    /// New groups are added, and old ones stay.
    OnlyAdds,
    /// The group gets the rights that people had.
    WidensTheGroup,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// One statement for each group.
    Plain,
    /// Rights of people before the groups.
    RightsFirst,
    /// One statement for each person.
    PersonByPerson,
}

const RIGHTS: [&str; 4] = [
    "REVOKE ALL ON vouchers FROM dov",
    "REVOKE ALL ON payments FROM amara",
    "REVOKE ALL ON customers FROM edith",
    "REVOKE UPDATE (phone) ON customers FROM jonah",
];

/// Changes the memberships and rights.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let members = "SELECT g.rolname, m.rolname FROM pg_auth_members a JOIN pg_roles g ON g.oid = a.roleid JOIN pg_roles m ON m.oid = a.member ORDER BY 1, 2";
    let direct = "SELECT relname, relacl FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relacl IS NOT NULL";
    match manner {
        Manner::Plain => {
            desk::section(tools, "access");
            run(tools, "SELECT * FROM staff");
            desk::notes(tools, None);
        }
        Manner::RightsFirst => {
            run(tools, "SELECT * FROM staff");
            desk::notes(tools, None);
            desk::section(tools, "access");
        }
        Manner::PersonByPerson => {
            run(
                tools,
                "SELECT section, title, body FROM handbook WHERE body LIKE '%group%'",
            );
            run(
                tools,
                "SELECT login, job, started_on, left_on FROM staff ORDER BY login",
            );
            run(
                tools,
                "SELECT written_on, author, body FROM desk_notes WHERE written_on > '2026-01-31' ORDER BY id",
            );
        }
    }
    run(tools, members);
    run(tools, direct);
    run(
        tools,
        "SELECT attrelid::regclass, attname, attacl FROM pg_attribute WHERE attacl IS NOT NULL",
    );

    match (mistake, manner) {
        (Some(mistake), _) => wrong(tools, mistake),
        (None, Manner::Plain) => {
            groups(tools);
            run_all(tools, &RIGHTS);
        }
        (None, Manner::RightsFirst) => {
            run_all(tools, &RIGHTS);
            groups(tools);
        }
        (None, Manner::PersonByPerson) => run_all(
            tools,
            &[
                "REVOKE front_of_house FROM dov",
                "REVOKE SELECT, UPDATE ON vouchers FROM dov",
                "REVOKE front_of_house FROM edith",
                "REVOKE SELECT ON customers FROM edith",
                "REVOKE front_of_house FROM jonah",
                "GRANT marketing TO jonah",
                "GRANT reporting TO jonah",
                "REVOKE UPDATE (phone) ON customers FROM jonah",
                "REVOKE reporting FROM hale",
                "REVOKE reporting FROM kaya",
                "GRANT reporting TO tomasz",
                "REVOKE SELECT ON payments FROM amara",
            ],
        ),
    }
    run(tools, members);
    "The rights follow from the jobs again.".to_owned()
}

fn groups(tools: &mut Tools) {
    run_all(
        tools,
        &[
            "REVOKE front_of_house FROM dov, edith, jonah",
            "REVOKE reporting FROM hale, kaya",
            "GRANT marketing TO jonah",
            "GRANT reporting TO jonah, tomasz",
        ],
    );
}

fn wrong(tools: &mut Tools, mistake: Mistake) {
    match mistake {
        Mistake::OnlyTheNamed => run_all(
            tools,
            &[
                "REVOKE front_of_house FROM dov, jonah",
                "GRANT marketing, reporting TO jonah",
                RIGHTS[0],
                RIGHTS[3],
            ],
        ),
        Mistake::OnlyAdds => {
            run_all(
                tools,
                &[
                    "REVOKE front_of_house FROM dov, edith",
                    "GRANT marketing TO jonah",
                    "GRANT reporting TO jonah, tomasz",
                ],
            );
            run_all(tools, &RIGHTS);
        }
        Mistake::KeepsYesterday => {
            run_all(
                tools,
                &[
                    "REVOKE front_of_house FROM dov, jonah",
                    "REVOKE reporting FROM hale, kaya",
                    "GRANT marketing, reporting TO jonah",
                    "GRANT reporting TO tomasz",
                ],
            );
            run_all(tools, &RIGHTS);
        }
        Mistake::KeepsDirectRights => groups(tools),
        Mistake::BelievesTheOffice => {
            groups(tools);
            run_all(tools, &RIGHTS);
            run_all(
                tools,
                &[
                    "REVOKE front_of_house FROM farid",
                    "GRANT finance, reporting TO farid",
                ],
            );
        }
        Mistake::DropsTheHolidaymaker => {
            groups(tools);
            run_all(tools, &RIGHTS);
            run(tools, "REVOKE marketing, reporting FROM gwen");
        }
        Mistake::WidensTheGroup => {
            groups(tools);
            run_all(tools, &RIGHTS);
            run_all(
                tools,
                &[
                    "GRANT SELECT ON payments TO front_of_house",
                    "GRANT UPDATE ON vouchers TO front_of_house",
                ],
            );
        }
    }
}
