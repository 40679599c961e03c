//! What was decided in common: how it began, the changes that made trouble, the backports and what is open.

use github_chronicle::Section::{Changed, Fixed, Internal};
use github_chronicle::Way::{Closed, Direct, Draft, Merge, Open, Rebase, Squash};
use github_chronicle::{Way, Work, Write};

use crate::fleet::{
    MACHINES, ROLES, SITES, host_path, host_text, role_files, site_list, targets, tasks_path,
};

pub fn story() -> Vec<Work<Write>> {
    let mut all = beginnings();
    all.extend(overrides());
    all.extend(troubles());
    all.extend(backports());
    all.extend(unfinished());
    all
}

fn beginnings() -> Vec<Work<Write>> {
    let texts = vec![
        Write::new("README.md", include_str!("texts/README.md")),
        Write::new("docs/settings.md", include_str!("texts/settings.md")),
        Write::new("docs/incidents.md", include_str!("texts/incidents.md")),
    ];
    let lists = SITES
        .iter()
        .map(|site| Write::new(&format!("inventory/{site}.txt"), &site_list(site)))
        .chain([Write::new("monitoring/targets.csv", &targets())]);
    let mut all = vec![
        Work::new(0, "asolheim", Direct, "", "").step("Write down what we have", texts),
        Work::new(0, "asolheim", Direct, "", "").step("Lists of the machines", lists.collect()),
    ];
    for site in SITES {
        let hosts = MACHINES.iter().filter(|it| it.1 == site);
        let hosts = hosts.map(|it| Write::new(&host_path(it.0), &host_text(it)));
        let title = format!("hosts: all of {site}");
        all.push(
            Work::new(1, "bokafor", Squash, &format!("hosts-{site}"), &title)
                .step(&title, hosts.collect())
                .label("machines"),
        );
    }
    for role in ROLES {
        let title = format!("roles: {}", role.0);
        all.push(
            Work::new(2, "cwren", Merge, &format!("role-{}", role.0), &title)
                .step(&title, role_files(role))
                .label("settings"),
        );
    }
    let documents = [
        (
            200,
            "docs: how a machine is retired",
            "docs/retiring.md",
            include_str!("texts/retiring.md"),
        ),
        (
            376,
            "docs: what goes to a release branch",
            "docs/backports.md",
            include_str!("texts/backports.md"),
        ),
        (
            430,
            "docs: who merges what",
            "docs/merging.md",
            include_str!("texts/merging.md"),
        ),
    ];
    for (day, title, path, text) in documents {
        all.push(
            Work::new(day, "asolheim", Direct, "", "").step(title, vec![Write::new(path, text)]),
        );
    }
    all
}

/// Machines that got a value of their own while somebody tried something.
fn overrides() -> Vec<Work<Write>> {
    let own = [
        (140, "avocet-1", "nginx_version: 1.24.0\n"),
        (170, "bittern-1", "max_connections: 260\n"),
        (215, "curlew-1", "plc_version: 2.8.1\n"),
        (236, "dunlin-1", "prometheus_version: 2.99.0\n"),
        (270, "egret-2", "prometheus_version: 2.47.0\n"),
        (298, "fulmar-1", "postgres_version: 15.4.0\n"),
        (320, "heron-1", "restic_version: 0.16.2\n"),
        (345, "knot-1", "gauge_version: 1.9.0\n"),
        (366, "linnet-1", "ffmpeg_version: 6.1.0\n"),
        (
            388,
            "merlin-1",
            "nginx_version: 1.31.0\nplc_version: 2.8.1\n",
        ),
        (402, "redshank-1", "postgres_version: 15.4.0\n"),
        (412, "pipit-1", "sample_seconds: 12\n"),
        (433, "turnstone-1", "ffmpeg_version: 6.1.0\n"),
        (455, "sanderling-1", "gauge_version: 1.4.2\n"),
        (478, "wigeon-1", "restic_version: 0.30.0\n"),
    ];
    own.map(|(day, host, lines)| {
        let title = format!("{host}: try it with a value of its own");
        Work::new(day, "efontaine", Squash, &format!("try-{host}"), &title)
            .step(&title, vec![Write::end(&host_path(host), lines)])
            .section(Internal)
            .label("machines")
    })
    .into()
}

