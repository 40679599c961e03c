--- database.sql
ALTER DATABASE :"database" OWNER TO gauging;
COMMENT ON DATABASE :"database" IS 'Withy Rivers Authority: gauges, readings and warnings. How we do things is in the table handbook, what was decided since in notes.';
--- format
mcpmark postgres state 1
--- roles.sql
CREATE ROLE gauging WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE gil WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE importer WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE nadia WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE reporting WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE river_map WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE sunniva WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
COMMENT ON ROLE importer IS 'The program that reads the files of the loggers.';
COMMENT ON ROLE reporting IS 'Reads readings and figures.';
COMMENT ON ROLE river_map IS 'The public map of the rivers.';
GRANT reporting TO gil;
GRANT reporting TO nadia;
GRANT reporting TO sunniva;
--- schemas.sql
CREATE SCHEMA public AUTHORIZATION gauging;
--- schemas/public/constraints/alerts.sql
ALTER TABLE ONLY public.alerts ADD CONSTRAINT alerts_pkey PRIMARY KEY (id);
--- schemas/public/constraints/borehole_readings.sql
ALTER TABLE ONLY public.borehole_readings ADD CONSTRAINT borehole_readings_pkey PRIMARY KEY (id, taken_at);
--- schemas/public/constraints/borehole_readings_2026_01.sql
ALTER TABLE ONLY public.borehole_readings_2026_01 ADD CONSTRAINT borehole_readings_2026_01_pkey PRIMARY KEY (id, taken_at);
--- schemas/public/constraints/borehole_readings_2026_02.sql
ALTER TABLE ONLY public.borehole_readings_2026_02 ADD CONSTRAINT borehole_readings_2026_02_pkey PRIMARY KEY (id, taken_at);
--- schemas/public/constraints/borehole_readings_2026_03.sql
ALTER TABLE ONLY public.borehole_readings_2026_03 ADD CONSTRAINT borehole_readings_2026_03_pkey PRIMARY KEY (id, taken_at);
--- schemas/public/constraints/borehole_readings_2026_04.sql
ALTER TABLE ONLY public.borehole_readings_2026_04 ADD CONSTRAINT borehole_readings_2026_04_pkey PRIMARY KEY (id, taken_at);
--- schemas/public/constraints/borehole_readings_2026_05.sql
ALTER TABLE ONLY public.borehole_readings_2026_05 ADD CONSTRAINT borehole_readings_2026_05_pkey PRIMARY KEY (id, taken_at);
--- schemas/public/constraints/borehole_readings_2026_06.sql
ALTER TABLE ONLY public.borehole_readings_2026_06 ADD CONSTRAINT borehole_readings_2026_06_pkey PRIMARY KEY (id, taken_at);
--- schemas/public/constraints/borehole_readings_2026_07.sql
ALTER TABLE ONLY public.borehole_readings_2026_07 ADD CONSTRAINT borehole_readings_2026_07_pkey PRIMARY KEY (id, taken_at);
--- schemas/public/constraints/calibrations.sql
ALTER TABLE ONLY public.calibrations ADD CONSTRAINT calibrations_pkey PRIMARY KEY (id);
--- schemas/public/constraints/claims.sql
ALTER TABLE ONLY public.claims ADD CONSTRAINT claims_pkey PRIMARY KEY (id);
ALTER TABLE public.claims ADD CONSTRAINT claims_status_check CHECK ((status = ANY (ARRAY['open'::text, 'granted'::text, 'refused'::text])));
--- schemas/public/constraints/daily_rain.sql
ALTER TABLE ONLY public.daily_rain ADD CONSTRAINT daily_rain_pkey PRIMARY KEY (day, station);
ALTER TABLE public.daily_rain ADD CONSTRAINT daily_rain_status_check CHECK ((status = ANY (ARRAY['provisional'::text, 'published'::text])));
--- schemas/public/constraints/deployments.sql
ALTER TABLE ONLY public.deployments ADD CONSTRAINT deployments_pkey PRIMARY KEY (id);
ALTER TABLE public.deployments ADD CONSTRAINT deployments_part_check CHECK ((part = ANY (ARRAY['gauge'::text, 'parallel'::text])));
--- schemas/public/constraints/devices.sql
ALTER TABLE ONLY public.devices ADD CONSTRAINT devices_pkey PRIMARY KEY (serial);
ALTER TABLE public.devices ADD CONSTRAINT devices_quantity_check CHECK ((quantity = ANY (ARRAY['level'::text, 'rain'::text, 'temperature'::text])));
--- schemas/public/constraints/handbook.sql
ALTER TABLE ONLY public.handbook ADD CONSTRAINT handbook_pkey PRIMARY KEY (section);
--- schemas/public/constraints/imports.sql
ALTER TABLE ONLY public.imports ADD CONSTRAINT imports_pkey PRIMARY KEY (id);
ALTER TABLE public.imports ADD CONSTRAINT imports_source_check CHECK ((source = ANY (ARRAY['radio'::text, 'memory'::text])));
--- schemas/public/constraints/monthly_levels.sql
ALTER TABLE ONLY public.monthly_levels ADD CONSTRAINT monthly_levels_pkey PRIMARY KEY (month, station);
--- schemas/public/constraints/notes.sql
ALTER TABLE ONLY public.notes ADD CONSTRAINT notes_pkey PRIMARY KEY (id);
--- schemas/public/constraints/outages.sql
ALTER TABLE ONLY public.outages ADD CONSTRAINT outages_pkey PRIMARY KEY (id);
--- schemas/public/constraints/people.sql
ALTER TABLE ONLY public.people ADD CONSTRAINT people_pkey PRIMARY KEY (login);
--- schemas/public/constraints/readings.sql
ALTER TABLE ONLY public.readings ADD CONSTRAINT readings_pkey PRIMARY KEY (id, taken_at);
ALTER TABLE public.readings ADD CONSTRAINT readings_quality_check CHECK ((quality = ANY (ARRAY['raw'::text, 'good'::text, 'suspect'::text, 'corrected'::text])));
ALTER TABLE public.readings ADD CONSTRAINT readings_quantity_check CHECK ((quantity = ANY (ARRAY['level'::text, 'rain'::text, 'temperature'::text])));
--- schemas/public/constraints/rejected_readings.sql
ALTER TABLE ONLY public.rejected_readings ADD CONSTRAINT rejected_readings_pkey PRIMARY KEY (id);
ALTER TABLE public.rejected_readings ADD CONSTRAINT rejected_readings_reason_check CHECK ((reason = ANY (ARRAY['time'::text, 'range'::text, 'jump'::text])));
--- schemas/public/constraints/stations.sql
ALTER TABLE ONLY public.stations ADD CONSTRAINT stations_pkey PRIMARY KEY (code);
--- schemas/public/constraints/work_orders.sql
ALTER TABLE ONLY public.work_orders ADD CONSTRAINT work_orders_pkey PRIMARY KEY (id);
--- schemas/public/foreign-keys/alerts.sql
ALTER TABLE public.alerts ADD CONSTRAINT alerts_reading_id_reading_at_fkey FOREIGN KEY (reading_id, reading_at) REFERENCES public.readings(id, taken_at);
ALTER TABLE public.alerts ADD CONSTRAINT alerts_sent_by_fkey FOREIGN KEY (sent_by) REFERENCES public.people(login);
ALTER TABLE public.alerts ADD CONSTRAINT alerts_station_fkey FOREIGN KEY (station) REFERENCES public.stations(code);
--- schemas/public/foreign-keys/calibrations.sql
ALTER TABLE public.calibrations ADD CONSTRAINT calibrations_device_fkey FOREIGN KEY (device) REFERENCES public.devices(serial);
ALTER TABLE public.calibrations ADD CONSTRAINT calibrations_done_by_fkey FOREIGN KEY (done_by) REFERENCES public.people(login);
--- schemas/public/foreign-keys/claims.sql
ALTER TABLE public.claims ADD CONSTRAINT claims_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES public.people(login);
ALTER TABLE public.claims ADD CONSTRAINT claims_station_fkey FOREIGN KEY (station) REFERENCES public.stations(code);
--- schemas/public/foreign-keys/daily_rain.sql
ALTER TABLE public.daily_rain ADD CONSTRAINT daily_rain_station_fkey FOREIGN KEY (station) REFERENCES public.stations(code);
--- schemas/public/foreign-keys/deployments.sql
ALTER TABLE public.deployments ADD CONSTRAINT deployments_device_fkey FOREIGN KEY (device) REFERENCES public.devices(serial);
ALTER TABLE public.deployments ADD CONSTRAINT deployments_station_fkey FOREIGN KEY (station) REFERENCES public.stations(code);
--- schemas/public/foreign-keys/monthly_levels.sql
ALTER TABLE public.monthly_levels ADD CONSTRAINT monthly_levels_station_fkey FOREIGN KEY (station) REFERENCES public.stations(code);
--- schemas/public/foreign-keys/outages.sql
ALTER TABLE public.outages ADD CONSTRAINT outages_station_fkey FOREIGN KEY (station) REFERENCES public.stations(code);
--- schemas/public/foreign-keys/readings.sql
ALTER TABLE public.readings ADD CONSTRAINT readings_device_fkey FOREIGN KEY (device) REFERENCES public.devices(serial);
ALTER TABLE public.readings ADD CONSTRAINT readings_import_id_fkey FOREIGN KEY (import_id) REFERENCES public.imports(id);
ALTER TABLE public.readings ADD CONSTRAINT readings_station_fkey FOREIGN KEY (station) REFERENCES public.stations(code);
--- schemas/public/foreign-keys/work_orders.sql
ALTER TABLE public.work_orders ADD CONSTRAINT work_orders_assigned_to_fkey FOREIGN KEY (assigned_to) REFERENCES public.people(login);
ALTER TABLE public.work_orders ADD CONSTRAINT work_orders_device_fkey FOREIGN KEY (device) REFERENCES public.devices(serial);
ALTER TABLE public.work_orders ADD CONSTRAINT work_orders_station_fkey FOREIGN KEY (station) REFERENCES public.stations(code);
--- schemas/public/grants.sql
GRANT USAGE ON SCHEMA public TO PUBLIC;
GRANT SELECT ON TABLE public.borehole_readings TO reporting;
GRANT SELECT ON TABLE public.daily_rain TO reporting;
GRANT SELECT ON TABLE public.deployments TO importer;
GRANT SELECT ON TABLE public.deployments TO reporting;
GRANT SELECT ON TABLE public.devices TO importer;
GRANT SELECT ON TABLE public.devices TO reporting;
GRANT INSERT, SELECT ON TABLE public.imports TO importer;
GRANT SELECT ON TABLE public.latest_levels TO reporting;
GRANT SELECT ON TABLE public.latest_levels TO river_map;
GRANT SELECT ON TABLE public.monthly_levels TO reporting;
GRANT INSERT ON TABLE public.readings TO importer;
GRANT SELECT ON TABLE public.readings TO reporting;
GRANT SELECT ON TABLE public.readings TO river_map;
GRANT USAGE ON SEQUENCE public.readings_id_seq TO importer;
GRANT SELECT ON TABLE public.stations TO importer;
GRANT SELECT ON TABLE public.stations TO reporting;
GRANT SELECT ON TABLE public.stations TO river_map;
--- schemas/public/indexes/borehole_readings.sql
CREATE INDEX borehole_readings_borehole_taken_at_idx ON ONLY public.borehole_readings USING btree (borehole, taken_at);
--- schemas/public/indexes/borehole_readings_2026_01.sql
ALTER INDEX public.borehole_readings_borehole_taken_at_idx ATTACH PARTITION public.borehole_readings_2026_01_borehole_taken_at_idx;
ALTER INDEX public.borehole_readings_pkey ATTACH PARTITION public.borehole_readings_2026_01_pkey;
CREATE INDEX borehole_readings_2026_01_borehole_taken_at_idx ON public.borehole_readings_2026_01 USING btree (borehole, taken_at);
--- schemas/public/indexes/borehole_readings_2026_02.sql
ALTER INDEX public.borehole_readings_borehole_taken_at_idx ATTACH PARTITION public.borehole_readings_2026_02_borehole_taken_at_idx;
ALTER INDEX public.borehole_readings_pkey ATTACH PARTITION public.borehole_readings_2026_02_pkey;
CREATE INDEX borehole_readings_2026_02_borehole_taken_at_idx ON public.borehole_readings_2026_02 USING btree (borehole, taken_at);
--- schemas/public/indexes/borehole_readings_2026_03.sql
ALTER INDEX public.borehole_readings_borehole_taken_at_idx ATTACH PARTITION public.borehole_readings_2026_03_borehole_taken_at_idx;
ALTER INDEX public.borehole_readings_pkey ATTACH PARTITION public.borehole_readings_2026_03_pkey;
CREATE INDEX borehole_readings_2026_03_borehole_taken_at_idx ON public.borehole_readings_2026_03 USING btree (borehole, taken_at);
--- schemas/public/indexes/borehole_readings_2026_04.sql
ALTER INDEX public.borehole_readings_borehole_taken_at_idx ATTACH PARTITION public.borehole_readings_2026_04_borehole_taken_at_idx;
ALTER INDEX public.borehole_readings_pkey ATTACH PARTITION public.borehole_readings_2026_04_pkey;
CREATE INDEX borehole_readings_2026_04_borehole_taken_at_idx ON public.borehole_readings_2026_04 USING btree (borehole, taken_at);
--- schemas/public/indexes/borehole_readings_2026_05.sql
ALTER INDEX public.borehole_readings_borehole_taken_at_idx ATTACH PARTITION public.borehole_readings_2026_05_borehole_taken_at_idx;
ALTER INDEX public.borehole_readings_pkey ATTACH PARTITION public.borehole_readings_2026_05_pkey;
CREATE INDEX borehole_readings_2026_05_borehole_taken_at_idx ON public.borehole_readings_2026_05 USING btree (borehole, taken_at);
--- schemas/public/indexes/borehole_readings_2026_06.sql
ALTER INDEX public.borehole_readings_borehole_taken_at_idx ATTACH PARTITION public.borehole_readings_2026_06_borehole_taken_at_idx;
ALTER INDEX public.borehole_readings_pkey ATTACH PARTITION public.borehole_readings_2026_06_pkey;
CREATE INDEX borehole_readings_2026_06_borehole_taken_at_idx ON public.borehole_readings_2026_06 USING btree (borehole, taken_at);
--- schemas/public/indexes/borehole_readings_2026_07.sql
ALTER INDEX public.borehole_readings_borehole_taken_at_idx ATTACH PARTITION public.borehole_readings_2026_07_borehole_taken_at_idx;
ALTER INDEX public.borehole_readings_pkey ATTACH PARTITION public.borehole_readings_2026_07_pkey;
CREATE INDEX borehole_readings_2026_07_borehole_taken_at_idx ON public.borehole_readings_2026_07 USING btree (borehole, taken_at);
--- schemas/public/indexes/readings.sql
CREATE INDEX readings_import_id_idx ON public.readings USING btree (import_id);
--- schemas/public/sequences/readings_id_seq.sql
CREATE SEQUENCE public.readings_id_seq AS bigint START WITH 1 INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1;
ALTER SEQUENCE public.readings_id_seq OWNER TO gauging;
ALTER SEQUENCE public.readings_id_seq OWNED BY public.readings.id;
--- schemas/public/tables/alerts.sql
CREATE TABLE public.alerts (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    station text NOT NULL,
    reading_id bigint NOT NULL,
    reading_at timestamp with time zone NOT NULL,
    level_cm numeric(6,1) NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    sent_by text NOT NULL
);

