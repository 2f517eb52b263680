import { createPrivateKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signAs, signToken } from '../../../domain/signing/sign-token.ts';

/** The key of RFC 8037, appendix A. The expected texts were signed by version 0.1. */
const key = {
  kid: 'jwt_abcdefghijkl',
  privateKey: createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    },
  }),
};

describe('a signed token', () => {
  it('has the same bytes in every release: alg, typ and kid, then the claims in their order', async () => {
    const claims = {
      iss: 'steward',
      aud: 'key_ä',
      none: undefined,
      isAdmin: false,
      permissions: { resources: [] },
    };
    expect(await signToken(key, claims)).toBe(
      [
        'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6Imp3dF9hYmNkZWZnaGlqa2wifQ',
        'eyJpc3MiOiJzdGV3YXJkIiwiYXVkIjoia2V5X8OkIiwiaXNBZG1pbiI6ZmFsc2UsInBlcm1pc3Npb25zIjp7InJlc291cmNlcyI6W119fQ',
        '0XitcQA6RCgwzopqgTO6UiWOKC1ld21L_rxs6jA9-cEeH0eQTaixwFwGah3oS3Hh6NXVmUQI9XO7m51FEz2XBw',
      ].join('.'),
    );
    expect(await signAs('user-data-deletion-receipt+jws', key, { iss: 'x', users: ['b', 'a'] })).toBe(
      [
        'eyJhbGciOiJFZERTQSIsInR5cCI6InVzZXItZGF0YS1kZWxldGlvbi1yZWNlaXB0K2p3cyIsImtpZCI6Imp3dF9hYmNkZWZnaGlqa2wifQ',
        'eyJpc3MiOiJ4IiwidXNlcnMiOlsiYiIsImEiXX0',
        'CFdBaRw73uXTWDUQKb630TbGEIYBP6nqqW4PSWvvJ9JERiCNywP6NP1_nKuGp1gEuy1A3XMhSvflYamZ3T1yCQ',
      ].join('.'),
    );
  });
});
