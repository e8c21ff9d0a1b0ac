-- What agents of several machines share: who is here, who owns what, who took and lost it, states with a version.
-- Times are epoch seconds of this server. Any writer of the team takes part; the audit notes whose log-in did it, and
-- nobody removes a line of it.

CREATE TABLE agents (
    team text NOT NULL, project text NOT NULL, id text NOT NULL CHECK (length(id) <= 200),
    session text NOT NULL, kind text NOT NULL, task text NOT NULL CHECK (length(task) <= 2000), branch text NOT NULL,
    started double precision NOT NULL, seen double precision NOT NULL, place text NOT NULL, parent text NOT NULL,
    gone boolean NOT NULL DEFAULT false,
    PRIMARY KEY (team, project, id)
);
CREATE TABLE claims (
    team text NOT NULL, project text NOT NULL, pattern text NOT NULL CHECK (length(pattern) <= 1000),
    mode text NOT NULL, holder text NOT NULL,
    since double precision NOT NULL, until double precision NOT NULL, why text NOT NULL,
    gone boolean NOT NULL DEFAULT false,
    PRIMARY KEY (team, project, pattern, holder)
);
CREATE INDEX claims_holder ON claims (team, project, holder);
CREATE TABLE audit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team text NOT NULL, project text NOT NULL, at double precision NOT NULL, deed text NOT NULL, agent text NOT NULL,
    pattern text NOT NULL, mode text NOT NULL, other text NOT NULL, member name NOT NULL DEFAULT session_user
);
CREATE INDEX audit_place ON audit (team, project, number);
CREATE TABLE states (
    team text NOT NULL, project text NOT NULL, key text NOT NULL CHECK (length(key) <= 500),
    value text NOT NULL CHECK (octet_length(value) <= 64000),
    version integer NOT NULL, by text NOT NULL, at double precision NOT NULL,
    gone boolean NOT NULL DEFAULT false,
    PRIMARY KEY (team, project, key, version)
);

-- What is marked as gone goes: the right to delete would be one to lock the table.
CREATE FUNCTION sweep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format('DELETE FROM %I WHERE gone', TG_TABLE_NAME);
    RETURN NULL;
END $$;

DO $$
DECLARE name text; fields text;
BEGIN
    FOREACH name IN ARRAY ARRAY['agents', 'claims', 'audit', 'states'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY seen ON %I FOR SELECT USING (team IN (SELECT teams(''reader'')))', name);
        EXECUTE format('CREATE POLICY shared ON %I FOR ALL USING (team IN (SELECT teams(''writer'')))', name);
        EXECUTE format('GRANT SELECT ON %I TO PUBLIC', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['agents', 'claims', 'states'] LOOP
        SELECT string_agg(column_name, ', ') INTO fields FROM information_schema.columns
            WHERE table_schema = current_schema() AND table_name = name AND column_name NOT IN ('team', 'project');
        EXECUTE format('GRANT INSERT, UPDATE (%s) ON %I TO PUBLIC', fields, name);
        EXECUTE format('CREATE INDEX ON %I (gone) WHERE gone', name);
        EXECUTE format('CREATE TRIGGER swept AFTER UPDATE OF gone ON %I EXECUTE FUNCTION sweep()', name);
    END LOOP;
END $$;
GRANT INSERT (team, project, at, deed, agent, pattern, mode, other) ON audit TO PUBLIC;
