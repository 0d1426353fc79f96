import { problem } from './problem.mjs';

/** The oldest Node that every tool of the project accepts. */
const NEEDED = { major: 20, minor: 19 };

/** @param {string} [version] as `process.versions.node` gives it */
export function assertNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor);
  if (enough) return;
  throw problem(
    `Patina needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is ${version}. Get one from https://nodejs.org.`,
  );
}
