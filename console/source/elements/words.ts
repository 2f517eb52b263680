/** The words of a name of the API, such as `user-data-deletion`, `in_progress` or `commentAnnotations`, in lower case. */
export const wordsOf = (name: string): string =>
  name
    .replaceAll(/[-_]/g, ' ')
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();

/** The same words with a capital first letter. */
export function titleOf(name: string): string {
  const words = wordsOf(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
