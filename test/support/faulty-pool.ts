import { type Pool, type PoolClient } from 'pg';

type Query = (...args: unknown[]) => unknown;
/** Sees each statement of a transaction and may do something before it, after it, or instead of it. A COPY must proceed at once: it is a stream. */
export type Fault = (sql: string, proceed: () => unknown, pid: number) => unknown;

/** The same pool, but the statements on connections taken from it pass through a fault. */
export function faultyPool(pool: Pool, fault: Fault): Pool {
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    const { processID } = client as unknown as { processID: number };
    const query: Query = (...args) => {
      const [first] = args as [string | { text?: string }];
      const sql = typeof first === 'string' ? first : (first.text ?? '');
      const proceed = (): unknown => (client.query as Query).call(client, ...args);
      return fault(sql, proceed, processID);
    };
    return new Proxy(client, {
      get: (target, name) => {
        if (name === 'query') return query;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  };
  return new Proxy(pool, {
    get: (target, name) => {
      if (name === 'connect') return connect;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
