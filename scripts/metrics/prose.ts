/** Size and sentence length of one Markdown page. */
export interface Prose {
  readonly words: number;
  readonly meanSentence: number;
  readonly longestSentence: number;
  readonly longest: string;
}

/**
 * Counts words of the whole page, and the length of sentences in prose and list items. Code blocks, tables, headings
 * and HTML are not prose. The words of inline code and of link texts count.
 */
export function measureProse(markdown: string): Prose {
  const words = wordsIn(markdown);
  const sentences = paragraphsOf(markdown).flatMap(sentencesOf);
  const lengths = sentences.map(wordsIn);
  const longestSentence = Math.max(0, ...lengths);
  return {
    words,
    meanSentence: lengths.length === 0 ? 0 : lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
    longestSentence,
    longest: sentences[lengths.indexOf(longestSentence)] ?? '',
  };
}

/** Counts words like `wc -w`. */
const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

function paragraphsOf(markdown: string): string[] {
  const prose = markdown
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, '\n')
    .replace(/^\|.*$/gm, '\n')
    .replace(/^#.*$/gm, '\n')
    .replace(/<[^>]+>/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:[-*]|\d+\.)\s+/gm, '\n\n');
  return prose.split(/\n\s*\n/).map((paragraph) => paragraph.replace(/\s+/g, ' ').trim());
}

function sentencesOf(paragraph: string): string[] {
  return paragraph.split(/(?<=[.!?:][)"*`]?)\s+(?=[("*`]?[A-Z0-9`*])/).filter((sentence) => wordsIn(sentence) > 1);
}
