/** A workflow to start, as `workflows/starts.ts` describes it. */
export interface WorkflowToStart {
  readonly workflowType: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly input: object;
  readonly summary: string;
  /** Keywords by the name of the search attribute. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Values that the Temporal UI shows beside the attributes. */
  readonly memo?: Readonly<Record<string, string>>;
  /** Time after which Temporal ends the workflow; no limit by default. */
  readonly endsWithinMs?: number;
  /** Fairness key of the task queue: a backlog of one key does not delay others. Activities inherit it. */
  readonly fairnessKey?: string;
}

/** A workflow that looks for work when it receives the signal, which has no payload. */
export interface WorkflowToWake extends WorkflowToStart {
  readonly signal: string;
}
