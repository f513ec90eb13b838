/** Variables by which the test servers are handed to Jest's worker processes. */
export const TEST_DATABASE_SERVER = 'DONORLENS_TEST_DATABASE_SERVER';
export const TEST_REDIS_SERVER = 'DONORLENS_TEST_REDIS_SERVER';
export const TEST_BROWSER_SERVER = 'DONORLENS_TEST_BROWSER_SERVER';
/** Folder of the whole run, for what suites share. */
export const TEST_FOLDER = 'DONORLENS_TEST_FOLDER';
export const TEMPLATE = 'donorlens_template';
