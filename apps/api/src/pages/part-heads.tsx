import { type VNode } from 'preact';
import { type Identity, nameOf } from './drawn-names';

interface PartHeadsProps {
  /** of the column of the rows' own heads */
  readonly first: string;
  readonly parts: readonly Identity[];
  readonly names: ReadonlyMap<string, string>;
}

/** Heads of the columns of numbers, one for each line or histogram. */
export const PartHeads = ({ first, parts, names }: PartHeadsProps): VNode => (
  <thead>
    <tr>
      <th scope="col">{first}</th>
      {parts.map(({ id, cycle }) => (
        <th scope="col">
          <bdi>{nameOf(names, id)}</bdi>
          <br />
          <code>{id}</code> {cycle}
        </th>
      ))}
    </tr>
  </thead>
);
