import type { UnburdenError } from './errors.js';

const DEFAULT_PORT = '8002';

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

/** Says once that the service fails, and is ready to say it again when it has worked in between. */
export class Outage {
  #said = false;
  readonly #warn: (message: string, error: UnburdenError) => void;
  readonly #remedy: string;

  /**
   * @param warn takes the warning; what it throws is not caught.
   * @param remedy what to do where nothing listens.
   */
  constructor(warn: (message: string, error: UnburdenError) => void, remedy = '') {
    this.#warn = warn;
    this.#remedy = remedy;
  }

  /** A turn went on without the service. */
  began(error: UnburdenError): void {
    if (this.#said) return;
    this.#said = true;
    const remedy = this.#remedy && error.code === 'unreachable' ? `. ${this.#remedy}` : '';
    this.#warn(`unburden: ${error.message}; continuing with the original messages${remedy}`, error);
  }

  /** A turn worked. */
  ended(): void {
    this.#said = false;
  }
}
