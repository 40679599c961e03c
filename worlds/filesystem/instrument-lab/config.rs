//! Which instruments there are, and how they are set.

use mcpmark_guest::World;

/// A section of `config/instruments.ini`.
struct Instrument {
    id: &'static str,
    serial: &'static str,
    name: &'static str,
    room: &'static str,
    clock: &'static str,
    interval: u32,
    status: &'static str,
}

const fn instrument(
    id: &'static str,
    serial: &'static str,
    name: &'static str,
    room: &'static str,
    clock: &'static str,
    interval: u32,
    status: &'static str,
) -> Instrument {
    Instrument {
        id,
        serial,
        name,
        room,
        clock,
        interval,
        status,
    }
}

const INSTRUMENTS: [Instrument; 15] = [
    instrument(
        "icp-1",
        "HX-20417",
        "ICP emission spectrometer",
        "2.04",
        "local",
        12,
        "in use",
    ),
    instrument(
        "ic-2",
        "KD-7731",
        "ion chromatograph",
        "2.05",
        "offset",
        12,
        "in use",
    ),
    instrument(
        "toc-3",
        "T3-0088",
        "TOC analyser",
        "2.05",
        "utc",
        6,
        "in use",
    ),
    instrument(
        "ph-4",
        "PM-1190",
        "pH and conductivity meter",
        "1.11",
        "none",
        6,
        "in use",
    ),
    instrument(
        "bal-5",
        "BW-55210",
        "analytical balance",
        "1.12",
        "none",
        12,
        "in use",
    ),
    instrument(
        "bal-6",
        "BW-55218",
        "analytical balance",
        "1.12",
        "none",
        12,
        "in use",
    ),
    instrument(
        "tl-7",
        "TL-3301",
        "temperature logger",
        "0.02",
        "utc",
        12,
        "in use",
    ),
    instrument(
        "tl-8",
        "TL-3302",
        "temperature logger",
        "0.03",
        "local",
        12,
        "in use",
    ),
    instrument(
        "tl-9",
        "TL-3310",
        "temperature logger",
        "0.03",
        "cet",
        12,
        "in use",
    ),
    instrument(
        "pip-10",
        "P-0417",
        "piston pipette 1-10 ml",
        "1.11",
        "none",
        6,
        "in use",
    ),
    instrument(
        "oven-11",
        "OV-09",
        "drying oven",
        "0.07",
        "none",
        24,
        "in use",
    ),
    instrument(
        "ph-12",
        "PM-0871",
        "pH meter, old",
        "attic",
        "none",
        6,
        "retired",
    ),
    instrument(
        "bal-13",
        "BW-40032",
        "moisture balance",
        "0.07",
        "none",
        12,
        "in repair",
    ),
    instrument(
        "pip-14",
        "P-0418",
        "piston pipette 1-10 ml",
        "1.11",
        "none",
        6,
        "in use",
    ),
    instrument(
        "icp-0",
        "HX-10093",
        "ICP emission spectrometer, old",
        "attic",
        "local",
        12,
        "retired",
    ),
];

pub fn write(world: &mut World) {
    let mut text = String::from(
        "; All instruments, one section each. The serial number is what the exports and the certificates go by.\n\
         ; clock: how an instrument writes times, see README.md\n\
         ; interval_months: from one calibration to the next, see docs/calibration.md\n",
    );
    for item in &INSTRUMENTS {
        text.push_str(&format!(
            "\n[{}]\nserial = {}\nname = {}\nroom = {}\nclock = {}\ninterval_months = {}\nstatus = {}\n",
            item.id, item.serial, item.name, item.room, item.clock, item.interval, item.status
        ));
    }
    world.file("config/instruments.ini", text);
    world.file("config/cold-stores.ini", COLD_STORES);
    world.file("config/methods.ini", METHODS);
    world.file("config/analytes.csv", ANALYTES);
    world.file("config/old/methods 2023.ini", METHODS_2023);
    world.file("config/.icp-1.ini.swp", "b0VIM 8.2\n");
}

const COLD_STORES: &str = "\
; Cold stores and their loggers. Limits in degrees Celsius.
; point: the point of the certificate whose correction is used
; delay_minutes: shorter excursions do not count, see docs/cold stores.md

[store-a]
name = Reagent refrigerator
logger = tl-7
low = 2.0
high = 8.0
point = 5
delay_minutes = 60

[store-b]
name = Sample cold room
logger = tl-8
low = 1.0
high = 5.0
point = 5
delay_minutes = 60

[store-c]
name = Standards freezer
logger = tl-9
low = -25.0
high = -15.0
point = -20
delay_minutes = 90
";

const METHODS: &str = "\
; Limits of quantification and of blanks, each in the unit below, for a dilution of 1.
; In force since 2024-01-01.

[iron]
unit = µg/L
loq = 10
blank = 3.0

[manganese]
unit = µg/L
loq = 2
blank = 0.5

[zinc]
unit = µg/L
loq = 5
blank = 2.0

[lead]
unit = µg/L
loq = 1
blank = 0.5

[chloride]
unit = mg/L
loq = 1
blank = 0.20

[nitrate]
unit = mg/L
loq = 0.5
blank = 0.10

[toc]
unit = mg/L
loq = 0.5
blank = 0.30
";

const METHODS_2023: &str = "\
; Limits of quantification until the end of 2023.

[iron]
unit = µg/L
loq = 20

[lead]
unit = µg/L
loq = 2

[toc]
unit = mg/L
loq = 1
";

const ANALYTES: &str = "\
label,parameter,factor,remark
Fe 238.204,iron,1,
Fe 259.940,,,\"second line, for checks only\"
Mn 257.610,manganese,1,
Zn 213.857,zinc,1,
Pb 220.353,lead,1,
Chloride,chloride,1,
Nitrate,nitrate,1,
\"Nitrate, as N\",nitrate,4.4268,\"from nitrogen to nitrate\"
Sulfate,sulfate,1,
NPOC mg/L,toc,1,
";
