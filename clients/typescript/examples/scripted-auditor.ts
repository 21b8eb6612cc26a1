/**
 * A model without a network: what it calls first is written down, but where it looks for an
 * answer at the end it decides from what stands in its prompt, as any model must.
 */
import { DEPOTS, REGIONS } from './depots.ts';

/** A call that the model makes. */
export interface Call {
  id: string;
  name: string;
  args: Record<string, unknown>;
}

/** What the model does in a turn. */
export interface Move {
  calls: Call[];
  /** Its last words; empty while it calls. */
  text: string;
}

const SAID_SEAL = /depot 4 gate 4 got the seal ([A-Z]+-\d+)/;
const SAID_COUNT = /(\d+) of \d+ records match/;

/** Plays one audit. */
export class ScriptedAuditor {
  #turns = 0;
  #calls = 0;
  #asked: string[] = [];

  /** @param prompt everything that the model is sent, in any shape. */
  next(prompt: unknown): Move {
    const planned = this.#planned();
    return planned ? { calls: planned, text: '' } : this.#conclude(texts(prompt));
  }

  /** Logs one by one; the lists in one turn, as models that call in parallel do. */
  #planned(): Call[] | null {
    const turn = this.#turns++;
    if (turn === 12) return REGIONS.map((region) => this.#call('list_orders', { region }));
    const depot = turn < 12 ? turn + 1 : turn;
    return depot <= DEPOTS ? [this.#call('read_log', { depot })] : null;
  }

  #call(name: string, args: Record<string, unknown>): Call {
    this.#calls += 1;
    return { id: `call_${this.#calls}`, name, args };
  }

  #conclude(said: string): Move {
    const wanted = [this.#seal(said), this.#orders(said), this.#list(said), this.#last()];
    const next = wanted.find((call) => call && !this.#asked.includes(JSON.stringify(call.args)));
    if (next) {
      this.#asked.push(JSON.stringify(next.args));
      return { calls: [next], text: '' };
    }
    const [seal, count] = [SAID_SEAL.exec(said)?.[1], SAID_COUNT.exec(said)?.[1]];
    return { calls: [], text: `Seal: ${seal ?? 'unknown'}. Express orders of 東京: ${count ?? 'unknown'}.` };
  }

  /** Any reference tells where the results lie. */
  #seal(said: string): Call | null {
    if (SAID_SEAL.test(said)) return null;
    const folder = folderIn(said);
    return folder ? this.#call('grep', { pattern: 'depot 4 gate 4 got the seal', path: folder }) : null;
  }

  /** The line that speaks of Tokyo's orders names their file. */
  #orders(said: string): Call | null {
    if (SAID_COUNT.test(said)) return null;
    const line = said.split('\n').find((each) => each.includes('東京') && each.includes('.jsonl'));
    const file = /[^\s"'(|\\]+\.jsonl/.exec(line ?? '')?.[0];
    return file
      ? this.#call('lro_extract', { file_path: file, where: { express: true }, count: true })
      : null;
  }

  /** A snapshot names the newest files only, and a list of the others: a search finds it there. */
  #list(said: string): Call | null {
    const folder = SAID_COUNT.test(said) ? undefined : folderIn(said);
    return folder ? this.#call('grep', { pattern: 'jsonl.*東京', path: folder, limit: 3 }) : null;
  }

  /** Where no reference is in sight the call's id still names a result. */
  #last(): Call | null {
    return this.#asked.length > 0
      ? null
      : this.#call('read_tool_result', { result_id: 'call_4', lines: 'grep:seal' });
  }
}

function folderIn(said: string): string | undefined {
  return /([^\s"'(|\\]+)\/(?:tool_call|compressed)_\w+/.exec(said)?.[1];
}

/** Every text in a value, line by line. */
export function texts(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(texts).filter(Boolean).join('\n');
}
