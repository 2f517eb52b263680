/** Returns a text as a page shows it: each run of white space as one space, and no format characters. */
export const visibleText = (text: string): string => text.replaceAll(/\p{Cf}/gu, '').replaceAll(/\s+/g, ' ');

/** Returns the text that confirms an act: the name of the record, or `otherwise` when the name shows nothing. */
export const typedName = (name: string, otherwise: string): string =>
  visibleText(name).trim() === '' ? otherwise : name;
