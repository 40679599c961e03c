--- database.sql
ALTER DATABASE :"database" OWNER TO payroll;
COMMENT ON DATABASE :"database" IS 'Farthing & Lowe, payroll for small businesses. How we do things is in the table handbook, what was decided since in notes.';
--- format
mcpmark postgres state 1
--- roles.sql
CREATE ROLE agnes WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE bank_link WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE bastian WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE cashiers WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE ceri WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE clerks WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE dunja WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE elias WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE fenna WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE payroll WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE portal WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
COMMENT ON ROLE bank_link IS 'The program that hands payments to the bank.';
COMMENT ON ROLE cashiers IS 'May pay out.';
COMMENT ON ROLE clerks IS 'Prepare and approve runs.';
COMMENT ON ROLE portal IS 'The program over which clients send contracts, absences and hours.';
GRANT cashiers TO agnes;
GRANT cashiers TO dunja;
GRANT cashiers TO elias;
GRANT clerks TO agnes;
GRANT clerks TO bastian;
GRANT clerks TO ceri;
GRANT clerks TO dunja;
GRANT clerks TO elias;
--- schemas.sql
CREATE SCHEMA public AUTHORIZATION payroll;
--- schemas/public/constraints/absences.sql
ALTER TABLE ONLY public.absences ADD CONSTRAINT absences_pkey PRIMARY KEY (id);
ALTER TABLE public.absences ADD CONSTRAINT absences_check CHECK ((from_day <= to_day));
ALTER TABLE public.absences ADD CONSTRAINT absences_kind_check CHECK ((kind = ANY (ARRAY['holiday'::text, 'sick'::text, 'unpaid'::text, 'parental'::text])));
--- schemas/public/constraints/adjustments.sql
ALTER TABLE ONLY public.adjustments ADD CONSTRAINT adjustments_pkey PRIMARY KEY (id);
--- schemas/public/constraints/advance_repayments.sql
ALTER TABLE ONLY public.advance_repayments ADD CONSTRAINT advance_repayments_pkey PRIMARY KEY (id);
ALTER TABLE public.advance_repayments ADD CONSTRAINT advance_repayments_amount_check CHECK ((amount > (0)::numeric));
--- schemas/public/constraints/advances.sql
ALTER TABLE ONLY public.advances ADD CONSTRAINT advances_pkey PRIMARY KEY (id);
ALTER TABLE public.advances ADD CONSTRAINT advances_amount_check CHECK ((amount > (0)::numeric));
--- schemas/public/constraints/bank_accounts.sql
ALTER TABLE ONLY public.bank_accounts ADD CONSTRAINT bank_accounts_pkey PRIMARY KEY (id);
--- schemas/public/constraints/clients.sql
ALTER TABLE ONLY public.clients ADD CONSTRAINT clients_pkey PRIMARY KEY (code);
ALTER TABLE public.clients ADD CONSTRAINT clients_pay_day_check CHECK ((pay_day = ANY (ARRAY[5, 25])));
--- schemas/public/constraints/contracts.sql
ALTER TABLE ONLY public.contracts ADD CONSTRAINT contracts_pkey PRIMARY KEY (id);
ALTER TABLE public.contracts ADD CONSTRAINT contracts_pattern_check CHECK ((pattern ~ '^[M-][T-][W-][T-][F-][S-][S-]$'::text));
ALTER TABLE public.contracts ADD CONSTRAINT contracts_pay_check CHECK ((pay > (0)::numeric));
ALTER TABLE public.contracts ADD CONSTRAINT contracts_pay_kind_check CHECK ((pay_kind = ANY (ARRAY['salary'::text, 'hourly'::text])));
ALTER TABLE public.contracts ADD CONSTRAINT contracts_source_check CHECK ((source = ANY (ARRAY['office'::text, 'portal'::text])));
--- schemas/public/constraints/employees.sql
ALTER TABLE ONLY public.employees ADD CONSTRAINT employees_pkey PRIMARY KEY (id);
--- schemas/public/constraints/handbook.sql
ALTER TABLE ONLY public.handbook ADD CONSTRAINT handbook_pkey PRIMARY KEY (section);
--- schemas/public/constraints/leave_balances.sql
ALTER TABLE ONLY public.leave_balances ADD CONSTRAINT leave_balances_pkey PRIMARY KEY (as_of, employee_id);
--- schemas/public/constraints/line_kinds.sql
ALTER TABLE ONLY public.line_kinds ADD CONSTRAINT line_kinds_pkey PRIMARY KEY (code);
--- schemas/public/constraints/notes.sql
ALTER TABLE ONLY public.notes ADD CONSTRAINT notes_pkey PRIMARY KEY (id);
--- schemas/public/constraints/pay_runs.sql
ALTER TABLE ONLY public.pay_runs ADD CONSTRAINT pay_runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pay_runs ADD CONSTRAINT pay_runs_client_month_key UNIQUE (client, month);
ALTER TABLE public.pay_runs ADD CONSTRAINT pay_runs_status_check CHECK ((status = ANY (ARRAY['open'::text, 'prepared'::text, 'approved'::text, 'paid'::text])));
--- schemas/public/constraints/payments.sql
ALTER TABLE ONLY public.payments ADD CONSTRAINT payments_pkey PRIMARY KEY (id);
ALTER TABLE public.payments ADD CONSTRAINT payments_amount_check CHECK ((amount > (0)::numeric));
ALTER TABLE public.payments ADD CONSTRAINT payments_check CHECK (((status = 'held'::text) OR (bank_account_id IS NOT NULL)));
ALTER TABLE public.payments ADD CONSTRAINT payments_status_check CHECK ((status = ANY (ARRAY['due'::text, 'held'::text, 'sent'::text])));
--- schemas/public/constraints/payslip_lines.sql
ALTER TABLE ONLY public.payslip_lines ADD CONSTRAINT payslip_lines_pkey PRIMARY KEY (id);
--- schemas/public/constraints/payslips.sql
ALTER TABLE ONLY public.payslips ADD CONSTRAINT payslips_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.payslips ADD CONSTRAINT payslips_run_id_employee_id_key UNIQUE (run_id, employee_id);
--- schemas/public/constraints/people.sql
ALTER TABLE ONLY public.people ADD CONSTRAINT people_pkey PRIMARY KEY (login);
--- schemas/public/constraints/public_holidays.sql
ALTER TABLE ONLY public.public_holidays ADD CONSTRAINT public_holidays_pkey PRIMARY KEY (day);
--- schemas/public/constraints/queries.sql
ALTER TABLE ONLY public.queries ADD CONSTRAINT queries_pkey PRIMARY KEY (id);
ALTER TABLE public.queries ADD CONSTRAINT queries_status_check CHECK ((status = ANY (ARRAY['open'::text, 'granted'::text, 'refused'::text])));
--- schemas/public/constraints/timesheets.sql
ALTER TABLE ONLY public.timesheets ADD CONSTRAINT timesheets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.timesheets ADD CONSTRAINT timesheets_employee_id_day_key UNIQUE (employee_id, day);
ALTER TABLE public.timesheets ADD CONSTRAINT timesheets_hours_check CHECK (((hours > (0)::numeric) AND (hours <= (16)::numeric)));
--- schemas/public/foreign-keys/absences.sql
ALTER TABLE public.absences ADD CONSTRAINT absences_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES public.employees(id);
--- schemas/public/foreign-keys/adjustments.sql
ALTER TABLE public.adjustments ADD CONSTRAINT adjustments_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES public.employees(id);
ALTER TABLE public.adjustments ADD CONSTRAINT adjustments_entered_by_fkey FOREIGN KEY (entered_by) REFERENCES public.people(login);
ALTER TABLE public.adjustments ADD CONSTRAINT adjustments_kind_fkey FOREIGN KEY (kind) REFERENCES public.line_kinds(code);
ALTER TABLE public.adjustments ADD CONSTRAINT adjustments_query_id_fkey FOREIGN KEY (query_id) REFERENCES public.queries(id);
ALTER TABLE public.adjustments ADD CONSTRAINT adjustments_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.pay_runs(id);
--- schemas/public/foreign-keys/advance_repayments.sql
ALTER TABLE public.advance_repayments ADD CONSTRAINT advance_repayments_advance_id_fkey FOREIGN KEY (advance_id) REFERENCES public.advances(id);
ALTER TABLE public.advance_repayments ADD CONSTRAINT advance_repayments_payslip_id_fkey FOREIGN KEY (payslip_id) REFERENCES public.payslips(id);
--- schemas/public/foreign-keys/advances.sql
ALTER TABLE public.advances ADD CONSTRAINT advances_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES public.employees(id);
--- schemas/public/foreign-keys/bank_accounts.sql
ALTER TABLE public.bank_accounts ADD CONSTRAINT bank_accounts_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES public.employees(id);
ALTER TABLE public.bank_accounts ADD CONSTRAINT bank_accounts_verified_by_fkey FOREIGN KEY (verified_by) REFERENCES public.people(login);
--- schemas/public/foreign-keys/clients.sql
ALTER TABLE public.clients ADD CONSTRAINT clients_looked_after_by_fkey FOREIGN KEY (looked_after_by) REFERENCES public.people(login);
--- schemas/public/foreign-keys/contracts.sql
ALTER TABLE public.contracts ADD CONSTRAINT contracts_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES public.employees(id);
--- schemas/public/foreign-keys/employees.sql
ALTER TABLE public.employees ADD CONSTRAINT employees_client_fkey FOREIGN KEY (client) REFERENCES public.clients(code);
--- schemas/public/foreign-keys/leave_balances.sql
ALTER TABLE public.leave_balances ADD CONSTRAINT leave_balances_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES public.employees(id);
--- schemas/public/foreign-keys/pay_runs.sql
ALTER TABLE public.pay_runs ADD CONSTRAINT pay_runs_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES public.people(login);
ALTER TABLE public.pay_runs ADD CONSTRAINT pay_runs_client_fkey FOREIGN KEY (client) REFERENCES public.clients(code);
ALTER TABLE public.pay_runs ADD CONSTRAINT pay_runs_prepared_by_fkey FOREIGN KEY (prepared_by) REFERENCES public.people(login);
--- schemas/public/foreign-keys/payments.sql
ALTER TABLE public.payments ADD CONSTRAINT payments_bank_account_id_fkey FOREIGN KEY (bank_account_id) REFERENCES public.bank_accounts(id);
ALTER TABLE public.payments ADD CONSTRAINT payments_payslip_id_fkey FOREIGN KEY (payslip_id) REFERENCES public.payslips(id);
--- schemas/public/foreign-keys/payslip_lines.sql
ALTER TABLE public.payslip_lines ADD CONSTRAINT payslip_lines_kind_fkey FOREIGN KEY (kind) REFERENCES public.line_kinds(code);
ALTER TABLE public.payslip_lines ADD CONSTRAINT payslip_lines_payslip_id_fkey FOREIGN KEY (payslip_id) REFERENCES public.payslips(id);
--- schemas/public/foreign-keys/payslips.sql
ALTER TABLE public.payslips ADD CONSTRAINT payslips_contract_id_fkey FOREIGN KEY (contract_id) REFERENCES public.contracts(id);
ALTER TABLE public.payslips ADD CONSTRAINT payslips_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES public.employees(id);
ALTER TABLE public.payslips ADD CONSTRAINT payslips_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.pay_runs(id);
--- schemas/public/foreign-keys/queries.sql
ALTER TABLE public.queries ADD CONSTRAINT queries_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES public.people(login);
ALTER TABLE public.queries ADD CONSTRAINT queries_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES public.employees(id);
--- schemas/public/foreign-keys/timesheets.sql
ALTER TABLE public.timesheets ADD CONSTRAINT timesheets_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES public.employees(id);
--- schemas/public/functions/check_pay_run.sql
CREATE OR REPLACE FUNCTION public.check_pay_run()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF OLD.status = 'paid' THEN
        RAISE EXCEPTION 'run % is paid and stays as it is', OLD.id;
    END IF;
    IF NEW.status = 'approved' AND NEW.approved_by = NEW.prepared_by THEN
        RAISE EXCEPTION 'run % was prepared by %, so somebody else has to approve it', NEW.id, NEW.prepared_by;
    END IF;
    RETURN NEW;
