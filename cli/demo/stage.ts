import type { DemoFile } from '../../platform/local/demo-file.ts';
import type { Call } from './client.ts';
import type { Narrator } from './narrator.ts';

/** What every act of the demo plays with. */
export interface Stage {
  readonly steward: DemoFile;
  readonly call: Call;
  readonly narrator: Narrator;
  /** In the ids of everything that this run makes, so that the demo can be repeated. */
  readonly run: string;
  readonly signal: AbortSignal;
}

/** A document by the customer's ids. */
export interface DocumentPlace {
  readonly organizationId: string;
  readonly documentId: string;
}
