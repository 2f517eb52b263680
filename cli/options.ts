import { z } from 'zod';
import { email } from '../api/schemas.ts';
import { apiKeyTypes, type ApiKeyType } from '../domain/workspaces/api-key.entity.ts';
import { BadOption } from './failure.ts';

function checked<Value>(option: string, schema: z.ZodType<Value>, sent: unknown, may: string): Value {
  const result = schema.safeParse(sent);
  if (!result.success) throw new BadOption(`${option} must be ${may}.`);
  return result.data;
}

export const emailAddress = (option: string, sent: string): string =>
  checked(option, email, sent, 'an e-mail address');

export const shortName = (option: string, sent: string | undefined): string | undefined =>
  checked(option, z.string().min(1).max(200).optional(), sent, 'a name of 1 to 200 characters');

/** A text with at least one visible character: shells pass an empty one for a variable that is not set. */
const filled = z.string().trim().min(1);

/** `Number` reads an empty text as 0. */
const number = filled.transform((sent) => Number(sent));

export const filledText = (option: string, sent: string | undefined): string | undefined =>
  checked(option, filled.optional(), sent, 'a text that is not empty');

export const percentage = (option: string, sent: string): number =>
  checked(option, number.pipe(z.number().min(0).max(100)), sent, 'a number from 0 to 100');

export const waitSeconds = (option: string, sent = '0'): number =>
  checked(option, number.pipe(z.int().min(0).max(3_600)), sent, 'whole seconds from 0 to 3600');

export const keyType = (option: string, sent: string): ApiKeyType =>
  checked(option, z.enum(apiKeyTypes), sent, apiKeyTypes.join(' or '));
