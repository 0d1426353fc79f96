import { appError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { err, ok } from '#shared/result';
import type { Result } from '#shared/result';

const DROPPED = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses JSON text from a guest: drops members that could reach a prototype and freezes everything. Text that
 * is not JSON is SANDBOX/PROTOCOL_VIOLATION, because the guest's encoder never produces it.
 */
export function parseGuestJson(text: string): Result<Json> {
  try {
    const value = JSON.parse(text, (key, member: unknown) => {
      if (DROPPED.has(key)) return undefined;
      return typeof member === 'object' && member !== null ? Object.freeze(member) : member;
    }) as Json;
    return ok(value);
  } catch {
    return err(appError('SANDBOX', 'PROTOCOL_VIOLATION', 'The sandbox worker sent text that is not JSON.'));
  }
}
