/** Numbers as people read them: three or four significant digits, a unit, thin spaces between thousands. Pure functions. */

const THIN = '\u2009';
const MINUS = '\u2212';
export const NONE = '–';

/** A whole number with a thin space between thousands: `153 421`. */
export function count(n: number | bigint | null | undefined): string {
  if (n === null || n === undefined || (typeof n === 'number' && !Number.isFinite(n))) return NONE;
  const text = typeof n === 'bigint' ? n.toString() : Math.round(n).toString();
  const [sign, digits] = text.startsWith('-') ? [MINUS, text.slice(1)] : ['', text];
  return sign + digits.replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** A number with at most `digits` significant digits, never in powers of ten below 1e15. */
export function short(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return NONE;
  if (x === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(x)));
  if (size >= 15 || size < -6) return x.toExponential(digits - 1).replace('-', MINUS);
  const decimals = Math.max(0, Math.min(digits - 1 - size, 9));
  const [whole = '', part] = Math.abs(x).toFixed(decimals).split('.');
  const trimmed = part?.replace(/0+$/, '');
  return (x < 0 ? MINUS : '') + whole.replace(/\B(?=(\d{3})+$)/g, THIN) + (trimmed ? `.${trimmed}` : '');
}

/** A rate: `200.0`, `2 630`; one decimal below 1000 so that columns stand still. */
export function rate(hz: number | null | undefined): string {
  if (hz === null || hz === undefined || !Number.isFinite(hz)) return NONE;
  return hz < 999.95 ? hz.toFixed(1) : count(hz);
}

/** A long name with its end, which tells it from its like: `REGIO…_ORDER_1`. */
export const brief = (name: string) => (name.length > 16 ? `${name.slice(0, 5)}…${name.slice(-8)}` : name);

/** A time span given in nanoseconds: `2.4 µs`, `0.62 ms`, `1.2 s`. */
export function span(ns: number | null | undefined): string {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return NONE;
  if (ns === 0) return '0';
  if (ns < 995) return `${Math.round(ns)} ns`;
  if (ns < 99_500) return `${fixed(ns / 1e3)} µs`;
  if (ns < 995e6) return `${fixed(ns / 1e6)} ms`;
  return ns < 120e9 ? `${fixed(ns / 1e9)} s` : `${Math.round(ns / 60e9)} min`;
}

/** Two decimals below 10, one below 100, none from there on. */
export function fixed(x: number): string {
  return x < 9.995 ? x.toFixed(2) : x < 99.95 ? x.toFixed(1) : x.toFixed(0);
}

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Bytes in powers of 1024: `212 MiB`. */
export function bytes(n: number | null | undefined): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return NONE;
  let [value, unit] = [n, 0];
  while (value >= 1023.5 && unit < BINARY.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : short(value, 3)} ${BINARY[unit]}`;
}

/** Bytes per second in powers of 1000: `419 MB/s`. */
export function flow(perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined || !Number.isFinite(perSecond)) return NONE;
  const units = ['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s'];
  let [value, unit] = [perSecond, 0];
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value >= 99.5 || unit === 0 ? Math.round(value) : short(value, 3)} ${units[unit]}`;
}

/** Hours, minutes and seconds of a duration in nanoseconds: `00:12:47`; days in front where there are some. */
export function clock(ns: number): string {
  const seconds = Math.max(0, Math.floor(ns / 1e9));
  const two = (n: number) => n.toString().padStart(2, '0');
  const days = Math.floor(seconds / 86400);
  const text = `${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days > 0 ? `${days} d ${text}` : text;
}

/** The time of day of a moment, in the reader's zone: `01:18:22`. */
export function timeOfDay(ms: number): string {
  const at = new Date(ms);
  const two = (n: number) => n.toString().padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** How long ago: `4 min ago`. */
export function ago(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  if (seconds < 1.5) return 'just now';
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  return `${Math.round(seconds / 3600)} h ago`;
}

/** A share between 0 and 1 in percent. Never rounds a loss away: 0.999996 is `99.999 %`, not `100 %`. */
export function share(part: number, decimals = 2): string {
  if (!Number.isFinite(part)) return NONE;
  if (part >= 1) return '100 %';
  for (let n = decimals; n <= 4; n++) {
    const floor = Math.floor(part * 10 ** (n + 2)) / 10 ** n;
    if (floor < 100 - 10 ** -n / 2 && (part * 100).toFixed(n) !== (100).toFixed(n)) return `${(part * 100).toFixed(n)} %`;
  }
  return '99.9999 %';
}