END
$function$
;

ALTER FUNCTION public.check_pay_run() OWNER TO payroll;
COMMENT ON FUNCTION public.check_pay_run() IS 'Trigger function of pay_runs.';
--- schemas/public/functions/pattern_days.sql
CREATE OR REPLACE FUNCTION public.pattern_days(pattern text, first date, last date)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$ SELECT count(*)::integer FROM generate_series(first, last, interval '1 day') AS day WHERE substr(pattern, extract(isodow FROM day)::integer, 1) <> '-' $function$
;

ALTER FUNCTION public.pattern_days(pattern text, first date, last date) OWNER TO payroll;
COMMENT ON FUNCTION public.pattern_days(pattern text, first date, last date) IS 'Days of a pattern from the first to the last day. Knows nothing about public holidays.';
--- schemas/public/grants.sql
GRANT USAGE ON SCHEMA public TO PUBLIC;
GRANT INSERT, SELECT, UPDATE ON TABLE public.absences TO clerks;
GRANT INSERT, SELECT ON TABLE public.absences TO portal;
GRANT INSERT, SELECT, UPDATE ON TABLE public.adjustments TO clerks;
GRANT SELECT ON TABLE public.advance_repayments TO clerks;
GRANT INSERT, SELECT, UPDATE ON TABLE public.advances TO clerks;
GRANT SELECT ON TABLE public.bank_accounts TO bank_link;
GRANT INSERT, SELECT, UPDATE ON TABLE public.bank_accounts TO clerks;
GRANT SELECT ON TABLE public.clients TO clerks;
GRANT SELECT ON TABLE public.clients TO portal;
GRANT INSERT, SELECT, UPDATE ON TABLE public.contracts TO clerks;
GRANT INSERT, SELECT, UPDATE ON TABLE public.contracts TO portal;
GRANT INSERT, SELECT, UPDATE ON TABLE public.employees TO clerks;
GRANT SELECT ON TABLE public.employees TO portal;
GRANT SELECT ON TABLE public.employees_today TO clerks;
GRANT SELECT ON TABLE public.employees_today TO portal;
GRANT SELECT ON TABLE public.handbook TO clerks;
GRANT INSERT, SELECT, UPDATE ON TABLE public.leave_balances TO clerks;
GRANT SELECT ON TABLE public.line_kinds TO clerks;
GRANT INSERT, SELECT, UPDATE ON TABLE public.notes TO clerks;
GRANT SELECT ON TABLE public.open_advances TO clerks;
GRANT INSERT, SELECT, UPDATE ON TABLE public.pay_runs TO clerks;
GRANT SELECT ON TABLE public.payments TO bank_link;
GRANT SELECT ON TABLE public.payments TO clerks;
GRANT UPDATE (status) ON TABLE public.payments TO bank_link;
GRANT UPDATE (sent_on) ON TABLE public.payments TO bank_link;
GRANT INSERT, SELECT, UPDATE ON TABLE public.payslip_lines TO clerks;
GRANT INSERT, SELECT, UPDATE ON TABLE public.payslips TO clerks;
GRANT SELECT ON TABLE public.people TO clerks;
GRANT SELECT ON TABLE public.public_holidays TO clerks;
GRANT SELECT ON TABLE public.public_holidays TO portal;
GRANT INSERT, SELECT, UPDATE ON TABLE public.queries TO clerks;
GRANT SELECT ON TABLE public.schema_log TO clerks;
GRANT INSERT, SELECT, UPDATE ON TABLE public.timesheets TO clerks;
GRANT INSERT, SELECT ON TABLE public.timesheets TO portal;
--- schemas/public/indexes/contracts.sql
CREATE INDEX contracts_employee_id_idx ON public.contracts USING btree (employee_id);
--- schemas/public/indexes/payments.sql
CREATE INDEX payments_due_idx ON public.payments USING btree (created_on) WHERE (status = 'due'::text);
--- schemas/public/indexes/payslips.sql
CREATE INDEX payslips_employee_id_idx ON public.payslips USING btree (employee_id);
--- schemas/public/indexes/timesheets.sql
CREATE INDEX timesheets_day_idx ON public.timesheets USING btree (day);
--- schemas/public/tables/absences.sql
CREATE TABLE public.absences (
    id integer NOT NULL,
    employee_id integer NOT NULL,
    kind text NOT NULL,
    from_day date NOT NULL,
    to_day date NOT NULL,
    half boolean DEFAULT false NOT NULL,
    certificate boolean DEFAULT false NOT NULL,
    withdrawn_on date,
    entered_on date NOT NULL,
    entered_by text NOT NULL
);

