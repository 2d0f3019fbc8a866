import Ledger

/// The server's tables. A station never makes or changes them.
public enum ServerSchema {
    /// The required content of `schema_version`.
    public static let version = 2

    /// For the server's administrator: makes everything, or stops if any of it exists.
    public static let sql = [head, roles, runs, numbers, months, leases, serials, stations, end].joined(separator: "\n")

    private static let head = """
        -- The ledger's server, form \(version), for PostgreSQL 15 and later. Run it as an administrator in a database of its own:
        --   noafw ledger schema --sql | psql --set ON_ERROR_STOP=1 --single-transaction --dbname noafw
        -- It stops, and changes nothing, where the schema noafw is there already.

        CREATE SCHEMA noafw;
        COMMENT ON SCHEMA noafw IS 'the ledger of the noafw stations';
        """

    private static let roles = """
        -- Roles belong to all databases of a server, so they may be there from another one.
        DO $$
        DECLARE
            name text;
        BEGIN
            FOREACH name IN ARRAY ARRAY['noafw_station', 'noafw_reader'] LOOP
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
                    EXECUTE format('CREATE ROLE %I NOLOGIN', name);
                END IF;
            END LOOP;
            EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
        END
        $$;
        REVOKE CREATE ON SCHEMA public FROM PUBLIC;
        GRANT USAGE ON SCHEMA noafw TO noafw_station, noafw_reader;

        CREATE TABLE noafw.schema_version (
            "only" boolean PRIMARY KEY DEFAULT true CHECK ("only"),
            version integer NOT NULL
        );
        INSERT INTO noafw.schema_version (version) VALUES (\(version));
        GRANT SELECT ON noafw.schema_version TO noafw_station, noafw_reader;
        """

    private static let runs = """
        -- One row a run; the names are those of `noafw ledger export --json`. Unique is the primary key alone: stations write with
        -- ON CONFLICT DO NOTHING, which would let any other unique index swallow rows.
        CREATE TABLE noafw.runs (
        \(RunColumn.all.map { "    \($0.name) \($0.postgres),\n" }.joined())    received_at timestamptz NOT NULL DEFAULT clock_timestamp()
        ) PARTITION BY RANGE (id);
        COMMENT ON COLUMN noafw.runs.started_at IS 'by the station''s clock; received_at is by the server''s';
        CREATE INDEX runs_of_station ON noafw.runs (station, epoch, seq);
        CREATE INDEX runs_of_unit ON noafw.runs (unit_address, started_at);
        ALTER TABLE noafw.runs ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own_runs ON noafw.runs FOR INSERT TO noafw_station WITH CHECK (station = current_user);
        CREATE POLICY all_runs ON noafw.runs FOR SELECT TO noafw_reader USING (true);
        GRANT INSERT ON noafw.runs TO noafw_station;
        GRANT SELECT ON noafw.runs TO noafw_reader;

        -- Stations whose clock is wrong end here; rows in it are an alarm.
        CREATE TABLE noafw.runs_other PARTITION OF noafw.runs DEFAULT;
        GRANT SELECT ON noafw.runs_other TO noafw_reader;
        """

    private static let numbers = """
        -- For each station and file of it: the last number that it has told, and up to which one its runs have gone with old months.
        CREATE TABLE noafw.numbers (
            station text NOT NULL,
            epoch text NOT NULL CHECK (length(epoch) <= 200),
            told bigint NOT NULL DEFAULT 0,
            gone bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (station, epoch)
        );
        GRANT SELECT ON noafw.numbers TO noafw_reader;

        CREATE FUNCTION noafw.tell(an_epoch text, a_seq bigint) RETURNS void
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            INSERT INTO noafw.numbers AS known (station, epoch, told) VALUES (session_user, an_epoch, a_seq)
            ON CONFLICT (station, epoch) DO UPDATE SET told = greatest(known.told, excluded.told);
        $$;
        """

