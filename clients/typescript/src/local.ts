/**
 * A service that this process starts, and shares with the other processes of the same store.
 *
 * `unburden serve --shared` does the work: it prints its address, and ends when the pipe to its
 * standard input is closed in every process that uses it, by the kernel where a process is killed.
 *
 * @packageDocumentation
 */
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Unburden } from './client.js';
import type { UnburdenOptions } from './client.js';
import { environment } from './environment.js';
import { UnburdenError } from './errors.js';
import { findProgram } from './program.js';
import { reason } from './transport.js';

/** Options of a client that starts its service; `storeDir` is relative to this process's folder. */
export type LocalOptions = Omit<UnburdenOptions, 'baseUrl'>;

interface Started {
  url: string;
  log: string;
  child: Child;
  clients: number;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A service of another process may need 30 s to end before the next one starts. */
const START_MS = 45_000;
const running = new Map<string, Promise<Started>>();

/** A client whose service this process keeps running. */
export class LocalUnburden extends Unburden {
  /** The address of the service. */
  readonly url: string;
  /** The path of the service's log; null where UNBURDEN_URL names a service and none was started. */
  readonly log: string | null;
  #release: (() => void) | undefined;

  /** @internal Made by {@link startLocal}. */
  constructor(options: UnburdenOptions & { baseUrl: string }, log?: string, release?: () => void) {
    super(options, log && `Its log: ${log}`);
    this.url = options.baseUrl;
    this.log = log ?? null;
    this.#release = release;
  }

  /** Lets the service go. It ends with its last client; so it does with this process. */
  close(): void {
    this.#release?.();
    this.#release = undefined;
  }
}

/**
 * Starts the service for `storeDir`, or joins the one that other processes use, and returns its client.
 * The service may use that folder only. It ends with the last process that uses it. Where the variable
 * UNBURDEN_URL names a service, that one is used and none is started.
 *
 * @throws UnburdenError (code `not_started`) where it cannot be started, TypeError for wrong options.
 */
export async function startLocal(options: LocalOptions = {}): Promise<LocalUnburden> {
  if ('baseUrl' in options) {
    throw new TypeError('unburden: startLocal starts a service, and baseUrl names one: leave it out');
  }
  const named = environment('UNBURDEN_URL');
  if (named) return new LocalUnburden({ ...options, baseUrl: named });
  const storeDir = resolve(options.storeDir ?? './context_store');
  const started = await joined(storeDir);
  const release = (): void => {
    started.clients -= 1;
    if (started.clients > 0) return;
    running.delete(storeDir);
    started.child.stdin.destroy();
  };
  try {
    return new LocalUnburden({ ...options, storeDir, baseUrl: started.url }, started.log, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function joined(storeDir: string): Promise<Started> {
  let starting = running.get(storeDir);
  if (!starting) {
    starting = start(storeDir);
    running.set(storeDir, starting);
    // The next call starts another one where this one failed, or has ended since.
    const forget = (): void => {
      if (running.get(storeDir) === starting) running.delete(storeDir);
    };
    starting.then(({ child }) => child.once('exit', forget), forget);
  }
  const started = await starting;
  started.clients += 1;
  return started;
}

async function start(storeDir: string): Promise<Started> {
  let child: Child | undefined;
  try {
    mkdirSync(storeDir, { recursive: true, mode: 0o700 });
    const args = ['serve', '--shared', '--listen', '127.0.0.1:0', '--root', storeDir];
    // A session of its own: an interrupt in this one's terminal must not reach what others share.
    child = spawn(findProgram(), args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const [url, log] = await firstLines(child);
    child.stdout.destroy();
    child.stderr.destroy();
    // The process may end while the service runs: that is what ends the service.
    child.unref();
    (child.stdin as Writable & { unref?: () => void }).unref?.();
    child.stdin.on('error', () => undefined);
    return { url, log, child, clients: 0 };
  } catch (error) {
    child?.kill('SIGKILL');
    const found = reason(error);
    const message = found.startsWith('unburden: ') ? found : `unburden: the service did not start: ${found}`;
    throw new UnburdenError(message, { code: 'not_started', cause: error });
  }
}

/** The address and the log's path. */
function firstLines(child: Child): Promise<[string, string]> {
  return new Promise((resolved, rejected) => {
    let said = '';
    let complaint = '';
    const late = (): void => rejected(new Error(`it said no address within ${START_MS / 1000} s`));
    const timer = setTimeout(late, START_MS);
    child.once('error', rejected);
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    child.once('close', () => {
      clearTimeout(timer);
      rejected(new Error(complaint.trim() || 'it ended without a word'));
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, url, log] = /^listening on (http.*)\nlogging to (.*)\n/.exec(said) ?? [];
      if (url === undefined || log === undefined) return;
      clearTimeout(timer);
      resolved([url, log]);
    });
  });
}