ALTER TABLE public.absences OWNER TO payroll;
COMMENT ON TABLE public.absences IS 'Holidays, sickness and other days off, as the clients report them.';
COMMENT ON COLUMN public.absences.half IS 'Half of each day.';
COMMENT ON COLUMN public.absences.certificate IS 'Whether a doctor has confirmed it.';
COMMENT ON COLUMN public.absences.withdrawn_on IS 'Day on which the absence was taken back. It then never was.';
COMMENT ON COLUMN public.absences.entered_by IS 'A login, or portal.';
--- schemas/public/tables/adjustments.sql
CREATE TABLE public.adjustments (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    employee_id integer NOT NULL,
    run_id integer NOT NULL,
    kind text NOT NULL,
    for_month date NOT NULL,
    amount numeric(8,2) NOT NULL,
    query_id integer,
    entered_on date NOT NULL,
    entered_by text NOT NULL
);

ALTER TABLE public.adjustments OWNER TO payroll;
COMMENT ON TABLE public.adjustments IS 'Amounts that go into a run beside its hours and salaries, for another month or after a query.';
COMMENT ON COLUMN public.adjustments.run_id IS 'Open run with which the amount is paid.';
COMMENT ON COLUMN public.adjustments.for_month IS 'First day of the month that the amount belongs to.';
COMMENT ON COLUMN public.adjustments.amount IS 'Before deductions.';
COMMENT ON COLUMN public.adjustments.query_id IS 'Query that led to it.';
--- schemas/public/tables/advance_repayments.sql
CREATE TABLE public.advance_repayments (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    advance_id integer NOT NULL,
    payslip_id integer NOT NULL,
    amount numeric(8,2) NOT NULL
);

