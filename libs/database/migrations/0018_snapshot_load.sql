-- Bulk files are loaded into a table beside their cycle: its rows are what the file holds. An import that was interrupted
-- starts over.
drop table import_seen;
