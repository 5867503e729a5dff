/** Which lines of a text are new, gone or the same. Pure functions. */

export interface Line {
  mark: '+' | '-' | ' ';
  text: string;
}

/** Longer parts that differ are shown as gone and new as a whole. */
const MOST_CELLS = 4_000_000;

export function compared(before: string, after: string): Line[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let [start, end] = [0, 0];
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (text: string): Line => ({ mark: ' ', text });
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** By the longest common sequence of lines. */
function between(a: string[], b: string[]): Line[] {
  const gone = (text: string): Line => ({ mark: '-', text });
  const fresh = (text: string): Line => ({ mark: '+', text });
  if (a.length * b.length > MOST_CELLS) return [...a.map(gone), ...b.map(fresh)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1]! + 1
        : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ mark: ' ', text: a[i++]! });
      j++;
    } else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) lines.push(gone(a[i++]!));
    else lines.push(fresh(b[j++]!));
  }
  return lines;
}
