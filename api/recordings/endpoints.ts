import { addRecordings } from './add-recordings.ts';
import { deleteRecordings } from './delete-recordings.ts';
import { getRecordings } from './get-recordings.ts';

export const recordingEndpoints = [addRecordings, getRecordings, deleteRecordings] as const;