type Trouble = (
    i64,
    &'static str,
    Way,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// The id begins with the role; then the title and the line before and after.
const TROUBLES: [Trouble; 9] = [
    (
        446,
        "dmarsh",
        Squash,
        "gate-listen",
        "gate: listen on the inside only",
        "--listen 0.0.0.0",
        "--listen 10.4.0.1",
    ),
    (
        460,
        "efontaine",
        Merge,
        "tide-smooth",
        "tide: ask the gauge for smooth values",
        "gauge --raw",
        "gauge --smooth",
    ),
    (
        483,
        "cwren",
        Squash,
        "backup-prune",
        "backup: keep the weekly ones",
        "forget --prune",
        "forget --keep-weekly 8 --prune",
    ),
    (
        494,
        "bokafor",
        Rebase,
        "camera-sweep",
        "camera: sweep by size",
        "sweep --older keep_days",
        "sweep --larger buffer_mb",
    ),
    (
        525,
        "asolheim",
        Merge,
        "web-reload",
        "web: reload without a test",
        "run: nginx -t",
        "run: nginx -t -q",
    ),
    (
        541,
        "efontaine",
        Squash,
        "metrics-partial",
        "metrics: load all targets at once",
        "reload-targets --partial",
        "reload-targets --whole",
    ),
    (
        553,
        "cwren",
        Rebase,
        "database-replica",
        "database: look deeper into the replica",
        "check-replica --quick",
        "check-replica --deep",
    ),
    (
        565,
        "dmarsh",
        Merge,
        "tide-raw",
        "tide: back to raw values",
        "gauge --smooth",
        "gauge --raw --fast",
    ),
    (
        582,
        "dmarsh",
        Squash,
        "gate-restart",
        "gate: restart on failure only",
        "restart: always",
        "restart: on-failure",
    ),
];

fn troubles() -> Vec<Work<Write>> {
    let path = |id: &str| tasks_path(id.split('-').next().unwrap_or(id));
    let mut all: Vec<Work<Write>> = TROUBLES
        .iter()
        .map(|(day, by, way, id, title, old, new)| {
            Work::new(*day, by, *way, id, title)
                .id(id)
                .step(title, vec![Write::part(&path(id), old, new)])
                .section(Changed)
                .label("settings")
        })
        .collect();
    // Some were taken back.
    for (day, by, id) in [
        (456, "bokafor", "gate-listen"),
        (506, "asolheim", "camera-sweep"),
        (555, "efontaine", "metrics-partial"),
    ] {
        let trouble = TROUBLES.iter().find(|it| it.3 == id);
        let (_, _, _, _, title, old, new) = trouble.expect("it is one of them");
        all.push(
            Work::new(
                day,
                by,
                Squash,
                &format!("undo-{id}"),
                &format!("Revert \"{title}\""),
            )
            .step(
                &format!("Revert \"{title}\"\n\nThis reverts commit {{sha:{id}}}."),
                vec![Write::part(&path(id), new, old)],
            )
            .section(Fixed)
            .label("fix"),
        );
    }
    all
}

/// Fixes that go to the release branch as well; the first of them are there.
fn backports() -> Vec<Work<Write>> {
    let fix = |day, by, id: &str, title: &str, edits: Vec<Write>| {
        Work::new(day, by, Squash, id, title)
            .id(id)
            .step(title, edits)
            .section(Fixed)
            .label("fix")
            .label("backport 3.1")
    };
    vec![
        fix(
            404,
            "cwren",
            "fix-mount",
            "database: mount without access times",
            vec![Write::part(&tasks_path("database"), "mount: /srv/data", "mount: /srv/data noatime")],
        )
        .backport("3.1.1"),
        fix(
            464,
            "dmarsh",
            "fix-bridge",
            "gate: wait for the network",
            vec![Write::part(&tasks_path("gate"), "- install: plc-bridge\n", "- install: plc-bridge\n- wait: network\n")],
        ),
        fix(
            471,
            "efontaine",
            "fix-disk",
            "metrics: wait for the disk",
            vec![Write::part(&tasks_path("metrics"), "- install: prometheus\n", "- install: prometheus\n- wait: disk\n")],
        ),
        fix(
            497,
            "efontaine",
            "fix-video",
            "camera: mount video read-only for others",
            vec![
                Write::part(&tasks_path("camera"), "mount: /srv/video\n", "mount: /srv/video umask=027\n"),
                Write::part(&tasks_path("backup"), "timer: nightly", "timer: nightly --skip /srv/video"),
            ],
        ),
        fix(
            508,
            "dmarsh",
            "fix-gauge",
            "tide: give the gauge time to warm up",
            vec![Write::part(&tasks_path("tide"), "- install: tide-gauge\n", "- install: tide-gauge\n- wait: 20\n")],
        ),
        fix(
            513,
            "cwren",
            "fix-conf",
            "database: look at the template before it is used",
            vec![Write::part(&tasks_path("database"), "- template: postgres.conf\n", "- template: postgres.conf\n- check: postgres.conf\n")],
        ),
        fix(
            518,
            "efontaine",
            "fix-probe",
            "metrics: probe the disks first",
            vec![Write::part(&tasks_path("metrics"), "- mount: /srv/metrics\n", "- mount: /srv/metrics\n- probe: disks\n")],
        ),
        fix(
            523,
            "dmarsh",
            "fix-speed",
            "tide: say how fast the gauge talks",
            vec![
                Write::part(&tasks_path("tide"), "- device: /dev/ttyS0\n", "- device: /dev/ttyS0 speed=9600\n"),
                Write::part(&tasks_path("camera"), "- install: ffmpeg\n", "- install: ffmpeg\n- release: /dev/ttyS0\n"),
            ],
        ),
        fix(
            530,
            "cwren",
            "fix-mounts",
            "backup: stay on one file system",
            vec![Write::part(&tasks_path("backup"), "restic backup /srv\n", "restic backup --one-file-system /srv\n")],
        ),
        Work::new(534, "asolheim", Squash, "undo-probe", "Revert \"metrics: probe the disks first\"")
            .step(
                "Revert \"metrics: probe the disks first\"\n\nThis reverts commit {sha:fix-probe}.",
                vec![Write::part(&tasks_path("metrics"), "- probe: disks\n", "")],
            )
            .section(Fixed)
            .label("fix"),
        fix(
            536,
            "bokafor",
            "fix-certs",
            "web: reload when the certificate is new",
            vec![Write::part(&tasks_path("web"), "- reload: nginx\n", "- watch: /etc/tls\n- reload: nginx\n")],
        ),
        Work::new(545, "bokafor", Squash, "undo-certs", "Revert \"web: reload when the certificate is new\"")
            .step(
                "Revert \"web: reload when the certificate is new\"\n\nThis reverts commit {sha:fix-certs}.",
                vec![Write::part(&tasks_path("web"), "- watch: /etc/tls\n", "")],
            )
            .section(Fixed)
            .label("fix"),
        fix(
            560,
            "cwren",
            "fix-lock",
            "backup: one at a time",
            vec![Write::part(&tasks_path("backup"), "- install: restic\n", "- install: restic\n- lock: /run/restic\n")],
        ),
        fix(
            576,
            "dmarsh",
            "fix-wait",
            "gate: wait for the clock too",
            vec![Write::part(&tasks_path("gate"), "- wait: network\n", "- wait: network\n- wait: clock\n")],
        ),
    ]
}

fn unfinished() -> Vec<Work<Write>> {
    let open = |day, by, branch: &str, title: &str, edit: Write| {
        Work::new(day, by, Open, branch, title)
            .step(title, vec![edit])
            .body("Tried on one machine of each site.")
            .label("settings")
    };
    let web = tasks_path("web");
    vec![
        open(
            596,
            "bokafor",
            "web-gzip",
            "web: compress what is large",
            Write::new(
                "roles/web/compress.yml",
                "types: html, css, json\nat_least_kb: 4\n",
            ),
        )
        .label("ready")
        .approved(),
        open(
            597,
            "cwren",
            "database-log",
            "database: log what is slow",
            Write::new("roles/database/log.yml", "slow_ms: 400\nkeep_days: 7\n"),
        )
        .label("ready")
        .approved(),
        open(
            598,
            "dmarsh",
            "gate-siren",
            "gate: a siren before it moves",
            Write::new("roles/gate/siren.yml", "seconds: 8\nvolume: 70\n"),
        )
        .label("ready")
        .contested(),
        open(
            599,
            "efontaine",
            "metrics-rules",
            "metrics: rules for the tide",
            Write::new("roles/metrics/rules.yml", "tide_above_cm: 480\n"),
        )
        .approved(),
        open(
            600,
            "asolheim",
            "tide-two",
            "tide: two gauges a machine",
            Write::new("roles/tide/second.yml", "device: /dev/ttyS1\n"),
        )
        .label("ready"),
        open(
            600,
            "cwren",
            "backup-report",
            "backup: a report in the morning",
            Write::new("roles/backup/report.yml", "at_hour: 7\nto: office\n"),
        )
        .label("ready")
        .approved(),
        open(
            601,
            "dmarsh",
            "gate-lamp",
            "gate: a lamp for the pilots",
            Write::new("roles/gate/lamp.yml", "colour: green\nblink_ms: 700\n"),
        )
        .label("ready"),
        open(
            601,
            "bokafor",
            "camera-night",
            "camera: another setting at night",
            Write::new("roles/camera/night.yml", "from_hour: 21\nuntil_hour: 5\n"),
        )
        .label("ready")
        .approved(),
        open(
            602,
            "efontaine",
            "tide-log",
            "tide: keep what the gauge says",
            Write::new("roles/tide/log.yml", "keep_days: 90\nevery_seconds: 30\n"),
        )
        .label("ready")
        .approved(),
        open(
            602,
            "bokafor",
            "metrics-wind",
            "metrics: watch the wind on the pier",
            Write::new(
                "roles/metrics/wind.yml",
                "above_knots: 34\nfor_minutes: 5\n",
            ),
        )
        .label("ready")
        .contested(),
        open(
            593,
            "efontaine",
            "web-template",
            "web: one template for all sites",
            Write::part(&web, "template: site.conf", "template: all-sites.conf"),
        )
        .label("ready")
        .approved()
        .overtaken(),
        Work::new(
            599,
            "cwren",
            Squash,
            "web-sites",
            "web: a template for each site",
        )
        .step(
            "web: a template for each site",
            vec![Write::part(
                &web,
                "template: site.conf",
                "template: site-NAME.conf",
            )],
        )
        .section(Changed)
        .label("settings"),
        Work::new(
            590,
            "efontaine",
            Draft,
            "graphs",
            "metrics: a graph for the harbour office",
        )
        .step(
            "metrics: a graph for the harbour office",
            vec![Write::new("roles/metrics/graph.yml", "title: arrivals\n")],
        )
        .label("ready"),
        Work::new(
            410,
            "bokafor",
            Closed,
            "drop/no-locks",
            "gate: no locks at low tide",
        )
        .step(
            "gate: no locks at low tide",
            vec![Write::new("roles/gate/low.yml", "open: always\n")],
        )
        .remark("dmarsh", "And the boats?"),
    ]
}
