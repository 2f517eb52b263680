/** The ids that a link template can contain. An absent one is replaced by nothing. */
export interface LinkIds {
  readonly organizationId: string;
  readonly documentId: string;
  readonly notificationId: string;
  readonly annotationId?: string | undefined;
  readonly commentId?: string | undefined;
}

const placeholder = /\{(organizationId|documentId|notificationId|annotationId|commentId)\}/g;

/** Fills a link template, ids percent-encoded. Returns undefined for an empty template. */
export function linkOf(template: string, ids: LinkIds): string | undefined {
  if (template === '') return undefined;
  const filled = template.replace(placeholder, (_all, name: keyof LinkIds) =>
    encodeURIComponent((ids[name] ?? '').toWellFormed()),
  );
  const url = URL.parse(filled);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
}
