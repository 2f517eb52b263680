import { z } from 'zod';

const SigningKeyCopy = z.strictObject({
  kid: z.string(),
  purpose: z.enum(['receipt', 'receipt-users']),
  /** Base64. */
  secret: z.string(),
  publicKey: z.string().nullable(),
});

const shared = {
  /** The version of the format. A format is written one release after it can be read. */
  v: z.literal(1),
  /** Public ids. */
  keyId: z.string(),
  jobId: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** The database that completes the deletion, see `databaseIncarnation`; empty when it is unknown. */
  database: z.string(),
  /** The keys of receipts and pseudonyms: a backup may be older than they are. */
  signingKeys: z.array(SigningKeyCopy),
};

const DeletionEntry = z.discriminatedUnion('kind', [
  z.strictObject({
    ...shared,
    kind: z.literal('users'),
    userIds: z.array(z.string()),
    /** Customer's ids; null means every organization of the API key. */
    organizationIds: z.array(z.string()).nullable(),
  }),
  z.strictObject({ ...shared, kind: z.literal('key') }),
]);

/** A signing key in plain text, as an entry contains it. */
export type SigningKeyCopy = z.infer<typeof SigningKeyCopy>;

/** A deletion, of user data or of an API key, with everything that a replay needs. */
export type DeletionEntry = z.infer<typeof DeletionEntry>;

/** Throws when the text is not an entry. */
export const parseEntry = (text: string): DeletionEntry => DeletionEntry.parse(JSON.parse(text));
