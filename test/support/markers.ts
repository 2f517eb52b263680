import { randomBytes } from 'node:crypto';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { about, kinds, type WorldIds } from './world-ids.ts';

/** Unique texts of one run that stand for secrets and for content of a customer. */
export interface Markers {
  readonly secret: string;
  readonly content: string;
}

export const freshMarkers = (): Markers => ({
  secret: `secret-${randomBytes(12).toString('hex')}`,
  content: `content-${randomBytes(12).toString('hex')}`,
});

/** Members that contain a secret. */
const isSecret = (member: string): boolean => /(?:token|secret|apikey|password)$/i.test(member);

/** Members whose texts select the behavior of the operation. */
const deciding: ReadonlySet<string> = new Set(['model', 'key']);

/** Members that name a record of the world by a text other than an id. */
const naming: ReadonlyMap<string, string> = new Map([
  ['/v2/commentannotations/comments/reactions/delete', 'icon'],
]);

/** Returns the texts that may replace a text, the most specific first. */
function replacements(value: string, member: string, { secret, content }: Markers, url: string): string[] {
  if (/^https?:/.test(value)) return [`${url}/${content}`];
  if (isSecret(member)) return [secret];
  return [`${value} ${content}`, `${content}@example.com`, `${value}-${content}`];
}

type Path = readonly (string | number)[];

/**
 * Returns the example of an operation with these ids and a marker in each unrestricted text: a secret in members for
 * secrets, content elsewhere. Keeps ids and texts that the schema restricts. URLs lead to `url`.
 */
export async function markedExample(
  { data: schema, example, paths }: Endpoint,
  ids: WorldIds,
  markers: Markers,
  url: string,
): Promise<object> {
  const data = about(ids, example);
  const known = new Set(Object.values(ids).flat());
  let marked = data;
  for (const [path, value] of textsOf(data)) {
    const member = path.findLast((step) => typeof step === 'string') ?? '';
    if (deciding.has(member) || naming.get(paths[0]) === member) continue;
    if (Object.hasOwn(kinds, member) && member !== 'apiKey') continue;
    if (known.has(value)) continue;
    for (const text of replacements(value, member, markers, url)) {
      const candidate = withText(marked, path, text) as object;
      if (!(await schema.safeParseAsync(candidate)).success) continue;
      marked = candidate;
      break;
    }
  }
  return marked;
}

/** Returns the texts in a value by their path. */
function textsOf(value: unknown, path: Path = []): readonly (readonly [Path, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    textsOf(part, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

function withText(value: unknown, [step, ...rest]: Path, text: string): unknown {
  if (step === undefined) return text;
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? withText(item, rest, text) : item));
  const part = (value as Record<string, unknown>)[step];
  return { ...(value as object), [step]: withText(part, rest, text) };
}
