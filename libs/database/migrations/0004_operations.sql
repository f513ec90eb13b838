-- What operators see and ask for, and what is sent when a batch has ended.

-- Processes that are alive: each writes its row every few seconds and erases it when it ends well.
create table process (
  id uuid primary key,
  role text not null check (role in ('api', 'worker', 'aggregator')),
  host text not null,
  pid int not null,
  version text not null,
  queues text[] not null default '{}', -- that a worker takes jobs from
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  in_work int not null default 0     -- jobs in hand
);

-- The record of what is paused; the queue's server is told by the aggregator, again and again.
create table queue_state (
  queue text primary key check (queue in ('enrich', 'geocode')),
  paused_at timestamptz,             -- null: it runs
  paused_by text
);
insert into queue_state (queue) values ('enrich'), ('geocode');

-- Jobs that ended in each minute, as workers count them; kept for a day.
create table queue_minute (
  queue text not null,
  minute timestamptz not null,
  done int not null default 0,
  failed int not null default 0,
  rows bigint not null default 0,
  primary key (queue, minute)
);

-- Counters of the whole service that only grow.
create table work_total (
  kind text not null,
  label text not null,
  value bigint not null default 0,
  primary key (kind, label)
);

-- What the leader is asked to do, in the order in which it was asked.
create table ops_request (
  id bigint generated always as identity primary key,
  action text not null,
  target jsonb not null default '{}',
  actor text not null,               -- name of the key
  asked_at timestamptz not null default now(),
  state text not null default 'asked' check (state in ('asked', 'running', 'done', 'failed')),
  epoch bigint,                      -- of the leader that took it
  started_at timestamptz,
  finished_at timestamptz,
  detail jsonb
);
create index ops_request_open on ops_request (id) where state in ('asked', 'running');

-- What its sender called the file; null: it came without a name, or its rows are erased.
alter table batch add column name text;

-- Where a batch's end is told to; null: nobody asked.
alter table batch add column webhook_url text;
-- Messages that there are for it: 1 that of its end, 2 that of its late addresses, too.
alter table batch add column webhook_told int not null default 0;
-- Holds what is to be told now, and so next to nothing: the leader looks once a second.
create index batch_to_tell on batch (finished_at)
  where webhook_url is not null
    and (webhook_told = 0 and state in ('completed', 'cancelled', 'failed')
      or webhook_told = 1 and state = 'completed' and pending_rows = 0 and located_at > finished_at);

-- One message for each event of a batch, sent until it is taken or given up.
create table webhook_delivery (
  id uuid primary key,               -- the message's id on the wire
  batch_id uuid not null references batch (id) on delete cascade,
  event text not null,
  host text not null,                -- of the batch's webhook_url, with its port: whose turn it takes
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  next_at timestamptz not null default now(),
  last_status int,
  last_error text,                   -- a code
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  unique (batch_id, event)
);
create index webhook_delivery_due on webhook_delivery (next_at) include (host) where state = 'pending';
