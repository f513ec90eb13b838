-- Depth of a queue and age of its oldest item in a minute, sampled by the leader; null: not sampled.
alter table queue_minute add column waiting bigint, add column oldest_seconds int;
