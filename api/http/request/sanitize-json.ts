import { maxIssues, type Issue } from '../../../domain/errors.ts';
import type { Pausable } from '../../../platform/process/in-turns.ts';
import { TransportError } from '../response/transport-error.ts';
import { memberPath } from './issues.ts';

/** Issues of rejected values. */
class RejectedValues {
  readonly issues: Issue[] = [];
  /** Path of the current value. */
  readonly path: PropertyKey[] = [];
  total = 0;

  report(text: string): void {
    this.total += 1;
    if (this.issues.length >= maxIssues) return;
    const member = memberPath(this.path.slice(1)) || 'Request body';
    this.issues.push({ path: memberPath(this.path), message: `${member} ${text}` });
  }
}

/** Replaces lone surrogates by U+FFFD. Rejects U+0000 and numbers that are not finite. The caller must have bounded the nesting. */
export function* sanitizeJson(value: unknown): Pausable<unknown> {
  const rejected = new RejectedValues();
  const sanitized = yield* sanitizePart(value, rejected);
  const [first] = rejected.issues;
  if (first !== undefined)
    throw new TransportError('INVALID_ARGUMENT', first.message, {
      issues: rejected.issues,
      issuesTotal: rejected.total,
    });
  return sanitized;
}

function* sanitizePart(part: unknown, rejected: RejectedValues): Pausable<unknown> {
  if (typeof part === 'number' && !Number.isFinite(part)) rejected.report('must be a finite number.');
  if (typeof part === 'string') {
    if (part.includes('\0')) rejected.report('must not contain U+0000.');
    return part.toWellFormed();
  }
  if (typeof part !== 'object' || part === null) return part;
  yield;
  if (Array.isArray(part)) return yield* sanitizeList(part, rejected);
  return yield* sanitizeMap(part, rejected);
}

function* sanitizeList(list: readonly unknown[], rejected: RejectedValues): Pausable<unknown[]> {
  const sanitized: unknown[] = [];
  for (const [index, item] of list.entries()) {
    rejected.path.push(index);
    sanitized.push(yield* sanitizePart(item, rejected));
    rejected.path.pop();
  }
  return sanitized;
}

function* sanitizeMap(map: object, rejected: RejectedValues): Pausable<object> {
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(map)) {
    if (name.includes('\0')) rejected.report('must not have a member whose name contains U+0000.');
    rejected.path.push(name);
    members.push([name.toWellFormed(), yield* sanitizePart(member, rejected)]);
    rejected.path.pop();
  }
  // `fromEntries` defines own members, also one named `__proto__`.
  return Object.fromEntries(members);
}
