--- database.sql
ALTER DATABASE :"database" OWNER TO ops;
COMMENT ON DATABASE :"database" IS 'Toolshed: one database for all shops. What was decided is in the table decisions (superseded_by says what no longer holds), and the notes of the team in team_notes.';
--- format
mcpmark postgres state 1
--- roles.sql
CREATE ROLE analytics WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE app WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE arun WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE billing WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE bram WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE dl_fenwick WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE dl_hollis WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE dl_marsh WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE engineering WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE hooks WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE lena WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE noor WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE ops WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE ottilie WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE support WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE tenant_reader WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB NOLOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE tobin WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
CREATE ROLE vera WITH NOSUPERUSER INHERIT NOCREATEROLE NOCREATEDB LOGIN NOREPLICATION NOBYPASSRLS;
COMMENT ON ROLE analytics IS 'Figures over all shops, without names.';
COMMENT ON ROLE app IS 'The web application.';
COMMENT ON ROLE billing IS 'The jobs at night.';
COMMENT ON ROLE engineering IS 'Reads everything of ours, for repairs.';
COMMENT ON ROLE hooks IS 'The program that calls the webhooks of shops.';
COMMENT ON ROLE support IS 'People who answer shops.';
COMMENT ON ROLE tenant_reader IS 'Data logins of shops, listed in tenant_logins.';
GRANT analytics TO lena GRANTED BY ops;
GRANT analytics TO ops WITH ADMIN OPTION;
GRANT arun TO hooks GRANTED BY ops;
GRANT arun TO ops WITH ADMIN OPTION;
GRANT engineering TO arun GRANTED BY ops;
GRANT engineering TO bram GRANTED BY ops;
GRANT engineering TO ops WITH ADMIN OPTION;
GRANT support TO noor GRANTED BY ops;
GRANT support TO ops WITH ADMIN OPTION;
GRANT support TO tobin GRANTED BY ops;
GRANT support TO vera GRANTED BY ops;
GRANT tenant_reader TO dl_fenwick GRANTED BY ops;
GRANT tenant_reader TO dl_hollis GRANTED BY ops;
GRANT tenant_reader TO dl_marsh GRANTED BY ops;
GRANT tenant_reader TO ops WITH ADMIN OPTION;
--- schemas.sql
CREATE SCHEMA public AUTHORIZATION ops;
--- schemas/public/constraints/audit_log.sql
ALTER TABLE ONLY public.audit_log ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
--- schemas/public/constraints/branches.sql
ALTER TABLE ONLY public.branches ADD CONSTRAINT branches_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.branches ADD CONSTRAINT branches_tenant_id_name_key UNIQUE (tenant_id, name);
--- schemas/public/constraints/charges.sql
ALTER TABLE ONLY public.charges ADD CONSTRAINT charges_pkey PRIMARY KEY (id);
ALTER TABLE public.charges ADD CONSTRAINT charges_amount_check CHECK ((amount >= (0)::numeric));
ALTER TABLE public.charges ADD CONSTRAINT charges_kind_check CHECK ((kind = ANY (ARRAY['hire'::text, 'late'::text, 'damage'::text])));
--- schemas/public/constraints/credits.sql
ALTER TABLE ONLY public.credits ADD CONSTRAINT credits_pkey PRIMARY KEY (id);
ALTER TABLE public.credits ADD CONSTRAINT credits_amount_check CHECK ((amount > (0)::numeric));
--- schemas/public/constraints/customers.sql
ALTER TABLE ONLY public.customers ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
--- schemas/public/constraints/decisions.sql
ALTER TABLE ONLY public.decisions ADD CONSTRAINT decisions_pkey PRIMARY KEY (number);
--- schemas/public/constraints/deposits.sql
ALTER TABLE ONLY public.deposits ADD CONSTRAINT deposits_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deposits ADD CONSTRAINT deposits_rental_id_key UNIQUE (rental_id);
ALTER TABLE public.deposits ADD CONSTRAINT deposits_amount_check CHECK (((amount > (0)::numeric) AND (amount <= (1500)::numeric)));
ALTER TABLE public.deposits ADD CONSTRAINT deposits_kept_check CHECK (((kept >= (0)::numeric) AND (kept <= amount)));
--- schemas/public/constraints/invoices.sql
ALTER TABLE ONLY public.invoices ADD CONSTRAINT invoices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.invoices ADD CONSTRAINT invoices_tenant_id_month_key UNIQUE (tenant_id, month);
--- schemas/public/constraints/plans.sql
ALTER TABLE ONLY public.plans ADD CONSTRAINT plans_pkey PRIMARY KEY (code);
--- schemas/public/constraints/rentals.sql
ALTER TABLE ONLY public.rentals ADD CONSTRAINT rentals_pkey PRIMARY KEY (id);
--- schemas/public/constraints/schema_changes.sql
ALTER TABLE ONLY public.schema_changes ADD CONSTRAINT schema_changes_pkey PRIMARY KEY (id);
--- schemas/public/constraints/team.sql
ALTER TABLE ONLY public.team ADD CONSTRAINT team_pkey PRIMARY KEY (login);
--- schemas/public/constraints/team_notes.sql
ALTER TABLE ONLY public.team_notes ADD CONSTRAINT team_notes_pkey PRIMARY KEY (id);
--- schemas/public/constraints/tenant_logins.sql
ALTER TABLE ONLY public.tenant_logins ADD CONSTRAINT tenant_logins_pkey PRIMARY KEY (login);
--- schemas/public/constraints/tenant_plans.sql
ALTER TABLE ONLY public.tenant_plans ADD CONSTRAINT tenant_plans_pkey PRIMARY KEY (tenant_id, from_on);
--- schemas/public/constraints/tenants.sql
ALTER TABLE ONLY public.tenants ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tenants ADD CONSTRAINT tenants_slug_key UNIQUE (slug);
--- schemas/public/constraints/ticket_replies.sql
ALTER TABLE ONLY public.ticket_replies ADD CONSTRAINT ticket_replies_pkey PRIMARY KEY (id);
--- schemas/public/constraints/tickets.sql
ALTER TABLE ONLY public.tickets ADD CONSTRAINT tickets_pkey PRIMARY KEY (id);
ALTER TABLE public.tickets ADD CONSTRAINT tickets_state_check CHECK ((state = ANY (ARRAY['open'::text, 'answered'::text, 'closed'::text])));
--- schemas/public/constraints/tool_moves.sql
ALTER TABLE ONLY public.tool_moves ADD CONSTRAINT tool_moves_pkey PRIMARY KEY (tool_id, moved_on);
--- schemas/public/constraints/tools.sql
ALTER TABLE ONLY public.tools ADD CONSTRAINT tools_pkey PRIMARY KEY (id);
ALTER TABLE public.tools ADD CONSTRAINT tools_state_check CHECK ((state = ANY (ARRAY['in'::text, 'out'::text, 'repair'::text, 'sold'::text])));
--- schemas/public/constraints/users.sql
ALTER TABLE ONLY public.users ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users ADD CONSTRAINT users_tenant_id_email_key UNIQUE (tenant_id, email);
--- schemas/public/constraints/webhooks.sql
ALTER TABLE ONLY public.webhooks ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
--- schemas/public/foreign-keys/audit_log.sql
ALTER TABLE public.audit_log ADD CONSTRAINT audit_log_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/branches.sql
ALTER TABLE public.branches ADD CONSTRAINT branches_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/charges.sql
ALTER TABLE public.charges ADD CONSTRAINT charges_rental_id_fkey FOREIGN KEY (rental_id) REFERENCES public.rentals(id);
ALTER TABLE public.charges ADD CONSTRAINT charges_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/credits.sql
ALTER TABLE public.credits ADD CONSTRAINT credits_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/customers.sql
ALTER TABLE public.customers ADD CONSTRAINT customers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/decisions.sql
ALTER TABLE public.decisions ADD CONSTRAINT decisions_superseded_by_fkey FOREIGN KEY (superseded_by) REFERENCES public.decisions(number);
--- schemas/public/foreign-keys/deposits.sql
ALTER TABLE public.deposits ADD CONSTRAINT deposits_rental_id_fkey FOREIGN KEY (rental_id) REFERENCES public.rentals(id);
ALTER TABLE public.deposits ADD CONSTRAINT deposits_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/invoices.sql
ALTER TABLE public.invoices ADD CONSTRAINT invoices_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/rentals.sql
ALTER TABLE public.rentals ADD CONSTRAINT rentals_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id);
ALTER TABLE public.rentals ADD CONSTRAINT rentals_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE public.rentals ADD CONSTRAINT rentals_tool_id_fkey FOREIGN KEY (tool_id) REFERENCES public.tools(id);
--- schemas/public/foreign-keys/tenant_logins.sql
ALTER TABLE public.tenant_logins ADD CONSTRAINT tenant_logins_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/tenant_plans.sql
ALTER TABLE public.tenant_plans ADD CONSTRAINT tenant_plans_plan_fkey FOREIGN KEY (plan) REFERENCES public.plans(code);
ALTER TABLE public.tenant_plans ADD CONSTRAINT tenant_plans_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/ticket_replies.sql
ALTER TABLE public.ticket_replies ADD CONSTRAINT ticket_replies_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES public.tickets(id);
--- schemas/public/foreign-keys/tickets.sql
ALTER TABLE public.tickets ADD CONSTRAINT tickets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/tool_moves.sql
ALTER TABLE public.tool_moves ADD CONSTRAINT tool_moves_from_branch_fkey FOREIGN KEY (from_branch) REFERENCES public.branches(id);
ALTER TABLE public.tool_moves ADD CONSTRAINT tool_moves_to_branch_fkey FOREIGN KEY (to_branch) REFERENCES public.branches(id);
ALTER TABLE public.tool_moves ADD CONSTRAINT tool_moves_tool_id_fkey FOREIGN KEY (tool_id) REFERENCES public.tools(id);
--- schemas/public/foreign-keys/tools.sql
ALTER TABLE public.tools ADD CONSTRAINT tools_branch_id_fkey FOREIGN KEY (branch_id) REFERENCES public.branches(id);
ALTER TABLE public.tools ADD CONSTRAINT tools_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/users.sql
ALTER TABLE public.users ADD CONSTRAINT users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/foreign-keys/webhooks.sql
ALTER TABLE public.webhooks ADD CONSTRAINT webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
--- schemas/public/functions/audit_change.sql
CREATE OR REPLACE FUNCTION public.audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
DECLARE
    subject jsonb := to_jsonb(COALESCE(NEW, OLD));
