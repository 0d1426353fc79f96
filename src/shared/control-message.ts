import { z } from 'zod';
import { AppError } from './app-error';
import { WorkspaceCall, type WorkspaceView } from './workspace-call';

/**
 * Protocol version, raised when a stored entry or a message changes its shape; programs with different
 * versions do not communicate.
 */
export const controlProtocol = 1;

/** The control endpoint of a running app, in a file that only its owner may read. */
export const ControlEntry = z.strictObject({
  protocol: z.literal(controlProtocol),
  pid: z.number().int().positive(),
  /** The listening process, for display. */
  holder: z.string().max(200),
  /** Path of a socket, or name of a pipe. */
  address: z.string().min(1).max(1_024),
  /** Secret that proves read access to the entry; replaces file permissions where pipes have none. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ControlEntry = z.infer<typeof ControlEntry>;

/** One line of JSON to a running app. */
export const ControlRequest = z.strictObject({
  protocol: z.literal(controlProtocol),
  key: z.string().max(128),
  call: WorkspaceCall,
});
export type ControlRequest = z.infer<typeof ControlRequest>;

/** The reply comes from code with the same protocol version, so only its outline is checked. */
const View = z.custom<WorkspaceView>(
  (value) =>
    z.looseObject({ state: z.looseObject({}), findings: z.array(z.unknown()) }).safeParse(value).success,
);

/** One line of JSON in reply. `not-mine`: this app is not the writer of what the call concerns. */
export const ControlReply = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('answered'), view: View }),
  z.strictObject({ type: z.literal('refused'), error: AppError }),
  z.strictObject({ type: z.literal('not-mine') }),
]);
export type ControlReply = z.infer<typeof ControlReply>;

/** The process that executed a call. */
export interface ControlEndpointOwner {
  readonly holder: string;
  readonly pid: number;
}