ALTER TABLE public.alerts OWNER TO gauging;
COMMENT ON TABLE public.alerts IS 'Warnings that went out as text messages to the households on the list of a station.';
COMMENT ON COLUMN public.alerts.reading_id IS 'The reading because of which the warning went out.';
COMMENT ON COLUMN public.alerts.level_cm IS 'The level in the message.';
COMMENT ON COLUMN public.alerts.sent_at IS 'By the clock of the flood desk, which is right.';
--- schemas/public/tables/borehole_readings.sql
CREATE TABLE public.borehole_readings (
    id bigint NOT NULL,
    borehole text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    depth_cm numeric(7,1) NOT NULL
)
PARTITION BY RANGE (taken_at);

ALTER TABLE public.borehole_readings OWNER TO gauging;
COMMENT ON TABLE public.borehole_readings IS 'Depth to the groundwater, read by hand. In parts since 2026.';
--- schemas/public/tables/borehole_readings_2026_01.sql
CREATE TABLE public.borehole_readings_2026_01 (
    id bigint NOT NULL,
    borehole text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    depth_cm numeric(7,1) NOT NULL
);

ALTER TABLE public.borehole_readings_2026_01 OWNER TO gauging;
ALTER TABLE public.borehole_readings ATTACH PARTITION public.borehole_readings_2026_01 FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-02-01 00:00:00+00');
--- schemas/public/tables/borehole_readings_2026_02.sql
CREATE TABLE public.borehole_readings_2026_02 (
    id bigint NOT NULL,
    borehole text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    depth_cm numeric(7,1) NOT NULL
);

