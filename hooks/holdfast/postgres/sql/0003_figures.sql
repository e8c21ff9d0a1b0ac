-- What sessions saved and cost, by author and day: whole numbers and the names of models, no text.
CREATE TABLE figures (
    team    text NOT NULL,
    project text NOT NULL CHECK (length(project) BETWEEN 1 AND 200),
    author  name NOT NULL DEFAULT session_user,
    session text NOT NULL CHECK (length(session) <= 200),
    day     date NOT NULL,
    figures jsonb NOT NULL CHECK (octet_length(figures::text) <= 20000),
    PRIMARY KEY (team, author, session, day)
);
ALTER TABLE figures ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON figures FOR SELECT USING (team IN (SELECT teams('reader')));
CREATE POLICY own ON figures FOR ALL USING (author = session_user AND team IN (SELECT teams('writer')));
GRANT SELECT, INSERT (team, project, session, day, figures), UPDATE (figures) ON figures TO PUBLIC;