ALTER TABLE public.advance_repayments OWNER TO payroll;
COMMENT ON TABLE public.advance_repayments IS 'What was kept back from payments for an advance.';
--- schemas/public/tables/advances.sql
CREATE TABLE public.advances (
    id integer NOT NULL,
    employee_id integer NOT NULL,
    paid_on date NOT NULL,
    amount numeric(8,2) NOT NULL,
    reason text NOT NULL
);

ALTER TABLE public.advances OWNER TO payroll;
COMMENT ON TABLE public.advances IS 'Money that was paid before pay day. See the handbook, section advances.';
--- schemas/public/tables/bank_accounts.sql
CREATE TABLE public.bank_accounts (
    id integer NOT NULL,
    employee_id integer NOT NULL,
    iban text NOT NULL,
    since date NOT NULL,
    until date,
    verified_on date,
    verified_by text
);

ALTER TABLE public.bank_accounts OWNER TO payroll;
COMMENT ON TABLE public.bank_accounts IS 'Where the money goes. See the handbook, section bank accounts.';
COMMENT ON COLUMN public.bank_accounts.until IS 'Last day. Empty if none is known.';
COMMENT ON COLUMN public.bank_accounts.verified_on IS 'Day on which somebody rang the person about it.';
--- schemas/public/tables/clients.sql
CREATE TABLE public.clients (
    code text NOT NULL,
    name text NOT NULL,
    trade text NOT NULL,
    pay_day integer NOT NULL,
    looked_after_by text NOT NULL,
    since date NOT NULL,
    left_on date
);

