import * as fc from 'fast-check';
import { type WireRequest } from './request-sender';
import { type Operation } from './document';
import { type Draft, draftOf, type Known } from './draft';
import { DRAFT_MUTATIONS, WIRE_MUTATIONS } from './mutations';
import { hostileText, type Kind } from './values';

/** A request before ids of batches are inserted. */
export interface SentRequest {
  readonly kind: Kind;
  readonly draft: Draft;
  readonly changes: readonly (readonly [name: string, nth: number, text: string])[];
}

/** Half of the requests have up to three changes, which shrink to none. */
export function requestsOf(operations: readonly Operation[]): fc.Arbitrary<SentRequest> {
  const one = fc.constantFrom(...operations);
  const kinds = fc.constantFrom<Kind>('valid', 'boundary', 'mutated', 'mutated');
  return fc.tuple(one, kinds).chain(([operation, kind]) => {
    const draft = draftOf(operation, kind);
    const names = fc.constantFrom(...Object.keys(DRAFT_MUTATIONS), ...Object.keys(WIRE_MUTATIONS));
    const change = fc.tuple(names, fc.nat({ max: 99_999 }), hostileText);
    const changes = kind === 'mutated' ? fc.array(change, { maxLength: 3 }) : fc.constant([]);
    return fc.record({ kind: fc.constant(kind), draft, changes });
  });
}

/** The request as it is sent. */
export function wireOf({ draft, changes }: SentRequest, key: string, known: Known): WireRequest {
  const ofDraft = changes.filter(([name]) => Object.hasOwn(DRAFT_MUTATIONS, name));
  const ofWire = changes.filter(([name]) => Object.hasOwn(WIRE_MUTATIONS, name));
  const changed = ofDraft.reduce((one, [name, nth, text]) => DRAFT_MUTATIONS[name](one, nth, text), draft);
  const wire = ofWire.reduce(
    (one, [name, nth, text]) => WIRE_MUTATIONS[name](one, nth, text),
    toWireRequest(changed, key, known),
  );
  return { ...wire, target: wire.target.replace(/[^\x21-\xff]/g, '%20') };
}

function toWireRequest(
  { operation, method, path, query, headers, body }: Draft,
  key: string,
  known: Known,
): WireRequest {
  const place = operation.template.replace(/\{(\w+)\}/g, (_, name: string) => withId(path[name], known));
  const search = query.map(([name, value]) => `${name}=${withId(value, known)}`).join('&');
  return {
    method,
    target: search === '' ? place : `${place}?${search}`,
    headers: [
      ['Host', '127.0.0.1'],
      ['X-API-Key', key],
      ...headers,
      ...(body ? [['Content-Length', String(body.length)] as const] : []),
    ],
    body,
  };
}

const NO_BATCH = '00000000-0000-4000-8000-000000000000';

const withId = (text: string, { batchIds }: Known): string =>
  text.replace(/^batch-(\d+)-$/, (_, nth: string) =>
    batchIds.length > 0 ? batchIds[Number(nth) % batchIds.length] : NO_BATCH,
  );
