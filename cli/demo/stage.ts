import type { DemoFile } from '../../local/demo-file.ts';
import type { ApiKeyClient } from '../../packages/client/source/steward.ts';
import type { Narrator } from './narrator.ts';

/** The context of every act of the demo. */
export interface Stage {
  readonly installation: DemoFile;
  /** Calls the API with the demo key. */
  readonly steward: ApiKeyClient;
  readonly narrator: Narrator;
  /** Part of every id of this run, so that the demo can be repeated. */
  readonly run: string;
  readonly signal: AbortSignal;
}

/** A document by the customer's ids. */
export interface DocumentLocation {
  readonly organizationId: string;
  readonly documentId: string;
}
