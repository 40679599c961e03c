//! The files that the code base is made of: where each begins, its layers and its settings.

/// A file by its key.
pub struct Source {
    pub key: &'static str,
    pub path: &'static str,
    pub layers: &'static str,
    /// What its settings are at first.
    pub settings: &'static [(&'static str, &'static str)],
    /// The words of a template.
    pub words: &'static [(&'static str, &'static str)],
}

macro_rules! source {
    ($key:literal, $path:literal, $layers:literal $(, [$(($setting:literal, $value:literal)),*])?) => {
        Source {
            key: $key,
            path: $path,
            layers: include_str!(concat!("code/", $layers)),
            settings: &[$($(($setting, $value)),*)?],
            words: &[],
        }
    };
}

macro_rules! driver {
    ($key:literal, $path:literal, $words:expr, $poll:literal, $timeout:literal, $retries:literal) => {
        Source {
            key: $key,
            path: $path,
            layers: include_str!("code/driver.py"),
            settings: &[
                ("poll_seconds", $poll),
                ("timeout_ms", $timeout),
                ("retries", $retries),
            ],
            words: &$words,
        }
    };
}

macro_rules! crop {
    ($name:literal, $title:literal, $low:literal, $high:literal, $minutes:literal, $rest:literal, $frost:literal) => {
        Source {
            key: $name,
            path: concat!("crops/", $name, ".toml"),
            layers: include_str!("code/crop.toml"),
            settings: &[
                ("low", $low),
                ("high", $high),
                ("max_minutes", $minutes),
                ("rest_hours", $rest),
                ("frost_guard", $frost),
            ],
            words: &[("title", $title)],
        }
    };
}

