import { type VNode } from 'preact';

/** On every page whose figures rest on the sample release. */
export const SampleNotice = (): VNode => (
  <p class="notice">
    <strong>Sample data, made up by a model:</strong> these figures say nothing about people. The official files take
    their place as soon as they have been fetched; <a href="/ops#data">where that fails</a>, an operator loads them from
    a folder (<code>DATA_SOURCE</code>).
  </p>
);