    private static let months = """
        -- An id begins with its millisecond (RFC 9562, UUID version 7), so that months of ids are months of time.
        CREATE FUNCTION noafw.first_id(moment timestamptz) RETURNS uuid
        LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
        RETURN (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

        -- Makes this month's partition and those of the next months. It has to run before a month begins: a partition whose rows lie in
        -- runs_other already cannot be made.
        CREATE FUNCTION noafw.make_months(ahead integer DEFAULT 12) RETURNS integer
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            month timestamp;
            made integer := 0;
            name text;
        BEGIN
            FOR number IN 0 .. ahead LOOP
                month := date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') + number * interval '1 month';
                name := 'runs_' || to_char(month, 'YYYY_MM');
                CONTINUE WHEN to_regclass(format('noafw.%I', name)) IS NOT NULL;
                EXECUTE format(
                    'CREATE TABLE noafw.%I PARTITION OF noafw.runs FOR VALUES FROM (%L) TO (%L)', name,
                    noafw.first_id(month AT TIME ZONE 'UTC'), noafw.first_id((month + interval '1 month') AT TIME ZONE 'UTC'));
                made := made + 1;
            END LOOP;
            RETURN made;
        END
        $$;
        SELECT noafw.make_months();

        -- Takes a month that is over out of the runs, as a table of its own, and notes its numbers, so that they are no gaps. It holds all
        -- writing up for a moment; behind a reader that takes longer than 10 s it gives up.
        CREATE FUNCTION noafw.detach_month(a_month text) RETURNS text
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
        DECLARE
            name text := 'runs_' || a_month;
        BEGIN
            IF a_month !~ '^[0-9]{4}_[0-9]{2}$' OR a_month >= to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY_MM') THEN
                RAISE EXCEPTION 'a month that is over is written as 2025_11' USING ERRCODE = '22023';
            END IF;
            LOCK TABLE ONLY noafw.runs IN ACCESS EXCLUSIVE MODE;
            EXECUTE format(
                'INSERT INTO noafw.numbers AS known (station, epoch, gone) SELECT station, epoch, max(seq) FROM noafw.%I GROUP BY station, epoch '
                'ON CONFLICT (station, epoch) DO UPDATE SET gone = greatest(known.gone, excluded.gone)', name);
            EXECUTE format('ALTER TABLE noafw.runs DETACH PARTITION noafw.%I', name);
            RETURN name;
        END
        $$;
        """

    /// A run that repeats its request gets its lease: the answer was lost. So does one that names a dead run of its own station.
    private static let mayTake = "lease.expires_at <= clock_timestamp() OR (lease.run IN (a_run, dead_run) AND lease.holder = session_user)"
    private static let tokenStep = "CASE WHEN lease.run = a_run AND lease.expires_at > clock_timestamp() THEN 0 ELSE 1 END"
    private static let isHolder = "lease.run = a_run AND lease.token = a_token AND lease.holder = session_user"

    private static let leases = """
        -- Which station works on which unit. Rows are never deleted: their token would begin again. No index on expires_at, and room in
        -- each page, so that a renewal writes no index.
        CREATE TABLE noafw.leases (
            unit text PRIMARY KEY CHECK (unit <> '' AND length(unit) <= 200),
            run uuid NOT NULL,
            holder text NOT NULL,
            token bigint NOT NULL,
            expires_at timestamptz NOT NULL
        ) WITH (fillfactor = 50);
        GRANT SELECT ON noafw.leases TO noafw_reader;

        CREATE FUNCTION noafw.time_to_live(seconds double precision) RETURNS interval
        LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            IF seconds IS NULL OR seconds < 1 OR seconds > 600 THEN
                RAISE EXCEPTION 'a lease lasts between 1 and 600 seconds' USING ERRCODE = '22023';
            END IF;
            RETURN make_interval(secs => seconds);
        END
        $$;

        -- The unit for one run. The token grows when the unit changes hands or the lease had run out, and only then: an answer that was
        -- lost may be asked for again.
        CREATE FUNCTION noafw.take(a_unit text, a_run uuid, seconds double precision, dead_run uuid DEFAULT NULL)
        RETURNS TABLE (granted boolean, token bigint, holder text, expires_at timestamptz, run uuid)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        #variable_conflict use_column
        DECLARE
            lasting interval := noafw.time_to_live(seconds);
        BEGIN
            -- Once more where the holder gave it free between the two statements.
            FOR attempt IN 1 .. 3 LOOP
                RETURN QUERY
                    INSERT INTO noafw.leases AS lease (unit, run, holder, token, expires_at)
                    VALUES (a_unit, a_run, session_user, 1, clock_timestamp() + lasting)
                    ON CONFLICT (unit) DO UPDATE SET
                        token = lease.token + \(tokenStep),
                        run = a_run, holder = session_user, expires_at = clock_timestamp() + lasting
                    WHERE \(mayTake)
                    RETURNING true, lease.token, lease.holder, lease.expires_at, lease.run;
                EXIT WHEN FOUND;
                RETURN QUERY
                    SELECT false, lease.token, lease.holder, lease.expires_at, lease.run FROM noafw.leases AS lease
                    WHERE lease.unit = a_unit AND (lease.expires_at > clock_timestamp() OR attempt = 3);
                EXIT WHEN FOUND;
            END LOOP;
        END
        $$;

        -- False where the unit has changed hands since, or was released.
        CREATE FUNCTION noafw.renew(a_unit text, a_run uuid, a_token bigint, seconds double precision) RETURNS boolean
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
            lasting interval := noafw.time_to_live(seconds);
        BEGIN
            UPDATE noafw.leases AS lease SET expires_at = clock_timestamp() + lasting
            WHERE lease.unit = a_unit AND \(isHolder) AND lease.expires_at > '-infinity';
            RETURN FOUND;
        END
        $$;

        CREATE FUNCTION noafw.release(a_unit text, a_run uuid, a_token bigint) RETURNS boolean
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            UPDATE noafw.leases AS lease SET expires_at = '-infinity'
            WHERE lease.unit = a_unit AND \(isHolder);
            RETURN FOUND;
        END
        $$;
        """