ALTER TABLE public.borehole_readings_2026_02 OWNER TO gauging;
ALTER TABLE public.borehole_readings ATTACH PARTITION public.borehole_readings_2026_02 FOR VALUES FROM ('2026-02-01 00:00:00+00') TO ('2026-03-01 00:00:00+00');
--- schemas/public/tables/borehole_readings_2026_03.sql
CREATE TABLE public.borehole_readings_2026_03 (
    id bigint NOT NULL,
    borehole text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    depth_cm numeric(7,1) NOT NULL
);

ALTER TABLE public.borehole_readings_2026_03 OWNER TO gauging;
ALTER TABLE public.borehole_readings ATTACH PARTITION public.borehole_readings_2026_03 FOR VALUES FROM ('2026-03-01 00:00:00+00') TO ('2026-04-01 00:00:00+00');
--- schemas/public/tables/borehole_readings_2026_04.sql
CREATE TABLE public.borehole_readings_2026_04 (
    id bigint NOT NULL,
    borehole text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    depth_cm numeric(7,1) NOT NULL
);

ALTER TABLE public.borehole_readings_2026_04 OWNER TO gauging;
ALTER TABLE public.borehole_readings ATTACH PARTITION public.borehole_readings_2026_04 FOR VALUES FROM ('2026-04-01 00:00:00+00') TO ('2026-05-01 00:00:00+00');
--- schemas/public/tables/borehole_readings_2026_05.sql
CREATE TABLE public.borehole_readings_2026_05 (
    id bigint NOT NULL,
    borehole text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    depth_cm numeric(7,1) NOT NULL
);

