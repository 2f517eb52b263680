import type { Rendered } from './render-email.ts';
import { maxLengths } from './clean-text.ts';

/** How much of its notices an e-mail shows. */
export interface Extent {
  /** Code points of each text. */
  readonly maxText: number;
  /** Notices of a digest. The others are counted. */
  readonly maxItems: number;
}

/** Max bytes of text and HTML as they are sent; 12 KiB of the 100 KiB of an e-mail are for headers and boundaries. */
const maxBytes = 88 * 1_024;

/** Items that a digest shows at least, and a text that is too short to be of use. */
const least = { items: 1, text: 50 } as const;

/**
 * Renders with shorter texts, then with fewer items, until the e-mail has at most 100 KiB. Text and HTML of a notice without
 * its text have a few KiB, so it ends.
 */
export function fitted(isSingle: boolean, items: number, render: (extent: Extent) => Rendered): Rendered {
  let extent: Extent = { maxText: isSingle ? maxLengths.text : maxLengths.digestText, maxItems: items };
  for (;;) {
    const rendered = render(extent);
    const isSmallest = extent.maxText === 0 && extent.maxItems === least.items;
    if (isSmallest || isWithin(rendered)) return rendered;
    extent = smaller(extent);
  }
}

function smaller({ maxText, maxItems }: Extent): Extent {
  if (maxText > 0) return { maxText: maxText < 2 * least.text ? 0 : Math.floor(maxText / 2), maxItems };
  return { maxText, maxItems: Math.max(least.items, Math.floor(maxItems / 2)) };
}

const isWithin = ({ text, html }: Rendered): boolean => {
  // No byte takes more than 3, and no line break more than 3 in 70.
  if ((Buffer.byteLength(text) + Buffer.byteLength(html)) * 3.2 <= maxBytes) return true;
  return encodedBytes(text) + encodedBytes(html) <= maxBytes;
};

/** Bytes in quoted-printable, at most: printable ASCII as it is, any other byte as three, and soft line breaks. */
function encodedBytes(text: string): number {
  let bytes = 0;
  for (const byte of Buffer.from(text)) bytes += byte >= 0x20 && byte <= 0x7e && byte !== 0x3d ? 1 : 3;
  return bytes + 3 * Math.ceil(bytes / 70);
}
