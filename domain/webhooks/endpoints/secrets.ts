import { randomBytes } from 'node:crypto';

/** Milliseconds in which the former secret of an endpoint signs beside the new one. */
export const secretOverlap = 86_400_000;

/** A signing secret in the form of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
