import type { AppError } from '#shared/app-error';
import type { App } from '../app';
import type { ExitCode, Terminal } from './output';

/** One command's work. The entry point builds the app, runs this, and exits with the returned code. */
export type Work = (app: App, terminal: Terminal) => ExitCode | Promise<ExitCode>;

/** What a command prints when the app could not be built. */
export type RefusedWork = (error: AppError, terminal: Terminal) => ExitCode;
