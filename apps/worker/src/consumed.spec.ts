import { queueNames } from './consumed';

describe('the queues of a worker', () => {
  it('are the queues that WORKER_QUEUES names, without duplicates', () => {
    expect(queueNames(['enrich', 'geocode'])).toEqual(['enrich', 'geocode']);
    expect(queueNames(['geocode', 'geocode'])).toEqual(['geocode']);
  });

  it.each([['enrich', 'other'], ['']])('are rejected if one of the names is unknown (%s)', (...names) => {
    expect(() => queueNames(names)).toThrow('WORKER_QUEUES may name enrich, geocode');
  });

  it('are rejected if the list is empty', () => {
    expect(() => queueNames([])).toThrow('not nothing');
  });
});
