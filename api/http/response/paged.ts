import type { z } from 'zod';
import { check, dataSchema, envelope, envelopeSchema, type Enveloped } from './envelope.ts';
import { maxResponseBytes, nextPageToken, type Position } from './page-reader.ts';
import { readWithin } from './read-within.ts';
import type { ResponseInPages } from './response-kind.ts';

/** Paging member of a request; the other members are filters. */
interface PagedPaging {
  readonly pageToken?: string | undefined;
}

/** The reply of a handler with a `PagedResponse`. */
export interface PagedReply<Data> {
  readonly message: string;
  readonly page: (
    after: Position | undefined,
    maxBytes: number,
  ) => Promise<{ readonly data: Data; readonly next: Position | undefined; readonly cut: boolean }>;
}

/** A response whose `data` holds several lists. Each page continues all of them. The request's token is `pageToken`. */
type PagedResponse<Schema extends z.ZodType> = ResponseInPages<
  PagedReply<z.input<Schema>>,
  Enveloped<{ readonly data: z.input<Schema>; readonly nextPageToken?: string }>
>;

/** Declares a response whose `data` is one value, read page by page. */
export const pagedResponse = <Schema extends z.ZodType>(schema: Schema): PagedResponse<Schema> => ({
  kind: 'paged',
  httpStatus: 200,
  client: 'pages',
  isFurtherPage: (data) => (data as PagedPaging).pageToken !== undefined,
  async read({ message, page }, { data: sent, owner, path, cursors, charge }) {
    const { pageToken, ...filters } = sent as PagedPaging;
    const scope = { owner, path, filters };
    const after = pageToken === undefined ? undefined : (await cursors()).read(scope, pageToken);
    const { data, next } = await readWithin(
      charge,
      { rows: Number.MAX_SAFE_INTEGER, bytes: maxResponseBytes },
      ({ bytes }) => page(after, bytes),
      ({ cut }) => cut,
    );
    check(path, schema, data);
    const beside = next && { nextPageToken: (await cursors()).write(scope, next) };
    return { first: [envelope(message, data, beside)], rest: undefined };
  },
  bodySchema: (name, components) =>
    components.add(
      name,
      envelopeSchema({ data: dataSchema(components.of(schema, 'response')) }, { nextPageToken }),
    ),
});