ALTER TABLE public.borehole_readings_2026_05 OWNER TO gauging;
ALTER TABLE public.borehole_readings ATTACH PARTITION public.borehole_readings_2026_05 FOR VALUES FROM ('2026-05-01 00:00:00+00') TO ('2026-06-01 00:00:00+00');
--- schemas/public/tables/borehole_readings_2026_06.sql
CREATE TABLE public.borehole_readings_2026_06 (
    id bigint NOT NULL,
    borehole text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    depth_cm numeric(7,1) NOT NULL
);

ALTER TABLE public.borehole_readings_2026_06 OWNER TO gauging;
ALTER TABLE public.borehole_readings ATTACH PARTITION public.borehole_readings_2026_06 FOR VALUES FROM ('2026-06-01 00:00:00+00') TO ('2026-07-01 00:00:00+00');
--- schemas/public/tables/borehole_readings_2026_07.sql
CREATE TABLE public.borehole_readings_2026_07 (
    id bigint NOT NULL,
    borehole text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    depth_cm numeric(7,1) NOT NULL
);

ALTER TABLE public.borehole_readings_2026_07 OWNER TO gauging;
ALTER TABLE public.borehole_readings ATTACH PARTITION public.borehole_readings_2026_07 FOR VALUES FROM ('2026-07-01 00:00:00+00') TO ('2026-08-01 00:00:00+00');
--- schemas/public/tables/calibrations.sql
CREATE TABLE public.calibrations (
    id integer NOT NULL,
    device text NOT NULL,
    done_on date NOT NULL,
    done_by text NOT NULL,
    offset_cm numeric(4,1) NOT NULL
);

