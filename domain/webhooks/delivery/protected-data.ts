/** Members whose strings are ids and constants, never personal data. */
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

/** Members whose values are kept, because they are ids; names of lists of ids end in `Ids`. An `emailId` is an address. */
const isId = (member: string): boolean =>
  /(?:^|[a-z0-9])Ids?$/.test(member) && !member.toLowerCase().includes('email');

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text);

/**
 * Removes personal data: keeps ids, types, states, numbers and times, and drops every other string, whatever its member
 * name. Also drops members whose name contains an e-mail address.
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
    .map(([name, child]): [string, unknown] => [name, kept(child, name)])
    .filter(([, child]) => child !== undefined);
  return Object.fromEntries(entries);
}