ALTER TABLE public.clients OWNER TO payroll;
COMMENT ON TABLE public.clients IS 'Businesses whose payroll we do.';
COMMENT ON COLUMN public.clients.pay_day IS '25: salaries, on the 25th of the month itself. 5: hours, on the 5th of the month after.';
--- schemas/public/tables/contracts.sql
CREATE TABLE public.contracts (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    employee_id integer NOT NULL,
    since date NOT NULL,
    until date,
    temporary boolean DEFAULT false NOT NULL,
    pattern text NOT NULL,
    pay_kind text NOT NULL,
    pay numeric(8,2) NOT NULL,
    annual_leave numeric(4,1) NOT NULL,
    signed_on date NOT NULL,
    source text NOT NULL
);

ALTER TABLE public.contracts OWNER TO payroll;
COMMENT ON TABLE public.contracts IS 'Terms on which somebody works. See the handbook, section contracts.';
COMMENT ON COLUMN public.contracts.until IS 'Last day. Empty if none is known.';
COMMENT ON COLUMN public.contracts.pattern IS 'Days of the week on which the person works, from Monday to Sunday.';
COMMENT ON COLUMN public.contracts.pay IS 'Salary of a month, or rate of an hour.';
COMMENT ON COLUMN public.contracts.annual_leave IS 'Days of leave in a whole year.';
COMMENT ON COLUMN public.contracts.source IS 'Who entered it: we, or the client over the portal.';
--- schemas/public/tables/employees.sql
CREATE TABLE public.employees (
    id integer NOT NULL,
    client text NOT NULL,
    full_name text NOT NULL,
    born_on date NOT NULL,
    started_on date NOT NULL,
    left_on date
);

