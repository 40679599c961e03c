//! The notes of the laboratory: the rules that tasks rest on.

use mcpmark_guest::World;

pub fn write(world: &mut World) {
    world.file("README.md", README);
    world.file("docs/calibration.md", CALIBRATION);
    world.file("docs/cold stores.md", COLD_STORES);
    world.file("docs/filing exports.md", FILING);
    world.file("docs/register.md", REGISTER);
    world.file("docs/results.md", RESULTS);
    world.file("docs/handing over data.md", HANDOVER);
    world.file("docs/archive/results 2022.md", RESULTS_2022);
    world.file(
        "docs/archive/calibration (draft, not accepted).md",
        CALIBRATION_DRAFT,
    );
    world.file("logs/filing.csv", FILING_LOG);
    world.file("logs/visitors.txt", VISITORS);
    world.file(
        ".drive.ini",
        "[drive]\nlabel = LQ\nquota_gb = 40\nlast_backup = 2024-04-05T22:00:04\n",
    );
}

const README: &str = "\
# Linnet Quay Laboratory: the instrument drive

| Folder | What is in it |
|---|---|
| `config/` | instruments, methods, cold stores |
| `certificates/` | calibration certificates; drafts in `drafts/` |
| `docs/` | how we do things; what is in `docs/archive/` no longer holds or never did |
| `registers/` | samples, sites, projects, clients, staff, corrections |
| `runs/` | exports of the three large instruments, one folder each, with `index.csv` |
| `inbox/` | exports that nobody has filed |
| `loggers/` | temperatures of the cold stores |
| `receiving/` | what the scanners at the doors saw |
| `logs/` | bench logs, visitors, filing |

Reports go into `reports/`; make it if it is not there.

## Time

The wall clock here is on Central European Time, which is UTC+1 in winter and UTC+2 in summer. In 2024
summer time lasts from 31 March, 01:00 UTC (the wall clock goes from 02:00 to 03:00) to 27 October,
01:00 UTC. Where a note or a register gives a time without saying more, it is the wall clock.

Instruments keep time in their own way (`clock` in `config/instruments.ini`):

- `local`: by the wall clock;
- `utc`: in UTC;
- `cet`: in UTC+1, summer and winter;
- `offset`: each time says its offset from UTC;
- `none`: the instrument has no clock.

## Dates

Where nothing else is said, dates with points are day, month, year. The temperature logger tl-9 and
the certificates of Pellar Standards write month/day/year.

## Numbers

The spectrometer and the logger tl-8 write a decimal comma. Nobody here groups thousands. Round once,
at the end, halves away from zero.

## Samples

A sample has an identifier like `LQ24-0131`. On labels, capitals, blanks and the dash mean nothing:
`lq24 0131` is the same sample.
";

const CALIBRATION: &str = "\
# Calibration

A certificate belongs to the instrument whose serial number it bears; serial numbers are in
`config/instruments.ini`. Certificates with other serial numbers are for instruments of others.

## Which certificate counts

1. Only certificates directly in `certificates/` count, no drafts.
2. A certificate whose result is `passed` counts (capitals do not matter); one that was not passed
   counts for nothing. The one before it goes on counting.
3. A certificate that another one says it replaces counts for nothing.
4. Of those that are left, the one with the latest date of calibration holds. The date of issue is of
   no interest.

## When the next one is due

`interval_months` after the date of calibration, on the same day of the month. Where that month has no
such day: on its last day.

## States

| State | Meaning |
|---|---|
| `overdue` | the due date lies before the day of the report |
| `soon` | it is the day of the report or one of the 30 days after it |
| `valid` | it is later |
| `none` | no certificate counts |

Retired instruments are not listed anywhere. Those in repair are listed like all others.
";

const CALIBRATION_DRAFT: &str = "\
# Calibration (proposal of Renko)

- The interval runs from the date of issue.
- `soon` means 60 days.

Not accepted, 2024-01-22.
";

const COLD_STORES: &str = "\
# Cold stores

`config/cold-stores.ini` says which logger watches which store, and within which limits. The loggers
take a reading every 20 minutes. Their files are `loggers/<logger>/<year>-W<week>.csv` or `.txt`, a
week from Monday to Sunday by the logger's own clock. Other files in these folders are something else.
Loggers tl-7 and tl-8 measure in degrees Celsius, tl-9 in degrees Fahrenheit:
°C = (°F - 32) × 5 / 9.

## Readings

