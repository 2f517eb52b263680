import { baseUrl } from '../parsers/addresses.ts';
import { wholeNumber } from '../parsers/amounts.ts';
import { encryptionKeys } from '../parsers/encryption-keys.ts';
import { anyText, token } from '../parsers/texts.ts';
import type { Variable } from '../variable.ts';

/** URLs and credentials of Steward itself, its keys, and the deletion journal. */
export const credentialVariables = {
  STEWARD_PUBLIC_URL: {
    ...baseUrl,
    default: '`npm start`: its own URL; elsewhere the issuer is `steward`',
    meaning:
      'Public URL of the API: the issuer (`iss`) of receipts, and the base of links in notifications and of sign-in to ' +
      'the console. Notifications have such links, and SendGrid a URL for its reports, only with https or on this ' +
      'machine. Set the same URL for API and worker.',
  },
  STEWARD_API_URL: {
    ...baseUrl,
    default: 'the API of a local `npm start`',
    meaning: 'URL of the API that the commands of operators call: `docs/operators.md`.',
  },
  STEWARD_API_KEY: {
    ...token,
    default: 'the API key of a local `npm start`',
    meaning: 'API key that `steward mcp` calls with: `docs/mcp.md`.',
    secret: 'whole',
  },
  STEWARD_AUTH_TOKEN: {
    ...token,
    default: 'the auth token of a local `npm start`',
    meaning: 'Auth token of STEWARD_API_KEY.',
    secret: 'whole',
  },
  STEWARD_WORKSPACE_ID: {
    ...token,
    default: 'the workspace of a local `npm start`',
    meaning: 'Workspace that `steward mcp` calls with.',
  },
  STEWARD_WORKSPACE_AUTH_TOKEN: {
    ...token,
    default: 'the auth token of the workspace of a local `npm start`',
    meaning: 'Auth token of STEWARD_WORKSPACE_ID.',
    secret: 'whole',
  },
  STEWARD_OPERATOR_TOKEN: {
    ...token,
    default: '`npm start`: generated at its first start; elsewhere only stored tokens are accepted',
    meaning: 'The first operator token, of scope `admin`. Further ones are stored: docs/operators.md.',
    secret: 'whole',
  },
  STEWARD_ENCRYPTION_KEYS: {
    ...encryptionKeys,
    default: '`npm start` with its own PostgreSQL: generated at its first start; required elsewhere',
    meaning: 'Keys for encryption at rest, `id:base64(32 bytes)`, comma separated. The first key encrypts.',
    secret: 'whole',
  },
  STEWARD_DELETION_JOURNAL: {
    ...anyText,
    may: 'the path of a folder',
    default:
      '`npm start`: a folder in its data folder; elsewhere none: restoring a backup restores deleted users',
    meaning:
      'Folder of the deletion journal, which must exist, on a volume that backups of the database do not restore. API and worker share it: `docs/deletion-journal.md`.',
  },
  STEWARD_DELETION_JOURNAL_DAYS: {
    ...wholeNumber(1, 3_650),
    fallback: '366',
    meaning: 'Days that entries of the deletion journal are kept: at least the age of the oldest backup.',
  },
} as const satisfies Record<string, Variable<unknown>>;
