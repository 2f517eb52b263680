import type { PageLimit } from '../../domain/page-limit.ts';
import type { Part } from '../../domain/webhooks/provider.ts';
import type { StretchStart } from '../../domain/webhooks/stretch.ts';
import type { Position } from '../http/response/page-reader.ts';

/** Positions of iterators are starts that were handed out, and come back as they were: they are signed. */
export const partOf = (from: Position | undefined, limit: PageLimit): Part => ({
  start: from as StretchStart | undefined,
  limit,
});