ALTER TABLE public.employees OWNER TO payroll;
COMMENT ON TABLE public.employees IS 'People whom our clients employ.';
COMMENT ON COLUMN public.employees.left_on IS 'Last day, also if it is still to come.';
--- schemas/public/tables/handbook.sql
CREATE TABLE public.handbook (
    section text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    edited_on date NOT NULL,
    edited_by text NOT NULL
);

ALTER TABLE public.handbook OWNER TO payroll;
COMMENT ON TABLE public.handbook IS 'How we do things. What a note decides later goes before it.';
--- schemas/public/tables/leave_balances.sql
CREATE TABLE public.leave_balances (
    as_of date NOT NULL,
    employee_id integer NOT NULL,
    entitled numeric(4,1) NOT NULL,
    taken numeric(4,1) NOT NULL,
    remaining numeric(4,1) NOT NULL
);

ALTER TABLE public.leave_balances OWNER TO payroll;
COMMENT ON TABLE public.leave_balances IS 'Leave of the people of a client on a day, for all who are employed on that day. See the handbook, section leave. What has been sent stays.';
COMMENT ON COLUMN public.leave_balances.entitled IS 'For the whole year, not up to the day.';
COMMENT ON COLUMN public.leave_balances.taken IS 'From 1 January up to and including the day.';
--- schemas/public/tables/line_kinds.sql
CREATE TABLE public.line_kinds (
    code text NOT NULL,
    title text NOT NULL
);

ALTER TABLE public.line_kinds OWNER TO payroll;
COMMENT ON TABLE public.line_kinds IS 'Kinds of lines of a payslip.';
--- schemas/public/tables/notes.sql
CREATE TABLE public.notes (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    written_on date NOT NULL,
    author text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL
);

ALTER TABLE public.notes OWNER TO payroll;
COMMENT ON TABLE public.notes IS 'Notes to each other: decisions, and whatever the next one should know.';
--- schemas/public/tables/pay_runs.sql
CREATE TABLE public.pay_runs (
    id integer NOT NULL,
    client text NOT NULL,
    month date NOT NULL,
    status text NOT NULL,
    prepared_by text,
    approved_by text,
    approved_on date,
    paid_on date
);

ALTER TABLE public.pay_runs OWNER TO payroll;
COMMENT ON TABLE public.pay_runs IS 'Payroll of a client for a month: open, then prepared, approved and paid.';
COMMENT ON COLUMN public.pay_runs.month IS 'First day of the month.';
COMMENT ON COLUMN public.pay_runs.paid_on IS 'Day on which the payments were made.';
--- schemas/public/tables/payments.sql
CREATE TABLE public.payments (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    payslip_id integer NOT NULL,
    bank_account_id integer,
    amount numeric(8,2) NOT NULL,
    status text NOT NULL,
    created_on date NOT NULL,
    sent_on date
);

ALTER TABLE public.payments OWNER TO payroll;
COMMENT ON TABLE public.payments IS 'Transfers. The bank link fetches those that are due at four in the afternoon.';
COMMENT ON COLUMN public.payments.bank_account_id IS 'Empty while a payment is held.';
COMMENT ON COLUMN public.payments.sent_on IS 'Day on which the bank link fetched it.';
--- schemas/public/tables/payslip_lines.sql
CREATE TABLE public.payslip_lines (
    id integer NOT NULL,
    payslip_id integer NOT NULL,
    kind text NOT NULL,
    quantity numeric(7,2),
    rate numeric(8,2),
    amount numeric(8,2) NOT NULL
);

