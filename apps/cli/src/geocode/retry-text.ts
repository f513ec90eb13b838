import { counted } from '@donorlens/primitives';

import { type AskedAgain } from './ask-again';

const addresses = (count: number): string => counted(count, 'address', 'addresses');

/** A line for each kind of address that there is. */
export function retryText({ outcome, asked, asking, later, other }: AskedAgain, isDryRun: boolean): string[] {
  const verb = isDryRun ? 'would be' : asked > 1 ? 'are' : 'is';
  return [
    `${asked === 0 ? 'no address' : addresses(asked)} with ${outcome} ${verb} asked again now`,
    ...(asking > 0 ? [`${addresses(asking)}: asked again already`] : []),
    ...(later > 0 ? [`${addresses(later)}: asked again when they come again, for no kept batch has them`] : []),
    ...(other > 0
      ? [
          `of these, ${other.toLocaleString('en-US')} in a kept batch ${other === 1 ? 'was' : 'were'} hashed with ` +
            'another benchmark or vintage than GEOCODER_BENCHMARK and GEOCODER_VINTAGE say',
        ]
      : []),
  ];
}
