import { appError } from '#shared/app-error';
import type { Bridge } from '#shared/ipc';
import { text } from '../locales/text';
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

/** The error of a command that needs a session while none is open. */
export const noSession = () => appError('HOST', 'STATE', text('store.error.noSession'));
