--- database.sql
ALTER DATABASE :"database" OWNER TO desk;
COMMENT ON DATABASE :"database" IS 'Lantern Cinemas: programme, sales and members. House rules are in the table handbook, what was decided since in desk_notes.';
--- format
mcpmark postgres state 1
--- roles.sql
CREATE ROLE agnes WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE amara WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE bruno WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE celine WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE desk WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE dov WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE edith WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE farid WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE finance WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE front_of_house WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE gwen WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE hale WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE ines WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE jonah WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE kaya WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE lorcan WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE marketing WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE mirela WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE reporting WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE signage WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE tills WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE tomasz WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE web_shop WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
COMMENT ON ROLE finance IS 'Accounts, vouchers and the settlement with distributors.';
COMMENT ON ROLE front_of_house IS 'Tills, doors and duty managers.';
COMMENT ON ROLE marketing IS 'Newsletter, memberships and posters.';
COMMENT ON ROLE reporting IS 'Reads the programme and the returns.';
GRANT finance TO celine GRANTED BY desk;
GRANT finance TO desk WITH ADMIN OPTION;
GRANT front_of_house TO agnes GRANTED BY desk;
GRANT front_of_house TO amara GRANTED BY desk;
GRANT front_of_house TO bruno GRANTED BY desk;
GRANT front_of_house TO desk WITH ADMIN OPTION;
GRANT front_of_house TO dov GRANTED BY desk;
GRANT front_of_house TO edith GRANTED BY desk;
GRANT front_of_house TO farid GRANTED BY desk;
GRANT front_of_house TO hale GRANTED BY desk;
GRANT front_of_house TO jonah GRANTED BY desk;
GRANT marketing TO desk WITH ADMIN OPTION;
GRANT marketing TO gwen GRANTED BY desk;
GRANT marketing TO lorcan GRANTED BY desk;
GRANT marketing TO mirela GRANTED BY desk;
GRANT reporting TO amara GRANTED BY desk;
GRANT reporting TO celine GRANTED BY desk;
GRANT reporting TO desk WITH ADMIN OPTION;
GRANT reporting TO gwen GRANTED BY desk;
GRANT reporting TO hale GRANTED BY desk;
GRANT reporting TO ines GRANTED BY desk;
GRANT reporting TO kaya GRANTED BY desk;
GRANT reporting TO lorcan GRANTED BY desk;
GRANT reporting TO mirela GRANTED BY desk;
GRANT reporting TO signage GRANTED BY desk;
--- schemas.sql
CREATE SCHEMA public AUTHORIZATION desk;
--- schemas/public/constraints/bookings.sql
ALTER TABLE ONLY public.bookings ADD CONSTRAINT bookings_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.bookings ADD CONSTRAINT bookings_reference_key UNIQUE (reference);
ALTER TABLE public.bookings ADD CONSTRAINT bookings_channel_check CHECK ((channel = ANY (ARRAY['web'::text, 'till'::text, 'phone'::text])));
ALTER TABLE public.bookings ADD CONSTRAINT bookings_status_check CHECK ((status = ANY (ARRAY['paid'::text, 'refunded'::text, 'invoiced'::text])));
--- schemas/public/constraints/cinemas.sql
ALTER TABLE ONLY public.cinemas ADD CONSTRAINT cinemas_pkey PRIMARY KEY (code);
--- schemas/public/constraints/customers.sql
ALTER TABLE ONLY public.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
--- schemas/public/constraints/desk_notes.sql
ALTER TABLE ONLY public.desk_notes ADD CONSTRAINT desk_notes_pkey PRIMARY KEY (id);
--- schemas/public/constraints/distributors.sql
ALTER TABLE ONLY public.distributors ADD CONSTRAINT distributors_pkey PRIMARY KEY (id);
--- schemas/public/constraints/films.sql
ALTER TABLE ONLY public.films ADD CONSTRAINT films_pkey PRIMARY KEY (id);
--- schemas/public/constraints/handbook.sql
ALTER TABLE ONLY public.handbook ADD CONSTRAINT handbook_pkey PRIMARY KEY (section);
--- schemas/public/constraints/memberships.sql
ALTER TABLE ONLY public.memberships ADD CONSTRAINT memberships_pkey PRIMARY KEY (number);
ALTER TABLE public.memberships ADD CONSTRAINT memberships_tier_check CHECK ((tier = ANY (ARRAY['classic'::text, 'friend'::text, 'patron'::text])));
--- schemas/public/constraints/payments.sql
ALTER TABLE ONLY public.payments ADD CONSTRAINT payments_pkey PRIMARY KEY (id);
ALTER TABLE public.payments ADD CONSTRAINT payments_amount_check CHECK ((amount > (0)::numeric));
ALTER TABLE public.payments ADD CONSTRAINT payments_kind_check CHECK ((kind = ANY (ARRAY['charge'::text, 'refund'::text])));
ALTER TABLE public.payments ADD CONSTRAINT payments_method_check CHECK ((method = ANY (ARRAY['card'::text, 'cash'::text, 'voucher'::text])));
--- schemas/public/constraints/screenings.sql
ALTER TABLE ONLY public.screenings ADD CONSTRAINT screenings_pkey PRIMARY KEY (id);
ALTER TABLE public.screenings ADD CONSTRAINT screenings_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'played'::text, 'cancelled'::text])));
--- schemas/public/constraints/screens.sql
ALTER TABLE ONLY public.screens ADD CONSTRAINT screens_pkey PRIMARY KEY (id);
--- schemas/public/constraints/staff.sql
ALTER TABLE ONLY public.staff ADD CONSTRAINT staff_pkey PRIMARY KEY (login);
--- schemas/public/constraints/ticket_types.sql
ALTER TABLE ONLY public.ticket_types ADD CONSTRAINT ticket_types_pkey PRIMARY KEY (code);
--- schemas/public/constraints/tickets.sql
ALTER TABLE ONLY public.tickets ADD CONSTRAINT tickets_pkey PRIMARY KEY (id);
ALTER TABLE public.tickets ADD CONSTRAINT tickets_status_check CHECK ((status = ANY (ARRAY['sold'::text, 'refunded'::text, 'void'::text])));
--- schemas/public/constraints/vouchers.sql
ALTER TABLE ONLY public.vouchers ADD CONSTRAINT vouchers_pkey PRIMARY KEY (code);
--- schemas/public/constraints/weekly_returns.sql
ALTER TABLE ONLY public.weekly_returns ADD CONSTRAINT weekly_returns_pkey PRIMARY KEY (week_ending, cinema_code, film_id);
--- schemas/public/foreign-keys/bookings.sql
ALTER TABLE public.bookings ADD CONSTRAINT bookings_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id);
ALTER TABLE public.bookings ADD CONSTRAINT bookings_screening_id_fkey FOREIGN KEY (screening_id) REFERENCES public.screenings(id);
--- schemas/public/foreign-keys/customers.sql
ALTER TABLE public.customers ADD CONSTRAINT customers_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES public.customers(id);
--- schemas/public/foreign-keys/films.sql
ALTER TABLE public.films ADD CONSTRAINT films_distributor_id_fkey FOREIGN KEY (distributor_id) REFERENCES public.distributors(id);
--- schemas/public/foreign-keys/memberships.sql
ALTER TABLE public.memberships ADD CONSTRAINT memberships_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id);
--- schemas/public/foreign-keys/payments.sql
ALTER TABLE public.payments ADD CONSTRAINT payments_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES public.bookings(id);
--- schemas/public/foreign-keys/screenings.sql
ALTER TABLE public.screenings ADD CONSTRAINT screenings_film_id_fkey FOREIGN KEY (film_id) REFERENCES public.films(id);
ALTER TABLE public.screenings ADD CONSTRAINT screenings_screen_id_fkey FOREIGN KEY (screen_id) REFERENCES public.screens(id);
--- schemas/public/foreign-keys/screens.sql
ALTER TABLE public.screens ADD CONSTRAINT screens_cinema_code_fkey FOREIGN KEY (cinema_code) REFERENCES public.cinemas(code);
--- schemas/public/foreign-keys/staff.sql
ALTER TABLE public.staff ADD CONSTRAINT staff_cinema_code_fkey FOREIGN KEY (cinema_code) REFERENCES public.cinemas(code);
--- schemas/public/foreign-keys/tickets.sql
ALTER TABLE public.tickets ADD CONSTRAINT tickets_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES public.bookings(id);
ALTER TABLE public.tickets ADD CONSTRAINT tickets_screening_id_fkey FOREIGN KEY (screening_id) REFERENCES public.screenings(id);
ALTER TABLE public.tickets ADD CONSTRAINT tickets_ticket_type_fkey FOREIGN KEY (ticket_type) REFERENCES public.ticket_types(code);
--- schemas/public/foreign-keys/vouchers.sql
ALTER TABLE public.vouchers ADD CONSTRAINT vouchers_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id);
ALTER TABLE public.vouchers ADD CONSTRAINT vouchers_spent_on_fkey FOREIGN KEY (spent_on) REFERENCES public.bookings(id);
--- schemas/public/foreign-keys/weekly_returns.sql
ALTER TABLE public.weekly_returns ADD CONSTRAINT weekly_returns_cinema_code_fkey FOREIGN KEY (cinema_code) REFERENCES public.cinemas(code);
ALTER TABLE public.weekly_returns ADD CONSTRAINT weekly_returns_film_id_fkey FOREIGN KEY (film_id) REFERENCES public.films(id);
--- schemas/public/grants.sql
GRANT USAGE ON SCHEMA public TO PUBLIC;
GRANT SELECT ON TABLE public.bookings TO finance;
GRANT INSERT, SELECT, UPDATE ON TABLE public.bookings TO front_of_house;
GRANT INSERT, SELECT, UPDATE ON TABLE public.bookings TO tills;
GRANT INSERT, SELECT, UPDATE ON TABLE public.bookings TO web_shop;
GRANT SELECT ON TABLE public.cinemas TO front_of_house;
GRANT SELECT ON TABLE public.cinemas TO reporting;
GRANT SELECT ON TABLE public.cinemas TO web_shop;
GRANT SELECT ON TABLE public.customers TO edith;
GRANT INSERT, SELECT, UPDATE ON TABLE public.customers TO front_of_house;
GRANT SELECT ON TABLE public.customers TO marketing;
GRANT INSERT, SELECT, UPDATE ON TABLE public.customers TO web_shop;
GRANT UPDATE (phone) ON TABLE public.customers TO jonah;
GRANT SELECT ON TABLE public.desk_notes TO PUBLIC;
GRANT SELECT ON TABLE public.distributors TO finance;
GRANT SELECT ON TABLE public.films TO front_of_house;
GRANT SELECT ON TABLE public.films TO reporting;
GRANT SELECT ON TABLE public.films TO web_shop;
GRANT SELECT ON TABLE public.handbook TO PUBLIC;
GRANT SELECT ON TABLE public.memberships TO front_of_house;
GRANT SELECT, UPDATE ON TABLE public.memberships TO marketing;
GRANT SELECT ON TABLE public.payments TO amara;
GRANT INSERT, SELECT, UPDATE ON TABLE public.payments TO finance;
GRANT INSERT ON TABLE public.payments TO front_of_house;
GRANT INSERT, SELECT, UPDATE ON TABLE public.payments TO tills;
GRANT INSERT, SELECT, UPDATE ON TABLE public.payments TO web_shop;
GRANT SELECT ON TABLE public.screenings TO front_of_house;
GRANT SELECT ON TABLE public.screenings TO reporting;
GRANT SELECT ON TABLE public.screenings TO tills;
GRANT SELECT ON TABLE public.screenings TO web_shop;
GRANT SELECT ON TABLE public.screens TO front_of_house;
GRANT SELECT ON TABLE public.screens TO reporting;
GRANT SELECT ON TABLE public.screens TO tills;
GRANT SELECT ON TABLE public.screens TO web_shop;
GRANT SELECT ON TABLE public.ticket_types TO front_of_house;
GRANT SELECT ON TABLE public.ticket_types TO tills;
GRANT SELECT ON TABLE public.ticket_types TO web_shop;
GRANT SELECT ON TABLE public.tickets TO finance;
GRANT INSERT, SELECT, UPDATE ON TABLE public.tickets TO front_of_house;
GRANT INSERT, SELECT, UPDATE ON TABLE public.tickets TO tills;
GRANT INSERT, SELECT, UPDATE ON TABLE public.tickets TO web_shop;
GRANT SELECT, UPDATE ON TABLE public.vouchers TO dov;
GRANT INSERT, SELECT, UPDATE ON TABLE public.vouchers TO finance;
GRANT SELECT ON TABLE public.vouchers TO front_of_house;
GRANT SELECT ON TABLE public.vouchers TO tills;
GRANT SELECT ON TABLE public.weekly_returns TO finance;
GRANT SELECT ON TABLE public.weekly_returns TO reporting;
--- schemas/public/indexes/bookings.sql
CREATE INDEX bookings_screening_id_idx ON public.bookings USING btree (screening_id);
--- schemas/public/indexes/customers.sql
CREATE INDEX customers_email_idx ON public.customers USING btree (email);
--- schemas/public/indexes/screenings.sql
CREATE INDEX screenings_starts_at_idx ON public.screenings USING btree (starts_at);
--- schemas/public/indexes/tickets.sql
CREATE INDEX tickets_booking_id_idx ON public.tickets USING btree (booking_id);
--- schemas/public/tables/bookings.sql
CREATE TABLE public.bookings (
    id integer NOT NULL,
    reference text NOT NULL,
    screening_id integer NOT NULL,
    customer_id integer,
    booked_at timestamp with time zone NOT NULL,
    channel text NOT NULL,
    status text NOT NULL
);