ALTER TABLE public.calibrations OWNER TO gauging;
COMMENT ON TABLE public.calibrations IS 'Comparisons of level gauges with the staff gauge. See the handbook, section calibrations.';
COMMENT ON COLUMN public.calibrations.offset_cm IS 'To be added to what the gauge had shown.';
--- schemas/public/tables/claims.sql
CREATE TABLE public.claims (
    id integer NOT NULL,
    received_on date NOT NULL,
    household text NOT NULL,
    station text NOT NULL,
    flood_on date NOT NULL,
    letter text NOT NULL,
    status text NOT NULL,
    amount numeric(7,2),
    decided_on date,
    decided_by text,
    answer text
);

ALTER TABLE public.claims OWNER TO gauging;
COMMENT ON TABLE public.claims IS 'Letters of households that were warned late. See the handbook, section goodwill.';
--- schemas/public/tables/daily_rain.sql
CREATE TABLE public.daily_rain (
    day date NOT NULL,
    station text NOT NULL,
    rain_mm numeric(6,2) NOT NULL,
    status text NOT NULL
);

ALTER TABLE public.daily_rain OWNER TO gauging;
COMMENT ON TABLE public.daily_rain IS 'Rain of a water day: the sum of its readings that are not suspect. What is published stays as it is.';
--- schemas/public/tables/deployments.sql
CREATE TABLE public.deployments (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    device text NOT NULL,
    station text NOT NULL,
    part text DEFAULT 'gauge'::text NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone
);

