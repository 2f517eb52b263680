import { compare, type Comparison } from './comparison.ts';
import type { ConsoleSizes } from './console/sizes.ts';
import type { Figure } from './figure.ts';
import type { Site } from './site.ts';

/** How much a run of the benchmark does, and where it shows its progress. */
export interface Run {
  /** Smaller tables and shorter rounds: to see whether something works, not what it costs. */
  readonly quick: boolean;
  readonly rounds: { readonly number: number; readonly seconds: number };
  /** Beside other products as well, where they can be had. */
  readonly peers: boolean;
  /** Rows that the benches of the console load. */
  readonly sizes: ConsoleSizes;
  readonly show: (line: string) => void;
  readonly signal: AbortSignal;
}

/** One name of `npm run bench -- <name>`: prepares what it needs and measures it. */
export type Bench = (site: Site, run: Run) => Promise<Figure[]>;

/** A bench that is comparisons alone; they run one after the other. */
export const comparing =
  (prepare: (site: Site, run: Run) => readonly Comparison[] | Promise<readonly Comparison[]>): Bench =>
  async (site, run) => {
    const figures: Figure[] = [];
    for (const comparison of await prepare(site, run)) {
      run.show(`${comparison.name} …`);
      figures.push(...(await compare(site, comparison, run)));
    }
    return figures;
  };