    private static let serials = """
        -- Which serial number is which unit's: each has one at most. A label that went to another unit is bound anew where its station says so.
        CREATE TABLE noafw.serials (
            serial text PRIMARY KEY CHECK (serial <> '' AND length(serial) <= 200),
            unit text NOT NULL UNIQUE CHECK (unit <> '' AND length(unit) <= 200),
            run uuid NOT NULL,
            station text NOT NULL,
            bound_at timestamptz NOT NULL DEFAULT clock_timestamp()
        );
        GRANT SELECT ON noafw.serials TO noafw_reader;

        -- No row where the number is the unit's by now, else what keeps it from being so.
        CREATE FUNCTION noafw.bind(a_serial text, a_unit text, a_run uuid, rebinds boolean)
        RETURNS TABLE (serial text, unit text, run uuid, station text)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        #variable_conflict use_column
        BEGIN
            IF rebinds THEN
                DELETE FROM noafw.serials AS known WHERE (known.serial = a_serial) <> (known.unit = a_unit);
            END IF;
            INSERT INTO noafw.serials (serial, unit, run, station) VALUES (a_serial, a_unit, a_run, session_user) ON CONFLICT DO NOTHING;
            RETURN QUERY
                SELECT known.serial, known.unit, known.run, known.station FROM noafw.serials AS known
                WHERE (known.serial = a_serial) <> (known.unit = a_unit) LIMIT 1;
        END
        $$;
        """

    private static let stations = """
        -- A login for one station, for the administrator: its name is the station's. Settings of a group do not reach its members.
        CREATE FUNCTION noafw.add_station(station text) RETURNS void
        LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            EXECUTE format('CREATE ROLE %I LOGIN CONNECTION LIMIT 4 IN ROLE noafw_station', station);
            EXECUTE format('ALTER ROLE %I SET lock_timeout = ''2s''', station);
            EXECUTE format('ALTER ROLE %I SET statement_timeout = ''5s''', station);
            EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''10s''', station);
            -- A station that was switched off, or lost its network, keeps none of its connections.
            EXECUTE format('ALTER ROLE %I SET tcp_keepalives_idle = ''10s''', station);
            EXECUTE format('ALTER ROLE %I SET tcp_keepalives_interval = ''5s''', station);
            EXECUTE format('ALTER ROLE %I SET tcp_keepalives_count = 3', station);
            EXECUTE format('ALTER ROLE %I SET tcp_user_timeout = ''25s''', station);
            EXECUTE format('ALTER ROLE %I SET client_connection_check_interval = ''5s''', station);
            EXECUTE format('ALTER ROLE %I SET client_min_messages = ''warning''', station);
        END
        $$;

        REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA noafw FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION noafw.take, noafw.renew, noafw.release, noafw.bind, noafw.tell TO noafw_station;
        GRANT EXECUTE ON FUNCTION noafw.first_id TO noafw_reader;
        """

    private static let end = """
        -- Numbers that are missing, for the reader: runs that were written and have not come, the last ones, too. What has gone with an old
        -- month is none of them.
        CREATE VIEW noafw.gaps WITH (security_invoker = true) AS
            SELECT station, epoch, greatest(previous, gone) + 1 AS first, seq - 1 AS last
            FROM (
                SELECT station, epoch, seq, is_gone, lag(seq, 1, 0::bigint) OVER (PARTITION BY station, epoch ORDER BY seq) AS previous,
                    coalesce(max(seq) FILTER (WHERE is_gone) OVER (PARTITION BY station, epoch), 0) AS gone
                FROM (
                    SELECT station, epoch, seq, false AS is_gone FROM noafw.runs
                    UNION ALL SELECT station, epoch, told + 1, false FROM noafw.numbers
                    UNION ALL SELECT station, epoch, numbers.gone, true FROM noafw.numbers
                ) AS known
            ) AS numbered
            WHERE NOT is_gone AND seq > greatest(previous, gone) + 1;

        -- Two runs of one unit at the same time: the claims did not keep the stations apart, or a station's clock is wrong. Of a run that
        -- was left open by a kill nobody knows when it ended.
        CREATE VIEW noafw.overlaps WITH (security_invoker = true) AS
            SELECT a.unit_address, a.id AS first_run, b.id AS second_run, a.station AS first_station, b.station AS second_station
            FROM noafw.runs AS a JOIN noafw.runs AS b
                ON a.unit_address = b.unit_address AND a.id < b.id AND a.started_at < b.ended_at AND b.started_at < a.ended_at
                AND a.elapsed_ms IS NOT NULL AND b.elapsed_ms IS NOT NULL;
        GRANT SELECT ON noafw.gaps, noafw.overlaps TO noafw_reader;
        """
}
