/** Variables by which the test servers are handed to Jest's worker processes. */
export const TEST_DATABASE_SERVER = 'DONORLENS_TEST_DATABASE_SERVER';
export const TEST_REDIS_SERVER = 'DONORLENS_TEST_REDIS_SERVER';
export const TEMPLATE = 'donorlens_template';
