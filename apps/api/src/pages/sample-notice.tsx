import { type VNode } from 'preact';

/** On every page whose figures rest on the sample release. */
export const SampleNotice = (): VNode => (
  <p class="notice">These figures come from the small sample that ships with the service, not from official data.</p>
);
