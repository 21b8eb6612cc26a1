/** Finds the program `unburden` that this package brings, or that the machine has. */
import { accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/**
 * The program's path: the variable UNBURDEN_BINARY, else the one of the platform's package
 * (`@unburden/linux-x64`), else the one on PATH.
 *
 * @throws Error where there is none.
 */
export function findProgram(): string {
  const named = process.env['UNBURDEN_BINARY'];
  if (named) {
    if (runs(named)) return named;
    throw new Error(`unburden: UNBURDEN_BINARY is "${named}", which is no program`);
  }
  const platform = `@unburden/${process.platform}-${process.arch}`;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const found = [bundled(platform), ...folders.map((folder) => join(folder, 'unburden'))].find(
    (path) => path !== undefined && runs(path) && !isThisPackage(path),
  );
  if (found) return found;
  throw new Error(
    `unburden: the program is missing. The package ${platform} brings it, if there is one for this ` +
      'platform and npm installed optional dependencies. Otherwise build it in the repository ' +
      '(cargo install --path .), or set UNBURDEN_BINARY to its path',
  );
}

function bundled(platform: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`${platform}/bin/unburden`);
  } catch {
    return undefined;
  }
}

/** npm puts this package's own command on the PATH of scripts; it would call itself for ever. */
function isThisPackage(path: string): boolean {
  return /[\\/]node_modules[\\/]\.bin[\\/]/.test(path);
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