/// Every file that there ever is, but for the change log and the version.
pub const SOURCES: &[Source] = &[
    source!("readme", "README.md", "README.md"),
    source!("contributing", "CONTRIBUTING.md", "contributing.md"),
    source!("install", "docs/setup.md", "docs_install.md"),
    source!("crops-doc", "docs/crops.md", "docs_crops.md"),
    source!("drivers-doc", "docs/drivers.md", "docs_drivers.md"),
    source!("triage-doc", "docs/triage.md", "docs_triage.md"),
    source!("releasing-doc", "docs/releasing.md", "docs_releasing.md"),
    source!(
        "pyproject",
        "pyproject.toml",
        "pyproject.toml",
        [
            ("dep_pytest", "7.2.1"),
            ("dep_ruff", "0.0.253"),
            ("dep_mypy", "1.0.1")
        ]
    ),
    source!(
        "package",
        "web/package.json",
        "package.json",
        [("dep_typescript", "5.0.2"), ("dep_vite", "4.2.0")]
    ),
    source!(
        "schedule",
        "sluice/schedule.py",
        "schedule.py",
        [
            ("earliest_hour", "5"),
            ("latest_hour", "9"),
            ("min_run_seconds", "30"),
            ("rain_skip_mm", "4.0"),
            ("weather_module", "meteo")
        ]
    ),
    source!(
        "valves",
        "sluice/valves.py",
        "valves.py",
        [
            ("max_open_seconds", "2700"),
            ("prime_seconds", "3"),
            ("valve_retries", "2")
        ]
    ),
    source!(
        "moisture",
        "sluice/moisture.py",
        "moisture.py",
        [
            ("smoothing", "0.50"),
            ("stale_minutes", "45"),
            ("outlier", "0.25")
        ]
    ),
    source!(
        "weather",
        "sluice/meteo.py",
        "weather.py",
        [
            ("forecast_hours", "12"),
            ("forecast_timeout", "10"),
            ("forecast_age", "6")
        ]
    ),
    source!(
        "alerts",
        "sluice/alerts.py",
        "alerts.py",
        [("quiet_minutes", "60"), ("repeat_limit", "5")]
    ),
    source!("crops", "sluice/crops.py", "crops.py"),
    source!(
        "store",
        "sluice/store.py",
        "store.py",
        [("keep_days", "365")]
    ),
    source!("cli", "sluice/cli.py", "cli.py"),
    source!("base", "sluice/drivers/base.py", "base.py"),
    driver!(
        "teros",
        "sluice/drivers/teros.py",
        [
            ("maker", "Metrowell"),
            ("model", "Teros 11"),
            ("wire", "SDI-12"),
            ("class", "Teros"),
            ("name", "teros"),
            ("note", "Three values a frame; only the first is moisture."),
            ("length", "6"),
            ("order", "big"),
            ("offset", "0")
        ],
        "60",
        "900",
        "2"
    ),
    driver!(
        "capstick",
        "sluice/drivers/capstick.py",
        [
            ("maker", "Capstick"),
            ("model", "C2"),
            ("wire", "RS-485"),
            ("class", "Capstick"),
            ("name", "capstick"),
            ("note", "The cheap one that most allotments have."),
            ("length", "4"),
            ("order", "little"),
            ("offset", "2")
        ],
        "30",
        "250",
        "3"
    ),
    driver!(
        "loriot",
        "sluice/drivers/loriot.py",
        [
            ("maker", "Loriot"),
            ("model", "LT-4"),
            ("wire", "LoRa"),
            ("class", "Loriot"),
            ("name", "loriot"),
            ("note", "Sends on its own; polling only asks the gateway."),
            ("length", "10"),
            ("order", "big"),
            ("offset", "2")
        ],
        "300",
        "4000",
        "1"
    ),
    driver!(
        "huntley",
        "sluice/drivers/huntley.py",
        [
            ("maker", "Huntley"),
            ("model", "HV valve line"),
            ("wire", "RS-485"),
            ("class", "Huntley"),
            ("name", "huntley"),
            (
                "note",
                "Eight valves on a line, the state of each in two bytes."
            ),
            ("length", "16"),
            ("order", "big"),
            ("offset", "0")
        ],
        "10",
        "200",
        "4"
    ),
    driver!(
        "pebble",
        "sluice/drivers/pebble.py",
        [
            ("maker", "Pebble"),
            ("model", "P1"),
            ("wire", "BLE"),
            ("class", "Pebble"),
            ("name", "pebble"),
            ("note", "Sleeps most of the time; the first poll wakes it."),
            ("length", "8"),
            ("order", "little"),
            ("offset", "4")
        ],
        "180",
        "2500",
        "3"
    ),
    driver!(
        "arrowell",
        "sluice/drivers/arrowell.py",
        [
            ("maker", "Arrowell"),
            ("model", "A7"),
            ("wire", "RS-485"),
            ("class", "Arrowell"),
            ("name", "arrowell"),
            ("note", "Speaks Modbus, and is alone in that."),
            ("length", "6"),
            ("order", "big"),
            ("offset", "2")
        ],
        "45",
        "400",
        "2"
    ),
    source!("api", "web/src/api.ts", "api.ts", [("web_timeout", "8000")]),
    source!(
        "chart",
        "web/src/chart.ts",
        "chart.ts",
        [("chart_width", "480")]
    ),
    source!(
        "test-schedule",
        "tests/test_schedule.py",
        "test_schedule.py"
    ),
    source!("test-valves", "tests/test_valves.py", "test_valves.py"),
    source!(
        "test-moisture",
        "tests/test_moisture.py",
        "test_moisture.py"
    ),
    source!(
        "test-forecast",
        "tests/test_forecast.py",
        "test_forecast.py",
        [("weather_module", "meteo")]
    ),
    source!("test-alerts", "tests/test_alerts.py", "test_alerts.py"),
    source!("test-crops", "tests/test_crops.py", "test_crops.py"),
    crop!("tomato", "Tomato", "0.32", "0.52", "20", "10", "4.0"),
    crop!("cucumber", "Cucumber", "0.38", "0.58", "18", "8", "5.0"),
    crop!("lettuce", "Lettuce", "0.40", "0.60", "8", "6", "1.0"),
    crop!("leek", "Leek", "0.28", "0.48", "14", "16", "-2.0"),
    crop!("onion", "Onion", "0.22", "0.42", "12", "20", "0.0"),
    crop!("strawberry", "Strawberry", "0.34", "0.50", "10", "8", "1.5"),
    crop!("courgette", "Courgette", "0.36", "0.56", "22", "12", "3.0"),
    crop!(
        "runner-bean",
        "Runner bean",
        "0.33",
        "0.53",
        "16",
        "12",
        "2.0"
    ),
    crop!("potato", "Potato", "0.30", "0.50", "24", "24", "2.0"),
    crop!("kale", "Kale", "0.30", "0.52", "12", "14", "-4.0"),
    crop!("sweetcorn", "Sweetcorn", "0.31", "0.51", "26", "18", "3.0"),
    crop!("raspberry", "Raspberry", "0.29", "0.47", "18", "20", "-3.0"),
];

pub fn source(key: &str) -> &'static Source {
    SOURCES
        .iter()
        .find(|source| source.key == key)
        .unwrap_or_else(|| panic!("no file {key}"))
}
