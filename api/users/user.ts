import { z } from 'zod';
import type { Involvement } from '../../domain/members/involved-documents.ts';
import type { UserInput } from '../../domain/members/user-input.ts';
import type { UserRow } from '../../domain/members/user-row.ts';
import { accessRoleName, accessRoles } from '../../domain/tenancy/access-roles.ts';
import { metadataOf, openRecord } from '../metadata.ts';
import { either, has, never, on, rule } from '../rules.ts';
import { customerId, email, name, text } from '../schemas.ts';

/** An absent e-mail is answered as `""`, so that may be sent back. */
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
const identity = { userId: customerId, name: name.optional(), email: emailOrNone.optional() };
const known = { ...identity, ...profile };

export const accessRole = z.enum(accessRoles);

/** A user as `/v1` takes it; other members are free metadata. Roles are set under `/v2` alone. */
export const userInputV1 = openRecord(known);

export const userInput = openRecord({ ...known, accessRole: accessRole.optional() });

/** What a profile holds beyond name and e-mail is stored as free metadata is, and answered flat beside it. */
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
  /** Of the membership at the level that was asked; null when it has none, which is as good as editor. */
  accessRole: accessRole.nullable().optional(),
  involvedDocuments: z.array(z.string()).optional(),
  involvedDocumentsCount: z.int().optional(),
});

const initialOf = (userName: string): string => {
  const [first = ''] = userName.trim();
  return first.toUpperCase();
};

/** Writes the row of a user as responses show it. */
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

/** Which members about involved documents an answer has. */
export interface InvolvementRequest {
  readonly includeInvolvedDocuments?: boolean | undefined;
  readonly includeInvolvedDocumentsCount?: boolean | undefined;
}

/** The members about involved documents that were asked for. */
export function involvementView(
  { includeInvolvedDocuments, includeInvolvedDocumentsCount }: InvolvementRequest,
  involvement: Involvement | undefined,
) {
  return {
    ...(includeInvolvedDocuments === true && { involvedDocuments: [...(involvement?.documentIds ?? [])] }),
    ...(includeInvolvedDocumentsCount === true && { involvedDocumentsCount: involvement?.count ?? 0 }),
  };
}

/** Users whose involvement one call may ask for: it is exact, and looks at all that they did. */
export const maxInvolved = 30;

/** Involved documents are told of at most 30 users that are named. */
export const involvementNeedsUsers = rule<
  InvolvementRequest & { readonly userIds?: readonly string[] | undefined }
>(
  'Involved documents are told of the 1 to 30 users that userIds names.',
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
