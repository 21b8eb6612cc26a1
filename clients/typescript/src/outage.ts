import type { UnburdenError } from './errors.js';

/** Says once that the service fails, and is ready to say it again when it has worked in between. */
export class Outage {
  #said = false;
  readonly #warn: (message: string, error: UnburdenError) => void;

  /** @param warn takes the warning; what it throws is not caught. */
  constructor(warn: (message: string, error: UnburdenError) => void) {
    this.#warn = warn;
  }

  /** A turn went on without the service. */
  began(error: UnburdenError): void {
    if (this.#said) return;
    this.#said = true;
    this.#warn(
      `unburden: ${error.message}. The agent goes on with its messages as they are; ` +
        'this is said once until the service works again.',
      error,
    );
  }

  /** A turn worked. */
  ended(): void {
    this.#said = false;
  }
}
