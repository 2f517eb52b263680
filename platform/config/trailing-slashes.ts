/** Removes trailing slashes in linear time; the expression `/\/+$/` takes quadratic time on a run of slashes. */
export function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
