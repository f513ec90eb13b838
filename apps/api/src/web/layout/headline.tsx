import { type VNode } from 'preact';

/** A part of a headline, emphasized or not. */
export interface HeadlinePart {
  readonly text: string;
  readonly strong?: boolean;
}

export const plain = (text: string): HeadlinePart => ({ text });
export const strong = (text: string): HeadlinePart => ({ text, strong: true });

/** `A`, `A and B`, `A, B and C`. */
export const joinParts = (items: readonly (readonly HeadlinePart[])[]): HeadlinePart[] =>
  items.flatMap((item, at) => (at === 0 ? item : [plain(at === items.length - 1 ? ' and ' : ', '), ...item]));

export const textOf = (parts: readonly HeadlinePart[]): string => parts.map(({ text }) => text).join('');

/** The headline of a result page. The text direction of names does not affect the text around them. */
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

interface KeyFiguresProps {
  readonly facts: readonly (readonly [term: string, value: string])[];
  /** Smaller figures between rules. */
  readonly isCompact?: boolean;
}

/** A list of key figures. */
export const KeyFigures = ({ facts, isCompact = false }: KeyFiguresProps): VNode => (
  <dl class={isCompact ? 'numbers counts' : 'numbers'}>
    {facts.map(([term, value]) => (
      <div>
        <dt>{term}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
