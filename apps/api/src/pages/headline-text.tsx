import { type VNode } from 'preact';
import { type HeadlinePart } from './headline';

/** The finding, with what carries it set off. */
export const HeadlineText = ({ parts }: { readonly parts: readonly HeadlinePart[] }): VNode => (
  <h1 class="headline">
    {parts.map(({ text, strong }) =>
      strong ? (
        <strong>
          <bdi>{text}</bdi>
        </strong>
      ) : (
        text
      ),
    )}
  </h1>
);
