-- Who may read, write and administer: group roles for the tables, `members` for the teams. One team never sees another.
-- An author is whoever has logged in (session_user): no statement can name somebody else.

CREATE TABLE about (server uuid NOT NULL DEFAULT gen_random_uuid());
INSERT INTO about DEFAULT VALUES;

CREATE TYPE level AS ENUM ('reader', 'writer', 'admin');  -- each may what stands before it

CREATE TABLE members (
    team   text NOT NULL CHECK (team ~ '^[a-z0-9][a-z0-9_.-]{0,62}$'),
    member name NOT NULL,
    level  level NOT NULL,
    PRIMARY KEY (team, member)
);

-- Whoever owns the schema asks for the member: behind row-level security nobody could ask for themselves.
CREATE FUNCTION teams(minimum level) RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT team FROM members WHERE member = session_user AND level >= minimum
$$;

DO $$
DECLARE role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['holdfast_reader', 'holdfast_writer', 'holdfast_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role);
        END IF;
    END LOOP;
END $$;
GRANT holdfast_reader TO holdfast_writer;
GRANT holdfast_reader, holdfast_writer TO holdfast_admin WITH ADMIN OPTION;
GRANT USAGE ON SCHEMA holdfast TO holdfast_reader;

ALTER TABLE members ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON members FOR SELECT USING (team IN (SELECT teams('reader')));
CREATE POLICY changed ON members FOR ALL USING (team IN (SELECT teams('admin')));

GRANT SELECT ON about, migrations, members TO holdfast_reader;
GRANT INSERT, UPDATE, DELETE ON members TO holdfast_admin;
