import { appError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';

const DROPPED = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses JSON text that a guest made: members that could reach a prototype are dropped, everything is frozen.
 * SANDBOX/PROTOCOL_VIOLATION for text that is no JSON: the guest's encoder makes none such.
 */
export function parseGuestJson(text: string): Result<Json> {
  try {
    const value = JSON.parse(text, (key, member: unknown) => {
      if (DROPPED.has(key)) return undefined;
      return typeof member === 'object' && member !== null ? Object.freeze(member) : member;
    }) as Json;
    return ok(value);
  } catch {
    return err(appError('SANDBOX', 'PROTOCOL_VIOLATION', 'the sandbox worker sent text that is no JSON'));
  }
}
