import { UnburdenError } from './errors.js';

const DEFAULT_PORT = '8002';
/** Each call that times out doubles the pause after it. */
const SHORTEST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/** The remedy where nothing listens at `url`. */
export function startCommand(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname) || protocol !== 'http:') {
    return 'Start it there, or set baseUrl (UNBURDEN_URL) to its address';
  }
  if (port === DEFAULT_PORT) return 'Start it: unburden serve';
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname;
  return `Start it: unburden serve --listen ${host}:${port || 80}`;
}

/**
 * Says once that the service fails, and is ready to say it again when it has worked in between. After
 * a timeout it pauses.
 */
export class Outage {
  #said = false;
  readonly #warn: (message: string, error: UnburdenError) => void;
  readonly #remedy: string;
  #timeout: UnburdenError | null = null;
  #pauseBegan = -Infinity;
  #pauseMs = 0;

  /**
   * @param warn takes the warning; what it throws is not caught.
   * @param remedy what to do where nothing listens.
   */
  constructor(warn: (message: string, error: UnburdenError) => void, remedy = '') {
    this.#warn = warn;
    this.#remedy = remedy;
  }

  /** The timeout for which the service is not to be asked now; null where it may be. */
  paused(): UnburdenError | null {
    const leftMs = this.#pauseBegan + this.#pauseMs - performance.now();
    if (!this.#timeout || leftMs <= 0) return null;
    const again = `it is asked again in ${Math.ceil(leftMs / 1000)} s`;
    const { message, code } = this.#timeout;
    return new UnburdenError(`${message}; ${again}`, { code, cause: this.#timeout });
  }

  /**
   * A turn went on without the service.
   *
   * @param asked when its call began, by `performance.now`. Calls that began before a pause do not make it
   *   longer.
   */
  began(error: UnburdenError, asked = Infinity): void {
    if (error.code === 'timeout' && asked >= this.#pauseBegan + this.#pauseMs) {
      this.#timeout = error;
      this.#pauseBegan = performance.now();
      this.#pauseMs = Math.min(Math.max(2 * this.#pauseMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    }
    if (this.#said) return;
    this.#said = true;
    const remedy = this.#remedy && error.code === 'unreachable' ? `. ${this.#remedy}` : '';
    this.#warn(`unburden: ${error.message}; continuing with the original messages${remedy}`, error);
  }

  /** A turn worked. */
  ended(): void {
    this.#said = false;
    this.#timeout = null;
    this.#pauseMs = 0;
  }
}
