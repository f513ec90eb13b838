/** Environment variables that pass the test servers to Jest's worker processes. */
export const TEST_DATABASE_SERVER = 'DONORLENS_TEST_DATABASE_SERVER';
export const TEST_REDIS_SERVER = 'DONORLENS_TEST_REDIS_SERVER';
export const TEST_BROWSER_SERVER = 'DONORLENS_TEST_BROWSER_SERVER';
/** Folder of the whole test run, with files that suites share. */
export const TEST_FOLDER = 'DONORLENS_TEST_FOLDER';
export const TEMPLATE = 'donorlens_template';
