/** The world of the examples: logs and order lists of depots, each about 3,000 tokens. */

export const DEPOTS = 27;
export const REGIONS = ['north', 'köln', '東京'];

/** What stands once in a log of 260 lines, and in no preview of it. */
export const seal = (depot: number): string => `QX-${7000 + depot * 37}`;

/** The log of a depot. */
export function readLog(depot: number): string {
  const lines = Array.from({ length: 260 }, (_, n) => {
    const at = `${String(8 + Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}`;
    return `${at} depot ${depot} gate ${n % 9} pallet ${depot * 1000 + n}`;
  });
  lines[131] = `10:11 depot ${depot} gate 4 got the seal ${seal(depot)}`;
  return lines.join('\n');
}

/** An order of a region. */
export interface Order {
  id: string;
  customer: string;
  express: boolean;
  parcels: number;
}

const NAMES: Record<string, string[]> = {
  north: ['Ada', 'Ben', 'Cleo', 'Dan'],
  köln: ['Jörg Müller', 'Käthe Weiß', 'Zoë Groß'],
  東京: ['佐藤 花子', '鈴木 一郎', '高橋 美咲', '田中 健'],
};

/** The orders of a region; all but those of the north come with a few words around them. */
export function listOrders(region: string): string {
  const orders = ordersOf(region);
  return JSON.stringify(region === 'north' ? orders : { region, orders });
}

export function ordersOf(region: string): Order[] {
  const names = NAMES[region] ?? ['?'];
  return Array.from({ length: 110 }, (_, n) => ({
    id: `${region}-${n}`,
    customer: names[n % names.length] as string,
    express: (n * 7) % 11 < 3,
    parcels: 1 + (n % 6),
  }));
}

export const TASK =
  `Read the logs of depots 1 to ${DEPOTS} and the orders of ${REGIONS.join(', ')}. Then say which seal ` +
  'gate 4 of depot 4 got, and how many orders of 東京 are express.';

export const INSTRUCTIONS = 'You audit depots. Results that are long ago stand in files: read them back.';
