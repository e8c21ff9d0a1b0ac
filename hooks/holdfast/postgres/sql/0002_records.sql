-- The records that people let through, as their Markdown files, with the words that our analysis finds in them.

-- Whose turn it is: who writes waits for whoever writes in the same project, and what is numbered meanwhile is seen in
-- that order. A row, for any advisory lock on a server is anybody's to take, and the keys of those that are taken are
-- anybody's to read.
CREATE TABLE turns (
    team    text NOT NULL,
    project text NOT NULL,
    what    text NOT NULL,
    number  bigint NOT NULL DEFAULT 0,
    taken   xid8,  -- by the transaction that has counted it up
    PRIMARY KEY (team, project, what)
);
ALTER TABLE turns ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON turns FOR SELECT USING (team IN (SELECT teams('reader')));
GRANT SELECT ON turns TO PUBLIC;

CREATE FUNCTION turn(of_team text, of_project text, of_what text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF session_user <> current_user AND (of_team IN (SELECT teams('writer'))) IS NOT TRUE THEN
        RAISE insufficient_privilege USING MESSAGE = 'you do not write in this team';
    END IF;
    PERFORM FROM turns WHERE (team, project, what) = (of_team, of_project, of_what) FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO turns (team, project, what) VALUES (of_team, of_project, of_what) ON CONFLICT DO NOTHING;
        PERFORM FROM turns WHERE (team, project, what) = (of_team, of_project, of_what) FOR UPDATE;
    END IF;
END $$;

-- Words between blanks, as search/ranking.py encodes a text, each with its team before it: no statistics of one team
-- tell of another's. All that the team has, and all of a project, are a word as well, which no text can hold.
CREATE FUNCTION lexemes(team text, project text, body text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_to_tsvector(array_agg(team || '/' || word))
    FROM unnest(string_to_array(translate(body, E'\n@', '  '), ' ') || ARRAY['@', '@' || project]) word
    WHERE word <> ''
$$;

CREATE TABLE records (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team      text NOT NULL,
    project   text NOT NULL CHECK (length(project) BETWEEN 1 AND 200),
    id        uuid NOT NULL,
    author    name NOT NULL,
    changed   bigint NOT NULL,  -- in which turn of the project's
    withdrawn boolean NOT NULL DEFAULT false,
    barred    boolean NOT NULL DEFAULT false,  -- withdrawn by an administrator: it stays so
    record    text NOT NULL CHECK (octet_length(record) <= 256000),
    body      text NOT NULL CHECK (octet_length(body) <= 256000),
    time      text NOT NULL DEFAULT '',
    facts     jsonb NOT NULL DEFAULT '{}' CHECK (octet_length(facts::text) <= 4000),
    words     tsvector GENERATED ALWAYS AS
        (CASE WHEN withdrawn THEN '' ELSE lexemes(team, project, body) END) STORED,
    UNIQUE (team, id)
);
CREATE INDEX records_words ON records USING gin (words);
CREATE INDEX records_changed ON records (team, project, changed, number);
ALTER TABLE records ALTER words SET STATISTICS 300;  -- some 3,000 words are known to be frequent without counting

-- The author writes; whoever administers may withdraw for good what another one wrote, and never rewrite it.
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.author := session_user;
    ELSIF OLD.barred OR OLD.author <> session_user THEN
        NEW := OLD;
        NEW.withdrawn := true;
        NEW.barred := true;
    END IF;
    IF NEW.withdrawn THEN
        NEW.record := '';
        NEW.body := '';
        NEW.facts := '{}';
    END IF;
    SELECT number INTO NEW.changed FROM turns
        WHERE (team, project, what) = (NEW.team, NEW.project, 'records') AND taken = pg_current_xact_id();
    IF NOT FOUND THEN
        PERFORM turn(NEW.team, NEW.project, 'records');
        UPDATE turns SET number = number + 1, taken = pg_current_xact_id()
            WHERE (team, project, what) = (NEW.team, NEW.project, 'records') RETURNING number INTO NEW.changed;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER stamped BEFORE INSERT OR UPDATE ON records FOR EACH ROW EXECUTE FUNCTION stamp();

ALTER TABLE records ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON records FOR SELECT USING (team IN (SELECT teams('reader')));
CREATE POLICY added ON records FOR INSERT WITH CHECK (team IN (SELECT teams('writer')));
CREATE POLICY changed ON records FOR UPDATE
    USING (author = session_user AND team IN (SELECT teams('writer')) OR team IN (SELECT teams('admin')));
-- not the number, by which one team could take another's ahead, nor the words, whose statistics are of all teams
GRANT SELECT (number, team, project, id, author, changed, withdrawn, barred, record, body, time, facts),
    INSERT (team, project, id, record, body, time, facts),
    UPDATE (project, withdrawn, record, body, time, facts) ON records TO PUBLIC;

-- A condition that row-level security cannot rely on uses no index, so these ask for the owner, and only in a team of
-- the member's. They give numbers of records, never a text.
CREATE FUNCTION scope(of_team text, of_project text) RETURNS tsquery
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE word text := of_team || '/@' || of_project;
BEGIN
    IF (of_team IN (SELECT teams('reader'))) IS NOT TRUE THEN
        RAISE insufficient_privilege USING MESSAGE = 'you are no member of this team';
    END IF;
    RETURN ('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''')::tsquery;
END $$;

CREATE FUNCTION holding(of_team text, of_project text, asked text, since bigint, most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE wanted tsquery := scope(of_team, of_project);
BEGIN
    IF asked <> '' THEN
        wanted := wanted && asked::tsquery;
    END IF;
    -- as constants, so that their frequency decides how they are looked up
    RETURN QUERY EXECUTE format('SELECT number FROM records WHERE words @@ %L::tsquery%s ORDER BY number DESC LIMIT %s',
        wanted, CASE WHEN since > 0 THEN format(' AND number >= %s', since) ELSE '' END, least(most, 10000));
END $$;

-- In how many records each word stands, and the numbers of those; '' is all of them, and has no numbers. What the
-- statistics know to stand in more than `most` is as they say, and has none either.
CREATE FUNCTION holders(of_team text, of_project text, asked text[], most integer)
RETURNS TABLE (word text, texts bigint, numbers bigint[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    own text := of_team || '/@' || of_project;
    team_size double precision;
    size double precision;
    known jsonb;
BEGIN
    PERFORM scope(of_team, of_project);
    known := coalesce((SELECT jsonb_object_agg(one.element, one.share)
        FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS one(element, share)
        WHERE schemaname = current_schema() AND tablename = 'records' AND attname = 'words'
            AND one.element = ANY (ARRAY(SELECT of_team || '/' || one FROM unnest(asked) one) || own || (of_team || '/@'))
        ), '{}');
    size := coalesce((known ->> own)::double precision, 0)
        * (SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = 'records'::regclass);
    team_size := (known ->> (of_team || '/@'))::double precision;
    FOREACH word IN ARRAY asked LOOP
        texts := size * CASE WHEN word = '' THEN 1
            ELSE coalesce((known ->> (of_team || '/' || word))::double precision / team_size, 0) END;
        numbers := NULL;
        IF texts <= most THEN
            numbers := ARRAY(SELECT holding(of_team, of_project,
                CASE WHEN word = '' THEN '' ELSE quote_literal(of_team || '/' || word) END, 0, most));
            texts := cardinality(numbers);
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
