import { baseLetters } from '@donorlens/demographics';

/** Upper case without accents: how names are compared with the parts that people look for. */
export const foldedName = (text: string): string => baseLetters(text).toUpperCase();