- `-99.9`, `---` and `FAULT` stand for a reading that failed.
- To each reading in degrees Celsius, add the correction of the logger's certificate that counts
  (see `calibration.md`), at the `point` that `cold-stores.ini` names.
- Nothing is rounded before it is reported.
- Readings during planned work (`loggers/planned work.txt`), its first and its last minute included,
  are treated like readings that failed. Work that was postponed did not take place.

## Excursions

A reading is out when it is above the upper or below the lower limit. At the limit is in.

An excursion goes from the first reading that is out to the next reading that is in. Failed readings
are passed over: they neither begin nor end nor interrupt an excursion. It is `high` or `low` by its
first reading; no store ever went from one to the other.

It counts when it lasts at least `delay_minutes`, in minutes that really went by.
";

const FILING: &str = "\
# Filing exports

Everything below `inbox/` waits to be filed, except what is in `inbox/done/`.

## What an export is

An export begins with a head that names the serial number, the batch, when it was started and when it
was exported. It ends with the number of its data rows (`End;14`, `Rows = 14` or `-- 14 lines --`). A
byte order mark may come first. Files without such a head are not exports and stay where they are.

Exports of instruments that are retired, or whose serial number is not in `config/instruments.ini`, stay
where they are too.

## What becomes of it

The first rule that fits is the one:

1. The same bytes as a file in `runs/`, or as another export in the inbox whose path comes earlier in
   the order of bytes: it is a `duplicate` and goes to `inbox/done/duplicates/`.
2. It has no last line with the number of rows, or has fewer or more rows than that line says: it is
   `incomplete` and goes to `inbox/done/incomplete/`.
3. Its batch begins with `TEST`: it is a `test` and goes to `inbox/done/test/`.
4. A complete export of the same batch, which is no duplicate, is in the inbox too and was exported later:
   it is `superseded` and goes to `inbox/done/superseded/`.
5. Else it is `filed` in `runs/`.

Under rules 1 to 4 a file keeps its name, without the folders it was in.

## Names in runs/

`runs/<instrument>/<start>_<batch>.<extension>`: the start in UTC as `YYYYMMDD-HHMM`, the extension `txt`
for the TOC analyser and `csv` for the others. Where a file of that name is there already, `_r2` comes
before the point.

## Index

`runs/index.csv` has one line for each file in the folders of `runs/`: batch, instrument, start in UTC, number
of data rows, path. It is sorted by start, then by path. A field is quoted only where it has a comma.

## Log

`logs/filing.csv` gets one line at its end for each file that was moved, in the order of the bytes of
their old paths: the day, the old path, the new path, what became of it. A field is quoted only where it
has a comma.
";

const FILING_LOG: &str = "\
day,old_path,new_path,what
2024-03-28,inbox/export (3).csv,runs/icp-1/20240327-0815_ICP-0237.csv,filed
2024-04-02,inbox/export_old.csv,inbox/done/export_old.csv,old
";

const REGISTER: &str = "\
# The register of samples

`registers/samples.csv` is kept with a spreadsheet: semicolons, CRLF, a byte order mark, times like
`04.03.2024 09:12`. Other files of that kind are copies.

## Received

The time of the first scan at door A (`receiving/`) is the time at which a sample was received, in whole
minutes, seconds cut off. It goes before what somebody typed. What was typed stays only where there is no
scan.

## Groups

| Group | Parameters | Instrument |
|---|---|---|
| `metals` | iron, manganese, zinc, lead | icp-1 |
| `anions` | chloride, nitrate | ic-2 |
| `toc` | toc | toc-3 |

A sample needs the groups of the parameters that its project asks for (`registers/projects.json`). A group
is measured when the sample stands on a row of the type `SAMPLE` in a batch of that instrument in `runs/`,
whatever came of it; the time of the measurement is the start of the first such batch. What an instrument
measured beyond what was asked for does not matter.

## Status

| Status | Meaning |
|---|---|
| `analysed` | all its groups are measured |
| `in work` | some are |
| `received` | none is, and there is a time at which it was received |
| `expected` | none is, and there is no such time |

## Holding times

Hours from taking a sample to its measurement, at most:

| Matrix | metals | anions | toc |
|---|---|---|---|
| raw water | 96 | 48 | 120 |
| surface water | 120 | 96 | 240 |
| waste water | 120 | 48 | 96 |

They are hours that really went by. A sample that was acidified on site (remark `acidified on site`) may
wait twice as long for metals and toc. A measurement after exactly that time is still `in time`; after that
it is `late`. A group that was not measured is `open` as long as its time is not over, `lapsed` after that.
";

