import { namesOf } from '../names-of.ts';
import {
  agentTypeNumbers,
  suggestionStatusNumbers,
  threadKindNumbers,
  visibilityNumbers,
  type ThreadStatus,
} from './thread.entity.ts';

export const threadKinds = namesOf(threadKindNumbers);
export const suggestionStatuses = namesOf(suggestionStatusNumbers);
export const visibilityTypes = namesOf(visibilityNumbers);
export const agentTypes = namesOf(agentTypeNumbers);

/** The status of an annotation that was added without one. */
export const openStatus: ThreadStatus = {
  id: 'OPEN',
  name: 'Open',
  type: 'default',
  color: '#625DF5',
  lightColor: '#E7E8FA',
};
