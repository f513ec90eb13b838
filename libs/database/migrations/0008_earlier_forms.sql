-- Migrations 1 to 4 were edited before the first release. A database that was made from an earlier form of one gets what
-- the present form has; in any other nothing changes. Each `if` compares with the checksum of the present form.
do $$
declare
  foundation bytea := (select sha256 from schema_migration where number = 1);
  campaigns bytea := (select sha256 from schema_migration where number = 2);
  addresses bytea := (select sha256 from schema_migration where number = 3);
  operations bytea := (select sha256 from schema_migration where number = 4);
begin
  if foundation <> '\xa1a212c5331beb5f18eab7db323bc8d3f62968bc1eff605c32875d98d4b6bdee' then
    alter table api_key
      add column if not exists previous_prefix text unique,
      add column if not exists previous_hash bytea,
      add column if not exists previous_until timestamptz;
    alter table chunk
      add column if not exists suspected_rows int[] not null default '{}',
      add column if not exists poison_rows int[] not null default '{}';
    drop index if exists chunk_waiting;
    create index if not exists chunk_queued on chunk (stage, enqueued_at) where state = 'queued';
    create index if not exists chunk_pending on chunk (stage, seq) where state = 'pending';
  end if;

  if campaigns <> '\x143de74a766b27f1802c7ca9f78e346a0ba6b18fc2e82810a3d0246560778990' then
    drop index contribution_conduit;
    create index contribution_conduit on contribution (committee_id, donor_key) where earmark = 2 or is_copy;
    create index contribution_by_day on contribution (received_on);
    alter table donor_first add column first_row bigint;
    insert into donor_touched select distinct committee_id, cycle, donor_key from contribution; -- counts them again
  end if;

  if addresses <> '\xa079855cd6c0326424fb348c93e015426467f38df04eb3fbd9dd5c5921f4aa82' then
    -- Waiting addresses are asked under the default settings of that version.
    alter table geocode_call
      add column if not exists benchmark text not null default 'Public_AR_Current',
      add column if not exists vintage text not null default 'Census2020_Current';
    alter table geocode_call alter column benchmark drop default, alter column vintage drop default;
    alter table geocode_address
      add column if not exists benchmark text not null default 'Public_AR_Current',
      add column if not exists vintage text not null default 'Census2020_Current';
    alter table geocode_address alter column benchmark drop default, alter column vintage drop default;
    alter table geocoder
      add column if not exists refused_benchmark text,
      add column if not exists refused_vintage text;
    update batch set enriched_at = finished_at where state = 'completed' and enriched_at is null;
    if addresses = '\xd4c6c3a4a2fb2e6a70e5329eb73cf0a8134ea45f80a324e7bc0013273a8b8605' then -- no row of earlier batches has an address key
      update batch set skipped_rows = ok_rows + partial_rows + not_found_rows
      where type = 'contributions' and import_id is null
        and created_at < (select applied_at from schema_migration where number = 3);
    end if;
    -- Three forms dropped streets without a note of their filings: all filings with rows without address are read again.
    update fec_import set detail = detail || '{"readAgain": true}'
    where kind = 'filing' and id in (
      select f.import_id from contribution c join filing f using (file_num) where c.address_key is null);
    update job_run set detail = detail - 'days' where kind = 'import-filings';
  end if;

  if operations <> '\x10b970ef92501bd7aac0fbe12352b7142a91c39f93edf6500d402da41e71c061' then
    alter table batch
      add column if not exists name text,
      add column if not exists webhook_told int not null default 0;
    alter table webhook_delivery add column if not exists host text not null default '';
    alter table webhook_delivery alter column host drop default;
    update webhook_delivery d set host = lower(substring(b.webhook_url from '^[^:]+://([^/?#]*)'))
    from batch b where b.id = d.batch_id and d.host = '';
    update batch b set webhook_told = (select count(*) from webhook_delivery d where d.batch_id = b.id)
    where b.webhook_url is not null and b.webhook_told = 0;
    drop index if exists batch_to_tell;
    create index batch_to_tell on batch (finished_at)
      where webhook_url is not null
        and (webhook_told = 0 and state in ('completed', 'cancelled', 'failed')
          or webhook_told = 1 and state = 'completed' and pending_rows = 0 and located_at > finished_at);
    drop index webhook_delivery_due;
    create index webhook_delivery_due on webhook_delivery (next_at) include (host) where state = 'pending';
  end if;
end $$;
