import { problem } from './problem.mjs';

/** The oldest Node version that every tool of the project supports. */
const NEEDED = { major: 20, minor: 19 };

/** @param {string} [version] in the format of `process.versions.node` */
export function assertNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const enough = major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor);
  if (enough) return;
  throw problem(
    `Patina needs Node ${NEEDED.major}.${NEEDED.minor} or newer; this is ${version}. Get one from https://nodejs.org.`,
  );
}
