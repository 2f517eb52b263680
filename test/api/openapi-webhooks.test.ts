import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import { eventTypes } from '../../domain/webhooks/event-types.ts';
import { turnsOf } from '../domain/webhooks/turns.ts';
import { startTestApi } from '../support/api.ts';
import { aReceiver } from '../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';

const api = await startTestApi();
const receiver = await aReceiver();
const turns = turnsOf(api);
afterAll(async () => {
  await turns.close();
  await receiver.close();
  await api.close();
});

interface Webhook {
  readonly post: {
    readonly description: string;
    readonly parameters: readonly { readonly $ref: string }[];
    readonly requestBody: {
      readonly content: Readonly<
        Record<'application/json', { readonly schema: object; readonly example: object }>
      >;
    };
  };
}

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: { readonly pattern: string };
}

const document = openApiDocument(endpoints, '1.2.3') as unknown as {
  readonly paths: Readonly<Record<string, object>>;
  readonly webhooks: Readonly<Record<string, Webhook>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
};
const webhooks = Object.entries(document.webhooks).map(([name, { post }]) => ({
  name,
  ...post.requestBody.content['application/json'],
}));

const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe('webhooks in the OpenAPI document', () => {
  it('include one for each type of event', () => {
    expect(webhooks.map(({ name }) => name)).toEqual(eventTypes.map(({ name }) => name));
  });

  it.each(webhooks)('have an example of $name that their schema accepts', ({ name, schema, example }) => {
    expect({ name, valid: ajv.validate(schema, example) }).toEqual({ name, valid: true });
    expect({ name, valid: ajv.validate(schema, { ...example, event: 'other' }) }).toEqual({
      name,
      valid: false,
    });
  });

  it('describe how their bodies are encrypted', () => {
    const descriptions = Object.values(document.webhooks).map(({ post }) => post.description);
    const hash = /AES-256-CBC.* RSA-OAEP with SHA-256/;
    expect(descriptions.filter((description) => !hash.test(description))).toEqual([]);
    for (const kind of ['WebhookConfig', 'AdvancedWebhookConfig'])
      expect(JSON.stringify(document.components.schemas[`Workspace${kind}UpdateRequest`])).toMatch(hash);
  });

  it('say that data protection also removes texts that the schema requires', () => {
    const says = /enableDataProtection.*, also those that (?:a|the) schema requires/;
    const { description } = Object.values(document.webhooks)[0]?.post ?? { description: '' };
    expect(description).toMatch(says);
    const path = '/v2/workspace/advancedwebhook/eventtypes/get';
    expect(JSON.stringify(document.paths[path])).toMatch(says);
  });

  it('describe the body and the headers that Steward sends', async () => {
    const tenant = await aListeningTenant(api);
    const endpointId = await anEndpoint(api, tenant, receiver.url);
    const sent = eventTypes.map(({ name, example }) => ({
      type: name,
      payload: example as Record<string, unknown>,
    }));
    await turns.queued(tenant, sent);
    await turns.turn(tenant, endpointId);
    expect(receiver.delivered).toHaveLength(eventTypes.length);
    for (const { text, headers } of receiver.delivered) {
      const body = JSON.parse(text) as { readonly event: string };
      const { schema = {} } = webhooks.find(({ name }) => name === body.event) ?? {};
      expect({ event: body.event, valid: ajv.validate(schema, body) }).toEqual({
        event: body.event,
        valid: true,
      });
      for (const { $ref } of document.webhooks[body.event]?.post.parameters ?? []) {
        const parameter = document.components.parameters[$ref.split('/').at(-1) ?? ''];
        expect(headers[parameter?.name ?? '']).toMatch(new RegExp(parameter?.schema.pattern ?? '^$'));
      }
    }
  });
});
