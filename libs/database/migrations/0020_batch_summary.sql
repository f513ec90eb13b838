-- First name of a row (position in the birth files of the batch's data release) and day of its age (days since 1970):
-- from them the ages of the whole batch are estimated. Rows stored before have neither.
alter table result add column first_name int, add column given_day int;

-- Summary of a batch, stored by the first request for it. It holds for that number of pending addresses.
create table batch_summary (
  batch_id uuid primary key references batch on delete cascade,
  pending_rows int not null,
  summary jsonb not null
);
