import { expect, it } from '@jest/globals';
import { sealUnsubscribeToken } from '../../../domain/signing/unsubscribe-tokens.ts';
import { TokenSealer } from '../../../platform/encryption/seal.ts';

it('an unsubscribe token keeps its bytes, because mailboxes contain it', () => {
  const kid = `unsubscribe_${Buffer.alloc(9, 1).toString('base64url')}`;
  const key = { kid, sealer: new TokenSealer(Buffer.alloc(32, 7), 'unsubscribe') };
  const subject = { apiKeyId: '1', organization: '2', user: '3', document: '4' };
  expect(sealUnsubscribeToken(key, subject)).toBe(
    'AQEBAQEBAQEBWuHlZPihecA3MIK7P1_qWv75EbDE_UcBGraoA4XDY25XkN5Rap_5iICiodHFBU3tdSgfUVBRKsxUIT4F',
  );
});
