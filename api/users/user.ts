import { z } from 'zod';
import type { Involvement } from '../../domain/members/involved-documents.ts';
import type { UserInput } from '../../domain/members/user-input.ts';
import type { UserRow } from '../../domain/members/user-row.ts';
import { accessRoleName } from '../../domain/tenancy/access-roles.ts';
import { metadataOf, openRecord } from '../cross-resource/metadata.ts';
import { anyOf, has, not, on, rule } from '../rules.ts';
import { accessRole, emailOrNone, idOf, name, text } from '../schemas.ts';

const profile = {
  photoUrl: text(2_048).optional().describe('URL of a picture of the user, max 2,048 characters.'),
  color: name.optional().describe('Color of the user in your interface, max 1,000 characters.'),
  textColor: name.optional().describe('Color of text on `color`, max 1,000 characters.'),
  initial: name
    .optional()
    .describe('Initial shown for the user, max 1,000 characters. Absent: the first letter of the name.'),
  type: name
    .optional()
    .describe('Kind of user in your product, max 1,000 characters. Steward only stores it.'),
  plan: name
    .optional()
    .describe('Plan of the user in your product, max 1,000 characters. Steward only stores it.'),
  isAdmin: z
    .boolean()
    .optional()
    .describe('Whether the user administers your product. Steward only stores it.'),
  isReadOnly: z
    .boolean()
    .optional()
    .describe(
      'Whether your product gives the user read-only access. Steward only stores it; roles decide access.',
    ),
  isAnonymous: z.boolean().optional().describe('Whether the user is anonymous. Steward only stores it.'),
  isGuest: z.boolean().optional().describe('Whether the user is a guest. Steward only stores it.'),
};
const identity = {
  userId: idOf('the user'),
  name: name
    .optional()
    .describe('Name of the user, max 1,000 characters. Absent: kept, empty for a new user.'),
  email: emailOrNone
    .optional()
    .describe(
      'E-mail address of the user, max 254 characters, or an empty string. Absent: kept, empty for a new ' +
        'user.',
    ),
};
const known = { ...identity, ...profile };

const responseOnly = ['involvedDocuments', 'involvedDocumentsCount', 'documentIds'];

/** A user in a `/v1` request. Unknown members are free metadata; only `/v2` sets roles. */
export const userInputV1 = openRecord(known, responseOnly);

export const userInput = openRecord(
  {
    ...known,
    accessRole: accessRole
      .optional()
      .describe(
        'Role of the membership at the level of the request. Absent: kept; a new membership has no role, ' +
          'which counts as `editor`.',
      ),
  },
  responseOnly,
);

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

export const userResponse = z
  .looseObject({
    userId: z.string().describe('Id of the user.'),
    name: z.string().describe('Name of the user. Empty when none was sent.'),
    email: z.string().describe('E-mail address of the user. Empty when none was sent.'),
    ...profile,
    initial: z
      .string()
      .describe('Initial shown for the user: the one sent, else the first letter of the name.'),
    accessRole: accessRole
      .nullable()
      .optional()
      .describe(
        'Role of the membership at the requested level. Null for a membership without a role, which counts as ' +
          '`editor`.',
      ),
    involvedDocuments: z
      .array(z.string())
      .optional()
      .describe(
        'Ids of documents that the user belongs to or acted in, max 1,000 and 64 KiB. Present with ' +
          '`includeInvolvedDocuments`.',
      ),
    involvedDocumentsCount: z
      .int()
      .optional()
      .describe(
        'Number of documents that the user belongs to or acted in. Present with ' +
          '`includeInvolvedDocumentsCount`.',
      ),
  })
  .meta({ id: 'User' });

const initialOf = (userName: string): string => {
  const [first = ''] = userName.trim();
  return first.toUpperCase();
};

/** Converts a user row to a response. */
export function userView({ ext_id, name: userName, email: address, metadata, member_role }: UserRow) {
  // Earlier releases stored these members as free metadata, with values of any type.
  const { involvedDocuments: _ids, involvedDocumentsCount: _count, ...free } = metadata;
  return {
    ...free,
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
const maxInvolved = 30;

/** The description of the time limit of involved documents. */
export const involvementLimit =
  'Involved documents are counted exactly, over all memberships and activity logs of the users in the ' +
  'organization, within 10 seconds; else the call fails with `DEADLINE_EXCEEDED`.';

/** Rejects involved documents without 1 to 30 user ids. */
export const involvementNeedsUsers = rule<
  InvolvementRequest & { readonly userIds?: readonly string[] | undefined },
  'includeInvolvedDocuments' | 'includeInvolvedDocumentsCount' | 'userIds'
>(
  'Involved documents require userIds with 1 to 30 items.',
  anyOf(
    not(anyOf(on('includeInvolvedDocuments'), on('includeInvolvedDocumentsCount'))),
    has('userIds', { maxItems: maxInvolved }),
  ),
  ['includeInvolvedDocuments', 'includeInvolvedDocumentsCount', 'userIds'],
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