ALTER TABLE public.deployments OWNER TO gauging;
COMMENT ON TABLE public.deployments IS 'Which device was where.';
COMMENT ON COLUMN public.deployments.part IS 'The gauge of a station, or a device that runs in parallel for comparison and counts for nothing.';
COMMENT ON COLUMN public.deployments.until IS 'Empty while the device is there.';
--- schemas/public/tables/devices.sql
CREATE TABLE public.devices (
    serial text NOT NULL,
    model text NOT NULL,
    quantity text NOT NULL,
    unit text NOT NULL,
    bought_on date NOT NULL
);

ALTER TABLE public.devices OWNER TO gauging;
COMMENT ON TABLE public.devices IS 'Gauges and probes.';
COMMENT ON COLUMN public.devices.unit IS 'Unit in which the model is delivered.';
--- schemas/public/tables/handbook.sql
CREATE TABLE public.handbook (
    section text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    edited_on date NOT NULL,
    edited_by text NOT NULL
);

ALTER TABLE public.handbook OWNER TO gauging;
COMMENT ON TABLE public.handbook IS 'How we do things. What notes decide later goes before it.';
--- schemas/public/tables/imports.sql
CREATE TABLE public.imports (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    file text NOT NULL,
    source text NOT NULL,
    started_at timestamp with time zone NOT NULL
);

ALTER TABLE public.imports OWNER TO gauging;
COMMENT ON TABLE public.imports IS 'Files that were read in: from the radio network every night, or from the memory of a logger that somebody read out on the spot.';
--- schemas/public/tables/monthly_levels.sql
CREATE TABLE public.monthly_levels (
    month date NOT NULL,
    station text NOT NULL,
    hours integer NOT NULL,
    lowest_cm numeric(6,1) NOT NULL,
    highest_cm numeric(6,1) NOT NULL,
    mean_cm numeric(6,1) NOT NULL
);

ALTER TABLE public.monthly_levels OWNER TO gauging;
COMMENT ON TABLE public.monthly_levels IS 'Levels of a month in water days, from the 1st to the last, for each station with readings. Only readings of the station''s gauge count, and no suspect ones. What has been reported stays.';
COMMENT ON COLUMN public.monthly_levels.month IS 'The first day of the month.';
COMMENT ON COLUMN public.monthly_levels.hours IS 'Readings that count.';
COMMENT ON COLUMN public.monthly_levels.mean_cm IS 'Mean of the readings that count, halves up.';
--- schemas/public/tables/notes.sql
CREATE TABLE public.notes (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    written_on date NOT NULL,
    author text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL
);

ALTER TABLE public.notes OWNER TO gauging;
COMMENT ON TABLE public.notes IS 'Notes to each other: decisions, observations, and who rang whom.';
--- schemas/public/tables/outages.sql
CREATE TABLE public.outages (
    id integer NOT NULL,
    station text NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone,
    cause text NOT NULL
);

ALTER TABLE public.outages OWNER TO gauging;
COMMENT ON TABLE public.outages IS 'Times without readings.';
--- schemas/public/tables/people.sql
CREATE TABLE public.people (
    login text NOT NULL,
    full_name text NOT NULL,
    job text NOT NULL,
    started_on date NOT NULL,
    left_on date
);

ALTER TABLE public.people OWNER TO gauging;
COMMENT ON TABLE public.people IS 'Who works here.';
--- schemas/public/tables/readings.sql
CREATE TABLE public.readings (
    id bigint DEFAULT nextval('public.readings_id_seq'::regclass) NOT NULL,
    device text NOT NULL,
    station text NOT NULL,
    quantity text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    value numeric(7,2) NOT NULL,
    quality text DEFAULT 'raw'::text NOT NULL,
    import_id integer
);

