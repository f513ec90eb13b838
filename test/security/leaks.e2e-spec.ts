import { describeWith } from '../support/tools';
import { searchLeaks } from './leaks/leak-search';
import { expectPassed } from './security-service';

describeWith('redis-server')('keys, names, addresses and coordinates', () => {
  it('are nowhere but in the columns that hold rows', async () => expectPassed('leaks', await searchLeaks()));
});
