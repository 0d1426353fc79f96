import type { Bridge } from '#shared/ipc';
import type { Drafts } from './drafts';
import type { SessionMirror } from './session-mirror';
import type { View } from './view-state';

/** The dependencies of every command. */
export interface CommandDeps {
  readonly bridge: Bridge;
  readonly mirror: SessionMirror;
  readonly view: View;
  readonly drafts: Drafts;
}
