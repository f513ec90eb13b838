import { describeWith } from '../support/tools';
import { searchLeaks } from './leaks/leak-search';
import { expectPassed } from './security-service';

describeWith('redis-server')('keys, names, addresses and coordinates', () => {
  it('are found only in the columns that store rows', async () => expectPassed('leaks', await searchLeaks()));
});
