import type { Rendered } from './render-email.ts';
import { maxLengths } from './clean-text.ts';

/** Limits on the notices that an e-mail shows. */
export interface Extent {
  /** Max code points of each text. */
  readonly maxText: number;
  /** Max notices of a digest. The others are counted. */
  readonly maxItems: number;
}

/** Max encoded bytes of text and HTML. Of the 100 KiB of an e-mail, 12 KiB are for headers and boundaries. */
const maxBytes = 88 * 1_024;

/** Min items of a digest, and min code points to which texts are cut. */
const smallest = { items: 1, text: 50 } as const;

/**
 * Renders with shorter texts, then with fewer items, until the e-mail has at most 100 KiB. Ends at the latest with one item
 * without its text.
 */
export function fitted(isSingle: boolean, items: number, render: (extent: Extent) => Rendered): Rendered {
  let extent: Extent = { maxText: isSingle ? maxLengths.text : maxLengths.digestText, maxItems: items };
  for (;;) {
    const rendered = render(extent);
    const isSmallest = extent.maxText === 0 && extent.maxItems === smallest.items;
    if (isSmallest || isWithin(rendered)) return rendered;
    extent = smaller(extent);
  }
}

function smaller({ maxText, maxItems }: Extent): Extent {
  if (maxText > 0) return { maxText: maxText < 2 * smallest.text ? 0 : Math.floor(maxText / 2), maxItems };
  return { maxText, maxItems: Math.max(smallest.items, Math.floor(maxItems / 2)) };
}

const isWithin = ({ text, html }: Rendered): boolean => {
  // No byte takes more than 3 bytes, and line breaks take at most 3 bytes per 70.
  if ((Buffer.byteLength(text) + Buffer.byteLength(html)) * 3.2 <= maxBytes) return true;
  return encodedBytes(text) + encodedBytes(html) <= maxBytes;
};

/** Returns the max bytes in quoted-printable: 1 for printable ASCII, 3 for any other byte, and soft line breaks. */
function encodedBytes(text: string): number {
  let bytes = 0;
  for (const byte of Buffer.from(text)) bytes += byte >= 0x20 && byte <= 0x7e && byte !== 0x3d ? 1 : 3;
  return bytes + 3 * Math.ceil(bytes / 70);
}
