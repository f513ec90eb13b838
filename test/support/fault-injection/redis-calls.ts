import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { type Call, type CallInterceptor } from './intercepted-call';

interface Command {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly promise: Promise<unknown>;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/** Commands that do not change data. */
const READS = new Set(
  `ping info hello auth select client command config echo exists get hexists hget hgetall hkeys hlen hmget hvals keys lindex llen lrange
   mget pttl readonly scan scard script sismember smembers strlen subscribe psubscribe unsubscribe time ttl type unwatch
   watch xlen xrange xread zcard zcount zrange zrangebyscore zrevrange zscore multi exec discard wait quit`.split(
    /\s+/,
  ),
);
const SEEN = Symbol('seen');

/** Passes every command of this process to the interceptor. Scripts have their name. */
export function interceptRedis(interceptor: CallInterceptor): void {
  const prototype = Redis.prototype as unknown as {
    sendCommand: (this: Redis, command: Command, stream?: unknown) => unknown;
    defineCommand: (this: Redis, name: string, definition: { lua: string }) => unknown;
  };
  const { sendCommand, defineCommand } = prototype;
  const scripts = new Map<string, string>();
  prototype.defineCommand = function (name, definition) {
    scripts.set(createHash('sha1').update(definition.lua).digest('hex'), name.replace(/:[\d.]+$/, '')); // no version
    return defineCommand.call(this, name, definition);
  };
  prototype.sendCommand = function (command, stream) {
    const isResent = SEEN in command; // sent again after a reconnection
    if (isResent) return sendCommand.call(this, command, stream);
    Object.defineProperty(command, SEEN, { value: true });
    const call = callOf(this, command, scripts);
    interceptor.before(call);
    const { resolve } = command;
    command.resolve = (answer) => {
      const fault = interceptor.after(call);
      if (fault) command.reject(fault);
      else resolve(answer);
    };
    return sendCommand.call(this, command, stream);
  };
}

function callOf(redis: Redis, { name, args }: Command, scripts: ReadonlyMap<string, string>): Call {
  const word = name.toLowerCase();
  const texts = args.map((arg) => (typeof arg === 'string' ? arg : ''));
  const script = word === 'evalsha' ? (scripts.get(texts[0]) ?? 'a script') : null;
  const queue = /:(\w+):/.exec(texts.find((text) => text.startsWith('{')) ?? '')?.[1];
  return {
    server: 'redis',
    name: [script ?? word, ...(queue === undefined ? [] : [queue])].join(' of '),
    writes: script === null ? !READS.has(word) : !/^(get|is|paginate)/.test(script),
    cut: () => redis.disconnect(true),
  };
}
