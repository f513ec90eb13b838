const TAG = /<\/?[a-z][\w-]*(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/gi;
const BARE = /&(?!(?:amp|lt|gt|quot|#\d+);).{0,10}/gs;
const NO_CHARACTER = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu;

/** Invalid markup, text and characters in XML; whether tags are in pairs is not checked. */
export const markupFlaws = (xml: string): readonly string[] => [
  ...(xml.replace(TAG, '').match(/<.{0,40}|\]\]>/gs) ?? []),
  ...(xml.match(BARE) ?? []),
  ...(xml.match(NO_CHARACTER) ?? []),
];
