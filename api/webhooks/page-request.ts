import type { PageLimit } from '../../domain/page-limit.ts';
import type { PageCursor } from '../../domain/webhooks/list-page.ts';
import type { PageRequest } from '../../domain/webhooks/provider.ts';
import type { Position } from '../http/response/page-reader.ts';

/** Iterators are signed, so the position of one is a cursor that an earlier page returned. */
export const pageRequest = (from: Position | undefined, limit: PageLimit): PageRequest => ({
  cursor: from as PageCursor | undefined,
  limit,
});
