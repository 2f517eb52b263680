import { z } from 'zod';
import { resourceKey, type Grant, type Resource } from '../../domain/permissions/resource.ts';
import { accessRoles } from '../../domain/tenancy/access-roles.ts';
import { resourceKinds } from '../../domain/tenancy/resource-kinds.ts';
import { invalidValue } from '../http/request/issues.ts';
import { customerId } from '../schemas.ts';

export const accessRole = z.enum(accessRoles);

const century = 100 * 366 * 86_400;

const seconds = z
  .int({ error: invalidValue('<m> must be an integer.') })
  .superRefine((expiresAt, context) => {
    const now = Date.now() / 1_000;
    if (expiresAt <= now) {
      context.addIssue({ code: 'custom', message: 'expiresAt must be a future Unix time in seconds.' });
    } else if (expiresAt > now + century) {
      context.addIssue({ code: 'custom', message: 'expiresAt looks like milliseconds; send seconds.' });
    }
  });

const named = { type: z.enum(resourceKinds), id: customerId, organizationId: customerId.optional() };

type Named = z.output<z.ZodObject<typeof named>>;

/** An organization names itself; everything else names its organization. */
function checkNames({ type, id, organizationId }: Named, context: z.core.$RefinementCtx): void {
  const refuse = (member: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [member], message });
  if (type !== 'organization' && organizationId === undefined) refuse('organizationId', '<m> is required.');
  if (type === 'organization' && organizationId !== undefined && organizationId !== id) {
    refuse('organizationId', '<m> must equal id.');
  }
  if (type === 'folder' && id === 'root') refuse('id', '<m> must not be root.');
}

const toResource = ({ type, id, organizationId }: Named): Resource => ({
  type,
  id,
  organizationId: organizationId ?? id,
});

const maxResources = 100;

/** 1 to 100 different resources as sent; of two that are the same the last counts, at the place of the first. */
function resourceList<Item extends z.ZodType<Named>>(item: Item) {
  return z
    .array(item)
    .superRefine((sent, context) => {
      const count = new Set(sent.map((resource) => resourceKey(toResource(resource)))).size;
      if (count < 1 || count > maxResources) {
        const message = `<m> must hold 1 to ${String(maxResources)} items, not ${String(count)}.`;
        context.addIssue({ code: 'custom', message });
      }
    })
    .meta({ minItems: 1, maxItems: maxResources });
}

const last = <Item extends Resource>(resources: readonly Item[]): Item[] => [
  ...new Map(resources.map((resource) => [resourceKey(resource), resource])).values(),
];

/** Resources to ask about or to take a grant from. */
export const resources = resourceList(z.strictObject(named).superRefine(checkNames)).transform((sent) =>
  last(sent.map((resource, place) => ({ ...toResource(resource), place }))),
);

/** Resource: what is granted on what. */
export const grants = resourceList(
  z
    .strictObject({ ...named, accessRole: accessRole.default('editor'), expiresAt: seconds.optional() })
    .superRefine(checkNames),
).transform((sent) =>
  last(
    sent.map((resource, place): Grant => ({
      ...toResource(resource),
      accessRole: resource.accessRole,
      expiresAt: resource.expiresAt,
      place,
    })),
  ),
);
