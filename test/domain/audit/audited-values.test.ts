import { describe, expect, it } from '@jest/globals';
import { withoutQuery } from '../../../domain/audit/audited-values.ts';

describe('a text in the audit log', () => {
  it.each([
    ['https://u:secret@hooks.example.com/raw?token=secret#part', 'https://hooks.example.com/raw?…'],
    ['https://bücher.example/a', 'https://xn--bcher-kva.example/a'],
    [`https://u:secret@${'例'.repeat(64)}.example/?token=secret`, 'https://…'],
    ['https:// no host?', 'https:// no host?'],
    ['Is this a URL?', 'Is this a URL?'],
  ])('of %s is %s', (text, written) => expect(withoutQuery(text)).toBe(written));
});
