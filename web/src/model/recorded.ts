/** Recorded runs in words. Pure functions. */

import type { DetectorInfo, EventInfo, SmallValue, Summary } from '../link/recorded';
import { bytes, count, NONE, short } from './units';

/** How good a detector's data at an event are. `level` sets the colour. */
export interface Verdict {
  level: 'good' | 'note' | 'warn' | 'alarm';
  text: string;
  /** The texts of the recorder or the reader. */
  details: string[];
}

const FAULTS: Record<NonNullable<EventInfo['fault']>['kind'], [Verdict['level'], string]> = {
  missing: ['note', 'The detector was not read at this event. That is no loss.'],
  damaged: ['warn', 'There is only a damaged picture.'],
  lost: ['alarm', 'No picture: the recorder noted damage, and this may be the reason.'],
  broken: ['alarm', 'No picture: the data are not what their format wants.'],
  unreadable: ['alarm', 'No picture: this part of the file cannot be read.'],
  'no memory': ['alarm', 'No picture: it needs more memory than the server has for it.'],
};

export function verdict(event: EventInfo): Verdict {
  if (event.fault) {
    const [level, text] = FAULTS[event.fault.kind] ?? ['alarm', 'No picture.'];
    return { level, text, details: [event.fault.why] };
  }
  const picture = event.picture;
  if (!picture || picture.condition === 'whole') return { level: 'good', text: 'Whole: the recorder noted no damage.', details: [] };
  const details = picture.damaged.map(({ panel, damage }) => `${(picture.panels ?? 1) > 1 ? `panel ${panel}: ` : ''}${damage}`);
  if (picture.condition === 'partial' && details.length === 0) {
    return { level: 'warn', text: `A part of the picture is missing: ${picture.panels ?? 0} panels are there.`, details };
  }
  const text = picture.condition === 'partial' ? 'A part of the picture is damaged or missing.' : 'The whole picture is damaged.';
  return { level: 'warn', text, details };
}

export const shapeInWords = (shape: readonly number[] | null | undefined) => (shape?.length ? shape.join(' × ') : NONE);

/** How a detector is shown: as a picture, a curve, or rows. */
export function shownAs(detector: DetectorInfo | undefined): 'picture' | 'curve' | 'table' | 'nothing' {
  if (!detector) return 'nothing';
  if (detector.dtype === null && detector.shape !== null) return 'table';
  return (detector.shape?.length ?? 2) > 1 ? 'picture' : 'curve';
}

/** How the panels of an array lie in its picture; `null` if there is but one. */
export function panelsInWords({ shape, across }: { shape: readonly number[]; across: number }): string | null {
  const panels = shape.slice(0, -2).reduce((all, n) => all * n, 1);
  return shape.length > 2 && panels > 1 ? `${count(panels)} panels, ${across} in a row` : null;
}

/** The detector that is shown by default: the first with pictures that were found. */
export const usualDetector = (detectors: readonly DetectorInfo[]) =>
  (detectors.find((d) => d.pictures && d.shape) ?? detectors.find((d) => d.shape) ?? detectors[0])?.name ?? '';

const FORMATS: Record<Summary['format'], string> = { xtc1: 'XTC of LCLS-I', xtc2: 'XTC of LCLS-II', hdf5: 'HDF5', npy: 'array of NumPy' };

export function summaryInWords(summary: Summary): string[] {
  const size = (summary.files ?? []).reduce((all, file) => all + (file.bytes ?? 0), 0);
  const files = summary.files?.length ?? 0;
  return [
    FORMATS[summary.format],
    ...(summary.format === 'npy' ? [] : [`${count(summary.events)} ${summary.events === 1 ? 'event' : 'events'}`]),
    ...(files > 0 ? [`${bytes(size)} in ${count(files)} ${files === 1 ? 'file' : 'files'}`] : []),
    ...(summary.event_rate_hz ? [`${short(summary.event_rate_hz)} Hz`] : []),
    ...(summary.growing ? ['being written'] : []),
  ];
}

/** The state of the run at an event: the last change of each kind before it, such as the step of a scan. */
export function stepAt(summary: Summary, event: number): { number: number; of: number; first: number } | null {
  const steps = (summary.transitions ?? []).filter((t) => t.change === 'BeginStep');
  if (steps.length < 2) return null;
  const number = steps.filter((t) => t.event <= event).length;
  return number > 0 ? { number, of: steps.length, first: steps[number - 1]!.event } : null;
}

export function smallInWords({ values, count: all }: SmallValue): string {
  if (values.length === 0) return all > 0 ? `${count(all)} values` : 'cannot be read';
  const one = (value: number | string | null) =>
    typeof value === 'number' ? (Number.isInteger(value) ? String(value).replace('-', '−') : short(value, 6)) : (value ?? NONE);
  return values.map(one).join(', ') + (all > values.length ? ` … (${count(all)})` : '');
}

/** A time with its day, to the microsecond, in UTC, as `livetime inspect` prints it. */
export function utc(ns: number | null | undefined): string {
  if (!ns) return NONE;
  const micros = Math.round(ns / 1000);
  const at = new Date(Math.floor(micros / 1000));
  if (!Number.isFinite(at.getTime())) return NONE;
  return at.toISOString().replace('T', ' ').replace('Z', `${String(micros % 1000).padStart(3, '0')} UTC`);
}

/** The part of a whole path that says most: its last `parts` folders. */
export function folderInShort(path: string, parts = 2): string {
  const names = path.split('/').filter(Boolean);
  return names.length > parts ? `…/${names.slice(-parts).join('/')}` : path;
}

/** How fast each file grows, from two answers: bytes per second by path. */
export class Growth {
  private known = new Map<string, { bytes: number; at: number; rate: number | null }>();

  rate(path: string, size: number | null, at: number): number | null {
    if (size === null) return null;
    const before = this.known.get(path);
    if (before && at - before.at < 500) return before.rate;
    const rate = before ? Math.max(0, ((size - before.bytes) * 1000) / (at - before.at)) : null;
    this.known.set(path, { bytes: size, at, rate });
    return rate;
  }
}
