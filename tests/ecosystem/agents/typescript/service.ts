/** The program under test, started as its users start it. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const GREETING = 'listening on ';
// Settings of the machine must not pick a model or a store for the run.
const FOREIGN = /^(UNBURDEN_|ATLATL_|OPENAI_|PORT$|RUST_LOG$)/;

/** `unburden serve` with one allowed root, which is its working directory, and without a model. */
export class Service {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(binary: string, root: string): Promise<Service> {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)));
    // A power cut is not what is tested here, and fsync is most of a small request's time.
    env['UNBURDEN_STORE__DURABILITY'] = 'relaxed';
    const args = ['serve', '--listen', '127.0.0.1:0', '--root', root];
    const child = spawn(binary, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stderr?.pipe(createWriteStream(join(root, 'service.log')));
    const gone = new Promise<never>((_, fail) => {
      child.once('error', fail);
      child.once('exit', (code) =>
        fail(new Error(`the service ended with ${code}; see ${root}/service.log`)),
      );
    });
    gone.catch(() => {});
    const line = await Promise.race([firstLine(child), gone]);
    if (!line.startsWith(GREETING)) throw new Error(`the service did not start: ${line}`);
    return new Service(child, line.slice(GREETING.length).trim());
  }

  /** Ends it as a crash does: no goodbye to open connections. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  for await (const line of lines) return line;
  return '';
}
