import type { DemoFile } from '../../local/demo-file.ts';
import type { Client } from '../../client/create-client.ts';
import type { Narrator } from './narrator.ts';

/** What every act of the demo plays with. */
export interface Stage {
  readonly installation: DemoFile;
  /** Speaks as the demo key. */
  readonly steward: Client<'apiKey'>;
  readonly narrator: Narrator;
  /** In the ids of everything that this run makes, so that the demo can be repeated. */
  readonly run: string;
  readonly signal: AbortSignal;
}

/** A document by the customer's ids. */
export interface DocumentLocation {
  readonly organizationId: string;
  readonly documentId: string;
}
