import type { AppError } from '#shared/app-error';
import type { App } from '../app';
import type { ExitCode, Terminal } from './output';

/** One command's work on the app; the entry builds the app, runs this, and exits with what it gives. */
export type Work = (app: App, terminal: Terminal) => ExitCode | Promise<ExitCode>;

/** What a command says instead when the app could not be built. */
export type RefusedWork = (error: AppError, terminal: Terminal) => ExitCode;
