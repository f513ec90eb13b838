import { type Pool, type PoolClient } from 'pg';

type Query = (...args: unknown[]) => unknown;
/** Runs something before, after or instead of a statement. A COPY must proceed synchronously: it is a stream. */
export type Fault = (sql: string, proceed: () => unknown, pid: number) => unknown;

/** Wraps a pool: statements on its connections pass through the fault. */
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