ALTER TABLE public.readings OWNER TO gauging;
COMMENT ON TABLE public.readings IS 'What the devices say. The key has the time, because a table in parts needs it.';
COMMENT ON COLUMN public.readings.station IS 'Where the device was, copied by the import so that the map needs no join.';
COMMENT ON COLUMN public.readings.taken_at IS 'Time by the clock of the logger.';
COMMENT ON COLUMN public.readings.value IS 'Level in cm, rain of the hour in mm, temperature in degrees Celsius.';
COMMENT ON COLUMN public.readings.quality IS 'See the handbook, section qualities.';
--- schemas/public/tables/readings_archive.sql
CREATE TABLE public.readings_archive (
    id bigint NOT NULL,
    device text NOT NULL,
    station text NOT NULL,
    quantity text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    value numeric(7,2) NOT NULL,
    quality text NOT NULL,
    import_id integer
);

ALTER TABLE public.readings_archive OWNER TO gauging;
COMMENT ON TABLE public.readings_archive IS 'Readings of years that were taken out of readings. None so far.';
--- schemas/public/tables/rejected_readings.sql
CREATE TABLE public.rejected_readings (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    device text NOT NULL,
    station text NOT NULL,
    quantity text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    value numeric(7,2) NOT NULL,
    import_id integer,
    reason text NOT NULL,
    rejected_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.rejected_readings OWNER TO gauging;
COMMENT ON TABLE public.rejected_readings IS 'Readings that were not plausible when they came in. Until the autumn of 2025 the old import program wrote them.';
--- schemas/public/tables/schema_log.sql
CREATE TABLE public.schema_log (
    changed_on date NOT NULL,
    object text NOT NULL,
    change text NOT NULL
);

ALTER TABLE public.schema_log OWNER TO gauging;
COMMENT ON TABLE public.schema_log IS 'One line for each table whose definition was changed.';
--- schemas/public/tables/stations.sql
CREATE TABLE public.stations (
    code text NOT NULL,
    name text NOT NULL,
    river text NOT NULL,
    lowest_cm numeric(6,1) NOT NULL,
    highest_cm numeric(6,1) NOT NULL,
    warning_cm numeric(6,1) NOT NULL,
    opened_on date NOT NULL,
    closed_on date
);

ALTER TABLE public.stations OWNER TO gauging;
COMMENT ON TABLE public.stations IS 'Places at which we measure. Levels are centimetres above the zero of the staff gauge.';
COMMENT ON COLUMN public.stations.lowest_cm IS 'The lowest level that can be: the bed of the river.';
COMMENT ON COLUMN public.stations.highest_cm IS 'The highest level that can be: the deck of the bridge or the top of the wall.';
COMMENT ON COLUMN public.stations.warning_cm IS 'Warning level. See the handbook, section warnings.';
COMMENT ON COLUMN public.stations.closed_on IS 'Last day of a station that has been given up.';
--- schemas/public/tables/work_orders.sql
CREATE TABLE public.work_orders (
    id integer NOT NULL,
    station text NOT NULL,
    device text,
    opened_on date NOT NULL,
    closed_on date,
    assigned_to text NOT NULL,
    subject text NOT NULL,
    report text
);

ALTER TABLE public.work_orders OWNER TO gauging;
COMMENT ON TABLE public.work_orders IS 'Work at the stations and in the workshop.';
COMMENT ON COLUMN public.work_orders.report IS 'What was found and done, by whoever did it. Times are UTC.';
--- schemas/public/views/latest_levels.sql
CREATE VIEW public.latest_levels AS
 SELECT s.code,
    s.name,
    s.warning_cm,
    r.device,
    r.taken_at,
    r.value AS level_cm
   FROM (public.stations s
     JOIN public.readings r ON ((r.station = s.code)))
  WHERE ((s.closed_on IS NULL) AND (r.quantity = 'level'::text) AND (r.quality <> 'suspect'::text) AND (r.taken_at = ( SELECT max(x.taken_at) AS max
           FROM public.readings x
          WHERE ((x.station = s.code) AND (x.quantity = 'level'::text) AND (x.quality <> 'suspect'::text)))));

ALTER VIEW public.latest_levels OWNER TO gauging;
COMMENT ON VIEW public.latest_levels IS 'The front page of the public map: the newest level of each station, from every device there.';
