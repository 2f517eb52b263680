import { describe, expect, it } from '@jest/globals';
import { filledHeadline } from '../../domain/headline.ts';
import { processedBody } from '../../domain/webhooks/basic/processed-body.ts';
import type { Message, PayloadOptions } from '../../domain/webhooks/delivery/payload.ts';

const plain: PayloadOptions = {
  encodeData: false,
  encryptData: false,
  enableDataProtection: false,
  publicKey: '',
};

const messageOf = (data: object): Message => ({
  webhookId: 'evt_1',
  type: 'notification.add',
  source: 'notification',
  sequence: 1,
  channels: [],
  data: JSON.stringify(data),
  at: 0,
});

/** 3,333 variables and a value of 100 KB: 333 MB when filled. */
const amplified = (variable: string) => ({
  template: variable.repeat(3_333),
  values: { v: 'x'.repeat(100_000) },
});

describe('a template of 3,333 variables with a value of 100 KB', () => {
  it('makes at most 32,768 characters in the headline of an e-mail and of the processed basic webhook', () => {
    const { template, values } = amplified('{v}');
    const data = { displayHeadlineMessageTemplate: template, displayHeadlineMessageTemplateData: values };
    expect(filledHeadline(data)).toBe('x'.repeat(32_768));
    expect(processedBody(messageOf(data), plain).message).toBe('x'.repeat(32_768));
  });

  it('makes at most 32,768 characters in the message of the processed basic webhook', () => {
    const { template, values } = amplified('{{v}}');
    const data = { displayMessageTemplate: template, displayMessageTemplateData: values };
    expect(processedBody(messageOf(data), plain).message).toBe('x'.repeat(32_768));
  });

  it.each([
    ['a template', `-${'{v}'.repeat(3_333)}`, '🦊'.repeat(50_000)],
    ['a value', '{v}', `-${'🦊'.repeat(50_000)}`],
  ])('is not cut within a surrogate pair of %s', (_part, template, v) => {
    const data = { displayHeadlineMessageTemplate: template, displayHeadlineMessageTemplateData: { v } };
    const headline = filledHeadline(data) ?? '';
    expect(headline.length).toBe(32_768);
    expect(headline.isWellFormed()).toBe(true);
  });
});
