//! The machines and their roles.

use github_chronicle::Write;

/// Name, site, roles, gigabytes of memory and disk, and until when it is kept.
pub type Machine = (
    &'static str,
    &'static str,
    &'static str,
    u32,
    u32,
    &'static str,
);

pub const MACHINES: &[Machine] = &[
    ("avocet-1", "north", "web", 8, 80, "2027-03-31"),
    ("avocet-2", "north", "web", 8, 80, "2027-03-31"),
    ("bittern-1", "north", "database", 32, 400, "2026-12-31"),
    ("bittern-2", "north", "database", 32, 400, "2025-09-30"),
    ("curlew-1", "north", "gate", 4, 40, "2026-06-30"),
    ("curlew-2", "north", "gate", 4, 40, "2025-10-31"),
    ("dunlin-1", "north", "metrics", 16, 600, "2027-08-31"),
    ("egret-1", "south", "web", 8, 80, "2025-11-30"),
    ("egret-2", "south", "web, metrics", 12, 160, "2026-11-30"),
    ("fulmar-1", "south", "database", 32, 500, "2027-01-31"),
    ("gannet-1", "south", "gate", 4, 40, "2025-06-30"),
    ("gannet-2", "south", "gate", 4, 40, "2026-10-31"),
    ("heron-1", "south", "backup", 8, 2000, "2027-05-31"),
    ("knot-1", "south", "tide", 4, 60, "2026-02-28"),
    ("knot-2", "south", "tide", 4, 60, "2025-10-31"),
    ("linnet-1", "pier", "camera", 16, 900, "2026-09-30"),
    ("linnet-2", "pier", "camera", 16, 900, "2026-09-30"),
    ("linnet-3", "pier", "camera", 16, 900, "2025-08-31"),
    ("merlin-1", "pier", "web, gate", 8, 80, "2027-02-28"),
    ("osprey-1", "pier", "backup", 8, 1600, "2025-11-02"),
    ("pipit-1", "pier", "tide", 4, 60, "2027-07-31"),
    ("plover-1", "pier", "metrics", 16, 500, "2025-11-03"),
    ("redshank-1", "pier", "database", 24, 300, "2027-04-30"),
    ("sanderling-1", "north", "tide", 4, 60, "2026-08-31"),
    ("turnstone-1", "south", "camera", 16, 800, "2027-06-30"),
    ("wigeon-1", "north", "backup", 8, 1800, "2026-05-31"),
];

/// Where each site keeps the list of its machines.
pub const SITES: [&str; 3] = ["north", "pier", "south"];

/// A role with its settings, and the lines of what it does.
pub type Role = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

pub const ROLES: &[Role] = &[
    (
        "backup",
        &[
            ("restic_version", "0.16.2"),
            ("keep_days", "35"),
            ("start_hour", "2"),
            ("bandwidth_mbit", "80"),
        ],
        "- install: restic\n- timer: nightly\n- run: restic backup /srv\n- run: restic forget --prune\n",
    ),
    (
        "camera",
        &[
            ("ffmpeg_version", "6.1.0"),
            ("frames_per_second", "12"),
            ("keep_days", "14"),
            ("buffer_mb", "256"),
        ],
        "- install: ffmpeg\n- mount: /srv/video\n- run: record --all\n- run: sweep --older keep_days\n",
    ),
    (
        "database",
        &[
            ("postgres_version", "15.4.0"),
            ("max_connections", "200"),
            ("work_memory_mb", "32"),
            ("checkpoint_minutes", "10"),
        ],
        "- install: postgres\n- mount: /srv/data\n- template: postgres.conf\n- run: check-replica --quick\n",
    ),
    (
        "gate",
        &[
            ("plc_version", "2.8.1"),
            ("poll_ms", "250"),
            ("retry_count", "3"),
            ("alarm_seconds", "20"),
        ],
        "- install: plc-bridge\n- template: gates.conf\n- run: gate-bridge --listen 0.0.0.0\n- restart: always\n",
    ),
    (
        "metrics",
        &[
            ("prometheus_version", "2.47.0"),
            ("scrape_seconds", "30"),
            ("keep_days", "60"),
            ("query_timeout_seconds", "90"),
        ],
        "- install: prometheus\n- mount: /srv/metrics\n- run: reload-targets --partial\n- restart: on-failure\n",
    ),
    (
        "tide",
        &[
            ("gauge_version", "1.4.2"),
            ("sample_seconds", "60"),
            ("smooth_samples", "5"),
            ("retry_count", "4"),
        ],
        "- install: tide-gauge\n- device: /dev/ttyS0\n- run: gauge --raw\n- restart: always\n",
    ),
    (
        "web",
        &[
            ("nginx_version", "1.24.0"),
            ("worker_connections", "1024"),
            ("keepalive_seconds", "65"),
            ("body_mb", "16"),
        ],
        "- install: nginx\n- template: site.conf\n- run: nginx -t\n- reload: nginx\n",
    ),
];

pub fn host_path(name: &str) -> String {
    format!("hosts/{name}.yml")
}

pub fn settings_path(role: &str) -> String {
    format!("roles/{role}/settings.yml")
}

pub fn tasks_path(role: &str) -> String {
    format!("roles/{role}/tasks.yml")
}

pub fn host_text((name, site, roles, memory, disk, until): &Machine) -> String {
    format!(
        "host: {name}\nsite: {site}\nroles: {roles}\nmemory_gb: {memory}\ndisk_gb: {disk}\nretire_after: {until}\n"
    )
}

/// All files of a role.
pub fn role_files((name, settings, tasks): &Role) -> Vec<Write> {
    let lines: String = settings
        .iter()
        .map(|(key, value)| format!("{key}: {value}\n"))
        .collect();
    vec![
        Write::new(
            &settings_path(name),
            &format!("# What machines with the role {name} have.\n{lines}"),
        ),
        Write::new(&tasks_path(name), tasks),
    ]
}

/// The list of the machines of a site.
pub fn site_list(site: &str) -> String {
    let here = MACHINES.iter().filter(|it| it.1 == site);
    here.map(|(name, ..)| format!("{name}\n")).collect()
}

/// What is watched: each machine with its port.
pub fn targets() -> String {
    let lines: String = MACHINES
        .iter()
        .map(|(name, ..)| format!("{name},9100\n"))
        .collect();
    format!("host,port\n{lines}")
}