ALTER TABLE public.bookings OWNER TO desk;
COMMENT ON TABLE public.bookings IS 'One purchase for one screening.';
COMMENT ON COLUMN public.bookings.customer_id IS 'Empty if the tickets were sold at a till without an account.';
--- schemas/public/tables/cinemas.sql
CREATE TABLE public.cinemas (
    code text NOT NULL,
    name text NOT NULL,
    city text NOT NULL,
    opened_on date NOT NULL,
    closed_on date
);

ALTER TABLE public.cinemas OWNER TO desk;
COMMENT ON TABLE public.cinemas IS 'Our houses. The code is on every poster and in every report.';
COMMENT ON COLUMN public.cinemas.closed_on IS 'Last day of business of a house that has been given up.';
--- schemas/public/tables/customers.sql
CREATE TABLE public.customers (
    id integer NOT NULL,
    email text,
    full_name text NOT NULL,
    phone text,
    joined_on date NOT NULL,
    marketing_ok boolean DEFAULT false NOT NULL,
    merged_into integer
);

ALTER TABLE public.customers OWNER TO desk;
COMMENT ON TABLE public.customers IS 'People with an account. See the handbook, section accounts.';
COMMENT ON COLUMN public.customers.marketing_ok IS 'Has agreed to the newsletter.';
COMMENT ON COLUMN public.customers.merged_into IS 'The account that this one was merged into.';
--- schemas/public/tables/desk_notes.sql
CREATE TABLE public.desk_notes (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    written_on date NOT NULL,
    author text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL
);

