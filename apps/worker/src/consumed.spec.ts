import { queueNames } from './consumed';

describe('the queues of a worker', () => {
  it('are those that are named, each once', () => {
    expect(queueNames(['enrich', 'geocode'])).toEqual(['enrich', 'geocode']);
    expect(queueNames(['geocode', 'geocode'])).toEqual(['geocode']);
  });

  it.each([['enrich', 'other'], ['']])('have to exist (%s)', (...names) => {
    expect(() => queueNames(names)).toThrow('WORKER_QUEUES may name enrich, geocode');
  });

  it('are at least one', () => {
    expect(() => queueNames([])).toThrow('not nothing');
  });
});
