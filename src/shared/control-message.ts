import { z } from 'zod';
import { AppError } from './app-error';
import { WorkspaceCall, type WorkspaceView } from './workspace-call';

/** Raised when a stored entry or a message changes its shape; programs of another number do not speak to each other. */
export const controlProtocol = 1;

/** Where a running app can be asked: a file that only its owner may read. */
export const ControlEntry = z.strictObject({
  protocol: z.literal(controlProtocol),
  pid: z.number().int().positive(),
  /** Who listens there, for people. */
  holder: z.string().max(200),
  /** The path of a socket, or the name of a pipe. */
  address: z.string().min(1).max(1_024),
  /** Whoever can read the entry can say it; it stands in for file permissions where pipes have none. */
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

/** What comes back was made from types of the same protocol; here only its outline is checked. */
const View = z.custom<WorkspaceView>(
  (value) =>
    z.looseObject({ state: z.looseObject({}), findings: z.array(z.unknown()) }).safeParse(value).success,
);

/** One line of JSON back. `not-mine`: this app does not write what was asked about. */
export const ControlReply = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('answered'), view: View }),
  z.strictObject({ type: z.literal('refused'), error: AppError }),
  z.strictObject({ type: z.literal('not-mine') }),
]);
export type ControlReply = z.infer<typeof ControlReply>;

/** The process that carried a call out. */
export interface ControlEndpointOwner {
  readonly holder: string;
  readonly pid: number;
}
