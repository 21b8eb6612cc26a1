// Packs the npm packages: one for a platform, with the program alone, and `unburden` itself, which
// names every platform's package in the folder as an optional dependency, so npm installs the one that
// fits and nothing is fetched later.
//
//   node release/npm.mjs PROGRAM BUILT OUT
//
// BUILT holds the compiled package (`dist` beside the sources), OUT gets the tarballs.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [program, built, out] = process.argv.slice(2).map((path) => resolve(path));
const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const client = join(root, 'clients/typescript');
const manifest = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
const { version, license } = manifest;
const work = mkdtempSync(join(tmpdir(), 'unburden-npm-'));

function pack(name, json, fill) {
  const folder = join(work, name);
  mkdirSync(folder, { recursive: true });
  fill(folder);
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(json, null, 2)}\n`);
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', out];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
}

const platform = `${process.platform}-${process.arch}`;
const own = {
  name: `@unburden/${platform}`,
  version,
  description: `The program of the package unburden, for ${platform}`,
  license,
  os: [process.platform],
  cpu: [process.arch],
  files: ['bin'],
  preferUnplugged: true,
};
pack(platform, own, (folder) => {
  mkdirSync(join(folder, 'bin'));
  cpSync(program, join(folder, 'bin/unburden'));
  chmodSync(join(folder, 'bin/unburden'), 0o755);
});

// npm names the tarball of @unburden/linux-x64 so.
const tarball = new RegExp(`^unburden-([a-z]+[a-z0-9]*-[a-z0-9]+)-${version.replaceAll('.', '\\.')}\\.tgz$`);
const platforms = readdirSync(out).map((name) => tarball.exec(name)?.[1]).filter(Boolean);
const { prepare: _, ...scripts } = manifest.scripts;
const whole = {
  ...manifest,
  scripts,
  optionalDependencies: Object.fromEntries(platforms.sort().map((name) => [`@unburden/${name}`, version])),
};
pack('unburden', whole, (folder) => {
  for (const name of ['bin', 'src', 'tools.json', 'README.md']) {
    cpSync(join(client, name), join(folder, name), { recursive: true });
  }
  cpSync(join(built, 'dist'), join(folder, 'dist'), { recursive: true });
});
rmSync(work, { recursive: true });
