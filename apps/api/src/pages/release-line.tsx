import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { LABELS } from './words';

/** Which data an answer rests on; the id comes back in the header Data-Version and in every detailed answer. */
export const ReleaseLine = ({ release }: { readonly release: Release }): VNode => (
  <>
    Data release <code>{release.id}</code> ({LABELS[release.label]})
  </>
);
