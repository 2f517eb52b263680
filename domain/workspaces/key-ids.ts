import { sha256 } from '../../platform/encryption/tokens.ts';

const publicId = (prefix: string, secret: string): string =>
  `${prefix}_${sha256(sha256(secret)).toString('hex').slice(0, 32)}`;

/** The public id of an API key, as `api_key.public_id` computes it. */
export const keyIdOf = (apiKey: string): string => publicId('akid', apiKey);

/** The public id of an auth token. It reveals nothing of the token. */
export const authTokenIdOf = (authToken: string): string => publicId('atk', authToken);
