import { parseWebUrl } from '../../../platform/network/parse-web-url.ts';

/** The ids that a link template can contain. A missing id is replaced by an empty string. */
export interface LinkIds {
  readonly organizationId: string;
  readonly documentId: string;
  readonly notificationId: string;
  readonly annotationId?: string | undefined;
  readonly commentId?: string | undefined;
}

const placeholder = /\{(organizationId|documentId|notificationId|annotationId|commentId)\}/g;

/** Max characters. Longer links are omitted: servers refuse them, and the e-mail would be too large. */
const maxLinkLength = 8_000;

/**
 * Replaces the ids in a link template, percent-encoded. Returns undefined for an empty template and for a link that is
 * too long.
 */
export function linkOf(template: string, ids: LinkIds): string | undefined {
  if (template === '') return undefined;
  const filled = template.replace(placeholder, (_all, name: keyof LinkIds) =>
    encodeURIComponent((ids[name] ?? '').toWellFormed()),
  );
  const url = parseWebUrl(filled);
  return url === null || url.href.length > maxLinkLength ? undefined : url.href;
}
