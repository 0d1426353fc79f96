import { z } from 'zod';
import { Json, JsonObject } from './json';

/** A call of the DDR manager. */
export const DdrCall = z.strictObject({ operation: z.string(), payload: JsonObject });
export type DdrCall = z.infer<typeof DdrCall>;

export const DdrErrorCode = z.enum([
  'unknown_operation',
  'invalid_payload',
  'not_found',
  'conflict',
  'approval_required',
  'storage',
]);
export type DdrErrorCode = z.infer<typeof DdrErrorCode>;

/** Every answer of the DDR manager is one of these two. */
export type DdrAnswer =
  | { readonly ok: true; readonly result: Json }
  | { readonly ok: false; readonly error: { readonly code: DdrErrorCode; readonly message: string } };
