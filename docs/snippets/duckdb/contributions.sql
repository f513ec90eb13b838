-- The contributions file as a table of DuckDB, and the median age of donors by state. The key needs the scope charts:rows.
-- curl --fail-with-body -sS -H "X-API-Key: $DONORLENS_KEY" -o contributions.csv "$DONORLENS_URL/data-charts/v1/contributions/search?candidate_id=P90000001&cycle=2024&raw=true"
-- duckdb donors.duckdb < contributions.sql
CREATE OR REPLACE TABLE contributions AS
SELECT * REPLACE (try_strptime(TRANSACTION_DT, '%m%d%Y')::DATE AS TRANSACTION_DT)
FROM read_csv('contributions.csv', header = true, types = {
  'CYCLE': 'INTEGER', 'TRANSACTION_AMT': 'DECIMAL(14, 2)', 'AGE': 'INTEGER', 'COUNTS_DONOR': 'BOOLEAN',
  -- codes keep leading zeros
  'ZIP_CODE': 'VARCHAR', 'TRANSACTION_DT': 'VARCHAR', 'IMAGE_NUM': 'VARCHAR', 'TRAN_ID': 'VARCHAR', 'SUB_ID': 'VARCHAR',
  'FIPS': 'VARCHAR', 'TRACT_CD': 'VARCHAR', 'BLOCK_CD': 'VARCHAR', 'ADDRESS_ID': 'VARCHAR'
});

SELECT STATE, count(*) AS contributions, median(AGE) AS median_age
FROM contributions
WHERE COUNTS_DONOR
GROUP BY STATE
ORDER BY contributions DESC, STATE;
