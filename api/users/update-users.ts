import { z } from 'zod';
import { updateUsers as update, type ProfileUpdateScope } from '../../domain/members/update-users.ts';
import { batchResponse } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { allOf, anyOf, exclude, flagExcludes, has, not, on, sends, rule } from '../rules.ts';
import { customerId, folderId, idOf, records } from '../schemas.ts';
import { toUserInput, userInput, userInputV1 } from './user.ts';

const message = 'User(s) updated successfully.';
const response = batchResponse();
const errors = ['NOT_FOUND', 'FAILED_PRECONDITION'] as const;
const level = {
  documentId: customerId.optional().describe('Updates members of this document. Excludes `folderId`.'),
  folderId: folderId.optional().describe('Updates members of this folder. Excludes `documentId`.'),
};

export const updateUsersV1 = endpoint({
  paths: ['/v1/users/update'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Updates members of an organization, a document or a folder.',
  description:
    'Updates up to 1,000 users in one transaction. Fields that are not sent keep their value; a metadata ' +
    'field sent as null is removed. A profile belongs to the API key, so the change shows in every ' +
    'organization. A user who is not a member of the level fails with `not-found`, one who would hold more ' +
    'than 64 KiB of metadata with `invalid-argument`; the others are updated. An unknown organization, ' +
    'document or folder fails the call with `NOT_FOUND`. `accessRole` is ignored. Fails with ' +
    '`FAILED_PRECONDITION` while the data of one of the users is being deleted. Emits no event.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      ...level,
      users: records(userInputV1, 'userId').describe(
        'Users to update, max 1,000. If an id occurs twice, the last one counts.',
      ),
    })
    .check(exclude('documentId', 'folderId')),
  response,
  errors,
  example: { organizationId: 'acme', users: [{ userId: 'u1', name: 'Ada', email: 'ada@example.com' }] },
  async handle({ data: { users, ...request }, tenant }, { em }) {
    return {
      message,
      items: await update(em, tenant, { of: 'level', level: request }, users.map(toUserInput)),
    };
  },
});

const options = z
  .strictObject({
    all: z
      .boolean()
      .optional()
      .describe('True updates any user of the API key; `organizationId` is then optional.'),
    allDocuments: z
      .boolean()
      .optional()
      .describe('True updates members of any document of the organization.'),
  })
  .check(flagExcludes('all', 'allDocuments'));

const allUsers = has('options', on('all'));
const organizationOrAll = anyOf(sends('organizationId'), allUsers);
const allIsNoLevel = not(
  allOf(has('options', anyOf(on('all'), on('allDocuments'))), anyOf(sends('documentId'), sends('folderId'))),
);
const allHasNoRoles = not(allOf(allUsers, has('users', { contains: sends('accessRole') })));

const data = z
  .strictObject({
    organizationId: customerId
      .optional()
      .describe('Id of the organization, 1 to 1,000 bytes. Required unless `options.all` is true.'),
    ...level,
    users: records(userInput, 'userId').describe(
      'Users to update, max 1,000. If an id occurs twice, the last one counts.',
    ),
    options: options.optional().describe('Widens the scope beyond one level.'),
  })
  .check(exclude('documentId', 'folderId'))
  .check(
    rule(
      'organizationId is required unless options.all is true. options.all and options.allDocuments exclude documentId and folderId.',
      allOf(organizationOrAll, allIsNoLevel),
      ['options'],
      (sent, context) => {
        const add = (path: (string | number)[], text: string): void =>
          context.addIssue({ code: 'custom', path, message: text });
        const { all, allDocuments } = sent.options ?? {};
        if (all !== true && sent.organizationId === undefined) add(['organizationId'], '<m> is required.');
        const option = all === true ? 'all' : allDocuments === true ? 'allDocuments' : undefined;
        if (option === undefined) return;
        for (const member of ['documentId', 'folderId'] as const) {
          if (sent[member] !== undefined) add(['options', option], `<m> and ${member} exclude each other.`);
        }
      },
    ),
  )
  .check(
    rule(
      'options.all and accessRole exclude each other.',
      allHasNoRoles,
      ['options', 'users'],
      ({ options: { all } = {}, users }, context) => {
        // `all` names no level, so there is no membership to hold the role.
        if (all !== true || users.every(({ accessRole }) => accessRole === undefined)) return;
        const message = '<m> and accessRole exclude each other.';
        context.addIssue({ code: 'custom', path: ['options', 'all'], message });
      },
    ),
  );

function scopeOf({
  organizationId,
  documentId,
  folderId: folder,
  options: chosen,
}: z.output<typeof data>): ProfileUpdateScope {
  if (chosen?.all === true) return { of: 'key', organizationId };
  // Validation requires organizationId unless options.all is set.
  const validated = organizationId ?? '';
  if (chosen?.allDocuments === true) return { of: 'documents', organizationId: validated };
  return { of: 'level', level: { organizationId: validated, documentId, folderId: folder } };
}

export const updateUsers = endpoint({
  paths: ['/v2/users/update'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Updates members at one level, of any document of an organization, or all users of the API key.',
  description:
    'Updates up to 1,000 users in one transaction. Fields that are not sent keep their value; a metadata ' +
    'field sent as null is removed. A profile belongs to the API key, so the change shows in every ' +
    'organization; `accessRole` changes the membership at the level. A user outside the scope fails with ' +
    '`not-found`, one who would hold more than 64 KiB of metadata with `invalid-argument`; the others are ' +
    'updated. An unknown organization, document or folder fails the call with `NOT_FOUND`. Fails with ' +
    '`FAILED_PRECONDITION` while the data of one of the users is being deleted. A call that takes more than ' +
    '10 seconds changes nothing and fails with `DEADLINE_EXCEEDED`: send fewer users. With ' +
    '`options.allDocuments`, `accessRole` changes all documents of a user in this time; for millions, send ' +
    'it with `documentId`. Emits no event.',
  data,
  response,
  errors: [...errors, 'DEADLINE_EXCEEDED'],
  example: { organizationId: 'acme', users: [{ userId: 'u1', name: 'Ada', team: null }] },
  async handle({ data: sent, tenant }, { em }) {
    return { message, items: await update(em, tenant, scopeOf(sent), sent.users.map(toUserInput)) };
  },
});
