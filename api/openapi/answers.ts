import { z } from 'zod';
import { extras, successStatus } from '../http/answer.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { jsonSchemaOf, type Described, type JsonSchema } from './json-schema.ts';

const pageTokens = {
  nextPageToken: {
    type: 'string',
    description: 'Send it as pageToken for the next page; absent at the end.',
  },
};

/** The body of a success: the envelope around what the operation answers. */
export function successBody(name: string, { answer, mutates }: Endpoint): Described {
  const beside = mutates ? extraMembers() : {};
  switch (answer.kind) {
    case 'message':
      return { schema: envelope({}, []), named: {} };
    case 'data': {
      const { schema, named } = jsonSchemaOf(name, answer.schema, { io: 'output' });
      return { schema: envelope({ data: schema, ...beside }, ['data']), named };
    }
    case 'accepted': {
      const { schema, named } = jsonSchemaOf(name, answer.schema, { io: 'output' });
      return { schema: acceptance(schema, successStatus(answer)), named };
    }
    case 'result': {
      const { schema, named } = jsonSchemaOf(name, answer.schema, { io: 'output' });
      return { schema: { type: 'object', required: ['result'], properties: { result: schema } }, named };
    }
    case 'batch': {
      const { schema, named } = jsonSchemaOf(name, answer.item, { io: 'output' });
      const data = {
        type: 'object',
        description: 'How each item went, by its id.',
        additionalProperties: schema,
      };
      const failedCount = { type: 'integer', description: 'How many items failed.' };
      return { schema: envelope({ data, failedCount, ...beside }, ['data', 'failedCount']), named };
    }
    case 'cursorList': {
      const { schema, named } = jsonSchemaOf(name, answer.item, { io: 'output' });
      return { schema: cursorList(schema), named };
    }
    case 'iteratorList': {
      const { schema, named } = jsonSchemaOf(name, answer.item, { io: 'output' });
      return { schema: envelope({ data: iteratorList(answer.member, schema) }, ['data']), named };
    }
    case 'paged': {
      const { schema, named } = jsonSchemaOf(name, answer.schema, { io: 'output' });
      return { schema: envelope({ data: schema, ...pageTokens }, ['data']), named };
    }
    case 'list': {
      const { schema, named } = jsonSchemaOf(name, answer.item, { io: 'output' });
      const repeated = answer.repeatsPageToken ? { pageToken: { type: 'string' } } : {};
      const list = { type: 'array', items: schema };
      const { groupedBy } = answer;
      const data =
        groupedBy === undefined
          ? list
          : { oneOf: [list, { type: 'object', description: groupedBy, additionalProperties: list }] };
      return { schema: envelope({ data, ...pageTokens, ...repeated }, ['data']), named };
    }
  }
}

function acceptance(data: JsonSchema, statusCode: number): JsonSchema {
  const properties = {
    status: { const: 'success' },
    message: { type: 'string' },
    data,
    statusCode: { const: statusCode },
  };
  return { type: 'object', required: Object.keys(properties), properties };
}

function cursorList(item: JsonSchema): JsonSchema {
  const properties = {
    items: { type: 'array', items: item },
    nextCursor: { type: 'string', description: 'Send it as cursor for the next page; empty at the end.' },
    hasMore: { type: 'boolean' },
  };
  const result = { type: 'object', required: Object.keys(properties), properties };
  return { type: 'object', required: ['result'], properties: { result } };
}

function iteratorList(member: string, item: JsonSchema): JsonSchema {
  const iterator = (where: string): JsonSchema => ({
    type: ['string', 'null'],
    description: `Send it as iterator for the items ${where}; null when there are none.`,
  });
  const properties = {
    [member]: { type: 'array', items: item },
    iterator: iterator('that follow'),
    prevIterator: iterator('before these'),
    done: { type: 'boolean', description: 'True exactly when iterator is null.' },
  };
  return { type: 'object', required: Object.keys(properties), properties };
}

function envelope(members: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return {
    type: 'object',
    required: ['result'],
    properties: {
      result: {
        type: 'object',
        required: ['status', 'message', ...required],
        properties: { status: { const: 'success' }, message: { type: 'string' }, ...members },
      },
    },
  };
}

/** Members that some answers carry beside `data`. */
function extraMembers(): Readonly<Record<string, JsonSchema>> {
  const { schema } = jsonSchemaOf('extras', z.object(extras), { io: 'output' });
  return schema['properties'] as Record<string, JsonSchema>;
}
