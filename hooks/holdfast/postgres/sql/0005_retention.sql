-- Of the audit each project keeps its newest 10,000 lines, and up to a hundred more until it is looked at again.
CREATE FUNCTION prune() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF NEW.number % 100 = 0 THEN
        DELETE FROM audit WHERE team = NEW.team AND project = NEW.project AND number <= (
            SELECT number FROM audit WHERE team = NEW.team AND project = NEW.project
            ORDER BY number DESC OFFSET 10000 LIMIT 1);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER pruned AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION prune();
