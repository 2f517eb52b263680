import { z } from 'zod';
import type { Involvement } from '../../domain/members/involved-documents.ts';
import type { UserInput } from '../../domain/members/user-input.ts';
import type { UserRow } from '../../domain/members/user-row.ts';
import { accessRoleName, accessRoles } from '../../domain/tenancy/access-roles.ts';
import { metadataOf, openRecord } from '../metadata.ts';
import { either, has, never, on, rule } from '../rules.ts';
import { email, idOf, name, text } from '../schemas.ts';

/** Accepts `""`, which responses return for a user without e-mail. */
const emailOrNone = text(254).refine((sent) => sent === '' || email.safeParse(sent).success, {
  error: '<m> must be a valid e-mail address.',
});

const profile = {
  photoUrl: text(2_048).optional(),
  color: name.optional(),
  textColor: name.optional(),
  initial: name.optional(),
  type: name.optional(),
  plan: name.optional(),
  isAdmin: z.boolean().optional(),
  isReadOnly: z.boolean().optional(),
  isAnonymous: z.boolean().optional(),
  isGuest: z.boolean().optional(),
};
const identity = { userId: idOf('the user'), name: name.optional(), email: emailOrNone.optional() };
const known = { ...identity, ...profile };

export const accessRole = z.enum(accessRoles);

/** A user in a `/v1` request. Unknown members are free metadata; only `/v2` sets roles. */
export const userInputV1 = openRecord(known);

export const userInput = openRecord({ ...known, accessRole: accessRole.optional() });

/** Profile members beyond name and e-mail are stored with the free metadata, and returned flat beside it. */
export function toUserInput(sent: z.output<typeof userInput>): UserInput {
  return {
    userId: sent.userId,
    name: sent.name,
    email: sent.email,
    accessRole: sent.accessRole,
    metadata: metadataOf(sent, { ...identity, accessRole }),
  };
}

export const userResponse = z.looseObject({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  ...profile,
  initial: z.string(),
  /** Role of the membership at the requested level. Null, which grants the rights of an editor, when the membership has no role. */
  accessRole: accessRole.nullable().optional(),
  involvedDocuments: z.array(z.string()).optional(),
  involvedDocumentsCount: z.int().optional(),
});

const initialOf = (userName: string): string => {
  const [first = ''] = userName.trim();
  return first.toUpperCase();
};

/** Converts a user row to a response. */
export function userView({ ext_id, name: userName, email: address, metadata, member_role }: UserRow) {
  return {
    ...metadata,
    userId: ext_id,
    name: userName,
    email: address,
    initial: typeof metadata['initial'] === 'string' ? metadata['initial'] : initialOf(userName),
    ...(member_role !== undefined && {
      accessRole: member_role === null ? null : accessRoleName(member_role),
    }),
  };
}

/** Request members that add involved documents to the response. */
export interface InvolvementRequest {
  readonly includeInvolvedDocuments?: boolean | undefined;
  readonly includeInvolvedDocumentsCount?: boolean | undefined;
}

/** The requested response members about involved documents. */
export function involvementView(
  { includeInvolvedDocuments, includeInvolvedDocumentsCount }: InvolvementRequest,
  involvement: Involvement | undefined,
) {
  return {
    ...(includeInvolvedDocuments === true && { involvedDocuments: [...(involvement?.documentIds ?? [])] }),
    ...(includeInvolvedDocumentsCount === true && { involvedDocumentsCount: involvement?.count ?? 0 }),
  };
}

/** Max users per request: an exact count reads every membership and activity log of each user. */
export const maxInvolved = 30;

/** Rejects involved documents without 1 to 30 user ids. */
export const involvementNeedsUsers = rule<
  InvolvementRequest & { readonly userIds?: readonly string[] | undefined }
>(
  'Involved documents require userIds with 1 to 30 items.',
  either(
    never(either(on('includeInvolvedDocuments'), on('includeInvolvedDocumentsCount'))),
    has('userIds', { maxItems: maxInvolved }),
  ),
  (data, context) => {
    if (data.includeInvolvedDocuments !== true && data.includeInvolvedDocumentsCount !== true) return;
    const count = data.userIds?.length;
    if (count !== undefined && count <= maxInvolved) return;
    const message =
      count === undefined
        ? '<m> is required.'
        : `<m> must hold 1 to ${String(maxInvolved)} items, not ${String(count)}.`;
    context.addIssue({ code: 'custom', path: ['userIds'], message });
  },
);
