/** Looks at every call of a model: how large, whether valid, and what stands in it. */
import { Unburden } from 'unburden';
import type { Offloaded, OffloadOptions, UnburdenOptions } from 'unburden';
import { texts } from '../examples/scripted-auditor.ts';
import type { Sent } from './frameworks.ts';

export const SNAPSHOT = '<state_snapshot>';

/** What was seen in one run. */
export class Watch {
  /** Model calls. */
  calls = 0;
  /** Tokens of the largest history that the model was sent. */
  largest = 0;
  /** What a provider would have rejected. */
  readonly problems: string[] = [];
  /** All texts of each call. */
  readonly said: string[] = [];

  readonly #judge: Unburden;

  /** @param judge counts and validates. */
  constructor(judge: Unburden) {
    this.#judge = judge;
  }

  /** Notes a call without asking the service. */
  note(sent: Sent): void {
    this.calls += 1;
    this.said.push(`${sent.system ?? ''}\n${texts(sent.messages)}`);
  }

  /** Notes a call, counts and validates it. */
  async judge(sent: Sent): Promise<void> {
    this.note(sent);
    const { messages, format } = sent;
    const { tokens } = await this.#judge.countTokens(messages, { format, system: sent.system });
    this.largest = Math.max(this.largest, tokens);
    const { problems } = await this.#judge.validate(messages, { format });
    this.problems.push(
      ...problems.map((problem) => `call ${this.calls}: message ${problem.index}: ${problem.says}`),
    );
  }
}

/**
 * A client that notes which reload tools the agent calls, and in which call of the model, and the
 * snapshots that it answered last.
 */
export class WatchedClient extends Unburden {
  snapshots: string[] = [];
  readonly used: { tool: string; call: number }[] = [];
  readonly warnings: string[];
  readonly #watch: Watch;

  constructor(options: UnburdenOptions, watch: Watch) {
    const warnings: string[] = [];
    super({ ...options, onWarning: (message) => warnings.push(message) });
    this.warnings = warnings;
    this.#watch = watch;
  }

  /** The tools, in the order of their calls. */
  get tools(): string {
    return this.used.map(({ tool }) => tool).join(', ');
  }

  override async offload<M>(messages: readonly M[], options?: OffloadOptions): Promise<Offloaded<M>> {
    const done = await super.offload(messages, options);
    this.snapshots = strings([done.messages, done.system]).filter((text) => text.includes(SNAPSHOT));
    return done;
  }

  override runTool(name: string, args: unknown): Promise<string> {
    this.used.push({ tool: name, call: this.#watch.calls });
    return super.runTool(name, args);
  }
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}