ALTER TABLE public.desk_notes OWNER TO desk;
COMMENT ON TABLE public.desk_notes IS 'Notes of the people at the desk to each other. Read by everybody in the morning.';
--- schemas/public/tables/distributors.sql
CREATE TABLE public.distributors (
    id integer NOT NULL,
    name text NOT NULL,
    contact text
);

ALTER TABLE public.distributors OWNER TO desk;
COMMENT ON TABLE public.distributors IS 'The companies that rent films to us.';
--- schemas/public/tables/films.sql
CREATE TABLE public.films (
    id integer NOT NULL,
    title text NOT NULL,
    distributor_id integer NOT NULL,
    certificate text,
    running_time text,
    language text NOT NULL,
    released_on date
);

ALTER TABLE public.films OWNER TO desk;
COMMENT ON TABLE public.films IS 'Films that we show or have shown.';
COMMENT ON COLUMN public.films.running_time IS 'As the distributor writes it.';
COMMENT ON COLUMN public.films.language IS 'Original language, as an ISO 639-1 code.';
--- schemas/public/tables/handbook.sql
CREATE TABLE public.handbook (
    section text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    edited_on date NOT NULL,
    edited_by text NOT NULL
);

ALTER TABLE public.handbook OWNER TO desk;
COMMENT ON TABLE public.handbook IS 'How we do things. What desk_notes decides later goes before it.';
--- schemas/public/tables/memberships.sql
CREATE TABLE public.memberships (
    number text NOT NULL,
    customer_id integer NOT NULL,
    tier text NOT NULL,
    valid_from date NOT NULL,
    valid_to date NOT NULL
);

