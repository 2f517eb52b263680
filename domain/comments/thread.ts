import type { Agent, NamedUser } from './comment.ts';
import {
  agentTypeNumbers,
  suggestionStatusNumbers,
  threadKindNumbers,
  visibilityNumbers,
} from './thread.entity.ts';

export type ThreadKind = keyof typeof threadKindNumbers;
export type SuggestionStatus = keyof typeof suggestionStatusNumbers;
export type VisibilityType = keyof typeof visibilityNumbers;
export type AgentType = keyof typeof agentTypeNumbers;

export const threadKinds = Object.keys(threadKindNumbers) as [ThreadKind, ...ThreadKind[]];
export const suggestionStatuses = Object.keys(suggestionStatusNumbers) as [
  SuggestionStatus,
  ...SuggestionStatus[],
];
export const visibilityTypes = Object.keys(visibilityNumbers) as [VisibilityType, ...VisibilityType[]];
export const agentTypes = Object.keys(agentTypeNumbers) as [AgentType, ...AgentType[]];

/** The status of an annotation as sent; unknown members are kept. */
export interface ThreadStatus {
  readonly id: string;
  readonly name: string;
  readonly type: 'default' | 'ongoing' | 'terminal';
  readonly [member: string]: unknown;
}

/** The status of an annotation that was added without one. */
export const openStatus: ThreadStatus = {
  id: 'OPEN',
  name: 'Open',
  type: 'default',
  color: '#625DF5',
  lightColor: '#E7E8FA',
};

/** The priority of an annotation as sent; unknown members are kept. */
export interface Priority {
  readonly id: string;
  readonly name: string;
  readonly [member: string]: unknown;
}

/** The visibility of a thread. Its creator always sees it. The customer's ids. */
export interface Visibility {
  readonly type: VisibilityType;
  readonly organizationIds?: readonly string[] | undefined;
  readonly userIds?: readonly string[] | undefined;
}

/** A thread as stored, without members that have columns. */
export interface ThreadBody {
  /** Absent once the user was deleted. */
  readonly from?: NamedUser | undefined;
  readonly location?: { readonly id: string | number; readonly [member: string]: unknown } | undefined;
  readonly targetElement?: object | undefined;
  readonly status: ThreadStatus;
  readonly priority?: Priority | undefined;
  readonly assignedTo?: NamedUser | undefined;
  readonly commentType: string;
  readonly suggestion?: object | undefined;
  /** Absent for a public thread. */
  readonly visibilityConfig?: Visibility | undefined;
  readonly context?: object | undefined;
  readonly pageInfo?: object | undefined;
  readonly actions?: readonly object[] | undefined;
  /** `isPageAnnotation` and the numbers of position and screen, as sent. */
  readonly display?: Readonly<Record<string, boolean | number>> | undefined;
  /** The agent of the first comment sent. */
  readonly agent?: Agent | undefined;
}
