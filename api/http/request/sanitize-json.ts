import { maxIssues, type Issue } from '../../../domain/errors.ts';
import type { Pausable } from '../../../platform/process/in-turns.ts';
import { TransportError } from '../response/transport-error.ts';
import { memberPath } from './issues.ts';

/** Issues found in a value. */
class Findings {
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
  const findings = new Findings();
  const sanitized = yield* sanitizePart(value, findings);
  const [first] = findings.issues;
  if (first !== undefined)
    throw new TransportError('INVALID_ARGUMENT', first.message, {
      issues: findings.issues,
      issuesTotal: findings.total,
    });
  return sanitized;
}

function* sanitizePart(part: unknown, findings: Findings): Pausable<unknown> {
  if (typeof part === 'number' && !Number.isFinite(part)) findings.report('must be a finite number.');
  if (typeof part === 'string') {
    if (part.includes('\0')) findings.report('must not contain U+0000.');
    return part.toWellFormed();
  }
  if (typeof part !== 'object' || part === null) return part;
  yield;
  if (Array.isArray(part)) return yield* sanitizeList(part, findings);
  return yield* sanitizeMap(part, findings);
}

function* sanitizeList(list: readonly unknown[], findings: Findings): Pausable<unknown[]> {
  const sanitized: unknown[] = [];
  for (const [index, item] of list.entries()) {
    findings.path.push(index);
    sanitized.push(yield* sanitizePart(item, findings));
    findings.path.pop();
  }
  return sanitized;
}

function* sanitizeMap(map: object, findings: Findings): Pausable<object> {
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(map)) {
    if (name.includes('\0')) findings.report('must not have a member whose name contains U+0000.');
    findings.path.push(name);
    members.push([name.toWellFormed(), yield* sanitizePart(member, findings)]);
    findings.path.pop();
  }
  // `fromEntries` defines own members, also one named `__proto__`.
  return Object.fromEntries(members);
}
