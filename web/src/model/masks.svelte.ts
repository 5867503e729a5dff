/** The masks that are being drawn, one for each detector. They are kept while the page is open, whatever output the
 * page shows. */

import { detectorBehind, maskOf, piecesOf, type Known, type Step } from './mask';
import { run } from './run.svelte';
import type { Region, Size } from './roi';

export type Shape = 'rectangle' | 'polygon' | 'brush';
export const SHAPES: [Shape, string][] = [['rectangle', 'Rectangle'], ['polygon', 'Polygon'], ['brush', 'Brush']];

/** The properties of nodes by which their detector is found. */
const known: Known = {
  type: (node) => run.node(node)?.type,
  isSource: (node) => run.node(node)?.kind === 'source',
  inputs: (node) => run.edgesTo(node).map((edge) => edge.from),
  operation: (node) => run.value(node, 'operation'),
};

export const detectorOfOutput = (output: string) => detectorBehind(output, known);

/** Nodes `bad_pixels` that handle pictures of a detector. */
export const handlersOf = (source: string): string[] =>
  run.nodes.filter(({ name, type }) => type === 'bad_pixels' && run.edgesTo(name).some(({ from }) => {
    const found = detectorOfOutput(from);
    return 'source' in found && found.source === source;
  })).map(({ name }) => name);

/** Nodes whose parameters change the place of a picture on the detector. */
export const turning = () => run.nodes.filter(({ type, kind }) => type === 'transform' || kind === 'source').map(({ name }) => name);

interface Drawn {
  steps: Step[];
  /** Steps that were taken back, the last one last. */
  undone: Step[];
  size: Size;
}

const NOTHING: Drawn = { steps: [], undone: [], size: { width: 0, height: 0 } };

class Masks {
  shape = $state<Shape>('rectangle');
  /** Whether drawing makes pixels bad or good again. */
  adds = $state(true);
  /** Of the brush, in pixels of the picture. */
  width = $state(5);
  /** The detector of the mask being drawn. */
  private source = $state('');
  private all = $state.raw<Record<string, Drawn>>({});

  private readonly drawn = $derived(this.all[this.source] ?? NOTHING);
  readonly mask = $derived(maskOf(this.drawn.steps, this.drawn.size));
  readonly pieces = $derived<Region[]>(this.mask ? piecesOf(this.mask, this.drawn.steps) : []);

  get size(): Size {
    return this.drawn.size;
  }

  get mayUndo(): boolean {
    return this.drawn.steps.length > 0;
  }

  get mayRedo(): boolean {
    return this.drawn.undone.length > 0;
  }

  /** From now on the mask of this detector is drawn, which is at least so large. */
  turnTo(source: string, { width, height }: Size): void {
    this.source = source;
    const { size } = this.drawn;
    if (width <= size.width && height <= size.height) return;
    this.change({ size: { width: Math.max(width, size.width), height: Math.max(height, size.height) } });
  }

  draw(regions: Region[], add = this.adds): void {
    if (regions.length > 0) this.change({ steps: [...this.drawn.steps, { add, regions }], undone: [] });
  }

  undo(): void {
    const last = this.drawn.steps.at(-1);
    if (last) this.change({ steps: this.drawn.steps.slice(0, -1), undone: [...this.drawn.undone, last] });
  }

  redo(): void {
    const last = this.drawn.undone.at(-1);
    if (last) this.change({ steps: [...this.drawn.steps, last], undone: this.drawn.undone.slice(0, -1) });
  }

  clear(): void {
    if (this.pieces.length > 0) this.draw([{ x: 0, y: 0, ...this.size }], false);
  }

  private change(what: Partial<Drawn>): void {
    this.all = { ...this.all, [this.source]: { ...this.drawn, ...what } };
  }
}

export const masks = new Masks();
