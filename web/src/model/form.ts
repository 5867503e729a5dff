/** Parameters as rows of a form, and the parsing of typed values. Pure functions. */

import type { ParamSpec, Value } from '../link/protocol';
import { count, NONE, short } from './units';

export interface FormRow {
  /** Title of the row: `min` for `min_x`, `min_y` and `min_z`. */
  title: string;
  specs: ParamSpec[];
}

/** Parameters that differ in their axis only stand in one row, where the first of them stands. */
export function rowsOf(specs: readonly ParamSpec[]): FormRow[] {
  const rows: FormRow[] = [];
  for (const spec of specs) {
    const stem = /^(.*)_[xyz]$/.exec(spec.name)?.[1];
    const row = stem === undefined ? undefined : rows.find((r) => r.specs[0]!.type === spec.type && r.title === stem);
    if (row) row.specs.push(spec);
    else rows.push({ title: stem ?? spec.name, specs: [spec] });
  }
  return rows.map(({ title, specs: all }) => ({ title: (all.length === 1 ? all[0]!.name : title).replaceAll('_', ' '), specs: all }));
}

/** The value that a text stands for, or why it stands for none. The server is the judge of everything else. */
export function parse(spec: ParamSpec, text: string): { value: Value } | { problem: string } {
  const trimmed = text.trim();
  switch (spec.type) {
    case 'int': {
      const value = Number(trimmed.replace(/[\s\u2009_]/g, '').replace('\u2212', '-'));
      return trimmed !== '' && Number.isInteger(value) ? { value } : { problem: `wanted a whole number, found "${text}"` };
    }
    case 'float': {
      const value = Number(trimmed.replace(/[\s\u2009_]/g, '').replace('\u2212', '-'));
      return trimmed !== '' && Number.isFinite(value) ? { value } : { problem: `wanted a number, found "${text}"` };
    }
    case 'list': {
      const values = trimmed.replace(/^\[|\]$/g, '').split(/[\s,;]+/).filter(Boolean).map(Number);
      return values.every(Number.isFinite) ? { value: values } : { problem: 'wanted numbers with commas between them' };
    }
    default:
      return { value: text };
  }
}

/** A value as it stands in a field that can be edited: all digits. */
export function editable(value: Value | undefined): string {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** A value for reading. */
export function readable(value: Value | undefined): string {
  if (value === undefined || value === null) return NONE;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return Number.isInteger(value) ? count(value) : short(value, 5);
  if (Array.isArray(value)) {
    const head = value.slice(0, 4).map((n) => short(n, 4)).join(', ');
    return value.length > 4 ? `${head}, … (${count(value.length)})` : head || 'empty';
  }
  return value === '' ? NONE : value;
}

/** The accepted values, in words. */
export function wanted(spec: ParamSpec): string {
  const { min, max, unit } = spec;
  const end = unit ? ` ${unit}` : '';
  if (min !== null && max !== null) return `${short(min, 6)} to ${short(max, 6)}${end}`;
  if (min !== null) return `at least ${short(min, 6)}${end}`;
  return max === null ? (unit ?? '') : `at most ${short(max, 6)}${end}`;
}

export const same = (a: Value | undefined, b: Value | undefined) => JSON.stringify(a) === JSON.stringify(b);
