import {
  agentTypeNumbers,
  suggestionStatusNumbers,
  threadKindNumbers,
  visibilityNumbers,
  type ThreadStatus,
  type ThreadKind,
  type SuggestionStatus,
  type VisibilityType,
  type AgentType,
} from './thread.entity.ts';

export const threadKinds = Object.keys(threadKindNumbers) as [ThreadKind, ...ThreadKind[]];
export const suggestionStatuses = Object.keys(suggestionStatusNumbers) as [
  SuggestionStatus,
  ...SuggestionStatus[],
];
export const visibilityTypes = Object.keys(visibilityNumbers) as [VisibilityType, ...VisibilityType[]];
export const agentTypes = Object.keys(agentTypeNumbers) as [AgentType, ...AgentType[]];

/** The status of an annotation that was added without one. */
export const openStatus: ThreadStatus = {
  id: 'OPEN',
  name: 'Open',
  type: 'default',
  color: '#625DF5',
  lightColor: '#E7E8FA',
};