ALTER TABLE public.payslip_lines OWNER TO payroll;
COMMENT ON TABLE public.payslip_lines IS 'What the gross pay of a payslip consists of.';
COMMENT ON COLUMN public.payslip_lines.quantity IS 'Hours, for kinds that have them.';
--- schemas/public/tables/payslips.sql
CREATE TABLE public.payslips (
    id integer NOT NULL,
    run_id integer NOT NULL,
    employee_id integer NOT NULL,
    contract_id integer NOT NULL,
    gross numeric(8,2) NOT NULL,
    deductions numeric(8,2) NOT NULL,
    net numeric(8,2) NOT NULL
);

ALTER TABLE public.payslips OWNER TO payroll;
COMMENT ON TABLE public.payslips IS 'Pay of a person for a month.';
COMMENT ON COLUMN public.payslips.contract_id IS 'Contract that was looked up when the run was prepared.';
COMMENT ON COLUMN public.payslips.deductions IS 'Taxes and contributions.';
--- schemas/public/tables/people.sql
CREATE TABLE public.people (
    login text NOT NULL,
    full_name text NOT NULL,
    job text NOT NULL,
    started_on date NOT NULL,
    left_on date
);

ALTER TABLE public.people OWNER TO payroll;
COMMENT ON TABLE public.people IS 'Who works here.';
--- schemas/public/tables/public_holidays.sql
CREATE TABLE public.public_holidays (
    day date NOT NULL,
    name text NOT NULL
);

ALTER TABLE public.public_holidays OWNER TO payroll;
COMMENT ON TABLE public.public_holidays IS 'Public holidays.';
--- schemas/public/tables/queries.sql
CREATE TABLE public.queries (
    id integer NOT NULL,
    received_on date NOT NULL,
    employee_id integer NOT NULL,
    month date NOT NULL,
    letter text NOT NULL,
    status text NOT NULL,
    amount numeric(8,2),
    decided_on date,
    decided_by text,
    answer text
);

ALTER TABLE public.queries OWNER TO payroll;
COMMENT ON TABLE public.queries IS 'Questions of employees about their pay. See the handbook, section queries.';
--- schemas/public/tables/schema_log.sql
CREATE TABLE public.schema_log (
    changed_on date NOT NULL,
    object text NOT NULL,
    change text NOT NULL
);

ALTER TABLE public.schema_log OWNER TO payroll;
COMMENT ON TABLE public.schema_log IS 'One line for each table whose definition was changed.';
--- schemas/public/tables/timesheets.sql
CREATE TABLE public.timesheets (
    id integer NOT NULL,
    employee_id integer NOT NULL,
    day date NOT NULL,
    hours numeric(4,2) NOT NULL,
    approved_on date
);

ALTER TABLE public.timesheets OWNER TO payroll;
COMMENT ON TABLE public.timesheets IS 'Hours of people who are paid by the hour.';
COMMENT ON COLUMN public.timesheets.approved_on IS 'Day on which the client approved it. Hours without it do not count.';
--- schemas/public/triggers/pay_runs.sql
CREATE TRIGGER check_pay_run BEFORE UPDATE ON public.pay_runs FOR EACH ROW EXECUTE FUNCTION public.check_pay_run();
--- schemas/public/views/employees_today.sql
CREATE VIEW public.employees_today AS
 SELECT e.id,
    e.client,
    e.full_name,
    c.id AS contract_id,
    c.pattern,
    c.pay_kind,
    c.pay
   FROM (public.employees e
     JOIN public.contracts c ON ((c.employee_id = e.id)))
  WHERE ((c.since <= CURRENT_DATE) AND ((c.until IS NULL) OR (c.until >= CURRENT_DATE)));

ALTER VIEW public.employees_today OWNER TO payroll;
COMMENT ON VIEW public.employees_today IS 'People with the contract that holds today. Somebody with two contracts is in here twice.';
--- schemas/public/views/open_advances.sql
CREATE VIEW public.open_advances AS
 SELECT a.id,
    a.employee_id,
    a.paid_on,
    a.amount,
    (a.amount - COALESCE(sum(r.amount), (0)::numeric)) AS outstanding
   FROM (public.advances a
     LEFT JOIN public.advance_repayments r ON ((r.advance_id = a.id)))
  GROUP BY a.id
 HAVING (a.amount > COALESCE(sum(r.amount), (0)::numeric));

ALTER VIEW public.open_advances OWNER TO payroll;
COMMENT ON VIEW public.open_advances IS 'Advances that are not yet paid back in full.';
