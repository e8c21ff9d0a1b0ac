-- Who may read, write and administer, `members` says alone: the rights on tables are everybody's, and row-level security
-- gives each the rows of their teams. No right to change or to delete is on a whole table, but on columns: with such a
-- one any member of any team could lock it for all.
-- An author is whoever has logged in (session_user): no statement can name somebody else.

CREATE TABLE about (server uuid NOT NULL DEFAULT gen_random_uuid());
INSERT INTO about DEFAULT VALUES;

CREATE TYPE level AS ENUM ('none', 'reader', 'writer', 'admin');  -- each may what stands before it

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

GRANT USAGE ON SCHEMA holdfast TO PUBLIC;

ALTER TABLE members ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON members FOR SELECT USING (team IN (SELECT teams('reader')));
CREATE POLICY changed ON members FOR ALL USING (team IN (SELECT teams('admin')));

GRANT SELECT ON about, migrations, members TO PUBLIC;
GRANT INSERT, UPDATE (level) ON members TO PUBLIC;
