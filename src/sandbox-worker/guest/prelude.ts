import { MESSAGE_CHARS } from '#shared/sandbox-protocol';
import { ALLOWED_GLOBALS } from '#shared/script-globals';
import { createBoundedJson } from './bounded-json';
import { disableCodeGeneration, freezeReachable, removeGlobals, softenPrototypes } from './lock-down';
import { createGuestErrors } from './guest-errors';
import { createHostCalls } from './host-calls';
import { createJsonMeters } from './json-meter';
import { createScriptArtifacts } from './script-artifacts';
import { createScriptClone } from './script-clone';
import { createScriptDates } from './script-dates';
import { createScriptFormat } from './script-format';
import { createScriptLog } from './script-log';
import { createResultEncoder } from './script-result';
import { createScriptRunner } from './script-runner';
import { createToolsFactory } from './script-tools';

/** At most half a message: arguments and contents are quoted again when sent. */
const CALL_BOUNDS = { chars: MESSAGE_CHARS / 4, nodes: 1_000_000, depth: 64 };

/**
 * The only function that needs `this`: a setter must set the property of the object it was reached through.
 */
const OWN_SETTER = `(prototype, name) => function (value) {
  if (this === prototype) return;
  Reflect.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
}`;

/** Methods need `this` as well; as members of an object they are not constructors. */
const METHOD = `(body) => ({ method(...parts) { return body(this, ...parts); } }).method`;
/** `Date` is called with and without `new`, and classes may extend it. */
const DATE_CONSTRUCTOR = `(body) => function Date(...parts) { return body(new.target, parts); }`;

/**
 * The guest's half of the bridge as source text: an expression that takes `emit` and returns `{start,
 * completeCall}`. Its functions are written, typed and linted here and transferred as text, so none of them closes
 * over anything.
 */
export const GUEST_PRELUDE = `(function (emit) {
'use strict';
const bounds = ${JSON.stringify(CALL_BOUNDS)};
const errors = (${createGuestErrors.toString()})();
const newMethod = ${METHOD};
const dates = (${createScriptDates.toString()})(errors, newMethod, ${DATE_CONSTRUCTOR});
const encode = (${createBoundedJson.toString()})((${createJsonMeters.toString()})(errors), dates.isoOf);
const calls = (${createHostCalls.toString()})(emit, errors);
const newTools = (${createToolsFactory.toString()})(errors);
const artifacts = (${createScriptArtifacts.toString()})({ calls, encode, errors, bounds });
const encodeResult = (${createResultEncoder.toString()})(errors, encode);
const log = (${createScriptLog.toString()})(emit, errors, encode);
globalThis.fmt = (${createScriptFormat.toString()})(errors, dates, newMethod);
globalThis.Date = dates.Date;
globalThis.console = { log, info: log, warn: log, error: log, debug: log };
globalThis.structuredClone = (${createScriptClone.toString()})(dates);
(${disableCodeGeneration.toString()})();
(${removeGlobals.toString()})(${JSON.stringify(ALLOWED_GLOBALS)});
(${softenPrototypes.toString()})(${OWN_SETTER});
(${freezeReachable.toString()})();
return (${createScriptRunner.toString()})({ emit, errors, encode, encodeResult, calls, newTools, artifacts, log, bounds });
})`;