ALTER TABLE public.memberships OWNER TO desk;
COMMENT ON TABLE public.memberships IS 'Lantern Cards.';
COMMENT ON COLUMN public.memberships.valid_to IS 'Last day on which the card is valid.';
--- schemas/public/tables/payments.sql
CREATE TABLE public.payments (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    booking_id integer NOT NULL,
    kind text NOT NULL,
    method text NOT NULL,
    amount numeric(8,2) NOT NULL,
    paid_on date NOT NULL
);

ALTER TABLE public.payments OWNER TO desk;
COMMENT ON TABLE public.payments IS 'Money that came in for a booking or went back.';
COMMENT ON COLUMN public.payments.amount IS 'Always positive; the kind says in which direction.';
--- schemas/public/tables/schema_log.sql
CREATE TABLE public.schema_log (
    changed_on date NOT NULL,
    object text NOT NULL,
    change text NOT NULL
);

ALTER TABLE public.schema_log OWNER TO desk;
COMMENT ON TABLE public.schema_log IS 'One line for each change of a definition in this database.';
--- schemas/public/tables/screenings.sql
CREATE TABLE public.screenings (
    id integer NOT NULL,
    screen_id integer NOT NULL,
    film_id integer NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    version text,
    status text NOT NULL
);

ALTER TABLE public.screenings OWNER TO desk;
COMMENT ON TABLE public.screenings IS 'One show of a film.';
COMMENT ON COLUMN public.screenings.starts_at IS 'The time in the programme. The film itself begins twenty minutes later.';
COMMENT ON COLUMN public.screenings.version IS 'Typed by whoever enters the week. See the handbook, section versions.';
--- schemas/public/tables/screens.sql
CREATE TABLE public.screens (
    id integer NOT NULL,
    cinema_code text NOT NULL,
    name text NOT NULL,
    seat_rows smallint NOT NULL,
    seats_per_row smallint NOT NULL,
    can_3d boolean NOT NULL
);

