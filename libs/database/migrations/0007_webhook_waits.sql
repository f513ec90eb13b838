-- Length of the wait that ends at next_at, so that it is not longer after the clock was set back. Null: not known.
alter table webhook_delivery add column wait_seconds double precision;
alter table webhook_delivery alter column wait_seconds set default 0;
