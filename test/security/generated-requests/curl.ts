import { type WireRequest } from './request-sender';

/** The request as a curl command, to reproduce a finding. */
export function curlOf(url: string, { method, target, headers, body }: WireRequest): string {
  const words = [
    'curl -sS -i --path-as-is -g',
    method === 'HEAD' ? '-I' : `-X ${method}`,
    ...headers
      .filter(([name]) => !/^(host|content-length)$/i.test(name))
      .map((pair) => `-H ${quoted(pair.join(': '))}`),
    ...(body ? ['--data-binary @-'] : []),
    quoted(url + target),
  ];
  const line = words.join(' ');
  if (!body) return line;
  const text = body.toString('latin1');
  const source = /^[\t\n\x20-\x7e]*$/.test(text)
    ? `printf %s ${quoted(text)}`
    : `printf %s ${body.toString('base64')} | base64 -d`;
  return `${source} | ${line}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
