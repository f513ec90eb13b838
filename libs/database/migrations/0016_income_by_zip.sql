-- Median household income of the county in which most people of the row's ZIP live, for rows without an address.
-- Filled as rows are imported, and enriched with a data release that has ZIPs.
alter table contribution add column zip_income int;
