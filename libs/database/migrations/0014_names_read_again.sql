-- Names are read by newer rules: stored rows no longer have the values of an active release, so they are enriched again.
update enrichment_release set release_id = release_id || '/names-1';
