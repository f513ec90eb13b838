-- Timeline of the server when the keys were last confirmed. A point-in-time recovery of the same server begins a new one.
alter table installation add column timeline int;
update installation set timeline =
  (select greatest(timeline_id, min_recovery_end_timeline) from pg_control_checkpoint(), pg_control_recovery());
