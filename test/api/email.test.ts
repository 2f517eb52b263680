import { describe, expect, it } from '@jest/globals';
import { email } from '../../api/schemas.ts';

describe('an email address', () => {
  it.each([
    'ada@example.com',
    'a@b.c',
    'müller@exämple.de',
    'o’brien+tag@mail.example.co',
    '用户@例子.公司',
    `${'a'.repeat(64)}@example.com`,
  ])('is valid as %s', (address) => {
    expect(email.safeParse(address).success).toBe(true);
  });

  it.each([
    '',
    'nobody',
    'a@b',
    '@example.com',
    'ada@',
    'ada@@example.com',
    'ada@example..com',
    'ada@.com',
    'ada@example.com.',
    'ada lovelace@example.com',
    'ada@example.com\n',
    'a\u0007da@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(250)}.com`,
  ])('is invalid as %j', (address) => {
    expect(email.safeParse(address).success).toBe(false);
  });
});