const RESULTS: &str = "\
# From readings to results

## Labels

`config/analytes.csv` says which parameter a label means, and the factor that its amounts are multiplied
with. Labels without a parameter are not reported. A label ending in `D` after the number of the sample is
the second half of a duplicate of that sample in the same batch.

The firmware 2.1 of the ion chromatograph does not quote anything, also not the comma of `Nitrate, as N`.

## Corrections

`registers/corrections.csv`; only those with the state `signed` apply. Each concerns a sample in one batch,
under the identifier that the export has, and all apply at once, to the halves of a duplicate as well:

- `dilution`: the dilution was the one given, not that of the export;
- `swap`: the two samples were mixed up; the rows of each belong to the other, with their dilution;
- `strike`: the readings of the sample in this batch do not count.

## Readings

- Spectrometer: amounts are before dilution; multiply by the dilution.
- Ion chromatograph: amounts are final; the dilution is 1.
- TOC analyser: three rows that follow each other, with the repetitions 1, 2 and 3, are one measurement,
  also of a blank or a check. Repetitions marked `x` are struck out; the mean of the others counts. Amounts
  are before dilution; multiply by the dilution.
- `OVR` is over the range: no reading. `<LOD` is a reading of 0.
- Both halves of a duplicate have the same dilution. They are taken after dilution and factor. If one is no
  reading, the other counts. If both are, their mean counts, unless they differ by more than 20 % of that
  mean: then there is no reading.

## Checks

A batch is good for a label when

- each row or measurement of the type `BLANK` is at most the `blank` of the parameter
  (`config/methods.ini`), and
- each of the type `QC` is from 90 % to 110 % of the number in its name (`QC 50`), both included.

Checks are made on amounts as the export has them, before factors, in the unit of the instrument, which is
that of the method; with the TOC analyser on each measurement. What a batch found for a label for which it
is not good does not count.

## Results

If several batches that count have a reading of a sample and parameter, the one that was started last
holds.

A result below the limit of quantification (`loq` in `config/methods.ini`, times the dilution) is reported as
`<` and that limit. Results are reported in the unit and with the decimals that the project asks for
(`registers/projects.json`); 1 mg/L = 1000 µg/L. A result exceeds the limit of the project when it is
above it before rounding; what is below the limit of quantification never does.
";

const RESULTS_2022: &str = "\
# From readings to results (2022)

- Halves of a duplicate may differ by 30 %.
- Of several batches the first one holds.
- Results below the limit are reported as half of it.
";

const HANDOVER: &str = "\
# Handing over data to people from outside

Whoever looks at our data from outside gets no names. What they get goes into `handover/`; the key stays in
`registers/`.

## Codes

- Samples: `X001`, `X002` and so on, numbered in the order of their identifiers, over all samples that
  stand anywhere in what is handed over, in data or logs. No number is left out.
- Staff: `P1` to `P8`, in the order of `registers/staff.csv`.
- Clients: the identifier in `registers/clients.json`.
- A contact of a client becomes `[contact]`, its mail address `[mail]`, its telephone number `[phone]`.

A client with `\"audit\": false` has not agreed. Its samples are not handed over, and neither is an entry of a
log in which one of them or one of the client's names (`name`, `also`, `contact`, `mail`, `phone`) is found.

## Logs

An entry begins with a line with date, time and initials in brackets. Lines that begin with two blanks
belong to the entry above. An entry belongs to each batch that it names anywhere.

In texts, the following is replaced:

- a member of staff by the code: the full name, the first name, the last name, or the initials in brackets
  (`[mt]` becomes `[P1]`);
- a client by its identifier: its `name` and everything in `also`;
- a contact (the full name only), a mail address, a telephone number as said above;
- a sample by its code. In logs samples are always written like `LQ24-0131`.

Names of sites (`registers/sites.csv`) stay as they are, also where a name of a person or a client is in them.

Go through a text from left to right. At each place the longest of all these names that stands there wins,
sites included; then go on behind it. Capitals matter. A name is found only where no letter and no digit
stands directly before or after it. (The initials in brackets and telephone numbers follow the same rule.)

## Data

One CSV file a batch: comma, decimal point, UTF-8 without a byte order mark, LF, no quotes where none are
needed. Values stay as the instrument gave them but for the decimal point.
";

const VISITORS: &str = "\
2024-02-29  Bo Hollow, two crates
2024-03-12  School, 14 children
2024-03-26  Ode Lindqvist
2024-04-05  (nobody)
";