ALTER TABLE public.screens OWNER TO desk;
COMMENT ON TABLE public.screens IS 'Auditoriums. Rows are lettered from the front (A, B, ...), seats numbered from the left aisle (1, 2, ...): C7.';
COMMENT ON COLUMN public.screens.can_3d IS 'The projector and the screen can show 3D.';
--- schemas/public/tables/staff.sql
CREATE TABLE public.staff (
    login text NOT NULL,
    full_name text NOT NULL,
    job text NOT NULL,
    cinema_code text,
    started_on date NOT NULL,
    left_on date
);

ALTER TABLE public.staff OWNER TO desk;
COMMENT ON TABLE public.staff IS 'Who works here. The personnel office fills it in on the first of the month.';
COMMENT ON COLUMN public.staff.left_on IS 'Last day of work.';
--- schemas/public/tables/ticket_types.sql
CREATE TABLE public.ticket_types (
    code text NOT NULL,
    label text NOT NULL,
    price numeric(6,2) NOT NULL,
    in_returns boolean NOT NULL
);

ALTER TABLE public.ticket_types OWNER TO desk;
COMMENT ON TABLE public.ticket_types IS 'Kinds of tickets with the price of an ordinary show.';
COMMENT ON COLUMN public.ticket_types.in_returns IS 'False if tickets of this kind are never part of a return to a distributor.';
--- schemas/public/tables/tickets.sql
CREATE TABLE public.tickets (
    id integer NOT NULL,
    booking_id integer NOT NULL,
    screening_id integer NOT NULL,
    seat text,
    ticket_type text NOT NULL,
    price numeric(6,2) NOT NULL,
    status text NOT NULL
);

ALTER TABLE public.tickets OWNER TO desk;
COMMENT ON TABLE public.tickets IS 'One seat of a booking.';
COMMENT ON COLUMN public.tickets.screening_id IS 'That of the booking, copied so that the seat plan needs no join.';
COMMENT ON COLUMN public.tickets.seat IS 'Row and number. Empty if nobody knows.';
COMMENT ON COLUMN public.tickets.price IS 'Paid for this ticket, VAT included.';
--- schemas/public/tables/vouchers.sql
CREATE TABLE public.vouchers (
    code text NOT NULL,
    customer_id integer,
    value numeric(6,2) NOT NULL,
    issued_on date NOT NULL,
    expires_on date NOT NULL,
    spent_on integer
);

ALTER TABLE public.vouchers OWNER TO desk;
COMMENT ON TABLE public.vouchers IS 'Gift and goodwill vouchers.';
COMMENT ON COLUMN public.vouchers.spent_on IS 'The booking that was paid with it.';
--- schemas/public/tables/weekly_returns.sql
CREATE TABLE public.weekly_returns (
    week_ending date NOT NULL,
    cinema_code text NOT NULL,
    film_id integer NOT NULL,
    admissions integer NOT NULL,
    gross numeric(9,2) NOT NULL
);

ALTER TABLE public.weekly_returns OWNER TO desk;
COMMENT ON TABLE public.weekly_returns IS 'What the distributors were told: one row for each film and house that had admissions in a playing week. A playing week is Friday to Thursday, and week_ending is the Thursday. A show belongs to the evening on which it is in the programme, and a cancelled show to no return. A row that has been sent stays.';
COMMENT ON COLUMN public.weekly_returns.admissions IS 'Tickets that are sold, also those at no charge, if their kind is part of returns.';
COMMENT ON COLUMN public.weekly_returns.gross IS 'Their prices, VAT included.';
