// Writes the TypeScript of README.md to readme-blocks/, for `npm run check`: what it shows compiles.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';

const here = new URL('..', import.meta.url);
const text = await readFile(new URL('README.md', here), 'utf8');
const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
if (blocks.length === 0) throw new Error('README.md has no TypeScript');

const folder = new URL('readme-blocks/', here);
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
await Promise.all(blocks.map((code, at) => writeFile(new URL(`${at}.ts`, folder), code)));
