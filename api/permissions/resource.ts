import { z } from 'zod';
import { invalidArgument } from '../../domain/errors.ts';
import { resourceKey, type Grant, type Resource } from '../../domain/permissions/resource.ts';
import { invalidValue } from '../http/request/issues.ts';
import { replayWindowMs } from '../cross-resource/replay-window.ts';
import { allOf, anyOf, has, not, sends, rule } from '../rules.ts';
import { accessRole, customerId, itemsById, resourceKind } from '../schemas.ts';

const centurySeconds = 36_525 * 86_400;

const ended = 'expiresAt must be a future Unix time in seconds.';

/** Returns the fault of an expiry that no replayed request has; undefined if it has none. */
function faultOfExpiry(expiresAt: number): string | undefined {
  const now = Date.now() / 1_000;
  if (expiresAt <= now - replayWindowMs / 1_000) return ended;
  return expiresAt > now + centurySeconds ? 'expiresAt looks like milliseconds; send seconds.' : undefined;
}

/**
 * Refuses grants that have ended. Call it in the handler: an expiry that was in the future when the call succeeded must not
 * prevent the replay of its response.
 */
export function refuseEnded(given: readonly Grant[]): void {
  const now = Date.now() / 1_000;
  const [first, ...others] = given
    .filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now)
    .map(({ position }) => ({ path: `permissions.resources[${position}].expiresAt`, message: ended }));
  if (first !== undefined) throw invalidArgument([first, ...others]);
}

const notAnInteger = invalidValue('<m> must be an integer.');

const futureSeconds = z
  // Zod reports integers beyond 2^53 as unsafe.
  .int({
    error: (issue) =>
      Number.isInteger(issue.input) ? faultOfExpiry(issue.input as number) : notAnInteger(issue),
  })
  .superRefine((expiresAt, context) => {
    const message = faultOfExpiry(expiresAt);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

const named = {
  type: resourceKind.describe('Kind of the resource.'),
  id: customerId.describe('Id of the resource, 1 to 1,000 bytes of UTF-8.'),
  organizationId: customerId
    .optional()
    .describe(
      'Id of the organization, 1 to 1,000 bytes. Required for a folder and a document; for an organization ' +
        'it must equal `id`.',
    ),
};

type Named = z.output<z.ZodObject<typeof named>>;

/** An organization is its own `organizationId`; a folder or document must send one. */
const nameRules = [
  rule<Named, 'type'>(
    'organizationId is required for a folder and a document.',
    anyOf(has('type', { const: 'organization' }), sends('organizationId')),
    ['type'],
    ({ type, organizationId }, context) => {
      if (type !== 'organization' && organizationId === undefined)
        context.addIssue({ code: 'custom', path: ['organizationId'], message: '<m> is required.' });
    },
  ),
  rule<Named, 'type' | 'id' | 'organizationId'>(
    'organizationId must equal id for an organization.',
    {},
    ['type', 'id', 'organizationId'],
    ({ type, id, organizationId }, context) => {
      if (type === 'organization' && organizationId !== undefined && organizationId !== id)
        context.addIssue({ code: 'custom', path: ['organizationId'], message: '<m> must equal id.' });
    },
  ),
  rule<Named, 'type' | 'id'>(
    'id must not be root for a folder.',
    not(allOf(has('type', { const: 'folder' }), has('id', { const: 'root' }))),
    ['type', 'id'],
    ({ type, id }, context) => {
      if (type === 'folder' && id === 'root')
        context.addIssue({ code: 'custom', path: ['id'], message: '<m> must not be root.' });
    },
  ),
] as const;

const toResource = ({ type, id, organizationId }: Named): Resource => ({
  type,
  id,
  organizationId: organizationId ?? id,
});

const maxResources = 100;

/** 1 to 100 distinct resources; of duplicates the last counts, at the position of the first. */
const resourceList = <Item extends z.ZodType<Named>>(item: Item) =>
  itemsById(item, (resource) => resourceKey(toResource(resource)), maxResources);

const last = <Item extends Resource>(resources: readonly Item[]): Item[] => [
  ...new Map(resources.map((resource) => [resourceKey(resource), resource])).values(),
];

/** Resources to check or to revoke grants on. */
export const resources = resourceList(z.strictObject(named).check(...nameRules))
  .transform((sent) => last(sent.map((resource, position) => ({ ...toResource(resource), position }))))
  .describe('Resources, 1 to 100. If a resource occurs twice, the last one counts.');

/** Resources with the role and expiry to grant on each. */
export const grants = resourceList(
  z
    .strictObject({
      ...named,
      accessRole: accessRole
        .default('editor')
        .describe('Role that the grant gives: `viewer` reads, `editor` also writes.'),
      expiresAt: futureSeconds
        .optional()
        .describe(
          'When the grant ends, in seconds since the epoch: in the future, max 100 years ahead. Absent: never.',
        ),
    })
    .check(...nameRules),
)
  .transform((sent) =>
    last(
      sent.map((resource, position): Grant => ({
        ...toResource(resource),
        accessRole: resource.accessRole,
        expiresAt: resource.expiresAt,
        position,
      })),
    ),
  )
  .describe(
    'Resources with the role and end of each grant, 1 to 100. If a resource occurs twice, the last one counts.',
  );
