import { addAnnotations } from './add-annotations.ts';
import { getAnnotations } from './get-annotations.ts';

export const commentEndpoints = [addAnnotations, getAnnotations] as const;
