import { z } from 'zod';
import { mebibyte } from '../../../platform/units.ts';
import { integer } from '../../schemas.ts';
import { resourceName } from '../../openapi/components.ts';
import { check, envelopeSchema, type Enveloped } from './envelope.ts';
import { groupsForm, itemWriter, listForm, type Grouped } from './list-form.ts';
import { complete, page, wholeList, type PageForm, type Paging } from './list-chunks.ts';
import { maxResponseBytes, nextPageToken, pageSizeText, type PageReader } from './page-reader.ts';
import { readWithin } from './read-within.ts';
import type { ResponseInPages } from './response-kind.ts';

const defaultPageEnd: PageForm['pageEnd'] = { bytes: maxResponseBytes, by: 'end' };

/** Paging members of a list request whose pages end at `pageEnd`. */
export const pagingUntil = ({ bytes, by }: PageForm['pageEnd']) => {
  const end = `${String(bytes / mebibyte)} MiB`;
  const also = by === 'end' ? `at ${end}` : `with the record that takes it to ${end}`;
  return {
    pageSize: integer(1, 1_000).optional().describe(pageSizeText(also)),
    pageToken: z
      .string()
      .optional()
      .describe('Position of the page: `nextPageToken` of the previous response. Absent for the first page.'),
  };
};

/** Paging members of other list requests. */
export const paging = pagingUntil(defaultPageEnd);

/** A list that is returned in pages. */
interface PlainListReply<Item> {
  readonly message: string;
  /** A reader of pages, or all items if the handler has them in memory. */
  readonly list: readonly Item[] | PageReader<Item>;
  /** Streams the whole list in chunks on every path. */
  readonly streamed?: boolean;
}

/** A list that is always returned whole. */
interface WholeReply<Item> {
  readonly message: string;
  /** Returns undefined when the list exceeds `maxBytes`. */
  readonly whole: (maxBytes: number) => Promise<readonly Item[] | undefined>;
  /** Creates the refusal of a list of more than 10 MiB. */
  readonly tooLarge: () => Error;
}

/** Lists by key. */
interface GroupedReply<Item> {
  readonly message: string;
  /** Items of one group are adjacent. A page may end within a group, which the next page continues. */
  readonly groups: PageReader<Grouped<Item>>;
}

/** The reply of a handler with a `ListResponse`. Grouped replies require the option `groupedBy`. */
export type ListReply<Item> = PlainListReply<Item> | WholeReply<Item> | GroupedReply<Item>;

type List<Item, GroupedBy> = GroupedBy extends string
  ? readonly Item[] | Readonly<Record<string, readonly Item[]>>
  : readonly Item[];

/** A response whose `data` is a list: whole, paged or streamed. */
export interface ListResponse<
  Item extends z.ZodType,
  GroupedBy extends string | undefined,
> extends ResponseInPages<
  ListReply<z.input<Item>>,
  Enveloped<{ readonly data: List<z.input<Item>, GroupedBy>; readonly nextPageToken?: string }>
> {
  readonly kind: 'list';
}

interface ListOptions<Item extends z.ZodType, GroupedBy> extends Partial<PageForm> {
  /** Paths that return the whole list without `pageSize`. Other paths return a page of 1,000. */
  readonly unpagedPaths: readonly string[];
  /** Describes the keys of grouped replies, for the API reference. */
  readonly groupedBy?: GroupedBy;
  /** A member that holds JSON as text or bytes. It is sent unparsed, because it was validated when it was stored. */
  readonly jsonMember?: keyof z.output<Item> & string;
}

/** Declares a list, in pages or whole. */
export function listResponse<Item extends z.ZodType, GroupedBy extends string | undefined = undefined>(
  item: Item,
  options: ListOptions<Item, GroupedBy>,
): ListResponse<Item, GroupedBy> {
  const { unpagedPaths, groupedBy, repeatsPageToken = false } = options;
  const form: PageForm = { repeatsPageToken, pageEnd: options.pageEnd ?? defaultPageEnd };
  const write = itemWriter(options.jsonMember);
  return {
    kind: 'list',
    httpStatus: 200,
    client: unpagedPaths.some((path) => path.startsWith('/v2/')) ? 'wholeList' : 'list',
    itemsAt: ['properties', 'data', ...(groupedBy === undefined ? [] : ['oneOf', '0'])],
    isFurtherPage: (data) => (data as Paging).pageToken !== undefined,
    async checkPageToken({ data, owner, path, cursors }) {
      const { pageSize: _, pageToken, ...filters } = data as Paging;
      if (pageToken !== undefined) (await cursors()).read({ owner, path, filters }, pageToken);
    },
    async read(reply, { data, owner, path, cursors, charge }) {
      const verify = (one: unknown): void => check(path, item, one);
      const written = 'groups' in reply ? groupsForm(verify) : listForm(verify, write);
      const writer = { message: reply.message, form: written };
      if ('whole' in reply) {
        const limit = { rows: Number.MAX_SAFE_INTEGER, bytes: maxResponseBytes };
        const items = await readWithin(charge, limit, ({ bytes }) => reply.whole(bytes), isUndefined);
        if (items === undefined) throw reply.tooLarge();
        return complete(writer, items);
      }
      const { pageSize, pageToken, ...filters } = data as Paging;
      const scope = { owner, path, filters };
      if ('list' in reply && typeof reply.list !== 'function') return complete(writer, reply.list);
      const list = 'list' in reply ? (reply.list as PageReader<unknown>) : reply.groups;
      const streamed = 'streamed' in reply && reply.streamed;
      if (streamed || (pageSize === undefined && pageToken === undefined && unpagedPaths.includes(path)))
        return wholeList(writer, list, charge);
      const context = { paging: { pageSize, pageToken }, scope, cursors, charge };
      return page(writer, list, form, context);
    },
    bodySchema(name, components) {
      const list = { type: 'array', items: components.of(item, 'response') };
      const grouped = { type: 'object', description: groupedBy, additionalProperties: list };
      const data = groupedBy === undefined ? list : { oneOf: [list, grouped] };
      const repeated = { type: 'string', description: 'Alias of `nextPageToken`.' };
      const resource = groupedBy === undefined && !repeatsPageToken ? resourceName(item) : undefined;
      return components.add(
        resource === undefined ? name : `${resource}List`,
        envelopeSchema(
          { data: { description: 'The records of this page.', ...data } },
          { nextPageToken, ...(repeatsPageToken && { pageToken: repeated }) },
        ),
      );
    },
  };
}

const isUndefined = (value: unknown): boolean => value === undefined;
