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
  readonly default?: unknown;
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
      ...(member.default === undefined ? [] : [`Default: ${shownDefault(member.default)}.`]),
    ];
    const option = (value: string): Option => new Option(`--${kebabCase(name)} ${value}`, meaning.join(' '));
    return optionOf(member, option).makeOptionMandatory(isRequired);
  });
}

/** Stands for JSON `null`: commander makes an empty text of an option whose value is null. */
export const jsonNull = Symbol('null');

function optionOf(
  { type, enum: words, items, description = '' }: MemberSchema,
  option: (value: string) => Option,
): Option {
  if (words !== undefined) return option('<word>').choices(words);
  switch (type) {
    case 'string':
      return option('<text>');
    case 'integer':
    case 'number':
      return description.includes('since the epoch')
        ? option('<integer or date>').argParser(time)
        : option('<integer>').argParser(integer);
    case 'boolean':
      return option('[true or false]').preset('true').argParser(boolean);
    case 'array':
      return items?.type === 'string' ? option('<text...>') : option('<json>').argParser(json);
    default:
      return option('<json>').argParser(json);
  }
}

const shownDefault = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function integer(sent: string): number {
  const value = integerIn(sent);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('It must be an integer.');
}

/** Reads milliseconds since the epoch: an integer, or a date such as `2027-01-01` or `2027-01-01T08:00:00Z`. */
function time(sent: string): number {
  const value = integerIn(sent) ?? dateIn(sent);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('It must be an integer or a date such as 2027-01-01T08:00:00Z.');
}

function integerIn(sent: string): number | undefined {
  const value = /^-?\d+$/.test(sent) ? Number(sent) : NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

const dateOrTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

const dateIn = (sent: string): number | undefined =>
  dateOrTime.safeParse(sent).success ? Date.parse(sent) : undefined;

function boolean(sent: string): boolean {
  if (sent === 'true' || sent === 'false') return sent === 'true';
  throw new InvalidArgumentError('It must be true or false.');
}

function json(sent: string): unknown {
  try {
    return (JSON.parse(sent) as unknown) ?? jsonNull;
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}
