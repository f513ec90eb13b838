const TAG = /<\/?[a-z][\w-]*(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/gi;

/** What XML takes for no markup and no text: an attribute without a value, a bare `<` or `&`, the end of a section that never began. */
export const markupFlaws = (xml: string): readonly string[] =>
  xml.replace(TAG, '').match(/<.{0,40}|&(?!(?:amp|lt|gt|quot|#\d+);).{0,10}|\]\]>/gs) ?? [];
