import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';

/** The members of a JSON schema that decide how an option is written. */
interface MemberSchema {
  /** The reference into `$defs` of a schema that several members share. */
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: MemberSchema;
  readonly description?: string;
}

interface DataSchema {
  readonly $defs?: Readonly<Record<string, MemberSchema>>;
  readonly properties?: Readonly<Record<string, MemberSchema>>;
  readonly required?: readonly string[];
}

/** Returns an option for each member of the data: `pageSize` is `--page-size <integer>`. */
export function optionsOf(data: z.ZodType): readonly Option[] {
  const {
    properties = {},
    required = [],
    $defs: shared = {},
  } = z.toJSONSchema(data, {
    io: 'input',
    unrepresentable: 'any',
  }) as DataSchema;
  return Object.entries(properties).map(([name, sent]) => {
    const member = { ...shared[sent.$ref?.split('/').at(-1) ?? ''], ...sent };
    const isRequired = required.includes(name);
    const meaning = [
      ...(isRequired ? ['Required.'] : []),
      ...(member.description ? [member.description] : []),
    ];
    const option = (value: string): Option => new Option(`--${kebabCase(name)} ${value}`, meaning.join(' '));
    return optionOf(member, option).makeOptionMandatory(isRequired);
  });
}

function optionOf({ type, enum: words, items }: MemberSchema, option: (value: string) => Option): Option {
  if (words !== undefined) return option('<word>').choices(words);
  switch (type) {
    case 'string':
      return option('<text>');
    case 'integer':
    case 'number':
      return option('<integer or date>').argParser(integer);
    case 'boolean':
      return option('[true or false]').preset('true').argParser(boolean);
    case 'array':
      return items?.type === 'string' ? option('<text...>') : option('<json>').argParser(json);
    default:
      return option('<json>').argParser(json);
  }
}

const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Reads an integer, or a date as milliseconds since the epoch. */
function integer(sent: string): number {
  const value = /^-?\d+$/.test(sent) ? Number(sent) : Date.parse(sent);
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('It must be an integer or a date.');
}

function boolean(sent: string): boolean {
  if (sent === 'true' || sent === 'false') return sent === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}

function json(sent: string): unknown {
  try {
    return JSON.parse(sent) as unknown;
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}
