/** The place of a word in a picture, with an estimated width. */
interface Box {
  readonly words: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Estimated widths of a digit or small letter and of a bold one, at the font size of 12 units in charts. */
const CHARACTER = 6.2;
const BOLD_CHARACTER = 8.2;

const numberOf = (tag: string, name: string): number => Number(new RegExp(`\\b${name}="([-\\d.]+)"`).exec(tag)?.[1]);

function boxesOf(svg: string): Box[] {
  return [...svg.matchAll(/(<g class="median">(?:<line[^>]*>(?:<\/line>)?)?)?(<text[^>]*>)(.*?)<\/text>/g)].map(
    ([, median, tag, inner]) => {
      const words = inner.replace(/<[^>]+>/g, '');
      const isBold = median !== undefined || tag.includes('class="name');
      const width = words.length * (isBold ? BOLD_CHARACTER : CHARACTER);
      const [x, y] = [numberOf(tag, 'x'), numberOf(tag, 'y')];
      const left = tag.includes('"end"') ? x - width : tag.includes('"middle"') ? x - width / 2 : x;
      return { words, left, right: left + width, top: y - 9, bottom: y + 2 };
    },
  );
}

/** Pairs of words in a picture that overlap. */
export function wordsOnWords(svg: string): string[] {
  const boxes = boxesOf(svg);
  return boxes.flatMap((one, at) =>
    boxes
      .slice(at + 1)
      .filter(({ left, right }) => left < one.right && one.left < right)
      .filter(({ top, bottom }) => top < one.bottom && one.top < bottom)
      .map(({ words }) => `${one.words} / ${words}`),
  );
}

/** Words in a picture that a vertical line of the given kind crosses. */
export function wordsOnRules(svg: string, kind: string): string[] {
  const group = new RegExp(`<g class="${kind}">(.*?)</g>`).exec(svg)?.[1] ?? '';
  const rules = [...group.matchAll(/<line[^>]*>/g)].map(([tag]) => tag);
  return boxesOf(svg)
    .filter(({ left, right, top, bottom }) =>
      rules.some((rule) => {
        const x = numberOf(rule, 'x1');
        return left < x && x < right && numberOf(rule, 'y1') < bottom && top < numberOf(rule, 'y2');
      }),
    )
    .map(({ words }) => words);
}
