-- The records that people let through, as their Markdown files, with the words that our analysis finds in them.

-- Words between blanks, as search/ranking.py encodes a text; team and project are words too, so that one index asks
-- for both at once. No text can hold such a word.
CREATE FUNCTION lexemes(team text, project text, body text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_to_tsvector(array_remove(string_to_array(translate(body, E'\n@', '  '), ' '), '')
        || ARRAY['@' || team, '@' || team || '/' || project])
$$;

CREATE TABLE records (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team      text NOT NULL,
    project   text NOT NULL CHECK (length(project) BETWEEN 1 AND 200),
    id        uuid NOT NULL,
    author    name NOT NULL,
    changed   xid8 NOT NULL,  -- the transaction: what is older than all that still run has been seen by all
    withdrawn boolean NOT NULL DEFAULT false,
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
ALTER TABLE records ALTER words SET STATISTICS 300;  -- some 3,000 words whose frequency is known without counting

-- The author writes; whoever administers may withdraw what another one wrote, and never rewrite it.
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.author := session_user;
    ELSIF OLD.author <> session_user THEN
        NEW := OLD;
        NEW.withdrawn := true;
    ELSE
        NEW.author := OLD.author;
        NEW.team := OLD.team;
        NEW.id := OLD.id;
    END IF;
    IF NEW.withdrawn THEN
        NEW.record := '';
        NEW.body := '';
        NEW.facts := '{}';
    END IF;
    NEW.changed := pg_current_xact_id();
    RETURN NEW;
END $$;
CREATE TRIGGER stamped BEFORE INSERT OR UPDATE ON records FOR EACH ROW EXECUTE FUNCTION stamp();

ALTER TABLE records ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON records FOR SELECT USING (team IN (SELECT teams('reader')));
CREATE POLICY added ON records FOR INSERT WITH CHECK (team IN (SELECT teams('writer')));
CREATE POLICY changed ON records FOR UPDATE
    USING (author = session_user AND team IN (SELECT teams('writer')) OR team IN (SELECT teams('admin')));
GRANT SELECT ON records TO holdfast_reader;
GRANT INSERT, UPDATE ON records TO holdfast_writer;

-- A condition that row-level security cannot rely on uses no index, so these ask for the owner, and only in a team of
-- the member's. They give numbers of records, never a text.
CREATE FUNCTION scope(of_team text, of_project text) RETURNS tsquery
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE word text := '@' || of_team || CASE WHEN of_project = '' THEN '' ELSE '/' || of_project END;
BEGIN
    IF of_team NOT IN (SELECT teams('reader')) THEN
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
    own text := '@' || of_team || CASE WHEN of_project = '' THEN '' ELSE '/' || of_project END;
    known jsonb := coalesce((SELECT jsonb_object_agg(one.element, one.share)
        FROM pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) AS one(element, share)
        WHERE schemaname = current_schema() AND tablename = 'records' AND attname = 'words'
            AND one.element = ANY (asked || own)), '{}');
    size double precision := coalesce((known ->> own)::double precision, 0)
        * (SELECT greatest(reltuples, 0) FROM pg_class WHERE oid = 'records'::regclass);
BEGIN
    FOREACH word IN ARRAY asked LOOP
        texts := size * CASE WHEN word = '' THEN 1 ELSE coalesce((known ->> word)::double precision, 0) END;
        numbers := NULL;
        IF texts <= most THEN
            numbers := ARRAY(SELECT holding(of_team, of_project,
                CASE WHEN word = '' THEN '' ELSE quote_literal(word) END, 0, most));
            texts := cardinality(numbers);
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
