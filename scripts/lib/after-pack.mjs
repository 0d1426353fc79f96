import fs from 'node:fs';
import path from 'node:path';
import { FuseV1Options, FuseVersion, flipFuses, getCurrentFuseWire } from '@electron/fuses';

/** Each fuse that hardens an installed app, and its state in production. */
const FUSES = {
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
};

/** How the binary encodes "on": the character 1. */
const ON = '1'.charCodeAt(0);

/**
 * electron-builder calls this when the app is assembled but not yet signed: sets the fuses, reads them back
 * from the binary, prints them, and fails when one has the wrong state.
 * @param {{appOutDir: string, electronPlatformName: string, packager: {appInfo: {productFilename: string}, executableName?: string}}} context
 */
export async function afterPack(context) {
  const executable = executableOf(context);
  await flipFuses(executable, {
    version: FuseVersion.V1,
    resetAdHocDarwinSignature: context.electronPlatformName === 'darwin',
    ...FUSES,
  });
  await assertFuses(executable);
  for (const leftover of ['prepared-from', 'version', 'resources/default_app.asar'])
    fs.rmSync(path.join(context.appOutDir, leftover), { force: true });
}

/** @param {string} executable */
async function assertFuses(executable) {
  const wire = await getCurrentFuseWire(executable);
  const wrong = Object.entries(FUSES).filter(([fuse, wanted]) => {
    const found = Number(wire[/** @type {FuseV1Options} */ (Number(fuse))]) === ON;
    process.stdout.write(`  fuse ${FuseV1Options[Number(fuse)]}: ${found ? 'on' : 'off'}\n`);
    return found !== wanted;
  });
  if (wrong.length > 0) throw new Error(`${wrong.length} fuses are not as they must be`);
}

/** @param {Parameters<typeof afterPack>[0]} context */
function executableOf({ appOutDir, electronPlatformName, packager }) {
  const product = packager.appInfo.productFilename;
  if (electronPlatformName === 'darwin') return path.join(appOutDir, `${product}.app`);
  if (electronPlatformName === 'win32') return path.join(appOutDir, `${product}.exe`);
  return path.join(appOutDir, packager.executableName ?? product);
}
