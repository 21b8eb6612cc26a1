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
import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Unburden } from './client.js';
import type { OwnService, UnburdenOptions } from './client.js';
import { environment } from './environment.js';
import { UnburdenError } from './errors.js';
import { findProgram } from './program.js';
import { reason } from './transport.js';

/** Options of a client that starts its service; `storeDir` is relative to this process's folder. */
export type LocalOptions = Omit<UnburdenOptions, 'baseUrl'>;

interface Service {
  url: string;
  log: string;
  child: Child;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A service of another process may need 30 s to end before the next one starts. */
const START_MS = 45_000;
/** The most that a turn waits for a service to start again, and the pause until the next try. */
const RESTART_MS = 10_000;
const running = new Map<string, Promise<Started>>();

/** A service that this process keeps running; all clients of its store share this object. */
class Started implements OwnService {
  clients = 0;
  readonly #storeDir: string;
  #service: Service;
  #restarting: Promise<void> | undefined;
  #restartedAt = -Infinity;
  #failure: unknown;

  constructor(storeDir: string, service: Service) {
    this.#storeDir = storeDir;
    this.#service = service;
  }

  get url(): string {
    return this.#service.url;
  }

  get log(): string {
    return this.#service.log;
  }

  get hasEnded(): boolean {
    const { exitCode, signalCode } = this.#service.child;
    return exitCode !== null || signalCode !== null;
  }

  async restart(url: string): Promise<boolean> {
    if (this.#restarting) {
      await this.#restarting;
      return false;
    }
    if (this.url !== url || this.clients === 0) return false;
    if (performance.now() < this.#restartedAt + RESTART_MS) {
      if (this.#failure) throw this.#failure;
      return false;
    }
    await this.replace(RESTART_MS);
    return true;
  }

  /** Starts the service again, or joins the one of another process. Calls of the same time are one. */
  replace(limitMs: number): Promise<void> {
    this.#restarting ??= this.#replace(limitMs).finally(() => {
      this.#restarting = undefined;
      this.#restartedAt = performance.now();
    });
    return this.#restarting;
  }

  release(): void {
    this.clients -= 1;
    if (this.clients > 0) return;
    running.delete(this.#storeDir);
    this.#service.child.stdin.destroy();
  }

  async #replace(limitMs: number): Promise<void> {
    try {
      const service = await launch(this.#storeDir, limitMs);
      this.#service.child.stdin.destroy();
      this.#service = service;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}

/** A client whose service this process keeps running. */
export class LocalUnburden extends Unburden {
  readonly #url: string;
  readonly #started: Started | undefined;
  #isClosed = false;

  /** @internal Made by {@link startLocal}. */
  constructor(options: UnburdenOptions & { baseUrl: string }, started?: Started) {
    super(options, started);
    this.#url = options.baseUrl;
    this.#started = started;
  }

  /** The address of the service; another one after it was started again. */
  get url(): string {
    return this.#started?.url ?? this.#url;
  }

  /** The path of the service's log; null where UNBURDEN_URL names a service and none was started. */
  get log(): string | null {
    return this.#started?.log ?? null;
  }

  /** Lets the service go. It ends with its last client; so it does with this process. */
  close(): void {
    if (!this.#isClosed) this.#started?.release();
    this.#isClosed = true;
  }
}

/**
 * Starts the service for `storeDir`, or joins the one that other processes use, and returns its client.
 * The service may use that folder only. It ends with the last process that uses it; if it ends earlier,
 * the next call starts it again, at most every 10 s. Where the variable UNBURDEN_URL names a service,
 * that one is used and none is started. Without `token`, the client sends the token of the variable
 * UNBURDEN_SERVER__TOKEN or UNBURDEN_SERVER__TOKEN_FILE, if there is one: the service demands it.
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
  try {
    if (started.hasEnded) await started.replace(START_MS);
    const token = options.token ?? demandedToken();
    const own = { ...options, ...(token === undefined ? {} : { token }), storeDir, baseUrl: started.url };
    return new LocalUnburden(own, started);
  } catch (error) {
    started.release();
    throw error;
  }
}

async function joined(storeDir: string): Promise<Started> {
  let starting = running.get(storeDir);
  if (!starting) {
    starting = launch(storeDir, START_MS).then((service) => new Started(storeDir, service));
    running.set(storeDir, starting);
    // The next call starts another one where this one failed.
    starting.catch(() => running.delete(storeDir));
  }
  const started = await starting;
  started.clients += 1;
  return started;
}

/** The token that a service demands which is started in this environment. */
function demandedToken(): string | undefined {
  const token = environment('UNBURDEN_SERVER__TOKEN');
  const path = environment('UNBURDEN_SERVER__TOKEN_FILE');
  if (token !== undefined || path === undefined) return token;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The service says why it does not start.
    return undefined;
  }
}

async function launch(storeDir: string, limitMs: number): Promise<Service> {
  let child: Child | undefined;
  try {
    mkdirSync(storeDir, { recursive: true, mode: 0o700 });
    const args = ['serve', '--shared', '--listen', '127.0.0.1:0', '--root', storeDir];
    // A session of its own: an interrupt in this one's terminal must not reach what others share.
    child = spawn(findProgram(), args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const [url, log] = await firstLines(child, limitMs);
    child.stdout.destroy();
    child.stderr.destroy();
    // The process may end while the service runs: that is what ends the service.
    child.unref();
    (child.stdin as Writable & { unref?: () => void }).unref?.();
    child.stdin.on('error', () => undefined);
    return { url, log, child };
  } catch (error) {
    child?.kill('SIGKILL');
    const found = reason(error);
    const message = found.startsWith('unburden: ') ? found : `unburden: the service did not start: ${found}`;
    throw new UnburdenError(message, { code: 'not_started', cause: error });
  }
}

/** The address and the log's path. */
function firstLines(child: Child, limitMs: number): Promise<[string, string]> {
  return new Promise((resolved, rejected) => {
    let said = '';
    let complaint = '';
    const late = (): void => rejected(new Error(`it said no address within ${limitMs / 1000} s`));
    const timer = setTimeout(late, limitMs);
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