BEGIN
    INSERT INTO public.audit_log (actor, tenant_id, table_name, row_id, action, old_row, new_row)
    VALUES (COALESCE(NULLIF(current_setting('app.user', true), ''), session_user),
            (subject ->> 'tenant_id')::integer, TG_TABLE_NAME, (subject ->> 'id')::integer, lower(TG_OP),
            CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END,
            CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
    RETURN NULL;
END
$function$
;

ALTER FUNCTION public.audit_change() OWNER TO ops;
COMMENT ON FUNCTION public.audit_change() IS 'Trigger function of the audit log.';
--- schemas/public/functions/check_out.sql
CREATE OR REPLACE FUNCTION public.check_out(tool integer, customer integer, days integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
    wanted public.tools%ROWTYPE;
    hire integer;
BEGIN
    SELECT * INTO wanted FROM public.tools WHERE id = tool;
    IF NOT FOUND OR wanted.state <> 'in' THEN
        RAISE EXCEPTION 'tool % is not here', tool USING ERRCODE = 'TS001';
    END IF;
    INSERT INTO public.rentals (tenant_id, tool_id, customer_id, out_on, due_on, daily_rate)
    VALUES (wanted.tenant_id, tool, customer, CURRENT_DATE, CURRENT_DATE + days, wanted.daily_rate)
    RETURNING id INTO hire;
    UPDATE public.tools SET state = 'out' WHERE id = tool;
    BEGIN
        INSERT INTO public.deposits (tenant_id, rental_id, amount, taken_on)
        VALUES (wanted.tenant_id, hire, wanted.deposit, CURRENT_DATE);
    EXCEPTION WHEN others THEN
        RAISE NOTICE 'no deposit for hire %', hire;
    END;
    RETURN hire;
END
$function$
;

ALTER FUNCTION public.check_out(tool integer, customer integer, days integer) OWNER TO ops;
COMMENT ON FUNCTION public.check_out(tool integer, customer integer, days integer) IS 'Hands a tool out and returns the number of the hire.';
--- schemas/public/functions/current_tenant.sql
CREATE OR REPLACE FUNCTION public.current_tenant()
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$ SELECT NULLIF(current_setting('app.tenant', true), '')::integer $function$
;

ALTER FUNCTION public.current_tenant() OWNER TO ops;
COMMENT ON FUNCTION public.current_tenant() IS 'The shop that the app works for.';
--- schemas/public/functions/find_customer.sql
CREATE OR REPLACE FUNCTION public.find_customer(needle text)
 RETURNS TABLE(id integer, tenant_id integer, full_name text, phone text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
    SELECT c.id, c.tenant_id, c.full_name, c.phone
    FROM public.customers c
    WHERE c.full_name ILIKE '%' || needle || '%'
    ORDER BY c.id
$function$
;

ALTER FUNCTION public.find_customer(needle text) OWNER TO ops;
COMMENT ON FUNCTION public.find_customer(needle text) IS 'Customers by a part of their name. Used by the counters, by support and by data logins.';
--- schemas/public/functions/reader_tenant.sql
CREATE OR REPLACE FUNCTION public.reader_tenant()
 RETURNS integer
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$ SELECT tenant_id FROM public.tenant_logins WHERE login = session_user $function$
;

ALTER FUNCTION public.reader_tenant() OWNER TO ops;
COMMENT ON FUNCTION public.reader_tenant() IS 'The shop of a data login.';
--- schemas/public/functions/unpaid.sql
CREATE OR REPLACE FUNCTION public.unpaid(shop integer)
 RETURNS numeric
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$ SELECT COALESCE(sum(total), 0) FROM public.invoices WHERE tenant_id = shop AND paid_on IS NULL $function$
;

ALTER FUNCTION public.unpaid(shop integer) OWNER TO arun;
COMMENT ON FUNCTION public.unpaid(shop integer) IS 'What a shop has not paid yet. Used by the jobs at night.';
--- schemas/public/grants.sql
GRANT USAGE ON SCHEMA public TO PUBLIC;
GRANT INSERT, SELECT, UPDATE ON TABLE public.audit_log TO app;
GRANT SELECT ON TABLE public.audit_log TO engineering;
GRANT SELECT ON TABLE public.audit_log TO support;
GRANT SELECT ON TABLE public.branch_load TO analytics;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.branches TO app;
GRANT SELECT ON TABLE public.branches TO billing;
GRANT SELECT ON TABLE public.branches TO engineering;
GRANT SELECT ON TABLE public.branches TO support;
GRANT SELECT ON TABLE public.branches TO tenant_reader;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.charges TO app;
GRANT SELECT ON TABLE public.charges TO billing;
GRANT SELECT ON TABLE public.charges TO engineering;
GRANT SELECT ON TABLE public.charges TO support;
GRANT SELECT ON TABLE public.charges TO tenant_reader;
GRANT SELECT ON TABLE public.credits TO app;
GRANT INSERT, SELECT, UPDATE ON TABLE public.credits TO billing;
GRANT SELECT ON TABLE public.credits TO engineering;
GRANT SELECT ON TABLE public.credits TO support;
GRANT SELECT ON TABLE public.credits TO tenant_reader;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.customers TO app;
GRANT SELECT ON TABLE public.customers TO billing;
GRANT SELECT ON TABLE public.customers TO engineering;
GRANT SELECT ON TABLE public.customers TO support;
GRANT SELECT ON TABLE public.customers TO tenant_reader;
GRANT SELECT ON TABLE public.decisions TO analytics;
GRANT SELECT ON TABLE public.decisions TO engineering;
GRANT SELECT ON TABLE public.decisions TO support;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.deposits TO app;
GRANT SELECT ON TABLE public.deposits TO billing;
GRANT SELECT ON TABLE public.deposits TO engineering;
GRANT SELECT ON TABLE public.deposits TO support;
GRANT SELECT ON TABLE public.deposits TO tenant_reader;
GRANT SELECT ON TABLE public.invoices TO app;
GRANT INSERT, SELECT, UPDATE ON TABLE public.invoices TO billing;
GRANT SELECT ON TABLE public.invoices TO engineering;
GRANT SELECT ON TABLE public.invoices TO support;
GRANT SELECT ON TABLE public.invoices TO tenant_reader;
GRANT SELECT ON TABLE public.open_rentals TO app;
GRANT SELECT ON TABLE public.open_rentals TO support;
GRANT SELECT ON TABLE public.open_rentals TO tenant_reader;
GRANT SELECT ON TABLE public.plans TO app;
GRANT SELECT ON TABLE public.plans TO billing;
GRANT SELECT ON TABLE public.plans TO engineering;
GRANT SELECT ON TABLE public.plans TO support;
GRANT SELECT ON TABLE public.plans TO tenant_reader;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.rentals TO app;
GRANT SELECT ON TABLE public.rentals TO billing;
GRANT SELECT ON TABLE public.rentals TO engineering;
GRANT SELECT ON TABLE public.rentals TO support;
GRANT SELECT ON TABLE public.rentals TO tenant_reader;
GRANT SELECT ON TABLE public.schema_changes TO engineering;
GRANT SELECT ON TABLE public.team TO analytics;
GRANT SELECT ON TABLE public.team TO engineering;
GRANT SELECT ON TABLE public.team TO support;
GRANT SELECT ON TABLE public.team_notes TO analytics;
GRANT SELECT ON TABLE public.team_notes TO engineering;
GRANT SELECT ON TABLE public.team_notes TO support;
GRANT SELECT ON TABLE public.tenant_logins TO engineering;
GRANT SELECT ON TABLE public.tenant_plans TO app;
GRANT SELECT ON TABLE public.tenant_plans TO billing;
GRANT SELECT ON TABLE public.tenant_plans TO engineering;
GRANT SELECT ON TABLE public.tenant_plans TO tenant_reader;
GRANT SELECT ON TABLE public.tenants TO app;
GRANT SELECT ON TABLE public.tenants TO billing;
GRANT SELECT ON TABLE public.tenants TO engineering;
GRANT SELECT ON TABLE public.tenants TO support;
GRANT SELECT ON TABLE public.tenants TO tenant_reader;
GRANT SELECT ON TABLE public.ticket_replies TO app;
GRANT SELECT ON TABLE public.ticket_replies TO engineering;
GRANT INSERT, SELECT, UPDATE ON TABLE public.ticket_replies TO support;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.tickets TO app;
GRANT SELECT ON TABLE public.tickets TO engineering;
GRANT INSERT, SELECT, UPDATE ON TABLE public.tickets TO support;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.tool_moves TO app;
GRANT SELECT ON TABLE public.tool_moves TO engineering;
GRANT SELECT ON TABLE public.tool_moves TO tenant_reader;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.tools TO app;
GRANT SELECT ON TABLE public.tools TO billing;
GRANT SELECT ON TABLE public.tools TO engineering;
GRANT SELECT ON TABLE public.tools TO support;
GRANT SELECT ON TABLE public.tools TO tenant_reader;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.users TO app;
GRANT SELECT ON TABLE public.users TO engineering;
GRANT SELECT ON TABLE public.users TO support;
GRANT INSERT, SELECT, UPDATE, DELETE ON TABLE public.webhooks TO app;
GRANT SELECT ON TABLE public.webhooks TO arun;
REVOKE ALL ON FUNCTION public.check_out(tool integer, customer integer, days integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.check_out(tool integer, customer integer, days integer) TO app;
REVOKE ALL ON FUNCTION public.find_customer(needle text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_customer(needle text) TO app;
GRANT ALL ON FUNCTION public.find_customer(needle text) TO support;
GRANT ALL ON FUNCTION public.find_customer(needle text) TO tenant_reader;
REVOKE ALL ON FUNCTION public.unpaid(shop integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.unpaid(shop integer) TO billing;
--- schemas/public/indexes/charges.sql
CREATE INDEX charges_rental_id_idx ON public.charges USING btree (rental_id);
--- schemas/public/indexes/customers.sql
CREATE INDEX customers_tenant_id_idx ON public.customers USING btree (tenant_id);
--- schemas/public/indexes/rentals.sql
CREATE INDEX rentals_tool_id_idx ON public.rentals USING btree (tool_id);
--- schemas/public/indexes/tools.sql
CREATE INDEX tools_tenant_id_idx ON public.tools USING btree (tenant_id);
--- schemas/public/policies/audit_log.sql
ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.audit_log
    TO app
    USING ((tenant_id = public.current_tenant()))
    WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY engineering_reads ON public.audit_log
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY support_with_consent ON public.audit_log
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = audit_log.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/branches.sql
ALTER TABLE public.branches ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.branches
    TO app
    USING ((tenant_id = public.current_tenant()))
    WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY billing_reads ON public.branches
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.branches
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.branches
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.branches
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = branches.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/charges.sql
ALTER TABLE public.charges ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.charges
    TO app
    USING ((tenant_id = public.current_tenant()))
    WITH CHECK (true);

CREATE POLICY billing_reads ON public.charges
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.charges
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.charges
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.charges
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = charges.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/credits.sql
ALTER TABLE public.credits ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.credits
    FOR SELECT
    TO app
    USING ((tenant_id = public.current_tenant()));

CREATE POLICY billing_all ON public.credits
    TO billing
    USING (true)
    WITH CHECK (true);

CREATE POLICY engineering_reads ON public.credits
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.credits
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.credits
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = credits.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/customers.sql
ALTER TABLE public.customers ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.customers
    TO app
    USING ((tenant_id = public.current_tenant()))
    WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY arun_import ON public.customers
    TO app
    USING (true)
    WITH CHECK (true);

CREATE POLICY billing_reads ON public.customers
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.customers
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.customers
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.customers
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = customers.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/deposits.sql
CREATE POLICY app_own ON public.deposits
    TO app
    USING ((tenant_id = public.current_tenant()))
    WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY billing_reads ON public.deposits
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.deposits
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.deposits
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.deposits
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = deposits.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/invoices.sql
ALTER TABLE public.invoices ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.invoices
    FOR SELECT
    TO app
    USING ((tenant_id = public.current_tenant()));

CREATE POLICY billing_all ON public.invoices
    TO billing
    USING (true)
    WITH CHECK (true);

CREATE POLICY engineering_reads ON public.invoices
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.invoices
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.invoices
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = invoices.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/rentals.sql
ALTER TABLE public.rentals ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.rentals
    TO app
    USING ((tenant_id = public.current_tenant()))
    WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY billing_reads ON public.rentals
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.rentals
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.rentals
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.rentals
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = rentals.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/tenant_logins.sql
ALTER TABLE public.tenant_logins ENABLE ROW LEVEL SECURITY;

CREATE POLICY engineering_reads ON public.tenant_logins
    FOR SELECT
    TO engineering
    USING (true);
--- schemas/public/policies/tenant_plans.sql
ALTER TABLE public.tenant_plans ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.tenant_plans
    FOR SELECT
    TO app
    USING ((tenant_id = public.current_tenant()));

CREATE POLICY billing_reads ON public.tenant_plans
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.tenant_plans
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.tenant_plans
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));
--- schemas/public/policies/tenants.sql
ALTER TABLE public.tenants ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.tenants
    FOR SELECT
    TO app
    USING ((id = public.current_tenant()));

CREATE POLICY billing_reads ON public.tenants
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.tenants
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.tenants
    FOR SELECT
    TO tenant_reader
    USING ((id = public.reader_tenant()));

CREATE POLICY support_reads ON public.tenants
    FOR SELECT
    TO support
    USING (true);
--- schemas/public/policies/ticket_replies.sql
ALTER TABLE public.ticket_replies ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.ticket_replies
    FOR SELECT
    TO app
    USING ((EXISTS ( SELECT 1
   FROM public.tickets t
  WHERE ((t.id = ticket_replies.ticket_id) AND (t.tenant_id = public.current_tenant())))));

CREATE POLICY engineering_reads ON public.ticket_replies
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY support_all ON public.ticket_replies
    TO support
    USING (true)
    WITH CHECK (true);
--- schemas/public/policies/tickets.sql
ALTER TABLE public.tickets ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.tickets
    TO app
    USING ((tenant_id = public.current_tenant()))
    WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY engineering_reads ON public.tickets
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY support_all ON public.tickets
    TO support
    USING (true)
    WITH CHECK (true);
--- schemas/public/policies/tool_moves.sql
ALTER TABLE public.tool_moves ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.tool_moves
    TO app
    USING ((EXISTS ( SELECT 1
   FROM public.tools t
  WHERE ((t.id = tool_moves.tool_id) AND (t.tenant_id = public.current_tenant())))))
    WITH CHECK ((EXISTS ( SELECT 1
   FROM public.tools t
  WHERE ((t.id = tool_moves.tool_id) AND (t.tenant_id = public.current_tenant())))));

CREATE POLICY engineering_reads ON public.tool_moves
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.tool_moves
    FOR SELECT
    TO tenant_reader
    USING ((EXISTS ( SELECT 1
   FROM public.tools t
  WHERE ((t.id = tool_moves.tool_id) AND (t.tenant_id = public.reader_tenant())))));
--- schemas/public/policies/tools.sql
ALTER TABLE public.tools ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.tools
    TO app
    USING ((tenant_id = public.current_tenant()))
    WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY billing_reads ON public.tools
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.tools
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.tools
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.tools
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = tools.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/users.sql
ALTER TABLE public.users ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.users
    TO app
    USING ((tenant_id = public.current_tenant()))
    WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY billing_reads ON public.users
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.users
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.users
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.users
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = users.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/policies/webhooks.sql
ALTER TABLE public.webhooks ENABLE ROW LEVEL SECURITY;

CREATE POLICY app_own ON public.webhooks
    TO app
    USING (((public.current_tenant() IS NULL) OR (tenant_id = public.current_tenant())))
    WITH CHECK ((tenant_id = public.current_tenant()));

CREATE POLICY arun_reads ON public.webhooks
    FOR SELECT
    TO arun
    USING (true);

CREATE POLICY billing_reads ON public.webhooks
    FOR SELECT
    TO billing
    USING (true);

CREATE POLICY engineering_reads ON public.webhooks
    FOR SELECT
    TO engineering
    USING (true);

CREATE POLICY reader_own ON public.webhooks
    FOR SELECT
    TO tenant_reader
    USING ((tenant_id = public.reader_tenant()));

CREATE POLICY support_with_consent ON public.webhooks
    FOR SELECT
    TO support
    USING ((EXISTS ( SELECT 1
   FROM public.tenants t
  WHERE ((t.id = webhooks.tenant_id) AND (t.support_until >= CURRENT_DATE)))));
--- schemas/public/tables/audit_log.sql
CREATE TABLE public.audit_log (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL,
    tenant_id integer NOT NULL,
    table_name text NOT NULL,
    row_id integer NOT NULL,
    action text NOT NULL,
    old_row jsonb,
    new_row jsonb
);

ALTER TABLE public.audit_log OWNER TO ops;
COMMENT ON TABLE public.audit_log IS 'Who changed which row of a shop, and how. Written by triggers.';
--- schemas/public/tables/branches.sql
CREATE TABLE public.branches (
    id integer NOT NULL,
    tenant_id integer NOT NULL,
    name text NOT NULL,
    city text NOT NULL
);

ALTER TABLE public.branches OWNER TO ops;
COMMENT ON TABLE public.branches IS 'Branches of shops.';
--- schemas/public/tables/charges.sql
CREATE TABLE public.charges (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    tenant_id integer NOT NULL,
    rental_id integer NOT NULL,
    kind text NOT NULL,
    amount numeric(8,2) NOT NULL,
    charged_on date NOT NULL
);

ALTER TABLE public.charges OWNER TO ops;
COMMENT ON TABLE public.charges IS 'What a shop charged a customer for a hire.';
--- schemas/public/tables/credits.sql
CREATE TABLE public.credits (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    tenant_id integer NOT NULL,
    month date NOT NULL,
    amount numeric(8,2) NOT NULL,
    reason text NOT NULL,
    entered_on date NOT NULL
);

ALTER TABLE public.credits OWNER TO ops;
COMMENT ON TABLE public.credits IS 'What comes off the next invoice of a shop.';
COMMENT ON COLUMN public.credits.month IS 'First day of the month of the invoice that it is about.';
--- schemas/public/tables/customers.sql
CREATE TABLE public.customers (
    id integer NOT NULL,
    tenant_id integer NOT NULL,
    full_name text NOT NULL,
    email text,
    phone text,
    is_blocked boolean DEFAULT false NOT NULL,
    since date NOT NULL
);

ALTER TABLE public.customers OWNER TO ops;
COMMENT ON TABLE public.customers IS 'Customers of shops.';
COMMENT ON COLUMN public.customers.is_blocked IS 'Gets no more tools.';
--- schemas/public/tables/decisions.sql
CREATE TABLE public.decisions (
    number integer NOT NULL,
    decided_on date NOT NULL,
    author text NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    superseded_by integer
);

ALTER TABLE public.decisions OWNER TO ops;
COMMENT ON TABLE public.decisions IS 'What we decided, and still do. The newer one counts.';
COMMENT ON COLUMN public.decisions.superseded_by IS 'The decision that took its place.';
--- schemas/public/tables/deposits.sql
CREATE TABLE public.deposits (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    tenant_id integer NOT NULL,
    rental_id integer NOT NULL,
    amount numeric(8,2) NOT NULL,
    taken_on date NOT NULL,
    returned_on date,
    kept numeric(8,2) DEFAULT 0 NOT NULL
);

ALTER TABLE public.deposits OWNER TO ops;
COMMENT ON TABLE public.deposits IS 'Deposits that customers leave at a shop.';
COMMENT ON COLUMN public.deposits.kept IS 'Part that the shop did not give back.';
--- schemas/public/tables/invoices.sql
CREATE TABLE public.invoices (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    tenant_id integer NOT NULL,
    month date NOT NULL,
    base numeric(8,2) NOT NULL,
    extra_tools integer NOT NULL,
    extra numeric(8,2) NOT NULL,
    total numeric(8,2) NOT NULL,
    issued_on date NOT NULL,
    paid_on date
);

ALTER TABLE public.invoices OWNER TO ops;
COMMENT ON TABLE public.invoices IS 'Our invoices to shops, written by a job on the first of the next month.';
COMMENT ON COLUMN public.invoices.month IS 'First day of the month.';
COMMENT ON COLUMN public.invoices.extra_tools IS 'Tools beyond those of the plan.';
COMMENT ON COLUMN public.invoices.extra IS 'Fee for these.';
--- schemas/public/tables/plans.sql
CREATE TABLE public.plans (
    code text NOT NULL,
    title text NOT NULL,
    monthly numeric(8,2) NOT NULL,
    tools_included integer NOT NULL
);

ALTER TABLE public.plans OWNER TO ops;
COMMENT ON TABLE public.plans IS 'Plans that a shop can have.';
--- schemas/public/tables/rentals.sql
CREATE TABLE public.rentals (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    tenant_id integer NOT NULL,
    tool_id integer NOT NULL,
    customer_id integer NOT NULL,
    out_on date NOT NULL,
    due_on date NOT NULL,
    back_on date,
    daily_rate numeric(8,2) NOT NULL
);

ALTER TABLE public.rentals OWNER TO ops;
COMMENT ON TABLE public.rentals IS 'Hires.';
COMMENT ON COLUMN public.rentals.back_on IS 'Empty while the tool is out.';
--- schemas/public/tables/schema_changes.sql
CREATE TABLE public.schema_changes (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    changed_on date NOT NULL,
    object text NOT NULL,
    change text NOT NULL
);

ALTER TABLE public.schema_changes OWNER TO ops;
COMMENT ON TABLE public.schema_changes IS 'What was changed in this database, by whom it may concern.';
--- schemas/public/tables/team.sql
CREATE TABLE public.team (
    login text NOT NULL,
    full_name text NOT NULL,
    job text NOT NULL,
    started_on date NOT NULL,
    left_on date
);

ALTER TABLE public.team OWNER TO ops;
COMMENT ON TABLE public.team IS 'Who works at Toolshed.';
--- schemas/public/tables/team_notes.sql
CREATE TABLE public.team_notes (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    written_on date NOT NULL,
    author text NOT NULL,
    topic text NOT NULL,
    body text NOT NULL
);

ALTER TABLE public.team_notes OWNER TO ops;
COMMENT ON TABLE public.team_notes IS 'Notes of the team to each other.';
--- schemas/public/tables/tenant_logins.sql
CREATE TABLE public.tenant_logins (
    login text NOT NULL,
    tenant_id integer NOT NULL,
    added_on date NOT NULL
);

ALTER TABLE public.tenant_logins OWNER TO ops;
COMMENT ON TABLE public.tenant_logins IS 'Data logins of shops.';
--- schemas/public/tables/tenant_plans.sql
CREATE TABLE public.tenant_plans (
    tenant_id integer NOT NULL,
    from_on date NOT NULL,
    plan text NOT NULL
);

ALTER TABLE public.tenant_plans OWNER TO ops;
COMMENT ON TABLE public.tenant_plans IS 'Which plan a shop has from which day on.';
--- schemas/public/tables/tenants.sql
CREATE TABLE public.tenants (
    id integer NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    signed_up_on date NOT NULL,
    closed_on date,
    support_until date
);

ALTER TABLE public.tenants OWNER TO ops;
COMMENT ON TABLE public.tenants IS 'Shops that use Toolshed.';
COMMENT ON COLUMN public.tenants.support_until IS 'Last day on which our support may read the rows of this shop. Empty if it never agreed.';
--- schemas/public/tables/ticket_replies.sql
CREATE TABLE public.ticket_replies (
    id integer GENERATED BY DEFAULT AS IDENTITY NOT NULL,
    ticket_id integer NOT NULL,
    written_on date NOT NULL,
    author text NOT NULL,
    body text NOT NULL
);

ALTER TABLE public.ticket_replies OWNER TO ops;
COMMENT ON TABLE public.ticket_replies IS 'Answers to tickets.';
--- schemas/public/tables/tickets.sql
CREATE TABLE public.tickets (
    id integer NOT NULL,
    tenant_id integer NOT NULL,
    opened_on date NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL
);

ALTER TABLE public.tickets OWNER TO ops;
COMMENT ON TABLE public.tickets IS 'Questions of shops to us.';
--- schemas/public/tables/tool_moves.sql
CREATE TABLE public.tool_moves (
    tool_id integer NOT NULL,
    moved_on date NOT NULL,
    from_branch integer NOT NULL,
    to_branch integer NOT NULL
);

ALTER TABLE public.tool_moves OWNER TO ops;
COMMENT ON TABLE public.tool_moves IS 'Moves of tools between branches of a shop.';
--- schemas/public/tables/tools.sql
CREATE TABLE public.tools (
    id integer NOT NULL,
    tenant_id integer NOT NULL,
    branch_id integer NOT NULL,
    label text NOT NULL,
    kind text NOT NULL,
    daily_rate numeric(8,2) NOT NULL,
    deposit numeric(8,2),
    added_on date NOT NULL,
    sold_on date,
    state text DEFAULT 'in'::text NOT NULL
);

ALTER TABLE public.tools OWNER TO ops;
COMMENT ON TABLE public.tools IS 'Tools of shops.';
COMMENT ON COLUMN public.tools.branch_id IS 'Where it is now.';
COMMENT ON COLUMN public.tools.deposit IS 'Empty if the shop takes none for it.';
--- schemas/public/tables/users.sql
CREATE TABLE public.users (
    id integer NOT NULL,
    tenant_id integer NOT NULL,
    email text NOT NULL,
    full_name text NOT NULL,
    role text NOT NULL,
    is_active boolean DEFAULT true NOT NULL
);

ALTER TABLE public.users OWNER TO ops;
COMMENT ON TABLE public.users IS 'People of shops who use the app.';
--- schemas/public/tables/webhooks.sql
CREATE TABLE public.webhooks (
    id integer NOT NULL,
    tenant_id integer NOT NULL,
    url text NOT NULL,
    secret text NOT NULL,
    is_active boolean DEFAULT true NOT NULL
);

ALTER TABLE public.webhooks OWNER TO ops;
COMMENT ON TABLE public.webhooks IS 'Addresses of shops that we call when something happens.';
--- schemas/public/triggers/customers.sql
CREATE TRIGGER customers_audit AFTER INSERT OR DELETE ON public.customers FOR EACH ROW EXECUTE FUNCTION public.audit_change();
CREATE TRIGGER customers_audit_change AFTER UPDATE ON public.customers FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION public.audit_change();
--- schemas/public/triggers/tools.sql
CREATE TRIGGER tools_audit AFTER INSERT OR DELETE ON public.tools FOR EACH ROW EXECUTE FUNCTION public.audit_change();
CREATE TRIGGER tools_audit_change AFTER UPDATE ON public.tools FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION public.audit_change();
--- schemas/public/views/branch_load.sql
CREATE VIEW public.branch_load AS
 SELECT b.id AS branch_id,
    b.tenant_id,
    count(t.id) AS tools,
    count(t.id) FILTER (WHERE (t.state = 'out'::text)) AS tools_out
   FROM (public.branches b
     LEFT JOIN public.tools t ON (((t.branch_id = b.id) AND (t.state <> 'sold'::text))))
  GROUP BY b.id, b.tenant_id;

ALTER VIEW public.branch_load OWNER TO ops;
COMMENT ON VIEW public.branch_load IS 'Tools by branch, over all shops.';
--- schemas/public/views/open_rentals.sql
CREATE VIEW public.open_rentals AS
 SELECT r.id,
    r.tenant_id,
    t.label,
    c.full_name,
    r.out_on,
    r.due_on
   FROM ((public.rentals r
     JOIN public.tools t ON ((t.id = r.tool_id)))
     JOIN public.customers c ON ((c.id = r.customer_id)))
  WHERE (r.back_on IS NULL);

ALTER VIEW public.open_rentals OWNER TO ops;
COMMENT ON VIEW public.open_rentals IS 'Tools that are out, with the customer who has them.';
