/** Recorded files: the content of the folders that may be read, the content of a run, one event of it. */

import { atHost } from './door';
import { request } from './rest';
import { readPicture, readTable, type Picture, type Table } from './wire';

export interface RunEntry {
  path: string;
  name: string;
  folder: string;
  files: number;
  bytes: number;
  modified_ns: number;
  growing: boolean;
}

export interface FileEntry {
  path: string;
  name: string;
  kind: 'run' | 'array' | 'image' | 'json' | 'other';
  bytes: number;
  modified_ns: number;
}

/** A folder written by `livetime analyze -o`; `found` is the report's own text. */
export interface AnalysisEntry {
  folder: string;
  name: string;
  modified_ns: number;
  found: { detector?: string | null; events?: number | null; used?: number | null; results?: AnalysisResult[] | null };
  files: FileEntry[];
}

export interface AnalysisResult {
  name: string;
  value?: number;
  shape?: number[];
  rows?: number;
  lowest?: number | null;
  mean?: number | null;
  highest?: number | null;
}

export interface Recorded {
  folders: string[];
  cut: boolean;
  runs: RunEntry[];
  analyses: AnalysisEntry[];
  traces: FileEntry[];
  others: FileEntry[];
}

export interface Writer {
  node: string;
  capturing: boolean;
  status: string | null;
  message: string | null;
  file: string | null;
  counters: Record<string, number>;
}

export interface WrittenFile {
  node: string;
  path: string;
  name: string;
  state: 'open' | 'complete' | 'gone';
  frames: number | null;
  bytes: number | null;
  modified_ns: number | null;
}

export interface Written {
  writers: Writer[];
  files: WrittenFile[];
}

export interface DetectorInfo {
  name: string;
  pictures: boolean;
  dtype: string | null;
  shape: number[] | null;
}

export interface Summary {
  path: string;
  format: 'xtc1' | 'xtc2' | 'hdf5' | 'npy';
  files?: { path: string; bytes: number | null }[];
  events: number;
  first_ns?: number | null;
  last_ns?: number | null;
  event_rate_hz?: number | null;
  growing: boolean;
  detectors: DetectorInfo[];
  transitions?: { change: string; time_ns: number; event: number; run: number | null }[];
  transition_count?: number;
  problems: { file: string; why: string }[];
  /** Of a table. */
  columns?: string[] | null;
}

export interface EventPicture {
  condition: 'whole' | 'partial' | 'damaged';
  dtype: string | null;
  shape: number[];
  /** Panels beside each other in the picture. */
  across: number;
  panels?: number;
  damaged: { panel: number; damage: string }[];
  file_bytes?: number;
}

export interface SmallValue {
  source: string;
  name: string;
  unit: string;
  values: (number | string | null)[];
  count: number;
  damage: number;
}

export interface EventInfo {
  event: number;
  events?: number;
  time_ns?: number | null;
  place?: string;
  bytes?: number;
  picture?: EventPicture;
  fault?: { kind: 'missing' | 'damaged' | 'lost' | 'broken' | 'unreadable' | 'no memory'; why: string };
  small?: SmallValue[];
  small_count?: number;
  small_problem?: string;
}

const json = async <T>(path: string) => (await (await request('GET', path)).json()) as T;

function address(what: string, place: Record<string, string | number>): string {
  const query = new URLSearchParams(Object.entries(place).map(([key, value]) => [key, String(value)]));
  return `/api/v1/runs/${what}?${query}`;
}

export const recorded = () => json<Recorded>('/api/v1/runs');
export const written = () => json<Written>('/api/v1/files');
export const summary = (path: string) => json<Summary>(address('summary', { path }));
export const eventOf = (path: string, detector: string, event: number) =>
  json<EventInfo>(address('event', { path, detector, event }));
export const download = (path: string) => atHost(address('download', { path }));

/** Where the picture of an event is; of two events of one detector all but the end is the same. */
export const pictureOf = (path: string, detector: string, event: number) => address('picture', { path, detector, event });

export async function curve(picture: string): Promise<Picture> {
  return readPicture(await (await request('GET', `${picture}&as=raw`)).arrayBuffer());
}

export async function table(picture: string): Promise<Table> {
  return readTable(await (await request('GET', `${picture}&as=raw`)).arrayBuffer());
}
