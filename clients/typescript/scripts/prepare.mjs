// npm runs it where this folder itself is installed, as by `npm install ./clients/typescript`: builds
// the package. The compiler and the frameworks' types come from package-lock.json.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const run = (command) => execSync(command, { cwd: here, stdio: 'inherit' });
if (!existsSync(`${here}/node_modules/typescript`)) {
  run('npm ci --ignore-scripts --no-audit --no-fund --engine-strict=false');
}
run('npm run build');
