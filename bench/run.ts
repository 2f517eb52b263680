import type { ConsoleSizes } from './console/sizes.ts';
import type { Figure } from './figure.ts';
import type { Site } from './site.ts';

/** The extent of a run, and where it shows its progress. */
export interface Run {
  /** Smaller tables and shorter rounds: shows that the benches work, not what they cost. */
  readonly quick: boolean;
  readonly rounds: { readonly number: number; readonly seconds: number };
  /** Also compares with other products, where they are available. */
  readonly peers: boolean;
  /** Rows that the benches of the console load. */
  readonly sizes: ConsoleSizes;
  readonly show: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A bench of `npm run bench -- <name>`: prepares its data and measures. */
export type Bench = (site: Site, run: Run) => Promise<Figure[]>;
