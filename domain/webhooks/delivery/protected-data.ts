/** Members whose texts are names of things of ours, not of people or of what they wrote. */
const plainTexts: ReadonlySet<string> = new Set([
  'id',
  'type',
  'status',
  'trigger',
  'featureType',
  'actionType',
  'eventType',
  'notificationSource',
  'accessRole',
  'accessType',
  'contentKey',
]);

/** Lists of ids end in `Ids`; an id is whatever its owner made it. */
const isId = (member: string): boolean => /(?:^|[a-z0-9])Ids?$/.test(member);

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text);

/**
 * What happened without names, e-mail addresses and anything that somebody wrote: ids, types, states, numbers and times
 * stay where they are, every other text is left out, whatever its member is called. So is a member that is itself an
 * e-mail address.
 */
export function protectedData(data: unknown): unknown {
  return kept(data, '');
}

function kept(value: unknown, member: string): unknown {
  if (typeof value === 'string')
    return plainTexts.has(member) || isId(member) || isTime(value) ? value : undefined;
  if (Array.isArray(value))
    return value.map((item) => kept(item, member)).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !name.includes('@'))
    .map(([name, part]): [string, unknown] => [name, kept(part, name)])
    .filter(([, part]) => part !== undefined);
  return Object.fromEntries(entries);
}
